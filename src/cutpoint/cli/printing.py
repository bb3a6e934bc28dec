"""What goes to standard output and standard error, and progress bars where somebody watches."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import click
import numpy as np

if TYPE_CHECKING:
    from rich.progress import Progress


def data(text: str) -> None:
    """Print data."""
    sys.stdout.write(text + "\n")


def message(text: str) -> None:
    """Tell something that is not data."""
    click.echo(text, err=True)


def whole(number: float) -> float:
    """A number as an int where it is whole, such as a count."""
    return int(number) if float(number).is_integer() else float(number)


def as_json(value: Any, indent: int | None = 2) -> str:
    """JSON text; fractions as ``"1/3"``, arrays as lists, what JSON has no number for as null."""
    return json.dumps(_plain(value), ensure_ascii=False, indent=indent, allow_nan=False)


def _plain(value: Any) -> Any:
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, np.generic):
        return _plain(value.item())
    if isinstance(value, dict):
        return {str(key): _plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, str | bool | int | float) else str(value)


@contextmanager
def progress(wanted: bool = True) -> Iterator[Progress | None]:
    """A progress bar on standard error, or nothing if that is not a terminal or none is wanted."""
    if not (wanted and sys.stderr.isatty()):
        yield None
        return
    from rich.console import Console  # noqa: PLC0415
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn  # noqa: PLC0415

    columns = [TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn()]
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield bar
