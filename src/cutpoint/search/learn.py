"""learn: an acceptor from observations alone. Its body is the search, in the order in which it happens."""

import math
import os
import warnings
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from cutpoint.data import Alphabet, Sample
from cutpoint.em.baum_welch import check_callback, check_time_limit
from cutpoint.em.checkpoint import Checkpoint
from cutpoint.em.fit_result import Stop
from cutpoint.em.observations import (
    AnySample,
    Engine,
    InMemory,
    Observations,
    Parameters,
    check_any_sample,
    check_engine,
    observations,
)
from cutpoint.errors import ImpossibleObservation, InvalidArgument, UnusedStatesWarning
from cutpoint.exact import whole_number
from cutpoint.model import Acceptor, Generator, mixture
from cutpoint.model.acceptor import check_acceptor
from cutpoint.model.machine import Machine
from cutpoint.model.parts import check_threads, random_generator
from cutpoint.search.deterministic import DeterministicMachine, simplest
from cutpoint.search.folds import Split, chosen_size, shared_out, splits
from cutpoint.search.labels import HiddenStates, Solution, known_states
from cutpoint.search.learned import Learned, Member, SearchProgress, SizeResult
from cutpoint.search.starts import Start
from cutpoint.search.tournament import Entrant, Rules, SearchEnded, SearchMonitor, saved_search, tournament
from cutpoint.wording import counted, listed, shown

PRIOR = 0.01  # pseudo-counts of every cell
FOLDS = 5
SURE_SIZES = 3  # so many numbers of states are always tried
LAST_STEPS, TEAM_STEPS = 10, 30  # E-steps of winners on all observations, alone and in a team, where they may err apart
HOPELESS = 3.0  # sizes are given up when so many more gains as the last would not reach the yardstick
HALF_A_VISIT = 0.5  # states with fewer visits (where visits are few: with a hundredth of the mean) are not used
LUCK = 3.0  # standard errors by which winners must be better than a simple machine: what they are judged by chose them
MOST_STATES = 2000  # most states that can be asked for: dozens of climbs hold their matrices at the same time
SEARCHED = 200_000  # most distinct observations of a sample in shards that are searched
LARGE = 50_000  # from so many distinct observations on, one fold is enough for a single acceptor of a given size
NO_START = (
    "every start gives probability 0 to something that was seen: what was seen of the runs contradicts itself, or the "
    "final states."
)
CHECK_FINAL = "Check the verdicts and {final}, or increase {prior}."


def learn(
    sample: AnySample,
    n_states: int | None = None,
    team: int = 1,
    *,
    n_final: int | None = None,
    final: Collection[Hashable] | None = None,
    classes: Sequence[Hashable] | None = None,
    start: Acceptor | None = None,
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
    each, some thirty starts (machines merged from the labelled prefix tree, sparse random ones, lazy ones, ones that
    saw short words first) climb by accelerated Baum-Welch, the worse ones on the held-out fold drop out, and the
    winner is taken where its held-out loss was lowest.

    Parameters
    ----------
    sample : what was observed. Words without any evidence teach nothing.
    n_states : number of states; None tries 2, 4, 8, … and takes the number that does best on held-out observations (a
        larger one must be better, for a single acceptor by a standard error). States seen in the sample set it, and
        name the states.
    team : 1 returns one acceptor, of the folds' winners the one nearest to their mean; or, unless they are clearly
        better on held-out words, a deterministic machine that takes some labels to be wrong. k > 1 returns the mixture
        of k folds' winners: one larger acceptor (a block for each member), usually with better probabilities.
    n_final : number of final states; by default half of them, or as merging finds them.
    final : names of the final states, where states were seen; by default those seen with an accepting verdict.
    classes : names of classes, if what the sample has as seen states are classes: each class is shared by several
        hidden states, and ``Learned.labels`` has the class of each state. States of the last class are final.
    start : an acceptor to begin from, beside the other starts.
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
    A search takes some thousands of E-steps for each number of states. Of samples with many distinct observations
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
    alphabet = sample.alphabet if start is None else start.alphabet
    with observations(sample, alphabet, engine, threads) as data:
        # What is searched, and what is known of the states
        part = sample.recoded(alphabet) if isinstance(sample, Sample) else data.subsample(SEARCHED)
        states = known_states(part, n_states, n_final, final, classes, start)
        seed = int(random_generator(rng).integers(2**63))

        # Folds
        n_folds = max(folds or usual_folds(part), team)
        all_used = n_states is None or (team == 1 and (folds is not None or len(part) <= LARGE))
        used = n_folds if all_used else team
        split_by_fold = splits(part, n_folds, np.random.default_rng([seed, 0]))[:used]
        given = None if start is None else Start("given", Parameters.of(start), start.final.astype(np.int32))
        rules = Rules(states, prior, seed, threads, given)
        sizes = states.sizes if n_states is None else (n_states,)
        options = n_states, n_final, final and frozenset(final), classes and tuple(classes), start, team, n_folds
        saved = search_checkpoint(checkpoint, sample, part, rules, sizes, used, options)
        monitor = SearchMonitor(used, callback, time_limit, saved)

        # A race of numbers of states, with a tournament for each fold
        caution = 1.0 if team == 1 else 0.0  # members of a team err apart
        outcome = race(sizes, split_by_fold, rules, monitor, caution)

        # The winners climb on, on all observations
        results = outcome.results[outcome.n_states]
        winners = [result.winner for result in results][: team if team > 1 else None]
        solutions = [
            refitted(winner, data, rules, TEAM_STEPS if team > 1 else LAST_STEPS, monitor) for winner in winners
        ]
        acceptors = [states.acceptor(part.alphabet, *solution) for solution in solutions]
        members = tuple(
            Member(acceptor, winner.start, winner.loss, tuple(winner.curve))
            for acceptor, winner in zip(acceptors, winners, strict=True)
        )

        # A mixture, or one acceptor
        first, machine = 0, None
        if team > 1:
            acceptor = mixture(acceptors)
        else:
            first = nearest_to_mean(solutions, part, rules)
            machine = _simple_machine(outcome, part, rules)
            solutions = [solutions[first] if machine is None else machine.solution(outcome.n_states)]
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
        )


def check_arguments(
    sample: AnySample, threads: int | None, engine: Engine | None, groups: Iterable[Hashable] | None = None
) -> AnySample:
    """The sample with its groups; refuses what is no argument of all functions that learn."""
    check_any_sample(sample)
    check_threads(threads)
    check_engine(engine)
    if groups is None:
        return sample
    if not isinstance(sample, Sample):
        raise InvalidArgument("are for a Sample in memory; this one is in shards.", argument="groups")
    return sample.grouped(groups)


def checked_size(n_states: int | None, start: Machine | None) -> int | None:
    """Number of states as asked for, or that of the start, if there is one."""
    if start is not None:
        if n_states not in (None, start.n_states):
            what = f"must be that of the start, {start.n_states}; got {n_states}."
            raise InvalidArgument(what, argument="n_states", advice="Leave it out, or the start.")
        n_states = start.n_states
    return None if n_states is None else whole_number("n_states", n_states, least=1, most=MOST_STATES)


def check_search(team: int, folds: int | None, prior: float) -> None:
    """Refuse what is not a size of a team, a number of folds or a number of pseudo-counts."""
    whole_number("team", team, least=1)
    if folds is not None:
        whole_number("folds", folds, least=2)
    check_prior(prior)


def check_prior(prior: float) -> None:
    """Refuse what is not a number of pseudo-counts."""
    if isinstance(prior, bool) or not (isinstance(prior, int | float) and 0.0 <= prior < math.inf):
        raise InvalidArgument(f"must be a finite number, 0 or more; got {shown(prior)}.", argument="prior")


def searched_part(sample: AnySample, alphabet: Alphabet, engine: Engine | None = None) -> Sample:
    """Observations that are looked at one by one: all of a sample in memory, at most 200,000 of one in shards."""
    if isinstance(sample, Sample):
        return sample.recoded(alphabet)
    with observations(sample, alphabet, engine, None) as data:
        return data.subsample(SEARCHED)


def search_checkpoint(
    path: str | os.PathLike[str] | None,
    sample: AnySample,
    part: Sample,
    rules: Rules,
    sizes: Sequence[int],
    folds: int,
    options: tuple[object, ...],
    is_generator: bool = False,
) -> Checkpoint | None:
    """Checkpoint of a search, if there is a path; its problem is all that decides the result."""
    if path is None:
        return None
    content = None if isinstance(sample, Sample) else sample.digest()
    problem = is_generator, content, part, rules.seed, float(rules.prior), rules.predicting, sizes, folds, options
    return Checkpoint(path, problem, saved_search(rules, sizes, folds, len(part.alphabet), is_generator))


def usual_folds(sample: Sample) -> int:
    """Number of folds by default: five, fewer if there are fewer observations, or groups, that can be judged."""
    return max(2, min(FOLDS, int(shared_out(sample)[0])))


@dataclass(frozen=True)
class FoldResult:
    """The best entrants of a fold's tournament, and their held-out loss together; ``cut_short`` if it did not end."""

    split: Split
    finalists: list[Entrant]
    joint_loss: float
    cut_short: bool = False

    @property
    def winner(self) -> Entrant:
        """The best entrant."""
        return self.finalists[0]


@dataclass(frozen=True)
class RaceOutcome:
    """Number of states that won, why the race ended, and the folds' results for each number tried."""

    n_states: int
    stop: Stop
    results: dict[int, list[FoldResult]]

    @property
    def sizes(self) -> tuple[SizeResult, ...]:
        """How each number of states did."""
        return tuple(
            SizeResult(size, tuple(r.winner.loss for r in results), tuple(r.joint_loss for r in results))
            for size, results in sorted(self.results.items())
            if results
        )


def race(
    sizes: Sequence[int],
    folds: Sequence[Split],
    rules: Rules,
    monitor: SearchMonitor,
    caution: float = 1.0,
    yardstick: int | None = None,
) -> RaceOutcome:
    """Tournaments for one number of states after the other, until a larger one is no longer clearly better.

    A ``yardstick`` is a number of states that comes first; the others are given up when they will not reach its loss.
    Where there is one fold, its validation part is split into several to see what is clear.
    """
    results: dict[int, list[FoldResult]] = {}
    losses: dict[int, list[float]] = {}
    stop = Stop.SEARCHED
    smaller: dict[int, Solution] = {}
    judges = _parts_to_judge_by(folds, rules) if len(sizes) > 1 else []
    try:
        for size in sizes if yardstick is None else (yardstick, *(size for size in sizes if size != yardstick)):
            results[size] = []
            for fold, split in enumerate(folds):
                finalists = tournament(split, size, fold, rules, monitor, smaller.get(fold))
                if math.isfinite(finalists[0].loss):
                    joint = rules.loss(InMemory(split.validation, 1), [f.solution for f in finalists])
                    results[size].append(FoldResult(split, finalists, joint))
                    if size != yardstick:
                        smaller[fold] = finalists[0].solution
            if not results[size]:
                raise ImpossibleObservation(NO_START, advice=CHECK_FINAL)
            losses[size] = [result.joint_loss for result in results[size]]
            if judges:
                finalists = results[size][0].finalists
                losses[size] = [rules.loss(judge, [each.solution for each in finalists]) for judge in judges]
            if _is_decided(losses, size, caution, yardstick):
                break
    except (SearchEnded, KeyboardInterrupt) as ended:
        stop = ended.stop if isinstance(ended, SearchEnded) else Stop.INTERRUPTED
        if not any(results.values()):
            if isinstance(ended, KeyboardInterrupt):
                raise
            best = min(ended.entrants, key=lambda entrant: entrant.loss)
            if not math.isfinite(best.loss):
                raise ImpossibleObservation(NO_START, advice=CHECK_FINAL) from None
            results[size] = [FoldResult(split, [best], best.loss, cut_short=True)]
    finished = chosen_size(losses, caution) if losses else next(size for size in results if results[size])
    return RaceOutcome(finished, stop, results)


def _parts_to_judge_by(folds: Sequence[Split], rules: Rules) -> list[InMemory]:
    """Parts of the validation part of a single fold; none where there are several folds."""
    if len(folds) > 1 or folds[0].validation.total < FOLDS:
        return []
    parts = splits(folds[0].validation, FOLDS, np.random.default_rng([rules.seed, 2]))
    return [InMemory(part.validation, 1) for part in parts]


def _is_decided(losses: dict[int, list[float]], size: int, caution: float, yardstick: int | None) -> bool:
    """Whether sizes beyond the last need not be tried: it is not clearly better, or the yardstick is out of reach."""
    tried = {other: found for other, found in losses.items() if other != yardstick}
    if len(tried) > SURE_SIZES and chosen_size(tried, caution) != size:
        return True
    if yardstick is None or len(tried) < SURE_SIZES:
        return False
    *_, before, now = (float(np.mean(found)) for found in tried.values())
    return now - float(np.mean(losses[yardstick])) > HOPELESS * (before - now)


def refitted(winner: Entrant, data: Observations, rules: Rules, steps: int, monitor: SearchMonitor) -> Solution:
    """Winner of a fold after a few E-steps on all observations."""
    climb = rules.climb(winner.solution, data)
    climb.advance(steps)
    monitor.e_steps += climb.e_steps
    return Solution(climb.parameters, winner.kinds)


def nearest_to_mean(solutions: Sequence[Solution], sample: Sample, rules: Rules) -> int:
    """Number of the solution whose probabilities of what was seen are nearest to the mean of all of them."""
    data = InMemory(sample, rules.threads)
    probabilities = np.exp(np.stack([data.log_likelihoods(*rules.asked(solution)) for solution in solutions]))
    p, q = (np.clip(values, 1e-12, 1.0 - 1e-12) for values in (probabilities.mean(axis=0), probabilities))
    divergence = p * np.log(p / q) + (1.0 - p) * np.log((1.0 - p) / (1.0 - q))  # seen what was seen, or not
    return int(np.argmin((sample.counts * divergence).sum(axis=1)))


def _simple_machine(outcome: RaceOutcome, sample: Sample, rules: Rules) -> DeterministicMachine | None:
    """Deterministic machine that takes some labels to be wrong, unless the folds' winners are clearly better.

    None where rows depend on each other, as groups do: what is clear then is not known.
    """
    if sample.cases is not None and sample.cases.groups is not None:
        return None
    results = [result for result in outcome.results[outcome.n_states] if not result.cut_short]
    if not isinstance(rules.states, HiddenStates) or rules.states.n_final is not None or not results:
        return None
    solutions = [finalist.solution for result in results for finalist in result.finalists]
    machine = simplest(solutions, sample, rules.states.labelling, outcome.n_states)
    if machine is None:
        return None
    gains = []
    for result in results:
        data = InMemory(result.split.validation, rules.threads)
        pair = result.winner.solution, machine.solution(outcome.n_states)
        gains.append(np.subtract(*(data.log_likelihoods(*rules.asked(solution)) for solution in pair)))
    gain, count = np.concatenate(gains), np.concatenate([result.split.validation.counts for result in results])
    mean = float(np.average(gain, weights=count))
    error = math.sqrt(float(np.average((gain - mean) ** 2, weights=count)) / float(count.sum()))
    return machine if mean <= LUCK * error else None


def unused_states(
    model: Acceptor | Generator, solutions: Sequence[Solution], data: Observations, rules: Rules
) -> tuple[Hashable, ...]:
    """States that no run visits, in expectation not even half a time."""
    counts = [data.expected_counts(*rules.asked(solution)) for solution in solutions]
    visits = np.concatenate([each.initial + each.transitions.sum(axis=(0, 1)) for each in counts])
    used = visits >= min(HALF_A_VISIT, 0.01 * float(visits.mean()))
    return tuple(state for state, visited in zip(model.states, used, strict=True) if not visited)


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
