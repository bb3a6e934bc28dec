"""Canvas: a matplotlib figure that needs no pyplot, shows itself in a notebook, and is the same bytes each time.

This module imports matplotlib; :mod:`cutpoint.show.plots` loads it when the first plot is made.
"""

from __future__ import annotations

import os
from io import BytesIO
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from cutpoint.data.names import shown
from cutpoint.data.storage import write_whole
from cutpoint.errors import InvalidArgument

WITHOUT_DATES: dict[str, dict[str, Any]] = {
    ".svg": {"Date": None, "Creator": "cutpoint"},
    ".pdf": {"CreationDate": None, "Producer": "cutpoint", "Creator": "cutpoint"},
    ".png": {"Software": None},
}
"""Metadata per extension, so that the same plot is the same bytes."""
SETTINGS: dict[Any, Any] = {"svg.hashsalt": "cutpoint", "svg.fonttype": "path", "pdf.fonttype": 42}


class Canvas(Figure):
    """Figure of :mod:`cutpoint.show.plots`: outside of pyplot, so that nothing is kept and no backend is needed."""

    def _repr_svg_(self) -> str:
        return rendered(self, ".svg").decode("utf-8")


def canvas(width: float, height: float) -> Canvas:
    """Empty figure of a size in inches."""
    return Canvas(figsize=(width, height), layout="constrained")


def rendered(figure: Figure, extension: str) -> bytes:
    """Bytes of a figure in the format of an extension."""
    buffer = BytesIO()
    with mpl.rc_context(SETTINGS):
        figure.savefig(buffer, format=extension[1:], metadata=WITHOUT_DATES[extension], dpi=120)
    return buffer.getvalue()


def save(figure: Figure, path: str | os.PathLike[str]) -> None:
    """Write a figure in the format that the extension of the path names, whole or not at all."""
    if not isinstance(path, str | os.PathLike) or Path(path).suffix.lower() not in WITHOUT_DATES:
        raise InvalidArgument(f"a plot is saved to a path that ends in .svg, .png or .pdf; got {shown(path)}.")
    write_whole(path, rendered(figure, Path(path).suffix.lower()))
