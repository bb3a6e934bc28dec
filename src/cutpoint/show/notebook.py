"""Displays in notebooks for classes of the layers below, which do not know how they are shown.

A notebook asks a value for ``_repr_html_``. The classes get that method here, once, when the package is imported; what
it needs is loaded when a notebook first asks. In a terminal they keep their repr.
"""

from __future__ import annotations

from typing import Any


def give_displays(*kinds: type[Any]) -> None:
    """Let values of some classes, and of those derived from them, show themselves as :mod:`cutpoint.show.html` says."""
    for kind in kinds:
        kind._repr_html_ = _repr_html_


def _repr_html_(self: object) -> str:
    from cutpoint.show.html import html  # noqa: PLC0415

    return html(self)
