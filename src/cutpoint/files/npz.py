"""NPZ: large acceptors and generators in floats, as arrays that ``numpy.load`` reads too; no pickle, no compression."""

import numpy as np

from cutpoint.data.array_files import Expected, archive_of, arrays_in
from cutpoint.errors import FormatError
from cutpoint.files.contents import Options, built, in_floats
from cutpoint.files.json import FORMATS, Header, canonical, checked_length, digest, document, header, parsed, with_notes
from cutpoint.files.streams import Source
from cutpoint.model.prediction import Model

MOST_BYTES = 2**33
"""Longest file that is read; its arrays are not packed, so they take no more memory than the file is long."""

EXPECTED: dict[str, Expected] = {
    "header": Expected(np.uint8, (None,)),
    "transitions": Expected("<f8", (None, None, None)),
    "initial": Expected("<f8", (None,)),
    "stop": Expected("<f8", (None,), optional=True),
    "final": Expected(np.bool_, (None,)),
}


def write(model: Model, options: Options) -> dict[str, bytes]:
    """File of a model: the arrays of its acceptor or generator, and its names and notes as JSON."""
    machine = in_floats(model.machine, options, "NPZ")
    arrays = {**machine.numbers(), "final": machine.final}
    raw = header(model)
    text = checked_length(canonical(raw | {"digest": digest(raw, arrays.values())}).decode())
    stored = {"header": np.frombuffer(text.encode(), dtype=np.uint8), **arrays}
    return {"": archive_of({name: array.astype(EXPECTED[name].kind) for name, array in stored.items()})}


def read(source: Source, options: Options) -> Model:
    """Model of a file."""
    try:
        arrays = arrays_in(source.content(MOST_BYTES), EXPECTED)
    except FormatError as problem:
        raise problem.at(str(source.path)) from None
    text = source.decoded(arrays.pop("header").tobytes(), "header")
    raw = document(source, text)
    found, states, alphabet = parsed(source, raw, Header)
    n, m = len(states), len(alphabet)
    shapes = {name: (m, n, n) if name == "transitions" else (n,) for name in arrays}
    if ("stop" in arrays) != (found.cutpoint.format == "generator"):
        raise source.refused(f"expected the array stop of a generator, and only there; got {', '.join(arrays)}.")
    for name, shape in shapes.items():
        if arrays[name].shape != shape:
            raise source.refused(f"expected an array of shape {shape}; got {arrays[name].shape}.", name)
    parts = [arrays[name] for name in shapes]
    machine = built(source, options, FORMATS[found.cutpoint.format], states, alphabet, *parts)
    return with_notes(source, options, machine, found, digest(raw, parts))
