"""``cutpoint workbench``."""

import hashlib
import os
import secrets
import tempfile
import webbrowser
from pathlib import Path

import click

from cutpoint.cli import options
from cutpoint.cli.output import line, message
from cutpoint.errors import InvalidArgument, MissingExtra
from cutpoint.workbench.messages import StartRequest


@click.command()
@click.argument("file", type=options.FILE, required=False)
@click.option("--port", type=click.IntRange(1, 65535), show_default="8319, or a free one", help="Port to listen on.")
@click.option("--no-browser", is_flag=True, help="Do not open a browser.")
@click.option("--static", type=options.FILE, help="Write the page for use without a server into this folder, and end.")
def command(file: str | None, port: int | None, no_browser: bool, static: str | None) -> int:
    """Watch an acceptor think: open the workbench in a browser, with FILE if there is one.

    FILE is a model, a table of cases, gallery:NAME, or a link that the workbench made to share a machine. The address,
    with a token that is new each time, is printed on one line; nobody without it gets an answer. Ctrl-C ends it.

    \b
    Example: cutpoint workbench model.json
    """
    if static is not None:
        from cutpoint.workbench.classroom import write_static  # noqa: PLC0415

        line(write_static(Path(static)))
        return 0
    try:
        from cutpoint.workbench.server import Server, listening, serve  # noqa: PLC0415  # an extra
    except ImportError:
        raise MissingExtra('the workbench needs its extra: pip install "cutpoint[workbench]".') from None
    with tempfile.TemporaryDirectory(prefix="cutpoint-workbench-") as folder:
        is_link = file is not None and "#" in file and not os.path.exists(file)
        place = file.partition("#")[2] if file is not None and is_link else ""
        started = StartRequest() if file is None or is_link else _uploaded(file, Path(folder))
        token = secrets.token_urlsafe(24)
        try:
            listener = listening(port or 0)
        except OSError as wrong:
            raise InvalidArgument(f"the port {port} is not free ({wrong.strerror}).", argument="port") from None
        address = f"http://127.0.0.1:{listener.getsockname()[1]}/{token}/{'#' + place if place else ''}"
        line(address)
        if not no_browser and not webbrowser.open(address):
            message("cutpoint: no browser was found; open the address above in one.")
        serve(Server(Path(folder), started, token).application(), listener)
    return 0


def _uploaded(file: str, folder: Path) -> StartRequest:
    """The file of the command line among the uploads, as if it had been dropped on the page."""
    if file.startswith("gallery:"):
        from cutpoint.files.models import save  # noqa: PLC0415

        path = folder / "gallery.json"
        save(options.model_of(file), path)
        name = f"{file.replace(':', '-')}.json"
    else:
        options.check_exists(file)
        path, name = Path(file), Path(file).name
    try:
        content = path.read_bytes()
    except OSError as wrong:
        raise InvalidArgument(f"the file cannot be read ({wrong.strerror}).", where=file) from None
    digest = hashlib.sha256(content).hexdigest()
    (folder / digest).write_bytes(content)
    return StartRequest(name, digest)
