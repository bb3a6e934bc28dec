"""Standard output and standard error: lines, JSON, messages, and progress bars in a terminal."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from cutpoint.errors import InvalidArgument
from cutpoint.wording import counted, printable

if TYPE_CHECKING:
    from cutpoint.search.learned import SearchProgress

LAYOUT = "\n\t"  # what is not printable and yet no danger


def line(text: str) -> None:
    """Print lines for people."""
    sys.stdout.write(printable(text, keep=LAYOUT) + "\n")


def data(text: str, is_json: bool = False) -> None:
    """Print lines for programs: as they are, but for a terminal printable."""
    if sys.stdout.isatty():
        text = printable_json(text) if is_json else printable(text, keep=LAYOUT)
    sys.stdout.write(text)


def row(*fields: object) -> None:
    """Print fields with tabs between them, for programs; those that would break the line are refused."""
    with _numbers_of_any_length():
        texts = [*map(str, fields)]
    if any("\t" in text or "\n" in text for text in texts):
        raise InvalidArgument("a word holds a tab or a line feed. Use --json.")
    data("\t".join(texts) + "\n")


def message(text: object, keep: str = "") -> None:
    """Print a message, which is not data, to standard error."""
    click.echo(printable(str(text), keep), err=True)


def json_text(value: Any, indent: int | None = 2) -> str:
    """JSON text; fractions as ``"1/3"``, arrays as lists, NaN and infinity as null, what is not printable escaped."""
    with _numbers_of_any_length():
        return printable_json(json.dumps(_json_value(value), ensure_ascii=False, indent=indent, allow_nan=False))


@contextmanager
def _numbers_of_any_length() -> Iterator[None]:
    """Exact results may have more digits than Python prints by default."""
    most = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        yield
    finally:
        sys.set_int_max_str_digits(most)


def printable_json(text: str) -> str:
    """JSON text of the same value that a terminal shows and does not obey: see :func:`~cutpoint.wording.printable`."""
    return "".join(c if c.isprintable() or c in LAYOUT else json.dumps(c)[1:-1] for c in text)


def _json_value(value: Any) -> Any:
    if hasattr(value, "tolist"):  # of NumPy
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

    columns = [TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn()]
    with Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False) as bar:
        task = bar.add_task(start, total=None)

        def show(reached: Any) -> None:
            state = update(reached)
            bar.update(task, refresh=True, **state | {"description": printable(state["description"])})

        yield show


def search_state(at: SearchProgress) -> dict[str, Any]:
    """How the progress bar of a search shows what :func:`learn` reports."""
    text = f"{counted(at.n_states, 'state')}, fold {at.fold + 1} of {at.folds}, held-out log loss {at.loss:.4f}"
    if tried := [f"{size}: {loss:.4f}" for size, loss in at.sizes.items() if size != at.n_states]:
        text += f" ({', '.join(tried)})"
    if at.seconds_left is not None:
        text += f", about {at.seconds_left:.0f} s left"
    return {"description": text}
