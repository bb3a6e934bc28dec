"""The routes without a server, for a notebook's kernel and for Python in the browser: text in, text out."""

import tempfile
from base64 import b64decode
from collections.abc import Callable
from pathlib import Path

import msgspec

from cutpoint.workbench import routes
from cutpoint.workbench.messages import Answer, Message
from cutpoint.workbench.uploads import Folder


def answer(route: str, body: str, progress: Callable[[str], object] | None = None) -> str:
    """JSON ``{"status", "body"}``: the answer of a route to a request in JSON.

    ``upload`` takes a file in base64. ``progress`` gets what a job reports, in JSON; if it returns True, the job ends.

    Examples
    --------
    >>> answer("nothing", "{}")
    '{"status":404,"body":{"kind":"NotFound","sentence":"there is no route nothing.","where":"","advice":""}}'
    """
    if Folder.path is None:
        Folder.path = Path(tempfile.mkdtemp(prefix="cutpoint-"))

    def report(message: Message) -> bool:
        return progress is not None and progress(msgspec.json.encode(message).decode()) is True

    if route == "upload":
        found = Answer(routes.OK, msgspec.json.encode(Folder.add(b64decode(body))))
    else:
        found = routes.answer(route, body, report)
    return msgspec.json.encode({"status": found.status, "body": msgspec.Raw(found.body)}).decode()
