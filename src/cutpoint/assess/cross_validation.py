"""cross_validate: how well an acceptor, or learning with some number of states, does on observations never seen."""

import warnings
from collections.abc import Collection, Hashable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from cutpoint.assess.baselines import MEAN
from cutpoint.assess.evaluation import evaluate
from cutpoint.data import Sample
from cutpoint.em.baum_welch import baum_welch
from cutpoint.em.observations import AnySample, Engine
from cutpoint.errors import InvalidArgument, UnusedStatesWarning
from cutpoint.exact import whole_number
from cutpoint.model import Acceptor
from cutpoint.model.parts import random_generator
from cutpoint.search.folds import splits, standard_error
from cutpoint.search.learn import PRIOR, learn
from cutpoint.search.learned import Learned, finished
from cutpoint.search.race import FOLDS, check_arguments, searched_part
from cutpoint.wording import counted, shown


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
class CrossValidation:
    """Result of :func:`cross_validate`: the figures of each fold's :class:`Evaluation`, at the cut point 1/2.

    ``mean_log_loss`` is that of always the mean of what the fold was learned from. All but the log loss are over the
    folds that have them; None if there is none.
    """

    log_loss: Score
    accuracy: Score | None
    auc: Score | None
    brier_score: Score | None
    mean_log_loss: Score | None

    def __repr__(self) -> str:
        named = [
            ("log loss", self.log_loss),
            (MEAN, self.mean_log_loss),
            ("accuracy", self.accuracy),
            ("AUC", self.auc),
        ]
        scores = ", ".join(f"{name} {score!r}" for name, score in named if score is not None)
        return f"<CrossValidation over {counted(len(self.log_loss.values), 'fold')}: {scores}>"


def cross_validate(
    model: Acceptor | int,
    sample: AnySample,
    folds: int = FOLDS,
    *,
    refit: bool = True,
    prior: float = PRIOR,
    n_final: int | None = None,
    final: Collection[Hashable] | None = None,
    inner_folds: int | None = None,
    groups: Iterable[Hashable] | None = None,
    threads: int | None = None,
    rng: np.random.Generator | int = 0,
    engine: Engine | None = None,
) -> CrossValidation:
    r"""Judge a model by observations that it did not see: each fold is held out once.

    .. math:: \text{log loss} = -\frac{1}{N_k} \sum_{r \in \text{fold } k} u_r \log p_r, \qquad
        \text{AUC} = P(p_{acc} > p_{rej}) + \tfrac12 P(p_{acc} = p_{rej}), \qquad N_k \text{ what was seen of it}

    Parameters
    ----------
    model : a number of states, with which :func:`learn` starts from scratch on the rest of each fold; or an acceptor,
        from which accelerated Baum-Welch climbs there.
    sample : the observations; they are shared out one by one or, with groups, group by group; labels evenly. Of a
        sample in shards, 200,000 distinct observations.
    refit : False judges the acceptor as it is, without learning anything.
    prior, groups, threads, rng, engine : as of :func:`learn`.
    n_final, final, inner_folds : for a number of states: as of :func:`learn`, ``inner_folds`` being its folds.

    Notes
    -----
    Observations of which nothing was seen do not count, and verdicts along words are judged one by one: see
    :func:`evaluate`. An acceptor that was learned from this
    sample has seen the held-out observations: for an honest judgement of a way to learn, pass the number of states.
    Cost: one search, or one climb, per fold.

    Examples
    --------
    >>> sample = cp.simulate(cp.p_adic(2), cp.random_words("01", 500, (1, 6), rng=1), rng=2)
    >>> scores = cp.cross_validate(cp.p_adic(2), sample)
    >>> round(scores.log_loss.mean, 2), len(scores.auc.values)
    (0.5, 5)
    """
    sample = check_arguments(sample, threads, engine, groups)
    whole_number("folds", folds, least=2)
    if isinstance(model, Acceptor):
        if n_final is not None or final is not None or inner_folds is not None:
            raise InvalidArgument("n_final, final and inner_folds are for a number of states; an acceptor has its own.")
    elif isinstance(model, bool) or not isinstance(model, int | np.integer):
        raise InvalidArgument(f"model must be an Acceptor or a number of states; got {shown(model)}.")
    elif not refit:
        raise InvalidArgument("refit=False judges an acceptor as it is; with a number of states there is nothing yet.")

    def fitted(training: Sample, seed: int) -> Acceptor:
        options: dict[str, Any] = {"prior": prior, "threads": threads, "engine": engine}
        if not isinstance(model, Acceptor):
            options |= {"n_final": n_final, "final": final, "folds": inner_folds, "rng": seed}
            return quietly_learned(training, model, **options).acceptor
        if not refit:
            return model
        return finished(baum_welch(model, training, learn_initial=True, accelerate=True, **options)).acceptor

    draws = random_generator(rng)
    part = searched_part(sample, model.alphabet if isinstance(model, Acceptor) else sample.alphabet, engine)
    judged = []
    for split in splits(part, folds, draws):
        found, share = fitted(split.training, int(draws.integers(2**63))), split.training.seen.share_accepted
        judged.append(evaluate(found, split.validation, baseline=share))

    def score(values: Iterable[float | None]) -> Score | None:
        known = tuple(value for value in values if value is not None)
        return Score(known) if known else None

    return CrossValidation(
        Score(tuple(each.log_loss for each in judged)),
        score(each.accuracy for each in judged),
        score(each.auc for each in judged),
        score(each.brier_score for each in judged),
        score(each.baselines[MEAN].log_loss for each in judged if MEAN in each.baselines),
    )


def quietly_learned(sample: Sample, n_states: int | None, **options: Any) -> Learned:
    """What :func:`learn` finds where it is a part of something larger: without a warning of unused states."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnusedStatesWarning)
        return finished(learn(sample, n_states, **options))
