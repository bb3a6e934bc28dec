"""Fit: what learning returns, and why it stopped."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from cutpoint.data import html
from cutpoint.errors import CutpointError, MissingExtra
from cutpoint.model import Acceptor, Generator
from cutpoint.wording import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Stop(Enum):
    """Why learning stopped; the value is the explanation."""

    CONVERGED = "converged: the last step raised the log-likelihood by no more than the tolerance."
    STEP_LIMIT = "step limit: max_steps was reached before convergence; increase max_steps."
    TIME_LIMIT = "time limit: the time ran out before convergence; the model is the best so far. Allow more time."
    NO_EVIDENCE = (
        "no evidence: the sample holds inputs alone, and inputs alone carry no information about the transitions "
        "(rows sum to 1, so every choice of them gives the inputs the same likelihood). Add what was seen of the runs: "
        "Sample(words, accepted=...), verdicts=... or states=..."
    )
    SEARCHED = "search finished: the best on held-out observations was kept."
    INTERRUPTED = "interrupted: stopped by the user; the model is the best so far."
    IMPOSSIBLE = "impossible observation: the acceptor gives probability 0 to something that was seen."

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True)
class Fit:
    """Result of learning.

    Attributes
    ----------
    model : the acceptor or generator found; also ``acceptor`` or ``generator``.
    history : log-likelihood before the first and after each step, never decreasing; with a prior, the log-likelihood
        plus the logarithm of the prior's density, which is what then never decreases.
    stop : a :class:`Stop`; ``print(fit.stop)`` explains it.
    log_likelihood : log-likelihood of the sample under the model.
    detail : more about the stop, such as the observation that is impossible.

    Examples
    --------
    >>> sample = cp.simulate(cp.p_adic(2), cp.random_words("01", 400, (0, 5), rng=1), rng=2)
    >>> fit = cp.baum_welch(cp.random_acceptor(2, "01", rng=3), sample, max_steps=3)
    >>> fit.steps, fit.converged, fit.history == tuple(sorted(fit.history))
    (3, False, True)
    >>> print(fit.stop)
    step limit: max_steps was reached before convergence; increase max_steps.
    """

    model: Acceptor | Generator
    history: tuple[float, ...]
    stop: Stop
    log_likelihood: float
    detail: str = ""

    @property
    def acceptor(self) -> Acceptor:
        """The acceptor found."""
        return only_acceptor(self.model)

    @property
    def generator(self) -> Generator:
        """The generator found."""
        return only_generator(self.model)

    @property
    def steps(self) -> int:
        """Number of steps taken."""
        return len(self.history) - 1

    @property
    def converged(self) -> bool:
        """Whether the fit converged, rather than being cut short."""
        return self.stop in (Stop.CONVERGED, Stop.NO_EVIDENCE, Stop.SEARCHED)

    def plot(self, axes: Axes | None = None) -> Axes:
        """Learning curve: the history against the steps, drawn with matplotlib (extra ``[plot]``)."""
        drawn = plot_axes(axes)
        drawn.plot(range(len(self.history)), self.history, marker="o" if self.steps < 40 else None, markersize=3)
        why = self.stop.name.lower().replace("_", " ")
        drawn.set(xlabel="step", ylabel=self._objective, title=f"{counted(self.steps, 'step')}: {why}")
        drawn.grid(alpha=0.3)
        return drawn

    def _repr_html_(self) -> str:
        rows = [["log-likelihood", f"{self.log_likelihood:.6g}"], ["steps", f"{self.steps:,}"], *self._further_rows()]
        why = html.paragraph(str(self.stop)) + (html.paragraph(self.detail) if self.detail else "")
        return html.table([[type(self).__name__, ""], *rows]) + why + self.model._repr_html_()

    def _further_rows(self) -> list[list[str]]:
        """More rows of the table that a notebook shows."""
        return []

    def __repr__(self) -> str:
        first, last = self.history[0], self.history[-1]
        lines = [f"{counted(self.steps, 'step')}, {self._objective} {first:.6g} → {last:.6g}", str(self.stop)]
        lines += [self.detail] * bool(self.detail) + [repr(self.model)]
        return f"<Fit: {chr(10).join(lines)}>".replace("\n", "\n  ")

    @property
    def _objective(self) -> str:
        """What the history holds."""
        penalized = self.history[-1] != self.log_likelihood
        return "log-likelihood plus log-prior" if penalized else "log-likelihood"


def only_acceptor(model: Acceptor | Generator) -> Acceptor:
    """A model, unless it is a generator."""
    if isinstance(model, Acceptor):
        return model
    raise CutpointError("this fit has a generator, not an acceptor: use fit.generator.")


def only_generator(model: Acceptor | Generator) -> Generator:
    """A model, unless it is an acceptor."""
    if isinstance(model, Generator):
        return model
    raise CutpointError("this fit has an acceptor, not a generator: use fit.acceptor, or learn_generator(...).")


def plot_axes(axes: Axes | None) -> Axes:
    """The axes given, or those of a new figure of pyplot."""
    if axes is not None:
        return axes
    try:
        import matplotlib.pyplot as plt  # noqa: PLC0415
    except ImportError:
        raise MissingExtra("plot needs matplotlib; install it with: pip install 'cutpoint[plot]'.") from None
    drawn: Axes = plt.figure(layout="constrained").add_subplot()
    return drawn
