"""Save and load: the format is told by the extension."""

from __future__ import annotations

import gzip
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

from cutpoint.data.storage import write_together
from cutpoint.errors import InvalidArgument, InvalidFile
from cutpoint.files import att, dot, drn, jflap, npz, prism, tikz
from cutpoint.files import json as json_file
from cutpoint.files.model import Model, Options, Scalar, Weights
from cutpoint.files.source import MOST_LINES, MOST_TEXT, PACKED, Source
from cutpoint.model import Acceptor
from cutpoint.wording import counted, shown


@dataclass(frozen=True)
class Format:
    """A format: its name, the extensions that tell it, and the module that reads and writes it."""

    name: str
    suffixes: tuple[str, ...]
    module: ModuleType
    is_text: bool = True


FORMATS = (
    Format("json", (".json",), json_file),
    Format("npz", (".npz",), npz, is_text=False),
    Format("att", (".att", ".fst.txt"), att),
    Format("drn", (".drn",), drn),
    Format("prism", (".tra",), prism),
    Format("dot", (".dot", ".gv"), dot),
    Format("tikz", (".tikz", ".tex"), tikz),
    Format("jflap", (".jff",), jflap),
)


def save(
    acceptor: Acceptor | Model,
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    cut_point: Any = None,
    metadata: Mapping[str, Scalar] | None = None,
    weights: Weights | None = None,
    rounded: bool = False,
) -> None:
    """Write an acceptor to a file, whole or not at all; what the format cannot hold is refused, not dropped.

    Parameters
    ----------
    acceptor : an acceptor, or a :class:`Model` as :func:`read_model` returns it.
    path : where to; ``.json``, ``.npz``, ``.att`` or ``.fst.txt`` (AT&T text of OpenFst), ``.drn`` (Storm), ``.tra``
        (PRISM, with ``.lab`` and ``.sta`` beside it), ``.dot`` or ``.gv`` (Graphviz), ``.tikz`` or ``.tex`` (LaTeX).
        ``.gz`` behind a text format packs it.
    format : ``"json"``, ``"npz"``, ``"att"``, ``"drn"``, ``"prism"``, ``"dot"`` or ``"tikz"``, where the extension does
        not say it.
    cut_point, metadata : kept beside the acceptor by JSON and NPZ.
    weights : of AT&T text: ``"log"``, minus the logarithm of each probability (the default), or ``"probability"``.
    rounded : allow formats that have only floats to round the fractions of an exact acceptor.

    Examples
    --------
    >>> import tempfile, cutpoint as cp
    >>> path = tempfile.mkdtemp() + "/model.json"
    >>> cp.save(cp.p_adic(3), path, cut_point="1/3")
    >>> cp.load(path) == cp.p_adic(3), cp.read_model(path).cut_point
    (True, Fraction(1, 3))
    """
    kind, target = _format_of(path, format)
    model = acceptor if isinstance(acceptor, Model) else Model(acceptor)
    if cut_point is not None or metadata is not None:
        notes = model.metadata if metadata is None else metadata
        model = replace(model, cut_point=model.cut_point if cut_point is None else cut_point, metadata=notes)
    files: dict[str, bytes] = kind.module.write(model, Options(_weights(kind, weights), rounded=rounded))
    if kind.is_text:
        _check_length(files)
    contents = {
        (target.beside(suffix) if suffix else target).path: _packed(content, target.packed)
        for suffix, content in files.items()
    }
    try:
        write_together(contents)
    except (OSError, ValueError) as problem:
        raise InvalidFile(f"{target.path}: cannot be written ({getattr(problem, 'strerror', problem)}).") from None


def load(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    weights: Weights | None = None,
    normalized: bool = False,
) -> Acceptor:
    """Read an acceptor from a file; a file that breaks its format's rules is a :class:`FormatError` with the place.

    Parameters
    ----------
    path : extensions as for :func:`save`, and ``.jff`` (JFLAP, deterministic finite automata).
        DOT may be written by hand; TikZ is read line by line, as it is saved.
    format : as for :func:`save`, and ``"jflap"``.
    weights : of AT&T text, as for :func:`save`.
    normalized : rescale rows to sum 1, for files whose numbers were printed with few digits.
    """
    return read_model(path, format=format, weights=weights, normalized=normalized).acceptor


def read_model(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    weights: Weights | None = None,
    normalized: bool = False,
) -> Model:
    """Read an acceptor with the cut point and metadata that a file keeps beside it; otherwise as :func:`load`."""
    kind, source = _format_of(path, format)
    model: Model = kind.module.read(source, Options(_weights(kind, weights), normalized=normalized))
    return model


def is_model_file(path: str) -> bool:
    """Whether the extension of a path is one of a model's."""
    bare = path.lower().removesuffix(PACKED)
    return any(bare.endswith(suffix) for kind in FORMATS for suffix in kind.suffixes)


def _format_of(path: str | os.PathLike[str], name: str | None) -> tuple[Format, Source]:
    """Format of a path, and the path in parts."""
    try:
        whole = os.fspath(Path(path))
    except TypeError:
        raise InvalidArgument(f"expected the path of a file; got {shown(path)}.") from None
    bare = whole[: -len(PACKED)] if whole.lower().endswith(PACKED) else whole
    packed = whole[len(bare) :]
    known = {suffix: kind for kind in FORMATS for suffix in kind.suffixes}
    suffix = next((suffix for suffix in known if bare.lower().endswith(suffix)), Path(bare).suffix)
    kind = _named(name) if name is not None else known.get(suffix.lower())
    if kind is None:
        raise InvalidArgument(
            f"{whole}: expected an extension out of {', '.join(known)}, with .gz behind a text format; or name the "
            "format with format=."
        )
    if packed and not kind.is_text:
        raise InvalidArgument(f"{whole}: the format {kind.name} is not packed with gzip. Leave out the .gz.")
    return kind, Source(bare[: len(bare) - len(suffix)], bare[len(bare) - len(suffix) :], packed)


def _named(name: str) -> Format:
    for kind in FORMATS:
        if kind.name == name:
            return kind
    raise InvalidArgument(f"format must be one of {', '.join(kind.name for kind in FORMATS)}; got {shown(name)}.")


def _weights(kind: Format, weights: Weights | None) -> Weights:
    if weights is None:
        return "log"
    if kind.name != "att":
        raise InvalidArgument(f"weights is an option of AT&T text alone; the format is {kind.name}.")
    if weights not in get_args(Weights):
        raise InvalidArgument(f"weights must be 'log' or 'probability'; got {shown(weights)}.")
    return weights


def _check_length(files: dict[str, bytes]) -> None:
    """Refuse to write what would not be read."""
    for content in files.values():
        for found, most, noun in ((len(content), MOST_TEXT, "byte"), (content.count(b"\n"), MOST_LINES, "line")):
            if found > most:
                text = f"the file would have {counted(found, noun)}, more than the {most:,} of a text file."
                raise InvalidArgument(f"{text} Save as .npz.")


def _packed(content: bytes, packed: str) -> bytes:
    return gzip.compress(content, mtime=0) if packed else content
