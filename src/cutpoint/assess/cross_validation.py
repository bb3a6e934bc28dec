"""cross_validate: how well an acceptor, or learning with some number of states, does on observations never seen."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Hashable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from cutpoint.assess.evaluation import evaluate
from cutpoint.data import Sample
from cutpoint.em.baum_welch import baum_welch
from cutpoint.em.fit import Stop
from cutpoint.em.observations import check_sample, check_threads
from cutpoint.errors import ImpossibleObservation, InvalidArgument, UnusedStatesWarning
from cutpoint.exact import whole_number
from cutpoint.model import Acceptor
from cutpoint.model.parts import random_generator
from cutpoint.search.folds import splits, standard_error
from cutpoint.search.learn import FOLDS, PRIOR, learn
from cutpoint.wording import counted, shown

Floats = NDArray[np.float64]


@dataclass(frozen=True, repr=False)
class Score:
    """One value per fold, with their mean and its standard error."""

    values: tuple[float, ...]

    @property
    def mean(self) -> float:
        """Mean over folds."""
        return float(np.mean(self.values))

    @property
    def standard_error(self) -> float:
        """Standard error of the mean; infinite for a single fold, or where a value is infinite."""
        return standard_error(self.values)

    def __repr__(self) -> str:
        return f"{self.mean:.4f} ± {self.standard_error:.4f}"


@dataclass(frozen=True, repr=False)
class Scores:
    """Result of :func:`cross_validate`.

    Attributes
    ----------
    log_loss : mean of -log p over what was seen of the held-out observations, in nats; infinite where a fold holds an
        observation of probability 0.
    accuracy : share of held-out verdicts told right at the cut point 1/2; None if no word has a verdict.
    auc : probability that an accepted word has a higher acceptance than a rejected one (equal ones count half), over
        the folds that hold both; None if there is no such fold.
    """

    log_loss: Score
    accuracy: Score | None
    auc: Score | None

    def __repr__(self) -> str:
        named = [("log loss", self.log_loss), ("accuracy", self.accuracy), ("AUC", self.auc)]
        told = ", ".join(f"{name} {score!r}" for name, score in named if score is not None)
        return f"<Scores over {counted(len(self.log_loss.values), 'fold')}: {told}>"


def cross_validate(
    model: Acceptor | int,
    sample: Sample,
    folds: int = FOLDS,
    *,
    refit: bool = True,
    prior: float = PRIOR,
    n_final: int | None = None,
    final: Collection[Hashable] | None = None,
    inner_folds: int | None = None,
    threads: int | None = None,
    rng: np.random.Generator | int = 0,
) -> Scores:
    r"""Judge a model by observations that it did not see: each fold is held out once.

    .. math:: \text{log loss} = -\frac{1}{N_k} \sum_{r \in \text{fold } k} u_r \log p_r, \qquad
        \text{AUC} = P(p_{acc} > p_{rej}) + \tfrac12 P(p_{acc} = p_{rej})

    Parameters
    ----------
    model : a number of states, with which :func:`learn` starts from scratch on the rest of each fold; or an acceptor,
        from which accelerated Baum-Welch climbs there.
    sample : the observations; they are shared out one by one, labels evenly.
    folds : number of folds.
    refit : False judges the acceptor as it is, without learning anything.
    prior : Dirichlet pseudo-counts of every cell.
    n_final, final, inner_folds : for a number of states: as of :func:`learn`, ``inner_folds`` being its folds.
    threads : number of threads, all cores unless told; the result does not depend on it.
    rng : seed or generator; same seed, same result.

    Returns
    -------
    :class:`Scores`. Accuracy and AUC are about the verdicts on whole words, from the word alone.

    Notes
    -----
    An acceptor that was learned from this sample has seen the held-out observations: climbing on from it gives scores
    that are too good. For an honest judgement of a way to learn, pass the number of states. Cost: one search, or one
    climb, per fold.

    Examples
    --------
    >>> import cutpoint as cp
    >>> sample = cp.simulate(cp.p_adic(2), cp.random_words("01", 500, (1, 6), rng=1), rng=2)
    >>> scores = cp.cross_validate(cp.p_adic(2), sample)
    >>> round(scores.log_loss.mean, 2), len(scores.auc.values)
    (0.5, 5)
    """
    check_sample(sample)
    check_threads(threads)
    whole_number("folds", folds, least=2)
    if isinstance(model, Acceptor):
        if n_final is not None or final is not None or inner_folds is not None:
            raise InvalidArgument("n_final, final and inner_folds are for a number of states; an acceptor has its own.")
        sample = sample.recoded(model.alphabet)
    elif isinstance(model, bool) or not isinstance(model, int | np.integer):
        raise InvalidArgument(f"model must be an Acceptor or a number of states; got {shown(model)}.")
    elif not refit:
        raise InvalidArgument("refit=False judges an acceptor as it is; with a number of states there is nothing yet.")
    draws = random_generator(rng)
    rows: list[tuple[float, float | None, float | None]] = []
    for split in splits(sample, folds, draws):
        seed = int(draws.integers(2**63))
        if not isinstance(model, Acceptor):
            fitted = _learned(split.training, model, n_final, final, prior, inner_folds, threads, seed)
        elif refit:
            fitted = _climbed(model, split.training, prior, threads)
        else:
            fitted = model
        judged = evaluate(fitted, split.validation)
        rows.append((judged.log_loss, judged.accuracy, judged.auc))
    losses, accuracies, areas = zip(*rows, strict=True)
    return Scores(Score(tuple(losses)), _score(accuracies), _score(areas))


def _learned(
    training: Sample,
    n_states: int,
    n_final: int | None,
    final: Collection[Hashable] | None,
    prior: float,
    folds: int | None,
    threads: int | None,
    seed: int,
) -> Acceptor:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnusedStatesWarning)
        fit = learn(
            training, n_states, n_final=n_final, final=final, prior=prior, folds=folds, threads=threads, rng=seed
        )
    if fit.stop is Stop.INTERRUPTED:
        raise KeyboardInterrupt
    return fit.acceptor


def _climbed(acceptor: Acceptor, training: Sample, prior: float, threads: int | None) -> Acceptor:
    fit = baum_welch(acceptor, training, prior=prior, learn_initial=True, accelerate=True, threads=threads)
    if fit.stop is Stop.IMPOSSIBLE:
        raise ImpossibleObservation(fit.detail)
    if fit.stop is Stop.INTERRUPTED:
        raise KeyboardInterrupt
    return fit.acceptor


def _score(values: tuple[float | None, ...]) -> Score | None:
    known = tuple(value for value in values if value is not None)
    return Score(known) if known else None
