"""learn: an acceptor from observations alone, without a start."""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Callable, Collection, Hashable, Sequence

import numpy as np

from cutpoint.data import Sample
from cutpoint.em.ascent import check_callback, check_time_limit
from cutpoint.em.checkpoint import Checkpoint, digest
from cutpoint.em.e_step import check_threads
from cutpoint.em.engine import Engine, Parameters
from cutpoint.em.evidence import check_evidence, check_sample_or_shards
from cutpoint.em.sharded import Sharded, check_engine
from cutpoint.em.shards import Shards, held
from cutpoint.errors import InvalidArgument, UnusedStatesWarning
from cutpoint.exact import whole_number
from cutpoint.kernels import cores
from cutpoint.model import Acceptor, mixture
from cutpoint.model.algebra import check_acceptor
from cutpoint.model.randomness import generator
from cutpoint.search.journal import Journal
from cutpoint.search.labelling import Labelling
from cutpoint.search.learned import Learned, Member, Round, unused_sentence
from cutpoint.search.rounds import LAST_STEPS, TEAM_STEPS, Search, SearchProgress
from cutpoint.search.settings import Hidden, Named, Setting
from cutpoint.search.starts import Start
from cutpoint.wording import shown

PRIOR = 0.01
"""Pseudo-counts of every cell."""

FOLDS = 5

HALF_A_VISIT = 0.5
"""States with fewer visits, in expectation, are not used (where visits are few: with a hundredth of the mean)."""

MOST_STATES = 2000
"""Most states that can be asked for: dozens of climbs hold their matrices at the same time."""

SEARCHED = 200_000
"""Most distinct observations of a sample in shards that are searched."""

LARGE = 50_000
"""From so many distinct observations on, one fold is enough for a single acceptor of a given size."""


def learn(
    sample: Sample | Shards,
    n_states: int | None = None,
    team: int = 1,
    *,
    n_final: int | None = None,
    final: Collection[Hashable] | None = None,
    classes: Sequence[Hashable] | None = None,
    start: Acceptor | None = None,
    prior: float = PRIOR,
    folds: int | None = None,
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
        better on held-out words, a deterministic machine that takes some labels for wrong. k > 1 returns the mixture
        of k folds' winners: one larger acceptor (a block for each member), usually with better probabilities.
    n_final : number of final states; by default half of them, or as merging finds them.
    final : names of the final states, where states were seen; by default those seen with an accepting verdict.
    classes : names of classes, if what the sample has as seen states are classes: each class is shared by several
        hidden states, and ``Learned.labels`` tells the class of each state. States of the last class are final.
    start : an acceptor to begin from, beside the other starts.
    prior : Dirichlet pseudo-counts of every cell.
    folds : number of folds, five unless told (fewer if there are fewer observations), and at least ``team``.
    threads : number of threads, all cores unless told; the result does not depend on it.
    time_limit : most seconds to search; the best so far is returned.
    callback : called after each round with a :class:`SearchProgress`; if it returns True, the best so far is returned.
    checkpoint : path of a file that holds the state after each round; a search that was stopped goes on from there,
        bit for bit as if it had not been.
    rng : seed or generator; same seed, same result.
    engine : who works on a sample in shards, by default the threads of this machine; the result is the same.

    Returns
    -------
    A :class:`Learned`. Ctrl-C returns the best so far.

    Notes
    -----
    A search takes some thousands of E-steps for each number of states. Of samples with many distinct observations
    (over 50,000) the first rounds see a part, and a single acceptor of given size is judged by one fold.

    Of a sample in shards a part is searched in memory: 200,000 distinct observations, taken evenly from all shards (all
    of them if there are no more). The winners then climb on all shards, through the engine, and the log-likelihood is
    that of all shards.

    Examples
    --------
    >>> import cutpoint as cp
    >>> odd = cp.gallery.parity()
    >>> sample = cp.simulate(odd, cp.random_words("01", 200, (0, 8), rng=1), rng=2)
    >>> fit = cp.learn(sample, n_states=2, rng=3)
    >>> fit.acceptor.acceptances(["1" * 21, "01" * 20]).round(2).tolist()
    [1.0, 0.0]
    """
    check_sample_or_shards(sample)
    check_threads(threads)
    check_time_limit(time_limit)
    check_callback(callback)
    check_engine(engine)
    _check_options(n_states, team, prior, folds)
    if start is not None:
        check_acceptor(start)
        n_states = _size_of(start, n_states)
    alphabet = sample.alphabet if start is None else start.alphabet
    whole = None
    try:
        if engine is not None or isinstance(sample, Shards):
            whole = Sharded(held(sample) if isinstance(sample, Sample) else sample, alphabet, engine, threads)
        part = sample.recoded(alphabet) if isinstance(sample, Sample) else _searched(whole)
        setting = _setting(part, n_states, n_final, final, classes, start)
        search = Search(
            part,
            setting,
            *_fold_numbers(part, n_states, team, folds),
            prior,
            threads or cores(),
            int(generator(rng).integers(2**63)),
            _given(start),
            callback,
            time_limit,
            whole=whole,
        )
        if checkpoint is not None:
            problem = n_states, n_final, final, classes, start, prior, search.folds, search.fold_limit, search.seed
            more = (sample.digest,) if isinstance(sample, Shards) else ()
            search.journal = Journal(Checkpoint(checkpoint, digest(part, *problem, *more)))
        return _result(search, setting.sizes if n_states is None else (n_states,), team, n_states is not None)
    finally:
        if whole is not None:
            whole.close()


def _searched(whole: Sharded | None) -> Sample:
    assert whole is not None, "a sample in shards has an engine"
    return whole.part(SEARCHED)


def _check_options(n_states: int | None, team: int, prior: float, folds: int | None) -> None:
    if n_states is not None:
        whole_number("n_states", n_states, least=1, most=MOST_STATES)
    whole_number("team", team, least=1)
    if folds is not None:
        whole_number("folds", folds, least=2)
    check_prior(prior)


def check_prior(prior: float) -> None:
    """Refuse what is not a number of pseudo-counts."""
    if isinstance(prior, bool) or not (isinstance(prior, int | float) and 0.0 <= prior < math.inf):
        raise InvalidArgument(f"prior must be a finite number, 0 or more; got {shown(prior)}.")


def _size_of(start: Acceptor, n_states: int | None) -> int:
    if n_states not in (None, start.n_states):
        raise InvalidArgument(
            f"n_states must be that of the start, {start.n_states}; got {n_states}. Leave it out, or the start."
        )
    return start.n_states


def _setting(
    sample: Sample,
    n_states: int | None,
    n_final: int | None,
    final: Collection[Hashable] | None,
    classes: Sequence[Hashable] | None,
    start: Acceptor | None,
) -> Setting:
    check_evidence(sample)
    if classes is not None:
        return _checked(Hidden(Labelling.classes(sample, classes)), n_states)
    if any(mark.states is not None for mark in sample.mark_table):
        if n_final is not None:
            raise InvalidArgument("n_final is for states without names; states were seen, so pass final={...}.")
        return Named(sample, n_states, final, start)
    if final is not None:
        raise InvalidArgument("final is for states with names, and no state was seen; pass n_final=... instead.")
    if n_final is not None:
        whole_number("n_final", n_final, least=1)
    return _checked(Hidden(Labelling.verdicts(sample), n_final), n_states)


def _checked(hidden: Hidden, n_states: int | None) -> Hidden:
    if n_states is not None:
        hidden.check_size(n_states)
    elif not hidden.sizes:
        raise InvalidArgument("with so many labels or final states, n_states must be given; got None.")
    return hidden


def _fold_numbers(sample: Sample, n_states: int | None, team: int, folds: int | None) -> tuple[int, int]:
    """Number of folds, and how many of them are used."""
    number = max(folds or max(2, min(FOLDS, int(sample.total))), team)
    if n_states is None:
        return number, number
    if team > 1:
        return number, team
    return number, 1 if len(sample) > LARGE and folds is None else number


def _given(start: Acceptor | None) -> Start | None:
    if start is None:
        return None
    return Start("given", Parameters(start.transitions, start.initial), start.final.astype(np.int32))


def _result(search: Search, sizes: tuple[int, ...], team: int, asked: bool) -> Learned:
    """Run the search and put its winners together."""
    best, stop = search.run(sizes, caution=1.0 if team == 1 else 0.0)  # members of a team err apart: no caution
    winners = search.winners[best]
    steps = TEAM_STEPS if team > 1 else LAST_STEPS
    places = [(search.refitted(winner, steps), winner.kinds) for winner in winners]
    alphabet = search.sample.alphabet
    members = tuple(
        Member(
            search.setting.acceptor(alphabet, place, kinds),
            winner.name,
            winner.loss,
            tuple(Round(*entry) for entry in winner.curve),
        )
        for (place, kinds), winner in zip(places, winners, strict=True)
    )
    chosen = list(range(len(members)))[:team] if team > 1 else [search.nearest_to_all(places)]
    members = members[:team] if team > 1 else members
    machine = search.simplest(best) if team == 1 else None
    best_few = [machine.place(best)] if machine else [places[k] for k in chosen]
    parts = [search.setting.acceptor(alphabet, *place) for place in best_few]
    acceptor = mixture(parts) if team > 1 else parts[0]
    visits = np.concatenate([search.visits(*place) for place in best_few])
    used = visits >= min(HALF_A_VISIT, 0.01 * float(visits.mean()))
    unused = tuple(state for state, visited in zip(acceptor.states, used, strict=True) if not visited)
    detail = unused_sentence(unused, acceptor.n_states) if unused else ""
    told = " ".join(filter(None, (machine.sentence if machine else "", detail)))
    if unused and asked and team == 1:
        warnings.warn(detail, UnusedStatesWarning, stacklevel=3)
    return Learned(
        acceptor,
        tuple(entry.objective for entry in members[chosen[0]].curve),
        stop,
        search.log_likelihood(best_few),
        told,
        members,
        tuple(search.sizes[size] for size in sorted(search.sizes)),
        search.e_steps,
        unused,
        tuple(label for _, kinds in best_few for label in search.setting.labels(kinds)),
    )
