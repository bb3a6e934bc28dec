"""The journal of a search: tournaments that are over and the one under way, as a checkpoint."""

from __future__ import annotations

import numpy as np

from cutpoint.data.storage import Arrays
from cutpoint.em.checkpoint import Checkpoint
from cutpoint.em.observations import Parameters
from cutpoint.search.tournament import Entrant

Key = tuple[int, int]
"""Number of states and fold."""


class Journal:
    """State of every tournament, saved after each round."""

    def __init__(self, checkpoint: Checkpoint) -> None:
        self._checkpoint = checkpoint
        self._tournaments: dict[Key, tuple[int, list[Entrant]]] = {}
        saved = checkpoint.load() or {}
        self.e_steps = int(saved.pop("e_steps", np.zeros(1))[0])
        for place in sorted({name.split("/")[0] for name in saved}):
            n_states, fold, done, size = saved[f"{place}/place"].tolist()
            entrants = [_entrant({name: saved[f"{place}/{k}/{name}"] for name in NAMES}) for k in range(size)]
            self._tournaments[n_states, fold] = done, entrants

    def recalled(self, n_states: int, fold: int) -> tuple[int, list[Entrant]]:
        """Rounds done in a tournament and its entrants after them."""
        return self._tournaments.get((n_states, fold), (0, []))

    def note(self, n_states: int, fold: int, done: int, entrants: list[Entrant], e_steps: int) -> None:
        """Save the state after a round."""
        self._tournaments[n_states, fold] = done, list(entrants)
        self.e_steps = e_steps
        saved: Arrays = {"e_steps": np.array([e_steps])}
        for number, (key, (rounds, active)) in enumerate(self._tournaments.items()):
            saved[f"{number}/place"] = np.array([*key, rounds, len(active)])
            for k, entrant in enumerate(active):
                saved.update({f"{number}/{k}/{name}": value for name, value in _arrays(entrant).items()})
        self._checkpoint.save(saved)


NAMES = ("name", "kinds", "place", "place_initial", "best", "best_initial", "numbers", "curve")


def _arrays(entrant: Entrant) -> Arrays:
    values = (
        np.frombuffer(entrant.name.encode(), dtype=np.uint8),
        entrant.kinds,
        *entrant.place,
        *entrant.best,
        np.array([entrant.loss, entrant.steps, entrant.at_rest]),
        np.array(entrant.curve, dtype=np.float64).reshape(-1, 4),
    )
    return dict(zip(NAMES, values, strict=True))


def _entrant(saved: Arrays) -> Entrant:
    loss, steps, at_rest = saved["numbers"].tolist()
    curve = [(int(row[0]), *row[1:]) for row in saved["curve"].tolist()]
    return Entrant(
        saved["name"].tobytes().decode(),
        saved["kinds"],
        Parameters(saved["place"], saved["place_initial"]),
        Parameters(saved["best"], saved["best_initial"]),
        loss,
        int(steps),
        curve,
        bool(at_rest),
    )
