"""NPZ: large acceptors and generators in floats, as arrays that ``numpy.load`` reads too; no pickle, no compression."""

import io
import math
import zipfile
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.errors import FormatError
from cutpoint.files.contents import Options, built, in_floats
from cutpoint.files.json import FORMATS, Header, canonical, checked_length, digest, document, header, parsed, with_notes
from cutpoint.files.streams import Source
from cutpoint.model.prediction import Model

MOST_BYTES = 2**33
"""Longest file that is read; its arrays are not packed, so they take no more memory than the file is long."""

LONGEST_HEADER = 10_000  # most bytes that describe the shape of an array

KINDS: dict[str, np.dtype[Any]] = {
    "header": np.dtype(np.uint8),
    "transitions": np.dtype("<f8"),
    "initial": np.dtype("<f8"),
    "stop": np.dtype("<f8"),
    "final": np.dtype(np.bool_),
}
NEW = zipfile.ZipInfo().date_time  # the same bytes whenever a model is written


def write(model: Model, options: Options) -> dict[str, bytes]:
    """File of a model: the arrays of its acceptor or generator, and its names and notes as JSON."""
    machine = in_floats(model.machine, options, "NPZ")
    arrays = {**machine.numbers(), "final": machine.final}
    raw = header(model)
    text = checked_length(canonical(raw | {"digest": digest(raw, arrays.values())}).decode())
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, array in {"header": np.frombuffer(text.encode(), dtype=np.uint8), **arrays}.items():
            stored = io.BytesIO()
            np.lib.format.write_array(stored, array.astype(KINDS[name]), version=(1, 0), allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy", NEW), stored.getvalue())
    return {"": buffer.getvalue()}


def read(source: Source, options: Options) -> Model:
    """Model of a file."""
    arrays = dict(_arrays(source, source.content(MOST_BYTES)))
    text = source.decoded(arrays.pop("header").tobytes(), "header")
    raw = document(source, text)
    found, states, alphabet = parsed(source, raw, Header)
    n, m = len(states), len(alphabet)
    shapes = {name: (m, n, n) if name == "transitions" else (n,) for name in KINDS if name in arrays}
    if ("stop" in arrays) != (found.cutpoint.format == "generator"):
        raise source.refused(f"expected the array stop of a generator, and only there; got {', '.join(arrays)}.")
    for name, shape in shapes.items():
        if arrays[name].shape != shape:
            raise source.refused(f"expected an array of shape {shape}; got {arrays[name].shape}.", name)
    parts = [arrays[name] for name in shapes]
    machine = built(source, options, FORMATS[found.cutpoint.format], states, alphabet, *parts)
    return with_notes(source, options, machine, found, digest(raw, parts))


def _arrays(source: Source, content: bytes) -> Iterator[tuple[str, NDArray[Any]]]:
    """Arrays of an archive: exactly those of a model, stored as they are."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = archive.infolist()
            names = sorted(member.filename for member in members)
            if names not in (sorted(f"{name}.npy" for name in kinds) for kinds in (KINDS, KINDS.keys() - {"stop"})):
                expected = ", ".join(name for name in KINDS if name != "stop")
                raise source.refused(f"expected the arrays {expected}, each once, and stop of a generator.")
            for member in members:
                name = member.filename.removesuffix(".npy")
                if member.compress_type != zipfile.ZIP_STORED or member.file_size > len(content):
                    raise source.refused("expected an array that is stored as it is, not packed.", name)
                yield name, _array(source, name, archive.read(member))
    except FormatError:
        raise
    except Exception as problem:  # an archive can be broken in ways that zipfile tells by any error
        raise source.refused(f"this is not a whole NPZ file ({problem}). Use another copy.") from None


def _array(source: Source, name: str, stored: bytes) -> NDArray[Any]:
    """Array of a member, after its shape was compared with its length."""
    buffer = io.BytesIO(stored)
    if np.lib.format.read_magic(buffer) != (1, 0):
        raise source.refused("expected an array in version 1.0 of NumPy's format.", name)
    shape, by_columns, kind = np.lib.format.read_array_header_1_0(buffer, max_header_size=LONGEST_HEADER)
    if kind != KINDS[name] or by_columns:
        raise source.refused(f"expected an array of {KINDS[name].name} by rows; got {kind}.", name)
    found = len(stored) - buffer.tell()
    if min(shape, default=0) < 0 or math.prod(shape) * kind.itemsize != found:
        raise source.refused(f"expected the bytes of an array of shape {shape}; got {found:,} bytes.", name)
    array = np.frombuffer(stored, kind, offset=buffer.tell()).reshape(shape)
    if kind == np.bool_ and (array.view(np.uint8) > 1).any():
        raise source.refused("expected zeros and ones.", name)
    return array
