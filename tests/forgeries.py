"""Files whose digest is right and whose content is not: what someone can write who means harm, or who has a bug."""

import hashlib
import io
import zipfile
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.data.array_files import archive_of

Arrays = dict[str, NDArray[Any]]
ODD = (np.nan, np.inf, -np.inf, -1, 0, 1, 0.5, 2, 3, 1e308, 5e-324, 2**31 - 1, -(2**31), 2**63 - 1, -(2**63), 255)


def signed(magic: bytes, archive: bytes) -> bytes:
    """A file with the right digest of whatever is in it."""
    return magic + hashlib.sha256(archive).digest() + archive


def stored(magic: bytes, content: bytes) -> Arrays:
    """Arrays of a file, as NumPy reads them."""
    return dict(np.load(io.BytesIO(content[len(magic) + 32 :])))


def compressed(arrays: Arrays) -> bytes:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)  # type: ignore[arg-type]
    return buffer.getvalue()


def bomb(arrays: Arrays, name: str, n_bytes: int) -> bytes:
    """A small archive whose member takes much memory when it is decompressed."""
    buffer = io.BytesIO(archive_of({key: array for key, array in arrays.items() if key != name}))
    with zipfile.ZipFile(buffer, "a", zipfile.ZIP_DEFLATED) as archive, archive.open(f"{name}.npy", "w") as member:
        np.lib.format.write_array_header_1_0(member, {"descr": "<f8", "fortran_order": False, "shape": (n_bytes // 8,)})
        for _ in range(n_bytes >> 20):
            member.write(bytes(1 << 20))
    return buffer.getvalue()


def huge(arrays: Arrays, name: str, shape: tuple[int, ...]) -> bytes:
    """An archive one of whose members says that it is far larger than it is."""
    buffer = io.BytesIO(archive_of({key: array for key, array in arrays.items() if key != name}))
    with zipfile.ZipFile(buffer, "a") as archive, archive.open(f"{name}.npy", "w") as member:
        np.lib.format.write_array_header_1_0(member, {"descr": "<f8", "fortran_order": False, "shape": shape})
    return buffer.getvalue()


def forgeries(magic: bytes, content: bytes, number: int, seed: int) -> Iterator[bytes]:
    """So many files near a good one: bytes, values, kinds, shapes and names of arrays changed at random."""
    rng = np.random.default_rng(seed)
    archive, arrays = content[len(magic) + 32 :], stored(magic, content)
    for _ in range(number):
        name = str(rng.choice(sorted(arrays)))
        changed: Any = arrays[name].copy()
        kind = int(rng.integers(8))
        if kind == 0:
            damaged = bytearray(archive)
            for place in rng.integers(len(archive), size=int(rng.integers(1, 4))):
                damaged[place] = rng.integers(256)
            yield signed(magic, bytes(damaged[: len(archive) - int(rng.integers(2)) * int(rng.integers(99))]))
            continue
        if kind <= 3 and changed.size:
            flat = changed.reshape(-1).view(np.uint8) if kind == 1 or changed.dtype.names else changed.reshape(-1)
            with np.errstate(all="ignore"):
                for place in rng.integers(len(flat), size=int(rng.integers(1, 3))):
                    values = np.array(ODD[rng.integers(len(ODD))]).astype(flat.dtype, casting="unsafe")
                    flat[place] = rng.integers(256) if flat.dtype == np.uint8 else values
        elif kind == 4:
            changed = changed[:-1] if changed.ndim and rng.integers(2) else np.repeat(np.atleast_1d(changed), 2, axis=0)
        elif kind == 5:
            changed = changed.T if changed.ndim > 1 else changed.reshape(1, -1)
        elif kind == 6 and not changed.dtype.names:
            changed = changed.astype(str(rng.choice(["f4", ">f8", "i8", "u1", "?", "c16", "U3", "f8", "i4"])))
        others = {key: array for key, array in arrays.items() if key != name}
        where = name if kind != 7 else str(rng.choice(["", "x", "../x", *sorted(arrays)]))
        yield signed(magic, archive_of(others | ({where: changed} if kind != 7 or rng.integers(2) else {})))
