"""Learned: what a search returns: the acceptor, how well it did on held-out observations, and its members."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cutpoint.em.fit import Fit, plot_axes
from cutpoint.model import Acceptor
from cutpoint.search.folds import standard_error
from cutpoint.wording import counted, listed

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Round:
    """A climb after a round of E-steps: its objective, training loss and held-out loss (means of -log p)."""

    e_steps: int
    objective: float
    training_loss: float
    validation_loss: float


@dataclass(frozen=True)
class Member:
    """Winner of one fold.

    Attributes
    ----------
    acceptor : the winner after a few more E-steps on all observations.
    start : the kind of start it came from.
    validation_loss : log loss on the fold that it did not see, before those last E-steps.
    curve : its climb, round by round.
    """

    acceptor: Acceptor
    start: str
    validation_loss: float
    curve: tuple[Round, ...]


@dataclass(frozen=True)
class Size:
    """How a number of states did: held-out log loss of each fold's winner, and of its best few together."""

    n_states: int
    losses: tuple[float, ...]
    joint_losses: tuple[float, ...]

    @property
    def loss(self) -> float:
        """Mean of the folds' losses."""
        return float(np.mean(self.losses))

    @property
    def joint_loss(self) -> float:
        """Mean of the folds' losses of the best few together: what the choice goes by."""
        return float(np.mean(self.joint_losses))

    @property
    def standard_error(self) -> float:
        """Standard error of the mean loss over folds; infinite for a single fold."""
        return standard_error(self.losses)


@dataclass(frozen=True, repr=False)
class Learned(Fit):
    """Result of :func:`learn`: a :class:`Fit` with what the search found out.

    Attributes
    ----------
    history : objective on its training part after each round of the member that was chosen (of a team: the first).
    members : the winners of the folds; a team is their mixture, otherwise the one nearest to that mixture is chosen,
        or a deterministic machine near one of them; ``detail`` tells.
    sizes : how each number of states did that was tried.
    e_steps : E-steps in all.
    unused : states that no run visits, in expectation not even half a time.
    labels : what each state of the acceptor shows: True (final) or False, or its class.
    """

    members: tuple[Member, ...] = ()
    sizes: tuple[Size, ...] = ()
    e_steps: int = 0
    unused: tuple[Any, ...] = ()
    labels: tuple[Any, ...] = ()

    @property
    def validation_loss(self) -> float:
        """Mean held-out log loss of the members, in nats. It was used to choose them, so it is a little too good."""
        return float(np.mean([member.validation_loss for member in self.members]))

    def plot(self, axes: Axes | None = None) -> Axes:
        """Learning curves of the members: training and held-out loss (extra ``[plot]``)."""
        drawn = plot_axes(axes)
        for k, member in enumerate(self.members):
            steps = [entry.e_steps for entry in member.curve]
            names = ("held out", "training") if k == 0 else (None, None)
            drawn.plot(steps, [entry.validation_loss for entry in member.curve], color="C0", label=names[0], lw=1)
            drawn.plot(
                steps, [entry.training_loss for entry in member.curve], color="C1", label=names[1], lw=1, ls="--"
            )
        drawn.set(xlabel="E-steps", ylabel="log loss (nats)", title=f"{counted(len(self.members), 'fold')}")
        drawn.legend()
        drawn.grid(alpha=0.3)
        return drawn

    def __repr__(self) -> str:
        sizes = ", ".join(f"{size.n_states}: {size.loss:.4g}" for size in self.sizes)
        lines = [
            f"held-out log loss {self.validation_loss:.4g} over {counted(len(self.members), 'fold')}, "
            f"{counted(self.e_steps, 'E-step')}",
            str(self.stop),
        ]
        lines += [f"log loss by number of states: {sizes}"] * (len(self.sizes) > 1)
        lines += [self.detail] * bool(self.detail) + [repr(self.acceptor)]
        return f"<Learned: {chr(10).join(lines)}>".replace("\n", "\n  ")


def unused_sentence(unused: tuple[Any, ...], n_states: int) -> str:
    """Sentence about states that are never used."""
    return f"{len(unused)} of {n_states} states are never used ({listed(unused)}): fewer would do."
