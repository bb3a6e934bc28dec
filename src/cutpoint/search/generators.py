"""learn_generator: a law of words from words alone, or of words with their outcomes. Its body is the search."""

import math
import os
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Sequence
from contextlib import suppress

import numpy as np

from cutpoint.data import Sample
from cutpoint.data.marks import FIRST_MARKS, Verdict
from cutpoint.em.baum_welch import baum_welch, check_callback, check_time_limit
from cutpoint.em.m_step import factored, is_factored, shares
from cutpoint.em.observations import AnySample, Engine, Parameters, observations
from cutpoint.errors import InvalidArgument, InvalidSample, TooLarge
from cutpoint.kernels import kernels
from cutpoint.kernels.words import Codes, EncodedWords, Floats
from cutpoint.model import Generator, mixture
from cutpoint.model.ngrams import ngram_chain
from cutpoint.model.parts import random_generator
from cutpoint.search.folds import splits
from cutpoint.search.labels import HiddenStates, KnownStates, Labelling, NamedStates, Solution
from cutpoint.search.learned import Learned, Member, SearchProgress
from cutpoint.search.race import (
    LAST_STEPS,
    SEARCHED,
    check_arguments,
    check_search,
    checked_size,
    race,
    refitted,
    search_checkpoint,
    unused_states,
    usual_folds,
)
from cutpoint.search.spectral import clustered, cornered
from cutpoint.search.starts import NOISE, SMOOTHING, SPARSITY, Start, smoothed, split_states
from cutpoint.search.tournament import Rules, SearchMonitor, thinned
from cutpoint.wording import shown

PRIOR = 0.001  # pseudo-counts of every cell; a state has many more cells than one of an acceptor
SCHEDULE = (1000, 6) + (3,) * 2 + (2,) * 3 + (1,) * 8  # how many climbs go on, round by round
PATIENCE = 3  # a climb ends after so many rounds without a lower held-out loss
SYMBOLS = 250_000  # words with so many symbols are enough while there is more than one climb
ENOUGH = 1000  # from so many words on, one fold is enough for a single generator
MERGED, STRENGTH = 100, 0.5  # most states of a machine by merging, and strength of its prior
CONTRADICTION = -10.0  # log Bayes factor of two prefixes below which they are not merged
EVEN = 1e-3  # share of a merged machine that is spread evenly
INPUT_STATES = 8  # most states of the law of inputs that stands beside an acceptor
INPUT_ENTRIES = 10_000  # most entries of its transitions if it is learned: it is found quickly
INPUT_NGRAMS = 250_000  # the same if it is an n-gram model: about a megabyte in a file
FEW = 10  # with fewer words there is nothing to choose a law by
INPUT_ALPHABET = 100_000  # most symbols of an alphabet for which there is one: files stay small
INPUT_SYMBOLS = 50_000  # words with so many symbols are enough for it
SURPRISE = 1e-3  # how often it makes any symbol anywhere, so that it takes no word to be impossible


def learn_generator(
    sample: AnySample,
    n_states: int | None = None,
    team: int = 1,
    *,
    predict: bool = False,
    final: Collection[Hashable] | None = None,
    classes: Sequence[Hashable] | None = None,
    start: Generator | None = None,
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
    """Learn a generator from scratch: from words alone, or from words with outcomes, verdicts or seen states.

    Numbers of states double; at each, a few starts (the winner with half as many states, its states split; clusters of
    what comes next, or the extremes of it; an n-gram model; random ones) climb by accelerated Baum-Welch, and the best
    on held-out words goes on. Beside them stands a deterministic machine, merged from the prefix tree of the words
    (ALERGIA with a Bayes factor), which is found exactly where there is one and words are many. Where words have
    outcomes, starts keep accepted and rejected words apart, each with a law of its own.

    Parameters
    ----------
    sample : what was observed; outcomes, verdicts and seen states are used where there are any.
    n_states : number of states; None chooses it by held-out words. States seen in the sample set it.
    team : 1 returns one generator; k > 1 the mixture of k folds' winners: one larger generator, usually closer.
    predict : judge starts and sizes by how well outcomes are predicted from words, instead of by the probability of
        both: for ``G.acceptance``.
    final : names of the final states, where states were seen; by default those seen with an accepting verdict.
    classes : as in :func:`learn`; P(class | word) is ``G.class_probabilities``, with ``Learned.labels`` for its owners.
    start : a generator to begin from, beside the other starts.
    prior : Dirichlet pseudo-counts of every cell.
    folds, groups, threads, time_limit, callback, checkpoint, rng, engine : as in :func:`learn`.

    Returns
    -------
    A :class:`Learned` with ``generator``; its losses are held-out nats per word, so ``exp(loss)`` is the perplexity per
    word; with ``predict`` they are those of the outcomes.

    Examples
    --------
    >>> truth = cp.Generator(2, "ab", {"a": {0: {1: 0.8}}, "b": {1: {0: 0.6}}}, 0, [0.2, 0.4])
    >>> fit = cp.learn_generator(truth.simulate(500, rng=1), rng=2)
    >>> {symbol: round(p, 1) for symbol, p in fit.generator.next_symbols("ab").items()}
    {'a': 0.8, 'b': 0.0, STOP: 0.2}
    """
    sample = check_arguments(sample, threads, engine, groups)
    check_time_limit(time_limit)
    check_callback(callback)
    if start is not None and not isinstance(start, Generator):
        raise InvalidArgument(f"must be a Generator; got {shown(start)}.", argument="start")
    n_states = checked_size(n_states, start)
    check_search(team, folds, prior)
    alphabet = sample.alphabet if start is None else start.alphabet
    with observations(sample, alphabet, engine, threads) as data:
        # What is searched, and what is known of the states
        part = sample.recoded(alphabet) if isinstance(sample, Sample) else data.subsample(SEARCHED)
        states = _states(part, n_states, final, classes, start)
        if predict and not (isinstance(states, HiddenStates) and len(states.labelling.names) > 1):
            raise InvalidArgument("is for samples with accepted and rejected words.", argument="predict")
        seed = int(random_generator(rng).integers(2**63))

        # Folds: one is enough for a single generator, unless there are few words
        n_folds = max(folds or usual_folds(part), team)
        used = team if team > 1 or (folds is None and part.total >= ENOUGH) else n_folds
        split_by_fold = splits(part, n_folds, np.random.default_rng([seed, 0]))[:used]
        given = None if start is None else Start("given", Parameters.of(start.to_dense()), start.final.astype(np.int32))
        starts = GeneratorStarts(states, n_states)
        enough = int(SYMBOLS / (float(part.lengths.mean()) + 1.0))
        rules = Rules(
            states,
            prior,
            seed,
            threads,
            given,
            starts,
            schedule=SCHEDULE,
            patience=PATIENCE,
            many=2,
            enough=enough,
            predicting=predict,
            finalists=1,
            sharpening=0,
        )
        merged = starts.merged_size(split_by_fold[0].training) if n_states is None else None
        sizes = states.sizes if n_states is None else _ladder(n_states, states)
        tried = sizes if merged is None else tuple(dict.fromkeys((merged, *sizes)))
        options = n_states, final and frozenset(final), classes and tuple(classes), start, team, n_folds
        saved = search_checkpoint(checkpoint, sample, part, rules, tried, used, options, is_generator=True)
        monitor = SearchMonitor(used, callback, time_limit, saved)

        # A race of numbers of states, with a tournament for each fold
        outcome = race(sizes, split_by_fold, rules, monitor, 1.0 if team == 1 else 0.0, yardstick=merged)
        size = n_states if n_states is not None and outcome.results.get(n_states) else outcome.n_states

        # The winners climb on, on all observations
        results = outcome.results[size]
        best = min(results, key=lambda result: result.winner.loss)
        winners = [result.winner for result in results] if team > 1 else [best.winner]
        solutions = [refitted(winner, data, rules, LAST_STEPS, monitor) for winner in winners]
        generators = [states.generator(part.alphabet, *solution) for solution in solutions]
        members = tuple(
            Member(generator, winner.start, winner.loss, tuple(winner.curve))
            for generator, winner in zip(generators, winners, strict=True)
        )
        generator = mixture(generators) if len(generators) > 1 else generators[0]
        return Learned(
            generator,
            tuple(entry.objective for entry in members[0].curve),
            outcome.stop,
            data.log_likelihood([rules.asked(solution) for solution in solutions]),
            "",
            members,
            outcome.sizes,
            monitor.e_steps,
            unused_states(generator, solutions, data, rules),
            tuple(label for solution in solutions for label in states.labels(solution.kinds)),
            tuple((states.generator(part.alphabet, *r.winner.solution), r.split.validation) for r in results),
        )


def law_of_inputs(
    sample: Sample, *, threads: int | None = None, rng: np.random.Generator | int = 0
) -> Generator | None:
    """Small generator of the words of a sample, whatever came of them: a law of inputs for forecasts of an acceptor.

    It is found within a second or so, from a part of many words: of the models of two and of three symbols in a row
    (:meth:`Generator.from_ngrams`), where these are small, and one of at most 8 states that is learned, it is the one
    that predicts held-out words best. Any symbol may follow any other, if only once in a thousand times or so, and no
    case is impossible. None for alphabets of more than 100,000 symbols.

    Examples
    --------
    >>> sample = cp.Sample(["ab", "abab", "ab", "abab"] * 10, accepted=[True, False, True, False] * 10)
    >>> law = cp.search.law_of_inputs(sample)
    >>> law.next_symbols("a")["b"] > 0.9, law.probability("bb") > 0
    (True, True)
    """
    check_arguments(sample, threads, None)
    words = Sample.from_encoded(
        EncodedWords.without_marks(sample.symbols, sample.offsets), sample.counts, sample.alphabet, merge=True
    )
    n_symbols = len(words.alphabet)
    if n_symbols > INPUT_ALPHABET:
        return None
    frequencies = Generator.from_ngrams(words, n=1)
    words = thinned(words, math.ceil(INPUT_SYMBOLS / (float(words.lengths.mean()) + 1.0)))
    rng = random_generator(rng)
    few, n_states = words.total < FEW, min(INPUT_STATES, math.isqrt(INPUT_ENTRIES // max(1, n_symbols)))
    training, held_out = (words, words) if few else splits(words, 5, rng)[0]
    found, laws = frequencies, {1: frequencies}
    if n_states > 1 and not few:
        folds = None if training.total >= ENOUGH else 2
        found = learn_generator(training, n_states, folds=folds, threads=threads, rng=rng).generator
        laws[1] = _never_impossible(found, frequencies)
    if n_symbols * (n_symbols + 1) ** 2 <= INPUT_NGRAMS:
        with suppress(TooLarge):
            for n in (2,) if few else (2, 3):
                laws[n] = _small_ngrams(training, n)
    best = min(laws, key=lambda n: laws[n].perplexity(held_out))
    if best > 1:
        return Generator.from_ngrams(words, best)
    climbed = baum_welch(found, words, prior=PRIOR, max_steps=LAST_STEPS, learn_initial=True, threads=threads)
    return _never_impossible(climbed.generator, frequencies)


def _small_ngrams(words: Sample, n: int) -> Generator:
    """The n-gram model of words, unless it is too large to be saved beside an acceptor."""
    states, steps, stop = ngram_chain(words, n, INPUT_NGRAMS)
    return Generator(states, words.alphabet, steps, states[0], stop)


def _never_impossible(law: Generator, frequencies: Generator) -> Generator:
    """A law that makes, once in a thousand times, any symbol anywhere, as often as it is seen at all."""
    rest = SURPRISE * frequencies.transitions / law.n_states
    stop = (1.0 - SURPRISE) * law.stop + SURPRISE * frequencies.stop
    return law.replace(transitions=(1.0 - SURPRISE) * law.transitions + rest, stop=stop)


def _states(
    sample: Sample,
    n_states: int | None,
    final: Collection[Hashable] | None,
    classes: Sequence[Hashable] | None,
    start: Generator | None,
) -> KnownStates:
    """What a sample says about the states: their names, or labels of hidden ones; a single label for words alone."""
    if not sample.alphabet:
        raise InvalidSample("a generator needs at least one symbol; all words are empty, and so is their alphabet.")
    if classes is not None:
        return HiddenStates(Labelling.classes(sample, classes), n_states)
    if any(mark.states is not None for mark in sample.mark_table):
        more = sample.mark_table[len(FIRST_MARKS) :]
        if final is None and not _verdicts(sample) and all(mark.verdict is None for mark in more):
            final = () if start is None else start.final_states  # nothing to tell final states by
        return NamedStates(sample, n_states, final, start)
    if final is not None:
        advice = "Leave it out."
        raise InvalidArgument("is for states with names; no state was seen.", argument="final", advice=advice)
    verdicts = _verdicts(sample)
    both = len(verdicts) > 1
    return HiddenStates(
        Labelling.verdicts(sample) if both else Labelling.single(sample, False not in verdicts), n_states
    )


def _verdicts(sample: Sample) -> set[Verdict]:
    """Verdicts seen alone, at the ends of words or along them."""
    codes = np.unique(sample.ends if sample.marks is None else np.concatenate((sample.ends, sample.marks)))
    return {FIRST_MARKS[code].verdict for code in codes if 0 < code < len(FIRST_MARKS)}


def _ladder(n_states: int, states: KnownStates) -> tuple[int, ...]:
    """A number of states, after a half and a quarter of it, whose winners it begins from."""
    least = len(states.labelling.names) if isinstance(states, HiddenStates) else n_states
    return (*(size for size in (n_states // 4, n_states // 2) if size >= least), n_states)


class GeneratorStarts:
    """Makes the starts of tournaments for generators.

    A *block* is a generator for the words of one label. Blocks side by side, with no moves between them, are a start
    for all words.
    """

    def __init__(self, states: KnownStates, n_states: int | None) -> None:
        self.states, self._most = states, MERGED if n_states is None else min(MERGED, n_states)
        self._merged: dict[int, list[tuple[Codes, Floats]]] = {}

    def __call__(
        self, sample: Sample, n_states: int, rng: np.random.Generator, smaller: Solution | None
    ) -> Iterator[Start]:
        """Starts of one tournament."""
        n_symbols = len(sample.alphabet)
        if isinstance(self.states, NamedStates):
            seen, kinds = _seen_parameters(self.states, sample), self.states.final.astype(np.int32)
            for share in (SMOOTHING, 0.3, 0.3):
                other = random_block(n_symbols, n_states, rng)
                mixed = ((1.0 - share) * part + share * random for part, random in zip(seen, other, strict=True))
                yield Start("seen", Parameters(*mixed), kinds)
            return
        labelling = self.states.labelling
        if smaller is not None:
            split = split_states(smaller, n_states, rng)
            yield split
            yield _factored(split) if not is_factored(split.parameters) else _noisy(split, rng)
        parts = _by_label(sample, labelling)
        sizes = [len(range(k, n_states, len(parts))) for k in range(len(parts))]  # as even as can be
        if parts:
            blocks = [random_block(n_symbols, size, rng) for size in sizes]
            yield _side_by_side("random", blocks, parts)
            yield _factored(_side_by_side("random", [random_block(n_symbols, size, rng) for size in sizes], parts))
            for name, make in (("clustered", clustered), ("cornered", cornered)):
                blocks = [make(part, size, rng) for part, size in zip(parts, sizes, strict=True)]
                yield _side_by_side(name, blocks, parts)
                yield _factored(_side_by_side(name, blocks, parts))
            if min(sizes) > n_symbols:
                pairs = zip(parts, sizes, strict=True)
                yield _side_by_side("2-gram", [_ngram_block(part, size, rng) for part, size in pairs], parts)
            merged = self.merged(sample)
            if n_states == sum(len(table) for table, _ in merged) or n_states == self._most < MERGED:
                blocks = [_merged_block(*machine) for machine in merged]
                yield _padded(_side_by_side("merged", blocks, parts), n_states, n_symbols, rng)
        if len(parts) != 1:
            yield Start("joint", random_block(n_symbols, n_states, rng), labelling.spread(n_states))

    def merged_size(self, sample: Sample) -> int | None:
        """Number of states of the machine by merging; None if there is none that is small."""
        size = sum(len(table) for table, _ in self.merged(sample))
        return size if 0 < size < self._most else None

    def merged(self, sample: Sample) -> list[tuple[Codes, Floats]]:
        """Machine by merging for the words of each label, made once for each training sample.

        The labels by which states are told apart are the next symbols, and the end of the word.
        """
        if not isinstance(self.states, HiddenStates):
            return []
        if id(sample) not in self._merged:
            parts = _by_label(sample, self.states.labelling)
            self._merged[id(sample)] = [_merged_machine(part, max(1, self._most // len(parts))) for part in parts]
        return self._merged[id(sample)]


def _by_label(sample: Sample, labelling: Labelling) -> list[Sample]:
    """Words of each label that they end with; all of them where there is one label.

    None where labels were seen along the way, or not all of them.
    """
    if len(labelling.names) == 1:
        return [sample]
    along = labelling.positions(sample)
    ends = sample.offsets[1:] + np.arange(len(sample))
    labels = along[ends]
    if (np.delete(along, ends) >= 0).any() or len(np.unique(labels[labels >= 0])) < len(labelling.names):
        return []
    return [sample.reweighted(np.where(labels == k, sample.counts, 0.0)) for k in range(len(labelling.names))]


def random_block(n_symbols: int, n_states: int, rng: np.random.Generator) -> Parameters:
    """Sparse random generator, smoothed."""
    rows = rng.dirichlet(np.full(n_symbols * n_states, SPARSITY), size=n_states)
    stop = rng.uniform(0.02, 0.3, size=(n_states, 1))
    rows = np.concatenate((smoothed(rows, SMOOTHING) * (1.0 - stop), stop), axis=1)
    return Parameters(rows, smoothed(rng.dirichlet(np.ones(n_states)), SMOOTHING))


def _factored(start: Start) -> Start:
    """The same start in the form of a hidden Markov model, which the climb keeps: fewer numbers to learn."""
    (rows, initial), kinds = start.parameters, start.kinds
    return Start(f"{start.name}, hidden Markov", Parameters(factored(rows), initial), kinds)


def _noisy(start: Start, rng: np.random.Generator) -> Start:
    """The same start with noise in every cell: without the form of a hidden Markov model."""
    rows = np.exp(NOISE * rng.standard_normal(start.parameters.rows.shape)) * start.parameters.rows
    return Start("split", Parameters(shares(rows, rows), start.parameters.initial), start.kinds)


def _side_by_side(name: str, blocks: Sequence[Parameters], parts: Sequence[Sample]) -> Start:
    """Blocks as one generator, with no moves between them; each begins as often as it has words."""
    sizes = [len(block.initial) for block in blocks]
    size, at = sum(sizes), 0
    moves = np.zeros((len(parts[0].alphabet), size, size))
    for block, width in zip(blocks, sizes, strict=True):
        moves[:, at : at + width, at : at + width] = block.transitions
        at += width
    weights = np.array([part.total for part in parts]) / sum(part.total for part in parts)
    initial = np.concatenate([weight * block.initial for weight, block in zip(weights, blocks, strict=True)])
    stop = np.concatenate([block.rows[:, -1] for block in blocks])
    return Start(
        name, Parameters.packed(moves, initial, stop), np.repeat(np.arange(len(blocks)), sizes).astype(np.int32)
    )


def _padded(start: Start, n_states: int, n_symbols: int, rng: np.random.Generator) -> Start:
    """The same start with more states, which begin at random and are seldom reached at first."""
    more = n_states - len(start.kinds)
    if more <= 0:
        return start
    other = random_block(n_symbols, n_states, rng)
    found, parameters = len(start.kinds), start.parameters
    moves, stop = other.transitions.copy(), other.rows[:, -1].copy()
    moves[:, :found] = np.pad(parameters.transitions, ((0, 0), (0, 0), (0, more))) * (1.0 - EVEN)
    moves[:, :found, found:] = moves[:, :found, :found].sum(axis=2, keepdims=True) * (EVEN / (1.0 - EVEN) / more)
    stop[:found] = parameters.rows[:, -1]
    initial = np.concatenate((parameters.initial * (1.0 - EVEN), np.full(more, EVEN / more)))
    kinds = np.concatenate((start.kinds, np.arange(more, dtype=np.int32) % (start.kinds.max() + 1)))
    rows = Parameters.packed(moves, initial, stop).rows
    return Start(start.name, Parameters(shares(rows, rows), initial), kinds)


def _merged_machine(sample: Sample, most: int) -> tuple[Codes, Floats]:
    """Machine by merging: next state by state and symbol, and how often each symbol, or last the end, came next."""
    words, n_symbols = sample.decoded, len(sample.alphabet)
    following = np.full(len(words.symbols) + len(words), n_symbols, dtype=np.int32)
    following[np.delete(np.arange(len(following)), words.positions[1:] - 1)] = words.symbols
    weights = np.repeat(sample.counts, words.lengths + 1)
    rates = np.bincount(following, weights, minlength=n_symbols + 1) / weights.sum()
    rates = np.maximum(rates, 1e-6)  # symbols of other words are possible, too
    pseudo = STRENGTH * len(rates) * rates
    table, seen = kernels().merged_machine(words, following, sample.counts, n_symbols, pseudo, most, 1, CONTRADICTION)
    return table, seen + rates


def _merged_block(table: Codes, seen: Floats) -> Parameters:
    """Generator of a deterministic machine, a small share of every move spread evenly."""
    size = len(table)
    laws = seen / seen.sum(axis=1, keepdims=True)
    targets = np.where(table.T[:, :, None] < 0, 1.0 / size, np.eye(size)[np.maximum(table.T, 0)])
    moves = laws[:, :-1].T[:, :, None] * smoothed(targets, EVEN)
    return Parameters.packed(moves, smoothed((np.arange(size) == 0).astype(np.float64), EVEN), laws[:, -1])


def _ngram_block(sample: Sample, n_states: int, rng: np.random.Generator) -> Parameters:
    """The 2-gram model of words, with more states, which begin at random."""
    states, moves, stop = ngram_chain(sample, 2)
    initial = (np.arange(len(states)) == 0).astype(np.float64)
    start = Start("2-gram", Parameters.packed(moves, initial, stop), np.zeros(len(states), dtype=np.int32))
    return _padded(start, n_states, len(sample.alphabet), rng).parameters


def _seen_parameters(states: NamedStates, sample: Sample) -> Parameters:
    """Shares of the moves whose both ends were seen, of the last states and of the first; even without any."""
    seen = states.seen_counts(sample)
    rows = Parameters.packed(*seen).rows
    return Parameters(
        shares(rows, np.full_like(rows, 1.0 / rows.shape[1])),
        shares(seen[1], np.full_like(seen[1], 1.0 / len(seen[1]))),
    )
