"""Standard output and standard error: lines, JSON, messages, and progress bars in a terminal."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from cutpoint.wording import counted

if TYPE_CHECKING:
    from cutpoint.search.learned import SearchProgress


def line(text: str) -> None:
    """Print data."""
    sys.stdout.write(text + "\n")


message = partial(click.echo, err=True)  # print a message, which is not data, to standard error


def json_text(value: Any, indent: int | None = 2) -> str:
    """JSON text; fractions as ``"1/3"``, arrays as lists, NaN and infinity as null."""
    return json.dumps(_json_value(value), ensure_ascii=False, indent=indent, allow_nan=False)


def _json_value(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        return _json_value(value.tolist())
    if isinstance(value, dict):
        return {str(key): _json_value(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_json_value(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, str | bool | int | float) else str(value)


@contextmanager
def progress(
    start: str, update: Callable[[Any], dict[str, Any]], wanted: bool = True
) -> Iterator[Callable[[Any], None] | None]:
    """A callback that moves a progress bar on standard error; None if that is not a terminal or no bar is wanted."""
    if not (wanted and sys.stderr.isatty()):
        yield None
        return
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn  # noqa: PLC0415

    columns = [TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn()]
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(start, total=None)
        yield lambda reached: bar.update(task, refresh=True, **update(reached))


def search_state(at: SearchProgress) -> dict[str, Any]:
    """How the progress bar of a search shows what :func:`learn` reports."""
    place = f"{counted(at.n_states, 'state')}, fold {at.fold + 1}/{at.folds}, step {at.e_steps:,}"
    text, done = f"{place}, held-out log loss {at.loss:.4f}", at.fold * at.rounds + at.round
    return {"description": text, "completed": done, "total": at.folds * at.rounds}
