"""learn: an acceptor from observations alone. Its body is the search, in the order in which it happens."""

import math
import os
import warnings
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from functools import partial
from typing import Literal

import numpy as np

from cutpoint.data import Sample
from cutpoint.em.baum_welch import check_callback, check_time_limit
from cutpoint.em.fit_result import Stop
from cutpoint.em.observations import AnySample, Engine, InMemory, Parameters, observations
from cutpoint.errors import UnusedStatesWarning
from cutpoint.model import Acceptor, mixture
from cutpoint.model.acceptor import check_acceptor
from cutpoint.model.parts import random_generator
from cutpoint.search.deterministic import DeterministicMachine, simplest
from cutpoint.search.folds import splits
from cutpoint.search.labels import HiddenStates, known_states
from cutpoint.search.learned import Direction, Learned, Member, SearchProgress
from cutpoint.search.race import (
    LAST_STEPS,
    SEARCHED,
    FoldResult,
    check_arguments,
    check_direction,
    check_search,
    checked_size,
    nearest_to_mean,
    refitted,
    results_of_folds,
    search_checkpoint,
    unused_states,
    usual_folds,
)
from cutpoint.search.starts import Start
from cutpoint.search.students import best_student, can_be_taught
from cutpoint.search.tournament import Rules, SearchMonitor
from cutpoint.wording import counted, listed

PRIOR = 0.01  # pseudo-counts of every cell
JUDGES = 3  # folds by which the number of states is chosen
LEAST_GAIN = 0.02  # share of the loss by which a larger number of states must be better, for a single acceptor
TEAM_STEPS = 30  # E-steps of winners on all observations where they may err apart: in a team, or as teachers
LUCK = 3.0  # standard errors by which winners must be better than a simple machine: what they are judged by chose them
LARGE = 50_000  # from so many distinct observations on, one fold is enough for a single acceptor of a given size


def learn(
    sample: AnySample,
    n_states: int | None = None,
    team: int = 1,
    *,
    n_final: int | None = None,
    final: Collection[Hashable] | None = None,
    classes: Sequence[Hashable] | None = None,
    start: Acceptor | None = None,
    student: bool = True,
    direction: Direction | Literal["auto"] = "forward",
    prior: float = PRIOR,
    folds: int | None = None,
    groups: Iterable[Hashable] | None = None,
    threads: int | None = None,
    time_limit: float | None = None,
    callback: Callable[[SearchProgress], object] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    rng: np.random.Generator | int = 0,
    engine: Engine | None = None,
) -> Learned:
    """Learn an acceptor from scratch: from labels of words, verdicts after prefixes, seen states, or any mixture.

    Climbing the likelihood from one start mostly ends at a poor local maximum. So the sample is split into folds; on
    each, some twenty-five starts (machines merged from the labelled prefix tree, sparse random ones, lazy ones, ones
    that saw short words first) climb by accelerated Baum-Welch, the worse ones on the held-out fold drop out, the rest
    climb on with few moves in each row, and the winner is taken where its held-out loss was lowest.

    Parameters
    ----------
    sample : what was observed. Words without any evidence teach nothing.
    n_states : number of states; None tries 2, 4, 8, … and takes the number that does best on held-out observations (a
        larger one must be better, for a single acceptor by 2 % and a standard error). States seen in the sample set
        it, and name the states.
    team : 1 returns one acceptor, which learns from the folds' winners; or, unless these are clearly better on held-out
        words, a deterministic machine that takes some labels to be wrong. k > 1 returns the mixture of k folds'
        winners: one larger acceptor, with a block for each member.
    n_final : number of final states; by default half of them, or as merging finds them.
    final : names of the final states, where states were seen; by default those seen with an accepting verdict.
    classes : names of classes, if what the sample has as seen states are classes: each class is shared by several
        hidden states, and ``Learned.labels`` has the class of each state. States of the last class are final.
    start : an acceptor to begin from, beside the other starts.
    student : whether a single acceptor learns from the winners' probabilities of made-up words, beside the sample.
        Otherwise, and where labels were seen within words, it is the winner nearest to their mean.
    direction : ``"backward"`` reads each word from its last symbol to its first: better where ends of words say more
        than beginnings, as in names. ``"auto"`` searches both ways, in twice the time, and takes the one whose
        folds' winners are better on held-out observations. Backwards, use ``fit.automaton``; see :class:`Learned`.
    prior : Dirichlet pseudo-counts of every cell.
    folds : number of folds, by default five (fewer if there are fewer observations), and at least ``team``.
    groups : a name for each of the sample's ``ids``, or for each distinct observation of a sample without ids; no fold
        splits a group (:meth:`Sample.grouped`). Prefixes of a case are a group by themselves.
    threads : number of threads, by default all cores; the result does not depend on it.
    time_limit : most seconds to search; the best so far is returned, as it is by Ctrl-C.
    callback : called after each round with a :class:`SearchProgress`; if it returns True, the best so far is returned.
    checkpoint : path of a file that holds the state after each round; a search that was stopped goes on from there,
        bit for bit as if it had not been.
    rng : seed or generator; same seed, same result.
    engine : what works on all observations, by default the threads of this machine; the result is the same.

    Notes
    -----
    A search takes some thousands of E-steps. Of samples with many distinct observations
    (over 50,000) the first rounds see a part, and a single acceptor of given size is judged by one fold.

    Of a sample in shards at most 200,000 distinct observations, taken evenly from all shards, are searched in memory.
    The winners then climb on all shards, through the engine, and the log-likelihood is that of all shards.

    Examples
    --------
    >>> sample = cp.simulate(cp.gallery.parity(), cp.random_words("01", 200, (0, 8), rng=1), rng=2)
    >>> fit = cp.learn(sample, n_states=2, rng=3)
    >>> fit.acceptor.acceptances(["1" * 21, "01" * 20]).round(2).tolist()
    [1.0, 0.0]
    """
    sample = check_arguments(sample, threads, engine, groups)
    check_time_limit(time_limit)
    check_callback(callback)
    if start is not None:
        check_acceptor(start)
    n_states = checked_size(n_states, start)
    check_search(team, folds, prior)
    check_direction(direction, sample, checkpoint)
    if direction == "auto":
        search = partial(
            learn, sample, n_states, team, n_final=n_final, final=final, classes=classes, start=start, student=student,
            prior=prior, folds=folds, threads=threads, time_limit=time_limit and time_limit / 2, callback=callback,
            rng=int(random_generator(rng).integers(2**63)), engine=engine,
        )  # fmt: skip
        return better_direction(search(direction="forward"), search(direction="backward"))
    if direction == "backward" and isinstance(sample, Sample):
        sample = sample.reversed()
    alphabet = sample.alphabet if start is None else start.alphabet
    with observations(sample, alphabet, engine, threads) as data:
        # What is searched, and what is known of the states
        part = sample.recoded(alphabet) if isinstance(sample, Sample) else data.subsample(SEARCHED)
        states = known_states(part, n_states, n_final, final, classes, start)
        seed = int(random_generator(rng).integers(2**63))

        # Folds
        n_folds = max(folds or usual_folds(part), team)
        used = n_folds if team == 1 and (folds is not None or n_states is None or len(part) <= LARGE) else team
        split_by_fold = splits(part, n_folds, np.random.default_rng([seed, 0]))
        given = None if start is None else Start("given", Parameters.of(start.to_dense()), start.final.astype(np.int32))
        rules = Rules(states, prior, seed, threads, given, exchange=isinstance(states, HiddenStates))
        sizes = states.sizes if n_states is None else (n_states,)
        options = n_states, n_final, final and frozenset(final), classes and tuple(classes), start, team, n_folds
        saved = search_checkpoint(checkpoint, sample, part, rules, sizes, used, options)
        monitor = SearchMonitor(used, callback, time_limit, saved)

        # A race of numbers of states on few folds, and its winner on all of them, with a tournament for each
        caution, least_gain = (1.0, LEAST_GAIN) if team == 1 else (0.0, 0.0)  # members of a team err apart
        folds_used = split_by_fold[:used]
        outcome, results = results_of_folds(sizes, folds_used, JUDGES, rules, monitor, caution, least_gain)

        # The winners climb on, on all observations
        winners = [result.winner for result in results][: team if team > 1 else None]
        is_taught = (
            student and len(winners) > team == 1 and outcome.stop is Stop.SEARCHED and can_be_taught(part, rules)
        )
        steps = TEAM_STEPS if team > 1 or is_taught else LAST_STEPS
        solutions = [refitted(winner, data, rules, steps, monitor) for winner in winners]
        acceptors = [states.acceptor(part.alphabet, *solution) for solution in solutions]
        members = tuple(
            Member(acceptor, winner.start, winner.loss, tuple(winner.curve))
            for acceptor, winner in zip(acceptors, winners, strict=True)
        )

        # A mixture; or a simple machine, an acceptor that learned from the winners, or the one nearest to them all
        first, machine = 0, None
        if team > 1:
            acceptor = mixture(acceptors)
        else:
            machine = _simple_machine(results, part, rules)
            is_taught = is_taught and machine is None and not monitor.is_late
            taught = best_student(solutions, part, rules, monitor.clock) if is_taught else None
            first = nearest_to_mean(solutions, part, rules) if taught is None else taught[1]
            if machine is not None:
                solutions = [machine.solution(outcome.n_states)]
            else:
                solutions = [solutions[first] if taught is None else taught[0]]
            acceptor = states.acceptor(part.alphabet, *solutions[0])
        unused = unused_states(acceptor, solutions, data, rules)
        return Learned(
            acceptor,
            tuple(entry.objective for entry in members[first].curve),
            outcome.stop,
            data.log_likelihood([rules.asked(solution) for solution in solutions]),
            _detail(machine, unused, acceptor.n_states, warn=team == 1 and n_states is not None),
            members,
            outcome.sizes,
            monitor.e_steps,
            unused,
            tuple(label for solution in solutions for label in states.labels(solution.kinds)),
            tuple((states.acceptor(part.alphabet, *r.winner.solution), r.split.validation) for r in results),
            direction,
        )


def better_direction(forward: Learned, backward: Learned) -> Learned:
    """Of two fits with the same folds, the one whose best few of each fold were together better on held-out words."""

    def loss(fit: Learned) -> float:
        return next(size.joint_loss for size in fit.sizes if size.n_states == fit.members[0].model.n_states)

    return backward if loss(backward) < loss(forward) else forward


def _simple_machine(found: Sequence[FoldResult], sample: Sample, rules: Rules) -> DeterministicMachine | None:
    """Deterministic machine that takes some labels to be wrong, unless the folds' winners are clearly better.

    None where rows depend on each other, as groups do: what is clear then is not known.
    """
    if sample.cases is not None and sample.cases.groups is not None:
        return None
    results = [result for result in found if not result.cut_short]
    if not isinstance(rules.states, HiddenStates) or rules.states.n_final is not None or not results:
        return None
    solutions = [finalist.solution for result in results for finalist in result.finalists]
    n_states = len(solutions[0].kinds)
    machine = simplest(solutions, sample, rules.states.labelling, n_states)
    if machine is None:
        return None
    gains = []
    for result in results:
        data = InMemory(result.split.validation, rules.threads)
        pair = result.winner.solution, machine.solution(n_states)
        gains.append(np.subtract(*(data.log_likelihoods(*rules.asked(solution)) for solution in pair)))
    gain, count = np.concatenate(gains), np.concatenate([result.split.validation.counts for result in results])
    mean = float(np.average(gain, weights=count))
    error = math.sqrt(float(np.average((gain - mean) ** 2, weights=count)) / float(count.sum()))
    return machine if mean <= LUCK * error else None


def _detail(machine: DeterministicMachine | None, unused: tuple[Hashable, ...], n_states: int, warn: bool) -> str:
    """Sentences about a deterministic machine and about states that are never used."""
    sentences = []
    if machine:
        moves = f"{counted(len(machine.table), 'state')} that move without chance"
        sentences.append(f"{moves} explain all but {machine.wrong:.1%} of the labels.")
    if unused:
        sentence = f"{len(unused)} of {n_states} states are never used ({listed(unused)}): fewer would do."
        if warn:
            warnings.warn(sentence, UnusedStatesWarning, stacklevel=3)
        sentences.append(sentence)
    return " ".join(sentences)
