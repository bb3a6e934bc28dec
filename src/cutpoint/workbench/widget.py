"""The workbench in a notebook: Machine, Step and Cut point of one acceptor, which both sides can change."""

import json
from functools import cache
from typing import Any

import msgspec

from cutpoint.errors import MissingExtra
from cutpoint.model import Acceptor, Generator
from cutpoint.model.generator import check_model
from cutpoint.workbench import bridge, drafts
from cutpoint.workbench.messages import Draft
from cutpoint.workbench.page_files import PAGE


def widget(acceptor: Acceptor | Generator) -> Any:
    """An acceptor, or a generator, in a notebook: look at it, edit it, step through words, move its cut point.

    ``widget.acceptor`` is the machine as it was edited; assigned, it is shown. Needs the extra ``[notebook]``.

    Examples
    --------
    >>> shown = cp.widget(cp.p_adic(2))  # as the last line of a cell
    >>> shown.acceptor == cp.p_adic(2)
    True
    >>> shown.acceptor = cp.p_adic(3)
    >>> shown.acceptor.n_symbols
    3
    """
    check_model(acceptor)
    found = _kind()()
    found.acceptor = acceptor
    return found


@cache
def _kind() -> Any:
    """The class of widgets, made when the first is asked for."""
    try:
        import anywidget  # noqa: PLC0415  # an extra
        import traitlets  # noqa: PLC0415
    except ImportError:
        raise MissingExtra('widgets need the extra notebook: pip install "cutpoint[notebook]".') from None

    class AcceptorWidget(anywidget.AnyWidget):
        """An acceptor in a notebook; ``draft`` is what travels."""

        _esm = PAGE / "widget.js" if (PAGE / "widget.js").exists() else _NO_PAGE
        _css = PAGE / "widget.css" if (PAGE / "widget.css").exists() else ""
        draft = traitlets.Dict().tag(sync=True)
        screen = traitlets.Unicode("machine").tag(sync=True)

        def __init__(self) -> None:
            super().__init__()
            self.on_msg(self._answer)

        @property
        def acceptor(self) -> Any:
            """The machine as it is now; what is no machine is refused with the package's sentence."""
            return drafts.model_of(msgspec.convert(self.draft, Draft)).machine

        @acceptor.setter
        def acceptor(self, machine: Acceptor | Generator) -> None:
            check_model(machine)
            self.draft = msgspec.to_builtins(drafts.draft_of(machine.model))

        def _answer(self, _: object, asked: Any, __: object) -> None:
            """Answer a request of the page."""
            found = json.loads(bridge.answer(asked["route"], json.dumps(asked["body"])))
            self.send({"id": asked["id"], **found})

    return AcceptorWidget


_NO_PAGE = "export default { render({ el }) { el.textContent = 'This cutpoint was installed without its page.'; } };"
