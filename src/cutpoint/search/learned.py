"""Values that a search returns: Learned, with its members and the numbers of states tried; and its progress."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeVar

import numpy as np

from cutpoint.data import Sample
from cutpoint.em.fit_result import Fit, Stop, only_acceptor, only_generator, plot_axes
from cutpoint.errors import CutpointError, ImpossibleObservation
from cutpoint.model import Acceptor, Generator, WeightedAutomaton
from cutpoint.search.folds import standard_error
from cutpoint.wording import counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Direction = Literal["forward", "backward"]
AnyFit = TypeVar("AnyFit", bound=Fit)


@dataclass(frozen=True)
class SearchProgress:
    """Where a search is: the argument of the callback of :func:`learn` after each round.

    Attributes
    ----------
    n_states, fold, folds, round, rounds : which tournament is under way, and how far it is.
    loss : the lowest held-out log loss in it.
    e_steps, seconds : since the call.
    sizes : held-out log loss of each number of states that was tried before.
    seconds_left : an estimate; None while it is open which numbers of states will be tried.
    """

    n_states: int
    fold: int
    folds: int
    round: int
    rounds: int
    loss: float
    e_steps: int
    seconds: float
    sizes: Mapping[int, float]
    seconds_left: float | None


class Round(NamedTuple):
    """A climb after a round of E-steps: its objective, training loss and held-out loss (means of -log p)."""

    e_steps: int
    objective: float
    training_loss: float
    validation_loss: float


@dataclass(frozen=True)
class Member:
    """Winner of one fold after a few more E-steps on all observations.

    The kind of start it came from, its log loss on the fold that it did not see, and its climb are from before these.
    """

    model: Acceptor | Generator
    start: str
    validation_loss: float
    curve: tuple[Round, ...]

    @property
    def acceptor(self) -> Acceptor:
        """The winner, if it is an acceptor."""
        return only_acceptor(self.model)

    @property
    def generator(self) -> Generator:
        """The winner, if it is a generator."""
        return only_generator(self.model)


@dataclass(frozen=True)
class SizeLosses:
    """A number of states, and its held-out log loss on each fold."""

    n_states: int
    losses: tuple[float, ...]

    @property
    def loss(self) -> float:
        """Mean of the folds' losses."""
        return float(np.mean(self.losses))

    @property
    def standard_error(self) -> float:
        """Standard error of the mean loss over folds; infinite for a single fold."""
        return standard_error(self.losses)


@dataclass(frozen=True)
class SizeResult(SizeLosses):
    """How a number of states did: losses of each fold's winner, and of its best few together."""

    joint_losses: tuple[float, ...]

    @property
    def joint_loss(self) -> float:
        """Mean of the folds' losses of the best few together: what the choice goes by."""
        return float(np.mean(self.joint_losses))


@dataclass(frozen=True, repr=False)
class Learned(Fit):
    """Result of :func:`learn`: a :class:`Fit` with what the search found out.

    Attributes
    ----------
    history : objective on its training part after each round of the member that was chosen (of a team: the first).
    members : the winners of the folds. A team is their mixture; otherwise the one nearest to that mixture is chosen,
        or a deterministic machine near one of them, which ``detail`` then says.
    sizes : how each number of states that was tried did.
    e_steps : E-steps in all.
    unused : states that no run visits, in expectation not even half a time.
    labels : label of each state of the acceptor: True (final) or False, or its class.
    held_out : the folds' winners before their last E-steps, each with the observations that it did not learn from.
    direction : ``"forward"``; or ``"backward"``, if the model and the members read each word from its last symbol to
        its first. Then ``automaton`` reads words as they are, and ``acceptor`` is refused.
    """

    members: tuple[Member, ...] = ()
    sizes: tuple[SizeResult, ...] = ()
    e_steps: int = 0
    unused: tuple[Any, ...] = ()
    labels: tuple[Any, ...] = ()
    held_out: tuple[tuple[Acceptor | Generator, Sample], ...] = field(default=(), compare=False)
    direction: Direction = "forward"

    @property
    def acceptor(self) -> Acceptor:
        """The acceptor found, unless it reads words backwards."""
        if self.direction == "backward":
            raise CutpointError(
                "this fit reads words backwards: use fit.automaton, which reads them as they are, or fit.model for the "
                "acceptor of reversed words."
            )
        return only_acceptor(self.model)

    @property
    def automaton(self) -> WeightedAutomaton:
        """Acceptance as a function of words read forwards, whatever the direction; :func:`cutpoint.save` keeps it."""
        automaton = only_acceptor(self.model).to_weighted()
        return automaton if self.direction == "forward" else automaton.reverse()

    @property
    def validation_loss(self) -> float:
        """Mean held-out log loss of the members, in nats per outcome; a little too good, as it chose them."""
        return float(np.mean([member.validation_loss for member in self.members]))

    def plot(self, axes: Axes | None = None) -> Axes:
        """Learning curves of the members: training and held-out loss (extra ``[plot]``)."""
        axes = plot_axes(axes)
        colors: dict[str, Any] = {}  # the first colors of the axes, for all members alike
        for member in self.members:
            steps, _, training, held_out = zip(*member.curve, strict=True)
            for name, losses, style in (("held out", held_out, "-"), ("training", training, "--")):
                label = None if name in colors else name
                (line,) = axes.plot(steps, losses, color=colors.get(name), label=label, lw=1, ls=style)
                colors[name] = line.get_color()
        axes.set(xlabel="E-steps", ylabel="log loss (nats)", title=f"{counted(len(self.members), 'fold')}")
        axes.legend()
        axes.grid(alpha=0.3)
        return axes

    def _further_rows(self) -> list[list[str]]:
        sizes = [[f"with {counted(size.n_states, 'state')}", f"{size.loss:.4g}"] for size in self.sizes]
        return [["held-out log loss", self._judged], *sizes]

    @property
    def _judged(self) -> str:
        return f"{self.validation_loss:.4g} over {counted(len(self.members), 'fold')}"

    def __repr__(self) -> str:
        sizes = ", ".join(f"{size.n_states}: {size.loss:.4g}" for size in self.sizes)
        lines = [f"held-out log loss {self._judged}, {counted(self.e_steps, 'E-step')}", str(self.stop)]
        lines += [f"log loss by number of states: {sizes}"] * (len(self.sizes) > 1)
        lines += [self.detail] * bool(self.detail) + [repr(self.model)]
        return f"<Learned: {chr(10).join(lines)}>".replace("\n", "\n  ")


def finished(fit: AnyFit) -> AnyFit:
    """A fit, unless it was interrupted or something that was seen is impossible."""
    if fit.stop is Stop.IMPOSSIBLE:
        raise ImpossibleObservation(fit.detail)
    if fit.stop is Stop.INTERRUPTED:
        raise KeyboardInterrupt
    return fit
