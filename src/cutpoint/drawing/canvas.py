"""Canvas: a matplotlib figure that needs no pyplot, shows itself in a notebook, and is the same bytes each time.

This module imports matplotlib; :mod:`cutpoint.drawing.plots` loads it when the first plot is made.
"""

from __future__ import annotations

from io import BytesIO
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

WITHOUT_DATES: dict[str, dict[str, Any]] = {
    ".svg": {"Date": None, "Creator": "cutpoint"},
    ".png": {"Software": None},
    ".pdf": {"CreationDate": None, "Producer": "cutpoint", "Creator": "cutpoint"},
}
"""Metadata per extension, so that the same plot is the same bytes."""
SETTINGS: dict[Any, Any] = {"svg.hashsalt": "cutpoint", "svg.fonttype": "path", "pdf.fonttype": 42}


class Canvas(Figure):
    """Figure of :mod:`cutpoint.drawing.plots`: outside of pyplot, so that nothing is kept and no backend is needed."""

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
