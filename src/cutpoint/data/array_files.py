"""Files of arrays in NumPy's format, without pickle or compression; each array is compared with what is expected of it.

Nothing in a file is trusted, not even if its digest is right: who can write a file can also write its digest. Names,
kinds and shapes are looked at before memory is taken, and members are stored as they are, so that no file takes more
memory than it is long.
"""

import hashlib
import io
import math
import re
import zipfile
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from cutpoint.data.storage import reason
from cutpoint.errors import CutpointError, FormatError, InvalidFile

Arrays = dict[str, NDArray[Any]]

VERSION = b"\x93NUMPY\x01\x00"  # then two bytes with the length of the description
DESCRIPTION = re.compile(
    r"\{'descr': (.{1,9000}), 'fortran_order': False, 'shape': \(((?:[0-9]{1,18}(?:, [0-9]{1,18})*)?),?\), \} *\n"
)
NEW = zipfile.ZipInfo().date_time  # the same bytes whenever a file is written
COPY = "Use another copy."


class Expected(NamedTuple):
    """What must hold of an array in a file.

    Attributes
    ----------
    kind, shape : kind of its numbers, and its shape, in which None is any length.
    values : what its values are, as a noun for messages, such as "rows that sum to 1".
    holds : whether its values are that; it may also raise an error of its own.
    optional : whether a file can do without it.
    """

    kind: DTypeLike
    shape: tuple[int | None, ...]
    values: str = "an array"
    holds: Callable[[NDArray[Any]], bool] = lambda _: True
    optional: bool = False

    @property
    def text(self) -> str:
        """Kind and shape, for messages."""
        shape = str(self.shape).replace("None", "any")
        return f"an array of {_described(np.dtype(self.kind))} of shape {shape}"


Schema = Mapping[str, Expected]


def are_distributions(rows: NDArray[Any], tolerance: float = 1e-9) -> bool:
    """Whether rows along the last axis are not negative and sum to 1."""
    return bool((rows >= 0.0).all() and (np.abs(rows.sum(axis=-1) - 1.0) <= tolerance).all())


def archive_of(arrays: Arrays) -> bytes:
    """Arrays as a file that ``numpy.load`` reads too."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, array in arrays.items():
            stored = io.BytesIO()
            by_rows = np.asarray(array, order="C")
            np.lib.format.write_array(stored, by_rows, version=(1, 0), allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy", NEW), stored.getvalue())
    return buffer.getvalue()


def arrays_in(content: bytes, expected: Schema) -> Arrays:
    """Arrays of a file, checked in the order of the schema; what is missing, unknown or different is refused.

    The error says which array, for the caller to add which file.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = archive.infolist()
            by_name = {member.filename.removesuffix(".npy"): member for member in members}
            for name, member in by_name.items():
                if member.compress_type != zipfile.ZIP_STORED:
                    raise FormatError("expected an array that is stored as it is, not compressed.", where=name[:100])
            if len(by_name) < len(members) or sum(member.file_size for member in members) > len(content):
                raise FormatError("expected arrays of different names that do not overlap.")
            arrays: Arrays = {}
            for name, each in expected.items():
                if name in by_name:
                    arrays[name] = _checked(archive.read(by_name[name]), name, each)
                elif not each.optional:
                    raise FormatError(f"expected {each.text}; there is none.", where=name)
            if unknown := sorted(by_name.keys() - expected.keys()):
                raise FormatError("expected no array of this name.", where=repr(unknown[0][:100]))
            return arrays
    except CutpointError:
        raise
    except Exception as problem:  # an archive can be broken in ways that zipfile tells by any error
        raise FormatError(f"the arrays cannot be read ({reason(problem)}).", advice=COPY) from None


def _checked(stored: bytes, name: str, expected: Expected) -> NDArray[Any]:
    """Array of a member; its description is compared and never evaluated."""
    start = len(VERSION) + 2
    begin = start + int.from_bytes(stored[len(VERSION) : start], "little")
    found = DESCRIPTION.fullmatch(stored[start:begin].decode("latin1"))
    if found is None or not stored.startswith(VERSION):
        raise FormatError("expected an array by rows in version 1.0 of NumPy's format.", where=name)
    kind, shape = np.dtype(expected.kind), tuple(map(int, found[2].split(", "))) if found[2] else ()
    lengths = [length if wanted is None else wanted for wanted, length in zip(expected.shape, shape, strict=False)]
    if found[1] != _described(kind) or len(shape) != len(expected.shape) or lengths != [*shape]:
        got = f"{found[1][:200]} of shape {shape}"
        raise FormatError(f"expected {expected.text}; got {got}.", where=name)
    if math.prod(shape) * kind.itemsize != len(stored) - begin:
        what = f"expected the bytes of an array of shape {shape}; got {len(stored) - begin:,} bytes."
        raise FormatError(what, where=name)
    array = np.require(np.frombuffer(stored, kind, offset=begin).reshape(shape), requirements="A")
    if kind == np.bool_ and (array.view(np.uint8) > 1).any():
        raise FormatError("expected zeros and ones.", where=name)
    if not expected.holds(array):
        raise FormatError(f"expected {expected.values}; got other values.", where=name)
    return array


def _described(kind: np.dtype[Any]) -> str:
    """How NumPy's format describes a kind of numbers."""
    return repr(np.lib.format.dtype_to_descr(kind))


def packed(magic: bytes, arrays: Arrays) -> bytes:
    """Arrays as bytes: first the kind of file, then a digest, then the arrays."""
    content = archive_of(arrays)
    return b"".join([magic, hashlib.sha256(content).digest(), content])


def unpacked(magic: bytes, content: bytes, where: str, expected: Schema, advice: str = COPY) -> Arrays:
    """Arrays from bytes; what is damaged, of another kind or not as expected is refused."""
    if not content.startswith(magic):
        what = f"this is not a file of the kind {magic.decode().strip()!r}."
        raise InvalidFile(what, where=where, advice=advice if advice != COPY else "")
    head = len(magic) + hashlib.sha256().digest_size
    digest, arrays = content[len(magic) : head], content[head:]
    if hashlib.sha256(arrays).digest() != digest:
        what = "the file is damaged (its content does not match its digest)."
        raise InvalidFile(what, where=where, advice=advice)
    try:
        return arrays_in(arrays, expected)
    except FormatError as problem:
        raise InvalidFile(problem.what, where=": ".join(filter(None, (where, problem.where))), advice=advice) from None
