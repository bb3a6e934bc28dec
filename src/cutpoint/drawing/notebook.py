"""Displays in notebooks for classes of the layers below, which do not know how they are shown.

A notebook asks a value for ``_repr_html_``. The classes get that method here, once, when a name of the package loads
their modules; what it needs is loaded when a notebook first asks. In a terminal they keep their repr.
"""

from __future__ import annotations

import sys

DISPLAYED = {
    "cutpoint.data": ("Sample",),
    "cutpoint.model": ("Acceptor", "BeliefNetwork"),
    "cutpoint.em": ("Fit",),
    "cutpoint.decision": ("DFA", "Language"),
}
"""Modules, and those of their classes that have a page of their own, as have the classes derived from them."""


def give_displays() -> None:
    """Let values of the classes that are loaded by now show themselves as :mod:`cutpoint.drawing.html` says."""
    for module in DISPLAYED.keys() & sys.modules.keys():
        for name in DISPLAYED[module]:
            kind = getattr(sys.modules[module], name, None)
            if kind is not None:  # another thread may be loading the module
                kind._repr_html_ = _repr_html_


def _repr_html_(self: object) -> str:
    from cutpoint.drawing.html import html  # noqa: PLC0415

    return html(self)
