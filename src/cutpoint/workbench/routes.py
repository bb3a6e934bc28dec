"""The routes: each a name, the request that it takes and the function that answers; all are reached through ``answer``.

A job is a route that takes long: it reports progress, and ends early, with the best so far, when the report says so.
"""

from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass

import msgspec

import cutpoint
from cutpoint.errors import CutpointError
from cutpoint.files.models import is_model_file
from cutpoint.wording import printable
from cutpoint.workbench import messages
from cutpoint.workbench.case_screen import case, cases
from cutpoint.workbench.cut_point_screen import compare, decide, words
from cutpoint.workbench.drafts import UnknownDigest
from cutpoint.workbench.learn_screen import learn_machine, report_of
from cutpoint.workbench.machine_screen import DOWNLOADS, SUFFIXES, check, diagram, download, gallery_of, open_files
from cutpoint.workbench.messages import Answer, failure
from cutpoint.workbench.scripts import script
from cutpoint.workbench.step_screen import step
from cutpoint.workbench.uploads import Folder, Report, UnknownUpload, read

OK, BAD_REQUEST, NOT_FOUND, CONFLICT, REFUSED, FAULT = 200, 400, 404, 409, 422, 500


@dataclass(frozen=True)
class Route:
    """A route: the type of its requests, and its function; that of a job takes a report as well."""

    request: type[messages.Message]
    function: Callable[..., messages.Message]


def start(request: messages.StartRequest) -> messages.Started:
    """What the page begins with, and the file of the command line, a machine or cases."""
    found = messages.Started(cutpoint.__version__, request.name, formats=list(SUFFIXES), downloads=list(DOWNLOADS))
    if not request.upload:
        return found
    if not is_model_file(request.name):
        return msgspec.structs.replace(found, sample=messages.SampleFile(request.upload, request.name))
    try:
        content = b64encode(Folder.file(request.upload).read_bytes()).decode("ascii")
        opened = open_files(messages.OpenRequest([messages.File(request.name, content)]))
        return msgspec.structs.replace(found, draft=opened.draft)
    except CutpointError as error:
        return msgspec.structs.replace(found, problem=str(error))


ROUTES = {
    "start": Route(messages.StartRequest, start),
    "gallery": Route(messages.Nothing, gallery_of),
    "check": Route(messages.CheckRequest, check),
    "open": Route(messages.OpenRequest, open_files),
    "download": Route(messages.DownloadRequest, download),
    "diagram": Route(messages.DiagramRequest, diagram),
    "step": Route(messages.StepRequest, step),
    "words": Route(messages.WordsRequest, words),
    "decide": Route(messages.DecideRequest, decide),
    "compare": Route(messages.CompareRequest, compare),
    "read": Route(messages.ReadRequest, read),
    "learn": Route(messages.LearnRequest, learn_machine),
    "cases": Route(messages.CasesRequest, cases),
    "case": Route(messages.CaseRequest, case),
    "report": Route(messages.ReportRequest, report_of),
    "script": Route(messages.ScriptRequest, script),
}


def answer(name: str, body: bytes | str, report: Report = lambda _: False) -> Answer:
    """Answer of a route to a request in JSON; what goes wrong is an answer, too."""
    route = ROUTES.get(name)
    if route is None:
        return failure(NOT_FOUND, "NotFound", f"there is no route {name}.")
    try:
        request = msgspec.json.decode(body, type=route.request)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as wrong:
        return failure(BAD_REQUEST, "BadRequest", f"the request {name!r} cannot be read ({wrong}).")
    try:
        found = route.function(request, report) if name in messages.JOBS else route.function(request)
        return Answer(OK, msgspec.json.encode(found))
    except CutpointError as error:
        status = CONFLICT if isinstance(error, UnknownDigest | UnknownUpload) else REFUSED
        return failure(status, type(error).__name__, str(error), error.where, error.advice)
    except MemoryError:
        return failure(REFUSED, "TooLarge", "there is not enough memory for this.")
    except Exception as error:  # the page gets an answer, whatever happens
        sentence = f"this is a fault of the workbench, not yours ({type(error).__name__}: {error})."
        return failure(FAULT, type(error).__name__, printable(sentence))
