"""AcceptorClassifier: learn to classify words, by the conventions of scikit-learn."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal, Self, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cutpoint.assess.evaluation import chosen_cut_point
from cutpoint.data import Alphabet, Sample, Word
from cutpoint.data.alphabet import RARE, OnUnknown
from cutpoint.em import Counts
from cutpoint.em.baum_welch import check_time_limit
from cutpoint.em.m_step import shares
from cutpoint.em.observations import InMemory, Parameters, agreeing_states
from cutpoint.errors import InvalidArgument, MissingExtra
from cutpoint.estimator.inputs import Lexicon, class_codes, labels_of, values_of, weights_of, words_of
from cutpoint.estimator.stacking import NgramStack, held_out_odds, mean_odds
from cutpoint.exact import cut_point_value, whole_number
from cutpoint.kernels.words import EncodedWords, Floats
from cutpoint.model import Acceptor, Generator
from cutpoint.model.mixtures import AnyMachine
from cutpoint.model.parts import check_threads
from cutpoint.model.prediction import Model
from cutpoint.search.generators import PRIOR as PRIOR_OF_GENERATORS, learn_generator
from cutpoint.search.learn import PRIOR, learn
from cutpoint.search.learned import Direction, Learned
from cutpoint.wording import listed, shown

try:
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_is_fitted
except ImportError:
    raise MissingExtra(
        "AcceptorClassifier needs scikit-learn; install it with: pip install 'cutpoint[sklearn]'."
    ) from None

Kind = Literal["acceptor", "generator", "auto"]
MOST_GRAMS = 10  # longest n-grams that can be counted


class AcceptorClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    r"""Classifier of words (sequences of symbols): a stochastic acceptor or a generator, learned from scratch.

    It is what :func:`cutpoint.learn` or :func:`cutpoint.learn_generator` finds. Each class owns some of the states; the
    probability of a class is that of ending in one of its states, of a generator given the word. With two classes the
    states of ``classes_[1]`` are the final ones, so the acceptance of a word is the probability of that class.

    Parameters
    ----------
    n_states : number of states, at least one for each class; None chooses it by cross-validation, which takes longer.
    kind : ``"acceptor"`` asks how a word moves the state; ``"generator"`` learns which words each class makes, and
        answers by Bayes' rule, which is better where the words themselves come from machines. ``"auto"`` learns both on
        the same folds and takes the one of lower log loss on the words held out.
    team, folds, threads : as of :func:`cutpoint.learn`.
    direction : of acceptors, as of :func:`cutpoint.learn`: ``"backward"`` reads words from their end, ``"auto"`` tries
        both. What is learned backwards reads reversed words: ``fit_.automaton`` is the same, read forwards.
    ngrams : of two classes, a number n answers by a logistic regression on counts of 1- to n-grams and on the log-odds
        of the folds' winners (each of words that it did not learn from). Better where outcomes hang on local patterns,
        such as endings of names; 4 is a good number. With 0 there is none.
    prior : Dirichlet pseudo-counts of every cell; by default those of the function that learns. With 0, a word may have
        probability 0 under a generator; it is then refused.
    cut_point : of two classes, ``predict`` answers ``classes_[1]`` where its probability is above this. None chooses
        it for accuracy on words not learned from; it stays 1/2 unless another is better by three standard errors.
    unknown : ``"error"`` refuses words with symbols that were not in training, ``"skip"`` leaves such symbols out.
        ``"rare"`` learns symbols seen fewer than ``min_count`` times as one extra symbol, ``"<rare>"`` (the character
        U+FFFD where symbols are characters), which then stands for unknown symbols too; if no symbol was rare in
        training, an unknown one leaves the state as it is.
    min_count : see ``unknown``. Weights count as repetitions.
    separator : separator of the symbols of words that are strings, such as ``" "``. By default, as with ``""``, their
        symbols are characters; a warning says so where the words look like names, or have blanks.
    position : whether the same symbol means something else at each position; needs words of one length. The symbols of
        ``alphabet_`` are then pairs ``(position, symbol)``, and each position has a rare symbol of its own.
    n_final : of two classes, the number of states of ``classes_[1]``; by default half of them, or as merging finds. For
        acceptors alone.
    time_limit : most seconds to search in all, about; the best so far is taken. The result then depends on the machine.
    random_state : seed; same seed, same result. Also None (another result each time), a ``numpy.random.Generator`` or
        a ``numpy.random.RandomState``.

    Attributes
    ----------
    classes_ : the labels, sorted.
    machine_, alphabet_, labels_ : the :class:`cutpoint.Acceptor` or :class:`cutpoint.Generator`, its symbols, and the
        class of each of its states.
    acceptor_, generator_ : the machine by its kind.
    cut_point_ : the cut point of two classes; None for more.
    fit_ : the :class:`cutpoint.search.Learned` with what the search found.

    Notes
    -----
    ``X`` holds one word per item: strings (see ``separator``), lists or tuples of symbols, as a list, an array, a
    column of pandas, polars or Arrow, or a table of one such column. Words may differ in length and may be empty.

    Examples
    --------
    >>> words = ["a", "ab", "b", "ba", "abb", "bab", "aab", "", "bb", "aa"] * 4
    >>> parity = ["odd" if word.count("a") % 2 else "even" for word in words]
    >>> model = cp.AcceptorClassifier(n_states=2, folds=2).fit(words, parity)
    >>> model.predict(["aaaaa", "bbbab", "abab"]).tolist()
    ['odd', 'odd', 'even']
    >>> model.classes_.tolist(), model.predict_proba(["abab"]).round(2).tolist()
    (['even', 'odd'], [[1.0, 0.0]])
    """

    def __init__(
        self,
        n_states: int | None = None,
        *,
        kind: Kind = "acceptor",
        team: int = 1,
        prior: float | None = None,
        cut_point: Any = None,
        unknown: OnUnknown = "error",
        min_count: int = 2,
        separator: str | None = None,
        position: bool = False,
        n_final: int | None = None,
        direction: Direction | Literal["auto"] = "forward",
        ngrams: int = 0,
        folds: int | None = None,
        time_limit: float | None = None,
        threads: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.n_states = n_states
        self.kind = kind
        self.team = team
        self.prior = prior
        self.cut_point = cut_point
        self.unknown = unknown
        self.min_count = min_count
        self.separator = separator
        self.position = position
        self.n_final = n_final
        self.direction = direction
        self.ngrams = ngrams
        self.folds = folds
        self.time_limit = time_limit
        self.threads = threads
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        """Tags by which scikit-learn knows that X is not a matrix of numbers."""
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        return tags

    # -- Learning -----------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: ArrayLike | None = None, groups: Any = None) -> Self:
        """Learn from words and their labels. A weight counts as so many repetitions of its word.

        ``groups`` has a name for each word: none of the folds by which the search chooses splits a group, as with
        scikit-learn's ``GroupKFold``.
        """
        words, labels, weights = self._given(X, y, sample_weight)
        named = None if groups is None else values_of("groups", groups, len(words))
        return self._start(words, labels, weights, np.unique(labels), named)

    def _start(
        self,
        words: list[Word],
        labels: NDArray[Any],
        weights: Floats,
        classes: NDArray[Any],
        groups: list[Any] | None = None,
    ) -> Self:
        """Learn from scratch."""
        codes = class_codes(labels, classes)
        used = np.flatnonzero(weights > 0.0)
        weights, codes = weights[used], codes[used]
        self._check_options(classes, codes, float(weights.sum()))
        words = [words[r] for r in used]
        lexicon = Lexicon.of(words, weights, self.unknown, self.min_count, self.position)
        named = None if groups is None else [groups[r] for r in used]
        sample = _sample(lexicon.in_symbols(words), codes, weights, classes, lexicon.learned, named)
        seed = seed_of(self.random_state)
        names = classes.tolist() if len(classes) > 2 else None
        fit = self._learned(sample if named is None else sample.grouped(named), names, seed)
        cut_point = None
        if len(classes) == 2:
            given = self.cut_point
            usual = 0.5 if self.ngrams else chosen_cut_point(fit).cut_point
            cut_point = usual if given is None else float(cut_point_value(given))
        self.classes_ = classes
        self.fit_ = fit
        self.labels_ = classes[[classes.tolist().index(label) if names else int(label) for label in fit.labels]]
        self.machine_ = _extended(fit.model, lexicon.alphabet)
        self.alphabet_ = self.machine_.alphabet
        self.cut_point_ = cut_point
        self._lexicon = lexicon
        self._stack = None
        if self.ngrams:
            encoded = self._encoded(words)
            odds = held_out_odds(fit.held_out, encoded, self.threads)
            self._judges = [_extended(machine, lexicon.alphabet) for machine, _ in fit.held_out]
            self._stack = NgramStack(int(self.ngrams), encoded, odds, codes, weights)
        self._running = RunningCounts.first(self._expected_counts(sample), sample.total)
        return self

    def _learned(self, sample: Sample, names: list[Any] | None, seed: int) -> Learned:
        """What the search finds: of both kinds the better one, if that is asked for."""
        options: dict[str, Any] = {"classes": names, "rng": seed, "threads": self.threads, "folds": self.folds}
        options |= {} if self.prior is None else {"prior": self.prior}
        both = self.kind == "auto"
        limit = None if self.time_limit is None else self.time_limit / (1 + both)
        fits = []
        if both or self.kind == "acceptor":
            options_of_acceptors = options | {"n_final": self.n_final, "direction": self.direction}
            fits.append(learn(sample, self.n_states, self.team, time_limit=limit, **options_of_acceptors))
        if both or self.kind == "generator":
            fits.append(learn_generator(sample, self.n_states, self.team, predict=True, time_limit=limit, **options))
        return better(*fits) if both else fits[0]

    @property
    def acceptor_(self) -> Acceptor:
        """The acceptor, unless a generator was learned."""
        return self._machine(Acceptor, "a generator was learned: use generator_")

    @property
    def generator_(self) -> Generator:
        """The generator, unless an acceptor was learned."""
        return self._machine(Generator, "an acceptor was learned: use acceptor_")

    def _machine(self, kind: type[AnyMachine], other: str) -> AnyMachine:
        check_is_fitted(self)
        if self._is_backward:
            raise AttributeError("words are read backwards: use fit_.automaton, or machine_ for reversed words.")
        if isinstance(self.machine_, kind):
            return self.machine_
        raise AttributeError(f"{other}, or machine_ for either kind.")

    def partial_fit(
        self, X: Any, y: Any, classes: Iterable[Any] | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        r"""Go on learning from a further batch of words: one step of stepwise EM, states and symbols kept.

        The first call learns from its batch as :meth:`fit` does, so that batch should be large enough to find the
        structure. It must hold words of at least two classes; ``classes`` names those that are yet to come. Later
        calls draw the running mean of expected counts per word towards the batch's by
        :math:`\gamma = (1 + N/n)^{-0.6}`, after N words for a batch of n. Symbols new since the first batch follow
        ``unknown``. ``fit_`` and ``cut_point_`` stay as they were after the first batch.

        O. Cappé and E. Moulines, On-line expectation-maximization algorithm for latent data models, Journal of the
        Royal Statistical Society B 71 (2009).
        """
        words, labels, weights = self._given(X, y, sample_weight)
        if self.ngrams:
            raise InvalidArgument("partial_fit goes on with an acceptor or generator alone. Leave ngrams out.")
        named = None if classes is None else np.unique(np.array(list(classes)))
        if not hasattr(self, "machine_"):
            return self._start(words, labels, weights, np.unique(labels) if named is None else named)
        if named is not None and not np.array_equal(named, self.classes_):
            raise InvalidArgument(
                f"classes must be those of the first batch, {listed(self.classes_.tolist())}; "
                f"got {listed(named.tolist())}."
            )
        codes, spelt = class_codes(labels, self.classes_), self._lexicon.in_symbols(words)
        sample = _sample(spelt, codes, weights, self.classes_, self.alphabet_)
        opened = self._running.opened(Parameters.of(self.machine_))
        self.machine_ = self.machine_.replace(**opened.parts)
        self._running = self._running.after(self._expected_counts(sample), sample.total)
        self.machine_ = self.machine_.replace(**self._running.maximum(opened, self._used_prior).parts)
        return self

    def _expected_counts(self, sample: Sample) -> Counts:
        """E-step: each word must end in a state of its class."""
        final, labels = self.labels_ == self.classes_[-1], self.labels_.tolist()
        sample = sample.reversed() if self._is_backward else sample
        data = InMemory(sample.recoded(self.machine_.alphabet), self.threads)
        masks = agreeing_states(sample.mark_table, final, labels)
        return data.expected_counts(Parameters.of(self.machine_), masks)

    @property
    def _used_prior(self) -> float:
        usual = PRIOR if isinstance(self.machine_, Acceptor) else PRIOR_OF_GENERATORS
        return usual if self.prior is None else self.prior

    # -- Predicting ---------------------------------------------------------------------------------------------

    def predict_proba(self, X: Any) -> Floats:
        """Probability of each class for each word, in the order of ``classes_``; rows sum to 1."""
        words = self._encoded(X)
        if self._stack is not None:
            return self._stack.probabilities(words, mean_odds(self._judges, words, self.threads))
        return self.machine_.class_probabilities(self._owners, words, self.threads)

    def predict_log_proba(self, X: Any) -> Floats:
        """Natural logarithm of the probability of each class: accurate far below 1e-308; -inf where it is 0."""
        words = self._encoded(X)
        if self._stack is not None:
            return np.asarray(np.log(self.predict_proba(X)))
        return self.machine_.class_log_probabilities(self._owners, words, self.threads)

    def predict(self, X: Any) -> NDArray[Any]:
        """Class of each word: of two, ``classes_[1]`` if its probability is above the cut point; else the likeliest."""
        table = self.predict_proba(X)
        chosen = table.argmax(axis=1) if self.cut_point_ is None else (table[:, 1] > self.cut_point_).astype(np.intp)
        return np.asarray(self.classes_[chosen])

    def decision_function(self, X: Any) -> Floats:
        r"""Of two classes, log-odds of ``classes_[1]`` relative to the cut point; of more, the probabilities.

        .. math:: \log\frac{p}{1 - p} - \log\frac{\lambda}{1 - \lambda}

        is positive exactly where ``predict`` answers ``classes_[1]``, and infinite where p is 0 or 1.
        """
        check_is_fitted(self)
        words = words_of(X, self.separator or "")
        table = self.predict_proba(words)
        if self.cut_point_ is None:
            return table
        logs = self.predict_log_proba(words)
        odds = logs[:, 1] - logs[:, 0] - np.log(self.cut_point_) + np.log1p(-self.cut_point_)
        above = table[:, 1] > self.cut_point_
        return np.asarray(np.where(above, np.maximum(odds, np.finfo(np.float64).tiny), np.minimum(odds, 0.0)))

    def to_model(self) -> Model:
        """What is learned as a :class:`Model`, which files keep and which predicts without scikit-learn.

        :func:`cutpoint.save` writes it, :func:`cutpoint.load` reads it, :func:`cutpoint.export` takes it to other
        systems; its ``predict`` and ``probabilities`` answer as this classifier does. With ``position=True`` it reads
        words of pairs ``(position, symbol)``.
        """
        check_is_fitted(self)
        if self._lexicon.length is not None and self._lexicon.unknown == "rare":
            raise InvalidArgument(
                "a model has one rare symbol, and with position=True there is one for each position. "
                "Fit with unknown='skip' or 'error' to save it."
            )
        if self._stack is not None:
            raise InvalidArgument("a model has no n-grams. Fit with ngrams=0 to save it.")
        if self._is_backward:
            what = "a model reads words forwards. Fit with direction='forward', or save fit_.automaton as .json."
            raise InvalidArgument(what)
        classes = self.classes_.tolist()
        labels = self.labels_.tolist() if len(classes) > 2 else None
        return Model(self.machine_, self.cut_point_, classes=classes, labels=labels)

    @property
    def _is_backward(self) -> bool:
        """Whether the machine reads words from their last symbol to their first."""
        return self.fit_.direction == "backward"

    @property
    def _owners(self) -> NDArray[np.bool_]:
        """Whether each state belongs to each class, ``[c, s]``."""
        return np.asarray(self.labels_ == self.classes_[:, None])

    def _encoded(self, X: Any) -> EncodedWords:
        check_is_fitted(self)
        check_threads(self.threads)
        encoded = self._lexicon.encode(words_of(X, self.separator or ""))
        return encoded.reversed() if self._is_backward else encoded

    def _given(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> tuple[list[Word], NDArray[Any], Floats]:
        """Words, labels and weights, as many of each."""
        if not isinstance(self.separator, str | None):
            raise InvalidArgument(f"must be a text or None; got {shown(self.separator)}.", argument="separator")
        words = words_of(X, self.separator)
        labels = labels_of(y, len(words))
        check_classification_targets(labels)
        return words, labels, weights_of(sample_weight, len(words))

    # -- Checks -------------------------------------------------------------------------------------------------

    def _check_options(self, classes: NDArray[Any], codes: NDArray[np.intp], total: float) -> None:
        """Refuse what only the classifier knows of; the rest is left to the search."""
        seen = classes[np.unique(codes)].tolist()
        if len(seen) < 2:
            raise InvalidArgument(
                f"y must hold at least two classes, on words of positive weight; got only {listed(seen)}. "
                "A rule that always gives the same answer needs no learning."
            )
        if self.kind not in get_args(Kind):
            raise InvalidArgument(f"must be one of {listed(get_args(Kind))}; got {shown(self.kind)}.", argument="kind")
        if self.n_final is not None and self.kind != "acceptor":
            raise InvalidArgument("n_final is for kind='acceptor'. Leave it out.")
        if self.direction != "forward" and self.kind != "acceptor":
            raise InvalidArgument("direction is for kind='acceptor'. Leave it out.")
        if whole_number("ngrams", self.ngrams, least=0, most=MOST_GRAMS) and len(classes) > 2:
            raise InvalidArgument(f"ngrams is for two classes; y has {len(classes)}. Leave it out.")
        Alphabet((RARE,), self.unknown)  # refuses a rule that does not exist
        whole_number("min_count", self.min_count, least=1)
        check_time_limit(self.time_limit)
        if not isinstance(self.position, bool | np.bool_):
            raise InvalidArgument(f"position must be True or False; got {shown(self.position)}.")
        if self.cut_point is not None and not 0 < cut_point_value(self.cut_point) < 1:
            raise InvalidArgument(f"cut_point must lie between 0 and 1, both excluded; got {shown(self.cut_point)}.")
        for name in ("cut_point", "n_final"):
            if len(classes) > 2 and getattr(self, name) is not None:
                raise InvalidArgument(f"{name} is for two classes; y has {len(classes)}. Leave it out.")
        least = max(2, *(number for number in (self.folds, self.team) if isinstance(number, int | np.integer)))
        if total < least:
            raise InvalidArgument(
                f"there must be at least {least} words, one for each fold, and weights count as repetitions; "
                f"got {total:g} in all. Add words, or scale sample_weight to a mean of 1."
            )


def _sample(
    words: list[Any],
    codes: NDArray[np.intp],
    weights: Floats,
    classes: NDArray[Any],
    alphabet: Alphabet,
    ids: list[Any] | None = None,
) -> Sample:
    """Words with their classes: accepted or not if there are two, otherwise as what is seen of the last state."""
    if len(classes) == 2:
        return Sample(words, accepted=(codes == 1).tolist(), counts=weights, alphabet=alphabet, ids=ids)
    names = classes[codes].tolist()
    runs = [[*[None] * len(word), name] for word, name in zip(words, names, strict=True)]
    return Sample(words, states=runs, counts=weights, alphabet=alphabet, ids=ids)


def better(acceptor: Learned, generator: Learned) -> Learned:
    """Of two fits with the same folds, the one whose winners predicted the outcomes of held-out words better."""
    pairs = list(zip(*(_fold_losses(fit) for fit in (acceptor, generator)), strict=False))  # of the first folds
    losses = np.mean(pairs, axis=0)
    return generator if losses[1] < losses[0] else acceptor


def _fold_losses(fit: Learned) -> tuple[float, ...]:
    """Held-out log losses of the folds' winners, of the number of states that was chosen."""
    size = fit.members[0].model.n_states
    return next(each.losses for each in fit.sizes if each.n_states == size)


def _extended(machine: AnyMachine, alphabet: Alphabet) -> AnyMachine:
    """Machine with more symbols, which leave the state as it is; all states of a generator emit them, but hardly."""
    new = len(alphabet) - machine.n_symbols
    stay = np.eye(machine.n_states)[None].repeat(new, axis=0)
    parts = {"transitions": machine.transitions}
    if isinstance(machine, Generator):
        stay *= HARDLY
        parts = {name: part * (1.0 - new * HARDLY) for name, part in (parts | {"stop": machine.stop}).items()}
    parts["transitions"] = np.concatenate((parts["transitions"], stay))
    return machine.replace(alphabet=alphabet, **parts)


def seed_of(random_state: Any) -> int:
    """Seed of a search."""
    if random_state is None or isinstance(random_state, np.random.Generator):
        return int(np.random.default_rng(random_state).integers(2**63))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31))
    return whole_number("random_state", random_state, least=0)


DECAY = 0.6  # between 1/2 and 1: the larger, the sooner the steps get small
HARDLY = 1e-9  # probability with which a generator emits a symbol that it was not learned with
LOOSE = 0.01  # share of every row of a symbol not read so far that is open to be learned


@dataclass(frozen=True, eq=False)
class RunningCounts:
    r"""Running mean of expected counts per word: the statistic of stepwise EM (Cappé and Moulines, 2009).

    .. math:: s \leftarrow (1 - \gamma) s + \gamma \frac{v}{n}, \qquad \gamma = (1 + N / n)^{-0.6}

    for a batch of n words with expected counts v after N words; the k-th of equal batches has
    :math:`\gamma = k^{-0.6}`.

    Attributes
    ----------
    mean : the mean s.
    total : number of words N so far.
    """

    mean: Parameters
    total: float

    @classmethod
    def first(cls, counts: Counts, total: float) -> Self:
        """Mean of one batch."""
        return cls(_parameters(counts, total), total)

    def after(self, counts: Counts, total: float) -> Self:
        """Mean after one more batch."""
        step = (1.0 + self.total / total) ** -DECAY
        pairs = zip(self.mean, _parameters(counts, total), strict=True)
        mean = Parameters(*((1.0 - step) * mean + step * batch for mean, batch in pairs))
        return replace(self, mean=mean, total=self.total + total)

    @property
    def read(self) -> NDArray[np.bool_]:
        """Whether each symbol was read so far, ``[a, 1, 1]``."""
        return np.asarray(self.mean.transitions.sum(axis=(1, 2), keepdims=True) > 0.0)

    def opened(self, parameters: Parameters) -> Parameters:
        """Parameters in which no transition is closed for symbols that were not read so far."""
        if self.read.all():
            return parameters
        support = parameters.transitions.max(axis=0) > 0.0  # members of a team stay apart
        even = support / np.maximum(support.sum(axis=-1, keepdims=True), 1)
        moves = parameters.transitions
        loose = (1.0 - LOOSE) * moves + LOOSE * moves.sum(axis=-1, keepdims=True) * even
        return Parameters.packed(np.where(self.read, moves, loose), parameters.initial, parameters.stop)

    def maximum(self, parameters: Parameters, prior: float) -> Parameters:
        """M-step: as if all words so far had the mean's counts; symbols not read keep their matrices."""
        stop = None if parameters.stop is None else np.ones_like(parameters.stop)
        read = np.broadcast_to(self.read, parameters.transitions.shape)
        learned = Parameters.packed(read, parameters.initial, stop).rows > 0.0
        rows, initial = (
            self.total * mean + np.where(part > 0.0, prior, 0.0)
            for mean, part in zip(self.mean, parameters, strict=True)
        )
        kept, free = (np.where(mask, parameters.rows, 0.0) for mask in (~learned, learned))
        left = 1.0 - kept.sum(axis=-1, keepdims=True)
        rows = kept + left * shares(np.where(learned, rows, 0.0), shares(free, free))
        return Parameters(rows, shares(initial, parameters.initial))


def _parameters(counts: Counts, total: float) -> Parameters:
    """Expected counts per word, in the form of parameters."""
    packed = Parameters.packed(counts.transitions, counts.initial, counts.stop)
    return Parameters(packed.rows / total, packed.initial / total)
