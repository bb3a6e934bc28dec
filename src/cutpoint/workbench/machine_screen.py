"""Machines: the gallery, drafts looked through, files in and out, the diagram."""

import re
import tempfile
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from cutpoint.diagrams.diagram import Look
from cutpoint.diagrams.picture import draw
from cutpoint.errors import CutpointError, InvalidArgument
from cutpoint.files.exports import TARGETS, export
from cutpoint.files.models import FORMATS, read_model, save
from cutpoint.files.streams import PACKED
from cutpoint.model import Acceptor, Generator, gallery
from cutpoint.wording import shown
from cutpoint.workbench import drafts
from cutpoint.workbench.messages import (
    Checked,
    CheckRequest,
    DiagramRequest,
    DiagramText,
    DownloadRequest,
    Edge,
    File,
    Files,
    Gallery,
    GalleryEntry,
    Nothing,
    OpenRequest,
)

SUFFIXES = tuple(suffix for kind in FORMATS for suffix in kind.suffixes)
PICTURES = (".svg", ".png", ".pdf", ".tikz")
DOWNLOADS = (*(kind.suffixes[0] for kind in FORMATS if kind.name != "jflap"), *PICTURES, *TARGETS)  # JFLAP is read only
BESIDE = (".lab", ".sta", ".syms", ".ssyms")  # files that PRISM and AT&T text keep beside the first
MEDIA = {".json": "application/json", ".svg": "image/svg+xml", ".png": "image/png", ".pdf": "application/pdf"}
GALLERY: dict[str, Callable[[], Acceptor | Generator]] = {
    "cp.p_adic(2)": lambda: gallery.p_adic(2),
    "cp.p_adic(3)": lambda: gallery.p_adic(3),
    "cp.gallery.parity()": gallery.parity,
    **{f"cp.gallery.tomita({k})": lambda k=k: gallery.tomita(k) for k in range(1, 8)},  # type: ignore[misc]
    "cp.gallery.majority()": gallery.majority,
    "cp.gallery.double_binary()": gallery.double_binary,
    "cp.gallery.value_one()": gallery.value_one,
    'cp.gallery.post([("1", "111"), ("10111", "10"), ("10", "0")])': lambda: gallery.post(
        [("1", "111"), ("10111", "10"), ("10", "0")]
    ),
    "cp.gallery.cerny(4)": lambda: gallery.cerny(4),
    "cp.gallery.krylov()": gallery.krylov,
    "cp.gallery.gambler(4)": lambda: gallery.gambler(4),
    "cp.gallery.land_of_oz()": gallery.land_of_oz,
    "cp.gallery.customers()": gallery.customers,
    'cp.random_acceptor(4, "ab", rng=1)': lambda: gallery.random_acceptor(4, "ab", rng=1),
    'cp.Generator.from_ngrams(["ab", "abab", "b"], n=2)': lambda: Generator.from_ngrams(["ab", "abab", "b"], n=2),
}
"""Machines of the gallery, by the Python that makes them."""


def gallery_of(_: Nothing) -> Gallery:
    """The gallery."""
    return Gallery([_entry(python, make) for python, make in GALLERY.items()])


def check(request: CheckRequest) -> Checked:
    """A draft looked through."""
    return drafts.checked(request.machine, request.normalized, request.rationalized)


def open_files(request: OpenRequest) -> Checked:
    """Machine of a file; the other files are those that a format keeps beside it."""
    with folder() as place:
        first = _stored(request, place)
        with called(str(first), request.files[0].name):
            return drafts.answer_for(read_model(first, normalized=request.normalized))


def download(request: DownloadRequest) -> Files:
    """Files of a machine in a format, by its extension."""
    model = drafts.model_of(request.machine)
    if request.format not in DOWNLOADS:
        raise InvalidArgument(f"must be one of {', '.join(DOWNLOADS)}; got {shown(request.format)}.", argument="format")
    with folder() as place:
        path = place / f"machine{request.format}"
        if request.format in PICTURES:
            draw(model.machine, path, request.min_probability)
        elif request.format in TARGETS:
            export(model, path)
        else:
            save(model, path, rounded=request.rounded, bare=request.bare)
        stem = re.sub(r"[^\w-]+", "_", request.name)[:60] or "machine"
        written = sorted(place.iterdir(), key=lambda each: each != path)
        return Files([file_of(each, each.name.replace("machine", stem, 1)) for each in written])


def diagram(request: DiagramRequest) -> DiagramText:
    """Diagram in DOT; the nodes of states are called by their codes."""
    machine = drafts.model_of(request.machine).machine
    look = Look(request.min_probability, request.digits, request.orientation)
    drawn = machine.diagram(look)
    edges = [Edge(int(a.source), int(a.target), [line.text for line in a.lines], a.strength) for a in drawn.arrows]
    return DiagramText(draw(machine, None, *vars(look).values()).dot, edges)


def file_of(path: Path, name: str) -> File:
    """A file to be kept under a name."""
    content = b64encode(path.read_bytes()).decode("ascii")
    return File(name, content, MEDIA.get(path.suffix, "application/octet-stream"))


@contextmanager
def folder() -> Iterator[Path]:
    """A folder that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="cutpoint-") as name:
        yield Path(name)


@contextmanager
def called(path: str, name: str) -> Iterator[None]:
    """Errors speak of a file by the name that the user knows."""
    try:
        yield
    except CutpointError as error:
        error.where, error.what = error.where.replace(path, name) or name, error.what.replace(path, name)
        raise


def _stored(request: OpenRequest, place: Path) -> Path:
    """The first of some files, put into a folder under a name of our own; the extension alone is the user's."""
    found = []
    for file in request.files:
        lower, packed = file.name.lower(), PACKED * file.name.lower().endswith(PACKED)
        bare = lower.removesuffix(PACKED)
        suffix = next((suffix for suffix in (*SUFFIXES, *BESIDE) if bare.endswith(suffix)), None)
        if suffix is None:
            raise InvalidArgument(f"the name of a model must end in one of {', '.join(SUFFIXES)}.", where=file.name)
        path = place / f"machine{suffix}{packed}"
        try:
            path.write_bytes(b64decode(file.content, validate=True))
        except NotBase64:
            raise InvalidArgument("the content must be base64; it is not.", where=file.name) from None
        found.append(path)
    if not found:
        raise InvalidArgument("must have at least one file; got none.", argument="files")
    return found[0]


def _entry(python: str, make: Callable[[], Acceptor | Generator]) -> GalleryEntry:
    name = python.removeprefix("cp.").removeprefix("gallery.")
    made = getattr(gallery, name.partition("(")[0], None)
    sentence = (made.__doc__ if made else Generator.from_ngrams.__doc__ or "").partition("\n")[0]
    sentence = re.sub(r":? \w* ?:math:`[^`]*\\.*", ".", sentence)  # formulas of LaTeX are for its own page
    sentence = re.sub(r":math:`(.*?)`", r"\1", sentence).replace("^2", "²").replace("`", "")
    if made is gallery.tomita:  # seven languages, which its page tells one by one
        said = re.search(rf"\b{name[-2]}: (.+?)[;.] ", " ".join((made.__doc__ or "").split()))
        sentence = f"Tomita's language {name[-2]} over 0, 1: {said[1]}." if said else sentence
    return GalleryEntry(name, sentence, python, drafts.draft_of(make().model))
