"""How well an acceptor predicts: evaluate, calibration, the best cut point."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cutpoint.assess.baselines import MEAN, baseline_acceptances
from cutpoint.data import Sample, html
from cutpoint.em.observations import AnySample, Engine, check_any_sample, check_evidence, check_sample, predictions
from cutpoint.em.predictions import Predictions
from cutpoint.errors import InvalidArgument, InvalidSample
from cutpoint.exact import cut_point_value, floats, whole_number
from cutpoint.kernels.words import Floats
from cutpoint.model import Acceptor, Generator
from cutpoint.model.acceptor import check_acceptor
from cutpoint.model.text import aligned
from cutpoint.search.learned import Learned
from cutpoint.wording import counted, integer_if_whole, shown

Bools = NDArray[np.bool_]

NO_OUTCOMES = "a sample to judge by must have outcomes; this one has words alone."
REPETITIONS = 200  # resampled samples behind an interval


class Figures(NamedTuple):
    """Figures of predictions; None where there are no verdicts, of ``auc`` also without both kinds."""

    log_loss: float
    brier_score: float | None
    auc: float | None
    accuracy: float | None


NAMES = Figures("log loss", "Brier score", "AUC", "accuracy")  # type: ignore[arg-type]


def figures_of(found: Predictions, cut_point: float, weights: Floats | None = None) -> Figures:
    """Figures of predictions, each position with its weight, or with another one."""
    given = found.seen.weights if weights is None else weights
    loss = float(np.average(found.losses[given > 0.0], weights=given[given > 0.0]))
    values, accepted, weights = found.verdicts(weights)
    if not weights.any():
        return Figures(loss, None, None, None)
    brier = float(np.average((values - accepted) ** 2, weights=weights))
    accuracy = float(weights[(values > cut_point) == accepted].sum() / weights.sum())
    return Figures(loss, brier, area_under_curve(values, accepted, weights), accuracy)


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation:
    """How well an acceptor predicts a sample: what was seen of it, each verdict from the symbols and verdicts before.

    Attributes
    ----------
    log_loss : mean of -log p over what was seen, in nats; infinite if something seen has probability 0.
    brier_score : mean of (p - 1)² over accepted and p² over rejected ones.
    accuracy : share of the verdicts predicted right at the cut point.
    auc : probability that an accepted one has a higher acceptance than a rejected one, equal ones counted half; None
        without both kinds.
    cut_point : more than this acceptance predicts "accepted".
    base_rate : share of the verdicts that are "accepted". This and the figures above, except for the log loss, are None
        without verdicts, where states were seen.
    total, judged : observations of which something was seen, and how much: one verdict for each outcome, more for
        verdicts along words. Both are counted with their weights; observations of which nothing was seen do not count.
    baselines : the same figures of predictions that know little, by name: always the mean, and logistic regression on
        1- to 4-grams if there was a sample to train it on. Empty where states were seen.
    predictions : the predictions themselves.
    """

    predictions: Predictions
    cut_point: float = 0.5
    baselines: Mapping[str, Figures] = field(default_factory=dict)

    @cached_property
    def figures(self) -> Figures:
        """All figures."""
        return figures_of(self.predictions, self.cut_point)

    @property
    def log_loss(self) -> float:
        """Mean of -log p."""
        return self.figures.log_loss

    @property
    def brier_score(self) -> float | None:
        """Mean squared error."""
        return self.figures.brier_score

    @property
    def auc(self) -> float | None:
        """Area under the curve."""
        return self.figures.auc

    @property
    def accuracy(self) -> float | None:
        """Share predicted right."""
        return self.figures.accuracy

    @property
    def base_rate(self) -> float | None:
        """Share accepted."""
        return self.predictions.seen.share_accepted

    @property
    def judged(self) -> float:
        """Number of verdicts, or of positions where something was seen."""
        return float(self.predictions.seen.weights.sum())

    @property
    def total(self) -> float:
        """Number of observations of which something was seen."""
        return float(self._counts[1].sum())

    @cached_property
    def _counts(self) -> tuple[NDArray[np.intp], Floats]:
        """Number of the observation of each position, among those that are judged, and their counts."""
        seen = self.predictions.seen
        _, first, owner = np.unique(seen.observations, return_index=True, return_inverse=True)
        return owner, seen.weights[first]

    def calibration(self, bins: int = 10) -> "tuple[Bin, ...]":
        """Probabilities of verdicts in bins beside what happened; see :func:`calibration`."""
        values, accepted, weights = self.predictions.verdicts()
        return calibration(values, accepted, weights, bins) if len(values) else ()

    @cached_property
    def intervals(self) -> dict[str, tuple[float, float]]:
        """95 % interval of each figure that has one, by name: percentiles over 200 resampled samples.

        Observations are drawn with replacement, with all their verdicts; the acceptor stays as it is. The same sample
        gives the same intervals.
        """
        owner, counts = self._counts
        size = round(float(counts.sum()))
        if not 2 <= size < 2**53:
            return {}
        rng, shares = np.random.default_rng(0), counts / counts.sum()
        draws = []
        for _ in range(REPETITIONS):
            drawn = rng.multinomial(size, shares)[owner].astype(np.float64)
            draws.append(figures_of(self.predictions, self.cut_point, drawn))
        found = {}
        for name, values in zip(Figures._fields, zip(*draws, strict=True), strict=True):
            known = [value for value in values if value is not None and math.isfinite(value)]
            if len(known) == REPETITIONS or (known and name == "auc"):
                low, high = np.quantile(known, [0.025, 0.975]).tolist()
                found[name] = (low, high)
        return found

    @property
    def what(self) -> str:
        """What was judged, for people: so many cases, or verdicts on them."""
        cases = counted(integer_if_whole(self.total), "case")
        if self.judged == self.total:
            return cases
        noun = "verdict" if self.base_rate is not None else "seen state"
        return f"{counted(integer_if_whole(self.judged), noun)} on {cases}"

    def table(self) -> str:
        """All figures with their intervals, beside those of the baselines, as plain text."""
        return "\n".join(line.rstrip() for line in aligned(self.rows()))

    def rows(self) -> list[list[str]]:
        """Rows of the table."""
        lines = [["", "model", "95 % interval", *self.baselines]]
        for name, field_name in zip(NAMES, Figures._fields, strict=True):
            value = getattr(self.figures, field_name)
            if value is None:
                continue
            others = [getattr(figures, field_name) for figures in self.baselines.values()]
            interval = " to ".join(f"{end:.4f}" for end in self.intervals.get(field_name, ()))
            label = f"{name} at {self.cut_point:g}" if field_name == "accuracy" else str(name)
            lines.append([label, f"{value:.4f}", interval, *("" if v is None else f"{v:.4f}" for v in others)])
        return lines

    def _repr_html_(self) -> str:
        return html.paragraph(f"Evaluation of {self.what}") + html.table(self.rows())

    def __repr__(self) -> str:
        named = [("log loss", self.log_loss), ("AUC", self.auc), (f"accuracy at {self.cut_point:g}", self.accuracy)]
        figures = [f"{name} {value:.4f}" for name, value in named if value is not None]
        if MEAN in self.baselines:
            figures[0] += f" ({MEAN}: {self.baselines[MEAN].log_loss:.4f})"
        return f"<Evaluation of {self.what}: {', '.join(figures)}>"


def evaluate(
    acceptor: Acceptor | Generator,
    sample: AnySample,
    cut_point: Any = None,
    *,
    baseline: Sample | float | None = None,
    last: bool = False,
    engine: Engine | None = None,
) -> Evaluation:
    """Judge an acceptor, or a generator, as it is, by a sample that it did not learn from, in memory or in shards.

    Only what was seen is judged: words without an outcome change no figure. Verdicts along a word are judged one by
    one, each from the symbols so far and the verdicts before it, as :func:`verdict_probabilities` predicts them. A
    generator is judged by outcomes of whole words, in memory: by P(accepted | the word), not by the words themselves.

    Parameters
    ----------
    cut_point : more than this acceptance predicts "accepted"; by default the one that the model carries, or 1/2.
    baseline : the sample that the acceptor was learned from, for baselines: its mean, and a logistic regression on runs
        of one to four symbols (and verdicts) trained on it, where scikit-learn is installed. Or a probability, that of
        "accepted" where nothing is known; by default the mean of the sample judged.
    last : judge the last verdict on each word alone (given the verdicts before it).
    engine : as of :func:`learn`.

    Notes
    -----
    Cost: one scoring of the sample; ``Evaluation.intervals`` resamples the predictions, not the fit.

    Examples
    --------
    >>> sample = cp.simulate(cp.p_adic(2), cp.random_words("01", 1000, (1, 6), rng=1), rng=2)
    >>> judged = evaluate(cp.p_adic(2), sample)
    >>> judged
    <Evaluation of 1,000 cases: log loss 0.4702 (always the mean: 0.6809), AUC 0.8403, accuracy at 0.5 0.7310>
    >>> low, high = judged.intervals["auc"]
    >>> round(low, 2), round(high, 2)
    (0.82, 0.87)
    """
    if not isinstance(acceptor, Generator):
        check_acceptor(acceptor)
    check_any_sample(sample)
    check_evidence(sample, NO_OUTCOMES)
    cut = acceptor.model.used_cut_point if cut_point is None else float(cut_point_value(cut_point))
    if isinstance(sample, Sample):
        sample = sample.recoded(acceptor.alphabet)  # where words become equal, observations are merged
    found = _predictions(acceptor, sample, engine)
    if last:
        found = found.take(found.seen.last_verdicts())
        if not len(found.losses):
            raise InvalidSample("must be False where states alone were seen; it is about verdicts.", argument="last")
    others = baseline_acceptances(found.seen, sample, baseline, last)
    return Evaluation(found, cut, {name: figures_of(found.by(values), cut) for name, values in others.items()})


def _predictions(model: Acceptor | Generator, sample: AnySample, engine: Engine | None = None) -> Predictions:
    """Predictions of a model: of a generator those of the outcomes of whole words, by Bayes' rule."""
    if isinstance(model, Acceptor):
        return predictions(model, sample, engine=engine)
    check_sample(sample)
    if not isinstance(sample, Sample) or sample.marks is not None:
        raise InvalidSample("a generator is judged by outcomes of whole words; more was seen along these words.")
    seen = sample.seen
    values = model.acceptances(sample.take(seen.observations))
    return Predictions(seen, values, np.zeros_like(values), len(sample)).by(values)


def area_under_curve(values: Floats, accepted: Bools, weights: Floats) -> float | None:
    """Probability that an accepted one has the higher value, equal ones counted half; None without both kinds."""
    distinct, place = np.unique(values, return_inverse=True)
    weights = np.ldexp(weights, -int(np.frexp(weights.max(initial=1.0))[1]))  # products of counts stay in range
    above = np.bincount(place, weights * accepted, minlength=len(distinct))
    below = np.bincount(place, weights * ~accepted, minlength=len(distinct))
    if not (above.any() and below.any()):
        return None
    lower = np.cumsum(below) - 0.5 * below
    return float((above * lower).sum() / (above.sum() * below.sum()))


# -- The best cut point ------------------------------------------------------------------------------------------------

ENOUGH = 20  # with fewer words of either outcome nothing could be clearly better than 1/2
CLEARLY = 3.0  # standard errors by which a cut point must beat 1/2


class CutPointChoice(NamedTuple):
    """A cut point, and why it was chosen."""

    cut_point: float
    reason: str


def chosen_cut_point(fit: Learned) -> CutPointChoice:
    """Cut point of highest accuracy on words not learned from: each fold is scored by the winner of the others.

    It stays 1/2 unless another is clearly better.
    """
    folds = [_predictions(model, sample).verdicts() for model, sample in fit.held_out]
    scores, accepted, weights = map(np.concatenate, zip(*folds, strict=True))
    if min(weights[accepted].sum(), weights[~accepted].sum()) < ENOUGH:
        return CutPointChoice(0.5, f"fewer than {ENOUGH} cases of one outcome are too few to choose another")
    cut_point = best_cut_point(scores, accepted, weights)
    reason = "no other is clearly better" if cut_point == 0.5 else "highest accuracy"
    return CutPointChoice(cut_point, f"{reason} on cases not learned from")


def best_cut_point(scores: Floats, accepted: Bools, weights: Floats) -> float:
    r"""Hundredth of highest accuracy, or 1/2 unless the gain over it is more than three standard errors.

    If b words are put right by moving the cut point away from 1/2 and c words wrong, the gain is b - c and its
    standard error :math:`\sqrt{b + c}` (McNemar).

    Examples
    --------
    >>> scores = np.repeat([0.1, 0.3, 0.9], 100)
    >>> best_cut_point(scores, scores > 0.2, np.ones(300))
    0.29
    >>> best_cut_point(scores, np.arange(300) % 2 == 1, np.ones(300))
    0.5
    """
    best, most = 0.5, 0.0
    nearest_first = sorted(range(1, 100), key=lambda k: abs(k - 50))
    for cut_point in (k / 100.0 for k in nearest_first):
        changed = (scores > cut_point) != (scores > 0.5)
        right = changed & ((scores > cut_point) == accepted)
        total = float(weights[changed].sum())
        gain = 2.0 * float(weights[right].sum()) - total
        if gain > most and gain > CLEARLY * total**0.5:
            best, most = cut_point, gain
    return best


# -- Calibration -------------------------------------------------------------------------------------------------------

SIGMAS = 1.959963984540054  # half-width of a 95 % interval in standard deviations


@dataclass(frozen=True)
class Bin:
    """Words of similar probability: its mean, the share accepted, how many, and a 95 % interval of the share."""

    probability: float
    accepted: float
    count: float
    low: float
    high: float


def calibration(
    probabilities: ArrayLike, accepted: Sequence[Any] | NDArray[Any], counts: ArrayLike | None = None, bins: int = 10
) -> tuple[Bin, ...]:
    r"""Probabilities in bins of equal width beside what happened; empty bins are left out.

    With :math:`n` words in a bin and the share :math:`q` of them accepted, the interval is Wilson's,

    .. math:: \frac{q + z^2/2n \pm z \sqrt{q(1-q)/n + z^2/4n^2}}{1 + z^2/n}, \qquad z = 1.96

    which stays within 0 and 1 and is honest for few words.

    Parameters
    ----------
    probabilities : per word the predicted probability, as ``A.acceptances(words)`` gives it.
    accepted : per word True or False, or 1 or 0.
    counts : how often each was seen, by default once.
    bins : number of bins between 0 and 1.

    Examples
    --------
    >>> low, high = cp.assess.calibration([0.1, 0.1, 0.9, 0.9], [False, False, True, False], bins=2)
    >>> high.probability, high.accepted, high.count, round(high.low, 2), round(high.high, 2)
    (0.9, 0.5, 2.0, 0.09, 0.91)
    """
    predicted, seen, weights = _checked(probabilities, accepted, counts)
    number = whole_number("bins", bins, least=1, most=1000)
    place = np.minimum((predicted * number).astype(np.int64), number - 1)
    found = []
    for k in np.unique(place[weights > 0.0]).tolist():
        inside = place == k
        count = float(weights[inside].sum())
        share = float((weights * seen)[inside].sum()) / count
        mean = float((weights * predicted)[inside].sum()) / count
        found.append(Bin(mean, share, count, *_interval(share, count)))
    return tuple(found)


def _interval(share: float, count: float) -> tuple[float, float]:
    z2 = SIGMAS**2 / count
    middle = (share + z2 / 2) / (1 + z2)
    half = math.sqrt(share * (1 - share) * z2 + z2 * z2 / 4) / (1 + z2)
    return min(max(middle - half, 0.0), share), max(min(middle + half, 1.0), share)


def _checked(probabilities: Any, accepted: Any, counts: Any) -> tuple[Floats, Floats, Floats]:
    predicted = floats("probabilities", probabilities, "must be numbers")
    if predicted.ndim != 1 or not len(predicted):
        raise InvalidArgument(f"probabilities must be a sequence of one or more; got shape {predicted.shape}.")
    seen = list(accepted)
    for k in np.flatnonzero(~((predicted >= 0) & (predicted <= 1 + 1e-9))):
        raise InvalidArgument(f"probabilities must be between 0 and 1; number {k} is {predicted[k]}.")
    for r, value in enumerate(seen):
        if not isinstance(value, bool | np.bool_ | int | np.integer | float | np.floating) or value not in (0, 1):
            what = f"accepted must be True or False, or 1 or 0, for each word; number {r} is {shown(value)}."
            raise InvalidArgument(what)
    weights = np.ones(len(predicted)) if counts is None else floats("counts", counts, "must be numbers")
    if not (len(seen) == len(predicted) and weights.shape == predicted.shape):
        sizes = f"{len(predicted)}, {len(seen)} and {weights.size}"
        raise InvalidArgument(f"there must be as many probabilities as verdicts and counts; got {sizes}.")
    if not (np.isfinite(weights) & (weights >= 0.0)).all() or not weights.any():
        raise InvalidArgument("counts must be finite, not negative, and not all 0.")
    return np.minimum(predicted, 1.0), np.array(seen, dtype=np.float64), weights
