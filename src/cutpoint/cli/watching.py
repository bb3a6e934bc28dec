"""A search watched: the progress bar of learning."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from cutpoint.cli import printing
from cutpoint.search.rounds import SearchProgress
from cutpoint.wording import counted

Watcher = Callable[[SearchProgress], None]


@contextmanager
def watched_search() -> Iterator[Watcher | None]:
    """A callback that moves a progress bar, or nothing where nobody watches."""
    with printing.progress() as bar:
        if bar is None:
            yield None
            return
        task = bar.add_task("learning", total=None)

        def watch(at: SearchProgress) -> None:
            done = at.fold * at.rounds + at.round
            place = f"{counted(at.n_states, 'state')}, fold {at.fold + 1}/{at.folds}, step {at.e_steps:,}"
            told = f"{place}, held-out log loss {at.loss:.4f}"
            bar.update(task, description=told, completed=done, total=at.folds * at.rounds, refresh=True)

        yield watch
