"""Observations, wherever they are: the one interface through which learning asks about a sample.

A sample in memory, shards streamed from disk by the threads of this machine, and shards on the workers of a cluster
answer the same questions. Parameters go in, counts and log-likelihoods come out. The public questions about a sample
(expected counts, likelihoods) follow below.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple, Protocol, Self, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Alphabet, Mark, Sample
from cutpoint.em.counts import Counts
from cutpoint.em.predictions import Predictions
from cutpoint.errors import CutpointError, ImpossibleObservation, InvalidArgument, InvalidSample, TooLarge
from cutpoint.exact import RationalFunction
from cutpoint.kernels import kernels
from cutpoint.kernels.reference import ClimbPlace
from cutpoint.kernels.sparse_matrices import SparseMatrices, StateRows, check_dense
from cutpoint.kernels.words import Floats, FrontCodedWords
from cutpoint.model import Acceptor, Generator, ParametricAcceptor
from cutpoint.model.acceptor import MOST_BITS, check_acceptor
from cutpoint.model.generator import check_model
from cutpoint.model.parts import check_threads
from cutpoint.wording import shown

Masks = NDArray[np.bool_]  # states that agree with each mark of a sample, ``[mark, s]``: the e of the recursions


class Parameters(NamedTuple):
    """What learning changes: rows and the initial distribution ``[s]``, all of which sum to 1 along their last axis.

    The rows of an acceptor are its transitions ``[a, s, t]``. A generator has one row for each state: its moves in the
    order of symbols and next states, and last its probability to stop. Rows of a sparse machine hold what is stored.
    """

    rows: Any
    initial: Floats

    @classmethod
    def of(cls, model: Acceptor | Generator, exact: bool = False) -> Parameters:
        """Parameters of a model, in floats or in fractions."""
        numbers = model.stored_numbers(exact)
        return cls.packed(numbers["transitions"], numbers["initial"], numbers.get("stop"))

    @classmethod
    def packed(cls, transitions: Any, initial: Floats, stop: NDArray[Any] | None) -> Parameters:
        """Parameters of transitions ``[a, s, t]`` and, for a generator, of the column ``stop[s]``."""
        if stop is None:
            return cls(transitions, initial)
        if isinstance(transitions, SparseMatrices):
            return cls(StateRows(transitions, stop), initial)
        moves = transitions.transpose(1, 0, 2).reshape(len(stop), -1)
        return cls(np.concatenate((moves, stop[:, None]), axis=1), initial)

    @property
    def transitions(self) -> Any:
        """Transitions ``[a, s, t]``, or sparse matrices."""
        if self.rows.ndim == 3:
            return self.rows
        if isinstance(self.rows, StateRows):
            return self.rows.matrices
        size = len(self.rows)
        return np.ascontiguousarray(self.rows[:, :-1].reshape(size, -1, size).transpose(1, 0, 2))

    @property
    def stop(self) -> Floats | None:
        """Probability to stop in each state ``[s]``; None for an acceptor."""
        if self.rows.ndim == 3:
            return None
        return self.rows.stop if isinstance(self.rows, StateRows) else np.ascontiguousarray(self.rows[:, -1])

    @property
    def parts(self) -> dict[str, Floats]:
        """Parts of a model by their names, for its method ``replace``."""
        parts = {"transitions": self.transitions, "initial": self.initial}
        return parts if self.stop is None else parts | {"stop": self.stop}


class Resource:
    """What holds threads, memory or connections until it is closed, or until the end of a ``with`` statement."""

    def close(self) -> None:
        """Release what it holds."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Observations(Resource, ABC):
    """A sample, over the alphabet of an acceptor, to be asked many times.

    ``masks`` has a row for each mark of the sample's ``mark_table``; ``total`` is the N of the paper.
    """

    total: float

    @abstractmethod
    def expected_counts(self, parameters: Parameters, masks: Masks) -> Counts:
        """Counts of the E-step; an impossible observation is an error that names it."""

    @abstractmethod
    def log_likelihoods(self, parameters: Parameters, masks: Masks) -> Floats:
        """Log-probability of what was seen, for each distinct observation in order."""

    @abstractmethod
    def log_likelihood(self, members: Sequence[tuple[Parameters, Masks]], with_inputs: bool = False) -> float:
        """Log-likelihood under the mean of the members' probabilities; -inf if something is impossible.

        ``with_inputs`` adds the logarithm of the probability of the inputs themselves.
        """

    @abstractmethod
    def acceptances(self, parameters: Parameters, column: Floats) -> Iterator[tuple[Sample, Floats]]:
        """Parts of the sample, one after the other, with π P(x) column for each of their words."""

    @abstractmethod
    def predictions(self, parameters: Parameters, final: Masks, masks: Masks) -> Predictions:
        """What is said of each position where something was seen, before it is seen."""

    @abstractmethod
    def subsample(self, most: int) -> Sample:
        """At most so many distinct observations, spread evenly; all of them if there are no more."""


class InMemory(Observations):
    """A sample in memory.

    With ``keep_tree=False`` the prefix tree of front-coded words is not kept: it is made again for every question.
    """

    def __init__(self, sample: Sample, threads: int | None = None, keep_tree: bool = True) -> None:
        self.sample, self.total, self.threads, self.keep_tree = sample, sample.total, threads, keep_tree
        self._words = sample.encoded
        self._weights = np.maximum(sample.counts, LEAST_SHARE * sample.counts.max(initial=0.0))
        if isinstance(self._words, FrontCodedWords) and not keep_tree:
            self._words = replace(self._words, whole_tree=False)
        kernels().prefix_tree(self._words)  # now, so that its size is known

    def expected_counts(self, parameters: Parameters, masks: Masks) -> Counts:
        """Counts of the E-step."""
        matrices = parameters.transitions
        arrays = matrices, parameters.initial, masks, self._words, self._weights, self.threads
        transitions, initial, stop, logs = kernels(matrices).expected_counts(*arrays, parameters.stop)
        if not np.isfinite(transitions).all():
            raise CutpointError("the expected counts are not finite: a defect of the kernels. Please report the case.")
        logs *= self.sample.counts  # in place: allocating as many numbers again takes longer than multiplying them
        log_likelihood = float(logs.sum())
        if log_likelihood == -math.inf:
            raise impossible(self.sample, np.flatnonzero(np.isneginf(logs)).tolist())
        return Counts(transitions, initial, log_likelihood, stop)

    def climbed(
        self, place: ClimbPlace, pseudo: Parameters, learn_initial: bool, e_steps: int, least_gain: float, masks: Masks
    ) -> tuple[ClimbPlace, Floats] | None:
        """Accelerated steps of an acceptor in one call of the kernel, if it has them; see ``kernels/native.py``."""
        words, weights = self._words, self._weights
        rules = (pseudo.rows, pseudo.initial), learn_initial, e_steps, least_gain
        found: tuple[ClimbPlace, Floats] | None
        found = kernels().climbed(place, *rules, masks, words, weights, self.threads)
        return found

    def log_likelihoods(self, parameters: Parameters, masks: Masks) -> Floats:
        """Log-probability of each distinct observation."""
        matrices = parameters.transitions
        arrays = matrices, parameters.initial, masks, self._words, self.threads
        logs: Floats = kernels(matrices).log_probabilities(*arrays, parameters.stop)
        return logs

    def log_likelihood(self, members: Sequence[tuple[Parameters, Masks]], with_inputs: bool = False) -> float:
        """Log-likelihood under the mean of the members' probabilities."""
        logs = mixture_log_likelihoods([self.log_likelihoods(*member) for member in members])
        if np.isneginf(logs).any():
            return -math.inf
        if with_inputs:
            logs = logs - math.log(len(self.sample.alphabet)) * self.sample.lengths
        return float((self.sample.counts * logs).sum())

    def acceptances(self, parameters: Parameters, column: Floats) -> Iterator[tuple[Sample, Floats]]:
        """The whole sample with its acceptances."""
        sample, words = self.sample, self.sample.encoded.decoded()
        matrices = parameters.transitions
        values = kernels(matrices).acceptances(matrices, parameters.initial, column, words, self.threads)
        yield Sample.from_encoded(words, sample.counts, sample.alphabet, sample.mark_table), values

    def predictions(self, parameters: Parameters, final: Masks, masks: Masks) -> Predictions:
        """Predictions from whole words, or along the words if something was seen there."""
        sample = self.sample
        if sample.marks is not None:
            return Predictions.of_filter(sample, parameters.transitions, parameters.initial, final, masks)
        ((_, values),) = self.acceptances(parameters, final.astype(np.float64))
        seen, logs = sample.seen, InMemory.log_likelihoods(self, parameters, masks)
        return Predictions(seen, values[seen.observations], -logs[seen.observations] + 0.0, len(sample))

    def loss(self, members: Sequence[tuple[Parameters, Masks]]) -> float:
        """Log loss: mean of -log p over what was seen, p under the mean of the members' probabilities."""
        return -self.log_likelihood(members) / self.judged(members[0][0])

    def judged(self, parameters: Parameters) -> float:
        """What a loss is the mean over: positions at which something was seen; for a generator all words."""
        return self.sample.judged if parameters.stop is None else self.total

    def subsample(self, most: int) -> Sample:
        """Every so many distinct observations."""
        stride = -(-len(self.sample) // most)
        if stride == 1:
            return self.sample
        chosen = np.arange(len(self.sample)) % stride == stride // 2
        return self.sample.reweighted(np.where(chosen, self.sample.counts, 0.0))


def mixture_log_likelihoods(logs: Sequence[Floats]) -> Floats:
    """Logarithm of the mean of the members' probabilities, given their logarithms ``[member, observation]``."""
    if len(logs) == 1:
        return logs[0]
    mean: Floats = np.logaddexp.reduce(logs, axis=0) - math.log(len(logs))
    return mean


@runtime_checkable
class LargeSample(Protocol):
    """A sample that is not one :class:`Sample` in memory, such as a ``ShardedSample``."""

    @property
    def alphabet(self) -> Alphabet:
        """The symbols."""

    @property
    def mark_table(self) -> tuple[Mark, ...]:
        """What was seen at single positions, as in a :class:`Sample`."""

    @property
    def total(self) -> float:
        """Sum of all counts."""

    @property
    def has_evidence(self) -> bool:
        """Whether anything was seen of any run."""

    def digest(self) -> str:
        """Digest of the content, the alphabet in its order and the marks."""

    def observe(self, alphabet: Alphabet, threads: int | None = None) -> Observations:
        """Observations for the threads of this machine, where no engine is given."""


AnySample = Sample | LargeSample


class Engine(Resource, ABC):
    """Who works on a sample: the threads of this machine, or a cluster."""

    @abstractmethod
    def observe(self, sample: AnySample, alphabet: Alphabet) -> Observations:
        """Observations of a sample over the alphabet of an acceptor."""


def observations(
    sample: AnySample, alphabet: Alphabet, engine: Engine | None = None, threads: int | None = None
) -> Observations:
    """Observations of a sample: in memory, or where the engine puts them; for a ``with`` statement.

    ``threads`` is for this machine, where no engine is given (default: all cores).
    """
    if isinstance(sample, Sample):
        sample = sample.recoded(alphabet)
    if engine is not None:
        return engine.observe(sample, alphabet)
    return InMemory(sample, threads) if isinstance(sample, Sample) else sample.observe(alphabet, threads)


def mark_masks(model: Acceptor | Generator | ParametricAcceptor, sample: AnySample) -> Masks:
    """States of a model that agree with each mark of a sample."""
    for mark in sample.mark_table:
        for state in mark.states or ():
            model.states.code(state, "states of the sample: ")
    return agreeing_states(sample.mark_table, model.final, model.states)


def agreeing_states(table: Sequence[Mark], final: NDArray[np.bool_], names: Sequence[Hashable]) -> Masks:
    """States that agree with each mark of a table: those with its verdict whose name is among its states.

    ``names`` has one entry per state: its name, or what is shown of it, such as a class that several states share.
    """
    check_dense((len(table), len(final)), "the table of states that agree with what was seen,")
    masks = np.ones((len(table), len(final)), dtype=np.bool_)
    for k, mark in enumerate(table):
        if mark.verdict is not None:
            masks[k] &= final == mark.verdict
        if mark.states is not None:
            masks[k] &= [name in mark.states for name in names]
    return masks


def impossible(sample: Sample, rows: Sequence[int]) -> ImpossibleObservation:
    """Error that names observations of probability 0."""
    others = f" (so have {len(rows) - 1} more)" if len(rows) > 1 else ""
    return ImpossibleObservation(
        f"Observation {sample.describe(rows[0])} has probability 0 under the model{others}: no run agrees with it. "
        "Use positive entries in transitions and initial, or leave out the observations for which "
        "log_likelihoods(model, sample) gives -inf."
    )


def check_sample(sample: object) -> None:
    """Refuse anything but a sample in memory."""
    if isinstance(sample, Sample):
        return
    if isinstance(sample, LargeSample):
        raise InvalidArgument("expected a Sample in memory; got one in shards, which this function does not take.")
    raise InvalidArgument(f"expected a Sample; got {type(sample).__name__}. Write Sample(words, accepted=...).")


def check_any_sample(sample: object) -> None:
    """Refuse anything but a sample, in memory or in shards."""
    if not isinstance(sample, Sample | LargeSample):
        check_sample(sample)


MOST_POWER = 1000  # most observations whose likelihood is multiplied out as a polynomial

LEAST_SHARE = 2.0**-800
"""An observation weighs at least this share of the heaviest in the E-step. A smaller weight changes no digit of the
estimate, but a transition that this observation alone needs would become 0, and the observation impossible."""

INPUTS_ALONE = "the sample holds inputs alone, and inputs alone carry no information about the transitions."


def check_evidence(sample: AnySample, what: str = INPUTS_ALONE, where: str = "") -> None:
    """Refuse inputs alone."""
    if not sample.has_evidence:
        advice = "Add the outcomes with {accepted}, or with {outcome} of an event table. Or {verdicts} or {states}."
        raise InvalidSample(what, where=where, advice=advice)


def check_engine(engine: Any) -> None:
    """Refuse anything but an engine."""
    if engine is not None and (isinstance(engine, type) or not isinstance(engine, Engine)):
        raise InvalidArgument(
            f"engine must be an engine such as engines.Local() or engines.Dask(client), or None; got {shown(engine)}."
        )


def check_arguments(model: Acceptor | Generator, sample: AnySample, threads: int | None, engine: Engine | None) -> None:
    """Refuse what is not a model, a sample, a number of threads or an engine."""
    check_model(model)
    check_any_sample(sample)
    check_threads(threads)
    check_engine(engine)


def expected_counts(
    model: Acceptor | Generator,
    sample: AnySample,
    threads: int | None = None,
    *,
    engine: Engine | None = None,
    exact: bool = False,
) -> Counts:
    r"""Expected counts of a sample: the E-step of Baum-Welch, Prop. 4.2 with evidence.

    .. math:: v_{t;a,s} = \sum_r \frac{u_r}{p_r} \sum_{i: x_i = a} \alpha_{i-1}[s]\,\theta_{t;a,s}\, e_i[t]\,\beta_i[t]

    The sum runs over the positions with :math:`x_i = a` only, as in the proof of the proposition. Without evidence
    this is the paper's v; with every state seen it is the count of complete data. ``threads`` is the number of threads
    (default: all cores); results are the same bit for bit. An impossible observation is an error that names it. A
    sample in shards is worked on by the ``engine``, by default the threads of this machine.

    Of a generator, :math:`p_r` is the probability of the word together with what was seen of its run, and
    ``Counts.stop`` says how often words are expected to end in each state.

    ``exact=True`` gives arrays of ``Fraction``, for a sample in memory; the log-likelihood stays a float (see
    :func:`likelihood`).

    Examples
    --------
    >>> sample = cp.Sample(["1", "1"], accepted=[True, False])
    >>> cp.expected_counts(cp.p_adic(2), sample).transitions[1]
    array([[1., 1.],
           [0., 0.]])
    >>> cp.expected_counts(cp.p_adic(3), cp.Sample(["11"]), exact=True).transitions[1][0].tolist()
    [Fraction(10, 9), Fraction(5, 9)]
    """
    if exact:
        return _exact_counts(model, sample)
    with _asked(model, sample, threads, engine) as data:
        return data.expected_counts(Parameters.of(model), mark_masks(model, sample))


def _exact_observations(
    model: Acceptor | Generator | ParametricAcceptor, sample: AnySample
) -> Iterator[tuple[float, list[int], NDArray[np.bool_]]]:
    """Count, word and states that agree at each position, for every distinct observation of a sample in memory."""
    if not isinstance(model, ParametricAcceptor):
        check_model(model)
    check_sample(sample)
    same = cast(Sample, sample).recoded(model.alphabet)
    words, masks = same.decoded, mark_masks(model, same)
    for r, count in enumerate(same.counts.tolist()):
        yield count, words.word(r).tolist(), words.evidence(masks, np.array([r]))[0]


def _exact_counts(model: Acceptor | Generator, sample: AnySample) -> Counts:
    """The E-step over the rationals, one observation after the other."""
    check_model(model)
    stops = isinstance(model, Generator)
    stored = model.stored_numbers(exact=True)["transitions"]
    moved, initial, stop = (np.full(size, Fraction()) for size in (stored.size, model.n_states, model.n_states))
    logs = []
    for r, (count, word, seen) in enumerate(_exact_observations(model, sample)):
        moves, first, last, probability = model.integers.uses(word, seen, stops)
        if not probability:
            raise impossible(cast(Sample, sample).recoded(model.alphabet), [r])
        for total, uses in ((moved, np.concatenate(moves)), (initial, first), (stop, last)):
            used = uses.astype(np.bool_)
            total[used] += Fraction(count) * uses[used]
        logs.append(count * (math.log(probability.numerator) - math.log(probability.denominator)))
    transitions: Any = stored.like(moved) if isinstance(stored, SparseMatrices) else moved.reshape(stored.shape)
    return Counts(transitions, initial, math.fsum(logs), stop if stops else None)


def log_likelihoods(model: Acceptor | Generator, sample: AnySample, *, engine: Engine | None = None) -> Floats:
    """Log-probability of what was seen, for each distinct observation of a sample; -inf where it is impossible.

    Of a generator, the probability of the word itself is part of it.

    Examples
    --------
    >>> cp.em.log_likelihoods(cp.p_adic(2), cp.Sample(["1", "0"], accepted=[True, True])).round(3)
    array([-0.693,   -inf])
    """
    with _asked(model, sample, None, engine) as data:
        return data.log_likelihoods(Parameters.of(model), mark_masks(model, sample))


def log_likelihood(
    model: Acceptor | Generator, sample: AnySample, with_inputs: bool = False, *, engine: Engine | None = None
) -> float:
    r"""Log-likelihood :math:`\ell = \sum_r u_r \log p_r` of what was seen in a sample; -inf if impossible.

    :math:`p_r` is the probability of the evidence given the word, so inputs alone have 0. ``with_inputs`` adds the
    paper's constant :math:`-\sum_r u_r n_r \log l'`, the probability of the inputs themselves: then :math:`\ell` is
    the paper's :math:`\ell_X` for inputs alone and :math:`\ell_{X,S}` for complete data. A generator has a law of
    its own for the inputs, which is always part of :math:`p_r`.

    Examples
    --------
    >>> sample = cp.Sample(["1", "01"], accepted=[True, True])
    >>> round(cp.log_likelihood(cp.p_adic(2), sample), 6)  # log 1/2 + log 1/2
    -1.386294
    """
    _check_with_inputs(model, with_inputs)
    with _asked(model, sample, None, engine) as data:
        return data.log_likelihood([(Parameters.of(model), mark_masks(model, sample))], with_inputs)


def likelihood(
    model: Acceptor | Generator | ParametricAcceptor,
    sample: AnySample,
    with_inputs: bool = False,
    *,
    engine: Engine | None = None,
    exact: bool = False,
) -> Any:
    r"""Likelihood :math:`L = \exp \ell = \prod_r p_r^{u_r}` of a sample; 0 if impossible, or too small for a float.

    See :func:`log_likelihood`, which does not underflow. ``exact=True`` gives a ``Fraction``, for a sample in memory
    whose counts are whole numbers. Of a :class:`ParametricAcceptor` it is a function of the parameters.

    Examples
    --------
    >>> round(cp.em.likelihood(cp.p_adic(2), cp.Sample(["1", "01"], accepted=[True, True])), 12)
    0.25
    >>> cp.em.likelihood(cp.p_adic(3), cp.Sample(["1", "12"], accepted=[True, True], counts=[10, 1]), exact=True)
    Fraction(7, 531441)
    """
    if isinstance(model, ParametricAcceptor):
        product: Any = RationalFunction.of(1)
        return _exact_likelihood(product, model, sample, with_inputs, model.evidence_probability)
    if not exact:
        return math.exp(log_likelihood(model, sample, with_inputs, engine=engine))
    _check_with_inputs(model, with_inputs)
    check_model(model)
    ends = isinstance(model, Generator)
    return _exact_likelihood(
        Fraction(1), model, sample, with_inputs, lambda word, seen: model.integers.agreeing(word, seen, ends)[2]
    )


def _exact_likelihood(
    product: Any,
    model: Acceptor | Generator | ParametricAcceptor,
    sample: AnySample,
    with_inputs: bool,
    probability_of: Callable[[list[int], NDArray[np.bool_]], Any],
) -> Any:
    """Product of the probabilities of all observations, each as often as it was seen."""
    bits = 0.0
    for count, word, seen in _exact_observations(model, sample):
        if count != int(count):
            raise InvalidArgument(f"an exact likelihood needs counts that are whole numbers; got {count:g}.")
        probability = probability_of(word, seen)
        if with_inputs:
            probability = probability / Fraction(model.n_symbols) ** len(word)
        if isinstance(probability, Fraction):
            bits += count * probability.denominator.bit_length()
        elif len(probability.numerator.coeffs()) > 1:
            bits += count * MOST_BITS / MOST_POWER
        if bits > MOST_BITS:
            raise TooLarge("the exact likelihood would take over 100 megabytes; use log_likelihood.")
        product *= probability ** int(count)
    return product


def _check_with_inputs(model: Acceptor | Generator, with_inputs: bool) -> None:
    if with_inputs and isinstance(model, Generator):
        raise InvalidArgument("with_inputs is for acceptors: the probability of a generator has the inputs in it.")


def verdict_probabilities(acceptor: Acceptor, sample: Sample) -> tuple[Floats, ...]:
    r"""Probability of "accepted" after each prefix, given the verdicts (and states) seen before it: the filter.

    .. math:: P(s_i \in F \mid x_1 \dots x_i, e_0 \dots e_{i-1}) = \alpha_{i-1} P(x_i) f \,/\, \sum_s \alpha_{i-1}[s]

    Returns
    -------
    For each distinct observation, in the order of ``sample.words``, an array of n + 1 probabilities: before the first
    symbol (from the initial distribution alone) and after each. With nothing seen along a word they are the acceptances
    of its prefixes. After something of probability 0 they are NaN, because nothing can follow from it.

    Notes
    -----
    Cost :math:`O(n l^2)` a word. Where only verdicts were seen, the product of the probabilities of these verdicts is
    the likelihood of the observation.

    Examples
    --------
    >>> sample = cp.Sample(["11", "1"], verdicts=[[None, True, None], [None, None]])
    >>> [values.tolist() for values in cp.verdict_probabilities(cp.p_adic(2), sample)]
    [[0.0, 0.5, 1.0], [0.0, 0.5]]
    """
    check_acceptor(acceptor)
    check_sample(sample)
    same = sample.recoded(acceptor.alphabet)
    words = same.decoded
    arrays = acceptor.stored, acceptor.initial, acceptor.final, mark_masks(acceptor, same)
    found = kernels(acceptor.stored).filtered(*arrays, words)
    return tuple(np.split(found.acceptances, words.positions[1:-1]))


def predictions(acceptor: Acceptor, sample: AnySample, *, engine: Engine | None = None) -> Predictions:
    """What an acceptor says of each position of a sample where something was seen, before it is seen."""
    with _asked(acceptor, sample, None, engine) as data:
        return data.predictions(Parameters.of(acceptor), acceptor.final, mark_masks(acceptor, sample))


def acceptances_by_shard(
    acceptor: Acceptor, sample: AnySample, *, engine: Engine | None = None
) -> Iterator[tuple[Sample, Floats]]:
    """Acceptances of the words of a sample in shards: for each shard its observations and one number for each.

    The observations come over the acceptor's alphabet and without what was seen along the way, shard by shard, so that
    no more than a few shards are in memory.

    Examples
    --------
    >>> shards = cp.ShardedSample.of(cp.Sample(["1", "0", "01"]), observations=2)
    >>> [values.tolist() for _, values in cp.em.acceptances_by_shard(cp.p_adic(2), shards)]
    [[0.0, 0.5], [0.5]]
    """
    check_acceptor(acceptor)
    # Not in a with statement: the garbage collector may close an iterator that was given up, in a thread that holds the
    # very lock that waiting for other threads needs. What is given up ends by itself.
    data = _asked(acceptor, sample, None, engine)
    yield from data.acceptances(Parameters.of(acceptor), acceptor.final.astype(np.float64))
    data.close()


def _asked(model: Acceptor | Generator, sample: AnySample, threads: int | None, engine: Engine | None) -> Observations:
    """Observations for one question, its arguments checked."""
    check_arguments(model, sample, threads, engine)
    return observations(sample, model.alphabet, engine, threads)
