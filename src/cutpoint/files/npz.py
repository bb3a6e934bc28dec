"""NPZ: large acceptors and generators in floats, as arrays that ``numpy.load`` reads too; no pickle, no compression."""

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from cutpoint.data.array_files import Expected, archive_of, arrays_in
from cutpoint.errors import FormatError, InvalidArgument
from cutpoint.files.contents import Options, built, in_floats
from cutpoint.files.json import FORMATS, Header, canonical, checked_length, digest, document, header, parsed, with_notes
from cutpoint.files.streams import Source
from cutpoint.kernels.sparse_matrices import SparseMatrices, SparsePattern
from cutpoint.model.prediction import Model

MOST_BYTES = 2**33
"""Longest file that is read; its arrays are not packed, so they take no more memory than the file is long."""

SPARSE = 2  # version of files with sparse matrices, as compressed rows

EXPECTED: dict[str, Expected] = {
    "header": Expected(np.uint8, (None,)),
    "transitions": Expected("<f8", (None, None, None), optional=True),
    "starts": Expected("<i8", (None,), optional=True),
    "columns": Expected("<i4", (None,), optional=True),
    "values": Expected("<f8", (None,), optional=True),
    "initial": Expected("<f8", (None,)),
    "stop": Expected("<f8", (None,), optional=True),
    "final": Expected(np.bool_, (None,)),
}


def write(model: Model, options: Options) -> dict[str, bytes]:
    """File of a model: the arrays of its acceptor or generator, and its names and notes as JSON."""
    machine = in_floats(model.machine, options, "NPZ")
    arrays = {**machine.stored_numbers(), "final": machine.final}
    raw = header(model)
    if isinstance(matrices := arrays["transitions"], SparseMatrices):
        parts = {"starts": matrices.starts, "columns": matrices.pattern.columns, "values": matrices.values}
        arrays = {**parts, **_without(arrays, {"transitions"})}
        raw["cutpoint"]["version"] = SPARSE
    text = checked_length(canonical(raw | {"digest": digest(raw, arrays.values())}).decode())
    stored = {"header": np.frombuffer(text.encode(), dtype=np.uint8), **arrays}
    return {"": archive_of({name: array.astype(EXPECTED[name].kind) for name, array in stored.items()})}


def read(source: Source, options: Options) -> Model:
    """Model of a file."""
    try:
        arrays: dict[str, Any] = arrays_in(source.content(MOST_BYTES), EXPECTED)
    except FormatError as problem:
        raise problem.at(str(source.path)) from None
    text = source.decoded(arrays.pop("header").tobytes(), "header")
    raw = document(source, text)
    found, states, alphabet = parsed(source, raw, Header, SPARSE)
    n, m = len(states), len(alphabet)
    stored = digest(raw, arrays.values())
    is_sparse = found.cutpoint.version == SPARSE
    wanted = {"starts", "columns", "values"} if is_sparse else {"transitions"}
    if wanted != arrays.keys() - {"initial", "stop", "final"}:
        version = f"of version {found.cutpoint.version}"
        raise source.refused(f"expected the arrays {', '.join(sorted(wanted))} {version}; got {', '.join(arrays)}.")
    if is_sparse:
        arrays = {"transitions": _matrices(source, m, n, arrays), **_without(arrays, wanted)}
    shapes = {name: (m, n, n) if name == "transitions" else (n,) for name in arrays}
    if ("stop" in arrays) != (found.cutpoint.format == "generator"):
        raise source.refused(f"expected the array stop of a generator, and only there; got {', '.join(arrays)}.")
    for name, shape in shapes.items():
        if arrays[name].shape != shape:
            raise source.refused(f"expected an array of shape {shape}; got {arrays[name].shape}.", name)
    parts = [arrays[name] for name in shapes]
    machine = built(source, options, FORMATS[found.cutpoint.format], states, alphabet, *parts)
    return with_notes(source, options, machine, found, stored)


def _matrices(source: Source, m: int, n: int, arrays: Mapping[str, Any]) -> SparseMatrices:
    """Sparse matrices of a file, whose arrays are compared with each other."""
    starts, columns, values = (arrays[name] for name in ("starts", "columns", "values"))
    if len(values) != len(columns):
        raise source.refused(f"expected as many values as columns, {len(columns)}; got {len(values)}.", "values")
    try:
        return SparseMatrices(SparsePattern.checked(m, n, starts, columns), values)
    except InvalidArgument as wrong:
        raise source.refused(str(wrong)) from None


def _without(arrays: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    return {name: array for name, array in arrays.items() if name not in names}
