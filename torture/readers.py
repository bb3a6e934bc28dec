"""Rows about files: whatever is in them, they are read or refused by a sentence, in little time and memory."""

import contextlib
import gzip
import io
import os
import re
import resource
import stat
import time
import warnings
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
from tests import forgeries, memory

import cutpoint as cp
from cutpoint.data import array_files
from cutpoint.errors import CharactersWarning
from cutpoint.files import streams
from torture import stored
from torture.scoreboard import Row

MOST_SECONDS = 10.0
MOST_KILOBYTES = 700_000
ADDRESSES = 1 << 33
"""Bytes of addresses that a reader may take beyond those of the process; allocations above fail at once."""

PIECES = [b"\t", b"\n", b'"', b",", b" ", b"\r", b"\0", b"\xff", b"[", b"{}", b"null", b"-1", b"1e999", b"nan", b"/0"]
PIECES += [
    b"<",
    b">",
    b"</trace>",
    b"<event>",
    b"&a;",
    b"<!DOCTYPE a>",
    b"<!--",
    b"\\ud800",
    b"\xed\xa0\x80",
    b"{",
    b"->",
]
NUMBERS = [
    b"0",
    b"-1",
    b"1e308",
    b"1e-320",
    b"1000000000",
    b"9" * 30,
    b"1" * 5000,
    b"1/3",
    b"NaN",
    b"Infinity",
    b"0x1",
    b"1_0",
]


@contextlib.contextmanager
def bounded() -> Iterator[None]:
    """Fail if what is done takes more processor time or memory than any file is worth."""
    begin, before = time.process_time(), memory.reset_peak() if memory.RESET.exists() else 0
    yield
    took = time.process_time() - begin
    assert took < MOST_SECONDS, f"{took:.1f} seconds"
    if before:
        assert memory.peak() - before < MOST_KILOBYTES, f"{memory.peak() - before:,} kB"


def _limited() -> None:
    """Let an allocation out of all proportion fail."""
    pages = int(Path("/proc/self/statm").read_text().split()[0]) if Path("/proc/self/statm").exists() else 0
    if pages:
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + ADDRESSES, hard))


def mutated(rng: np.random.Generator, content: bytes, other: bytes) -> bytes:
    """Content with bits flipped, bytes cut, doubled, taken from another file; numbers changed, keys repeated."""
    for _ in range(int(rng.integers(1, 5))):
        i, j = sorted(rng.integers(0, len(content) + 1, 2).tolist())
        k = min(j, i + 40)
        kind = int(rng.integers(11))
        piece = PIECES[rng.integers(len(PIECES))]
        numbers = [found.span() for found in re.finditer(rb"[-+]?[0-9][0-9.e/-]*", content)]
        keys = [found.span() for found in re.finditer(rb'"[^"\n]*": ?[^,\n\[\]{}]*,', content)]
        if kind == 0 and content:
            at = int(rng.integers(len(content)))
            content = content[:at] + bytes([content[at] ^ (1 << int(rng.integers(8)))]) + content[at + 1 :]
        elif kind == 1:
            content = content[:i] if rng.integers(4) == 0 else content[:i] + content[k:]
        elif kind == 2:
            content = content[:j] + content[i:j] + content[j:]
        elif kind == 3:
            content = content[:i] + piece + content[i:]
        elif kind == 4:
            content = content[:i] + piece + content[k:]
        elif kind == 5:
            at = int(rng.integers(len(other) + 1))
            content = content[:i] + other[at : at + int(rng.integers(1, 200))] + content[j:]
        elif kind <= 7 and numbers:
            begin, end = numbers[rng.integers(len(numbers))]
            content = content[:begin] + NUMBERS[rng.integers(len(NUMBERS))] + content[end:]
        elif kind == 8:
            content = content[:i] + piece * int(rng.choice([10, 1000, 30_000])) + content[i:]
        elif kind == 9 and keys:
            begin, end = keys[rng.integers(len(keys))]
            content = content[:begin] + content[begin:end] + content[begin:]
        elif kind == 10:
            lines = content.splitlines(keepends=True)
            content = b"".join(lines[n] for n in rng.permutation(len(lines)))
    return content


def readers(seed: int) -> int:
    """Many changes to the files of three kinds; half of them with digests that are right again."""
    rng = np.random.default_rng(seed)
    kinds = stored.stored()
    with stored.scratch() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", CharactersWarning)
        _limited()
        cases = 0
        for number in rng.choice(len(kinds), 3, replace=False):
            kind, other = kinds[number], kinds[rng.integers(len(kinds))]
            for _ in range(40):
                content = mutated(rng, kind.files[kind.target], other.files[other.target])
                with bounded():
                    kind.found(folder, kind.sign(content) if rng.integers(2) else content)
                cases += 1
            if b"PK" in kind.files[kind.target] and kind.name in ("checkpoint", "search", "state"):
                magic = kind.files[kind.target].partition(b"\n")[0] + b"\n"
                for content in forgeries.forgeries(magic, kind.files[kind.target], 40, seed):
                    with bounded():
                        kind.found(folder, content)
                    cases += 1
    return cases


def every_byte(seed: int) -> int:
    """Each byte of a file with a digest changed in some way; what is read is the same, or nothing is."""
    rng = np.random.default_rng(seed)
    kinds = [kind for kind in stored.stored() if kind.has_digest]
    kind = kinds[seed % len(kinds)]
    whole = kind.files[kind.target]
    with stored.scratch() as folder:
        right = kind.found(folder, whole)
        assert right is not None, kind.name
        for at, change in enumerate(rng.integers(1, 256, len(whole)).tolist()):
            found = kind.found(folder, whole[:at] + bytes([whole[at] ^ change]) + whole[at + 1 :])
            assert found is None or found == right, f"{kind.name}: byte {at} with {change} flipped is read as {found}"
    return len(whole)


# -- Files that mean harm -----------------------------------------------------------------------------------------

MEGABYTE = bytes(1 << 20)


def _laughs(root: str) -> bytes:
    """Entities that double a text thirty times."""
    entities = "".join(f'<!ENTITY l{k + 1} "&l{k};&l{k};">' for k in range(30))
    return f'<?xml version="1.0"?><!DOCTYPE {root} [<!ENTITY l0 "ha">{entities}]><{root}>&l30;</{root}>'.encode()


def _file_entity(root: str) -> bytes:
    return f'<!DOCTYPE {root} [<!ENTITY x SYSTEM "file:///etc/passwd">]><{root}>&x;</{root}>'.encode()


def _zipped(members: dict[str, bytes], kind: int = zipfile.ZIP_STORED) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", kind) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def _members() -> dict[str, bytes]:
    """Members of a good archive."""
    [whole] = [kind.files[kind.target] for kind in stored.stored() if kind.name == "floats.npz"]
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _header(shape: str, kind: str = "<f8") -> bytes:
    text = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    return b"\x93NUMPY\x01\x00" + (len(text) + 1).to_bytes(2, "little") + text + b"\n"


def _pickled() -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, np.array([Path(), None], dtype=object), allow_pickle=True)
    return buffer.getvalue()


def _tons(size: int) -> bytes:
    """A file that unpacks to some gigabytes of blanks."""
    return gzip.compress(b" " * (1 << 20), compresslevel=9, mtime=0) * size


def _contents(size: int) -> dict[str, bytes]:
    """Files that lie about what they hold, by the names under which they are read."""
    members, nested = _members(), 100 * size
    claims = str(10**9 + size).encode()
    return {
        "bomb.json.gz": _tons(size), "bomb.tsv.gz": _tons(size), "bomb.xes.gz": _tons(size), "bomb.att.gz": _tons(size),
        "laughs.xes": _laughs("log"), "laughs.jff": _laughs("structure"),
        "entity.xes": _file_entity("log"), "entity.jff": _file_entity("structure"),
        "deep.json": b"[" * nested, "deep_keys.json": b'{"a":' * nested, "deep.ndjson": b'{"word":' + b"[" * nested,
        "deep.xes": b"<log>" + b"<trace>" * nested, "deep.jff": b"<structure>" + b"<a>" * nested,
        "claims.drn": b"@type: MDP\n@nr_states\n" + claims + b"\n@model\nstate 0 init\n",
        "claims.tra": claims + b" 1 1\n0 0 0 1.0\n", "claims.abbadingo": claims + b" 2\n1 2 0 1\n",
        "claims.pautomac": claims + b" 2\n2 0 1\n", "lengths.pautomac": b"2 2\n" + claims + b" 0 1\n",
        "claims.pautomac_model.txt": b"I: (state)\n(" + claims + b") 1.0\n",
        "shape.npz": _zipped({**members, "transitions.npy": _header(f"({10**9}, {10**9 + size}, 2)")}),
        "negative.npz": _zipped({**members, "transitions.npy": _header("(-1, -8)") + MEGABYTE}),
        "pickle.npz": _zipped({**members, "final.npy": _pickled()}), "objects.npz": _zipped({"header.npy": _pickled()}),
        "bomb.npz": _zipped({**members, "initial.npy": _header("(131072000,)") + MEGABYTE * 200}, zipfile.ZIP_DEFLATED),
        "paths.npz": _zipped({**members, "../../outside.npy": members["final.npy"]}),
        "absolute.npz": _zipped({**members, "/tmp/outside.npy": members["final.npy"]}),
        "empty.npz": b"", "empty.json": b"", "empty.xes": b"", "empty.parquet": b"",
        "zeros.parquet": b"PAR1" + MEGABYTE + b"PAR1",
        "long_line.tsv.gz": gzip.compress(b"a" * (1 << 20), mtime=0) * (80 + size % 20),
        "quote.csv": b'word\n"' + b"ab\n" * 1000 * size,
    }  # fmt: skip


MODELS = (".json", ".json.gz", ".npz", ".att", ".att.gz", ".drn", ".tra", ".jff", ".pautomac_model.txt")


def malicious(seed: int) -> int:
    """Bombs, claims, entities, pickles, paths; and links, pipes and devices where files are expected."""
    size = int(np.random.default_rng(seed).integers(300, 2000))
    with stored.scratch() as folder:
        _limited()
        contents = _contents(size)
        for name, content in contents.items():
            path = folder / name
            path.write_bytes(content)
            read: Callable[[Path], Any] = cp.read_model if name.endswith(MODELS) else cp.read_sample
            _refused(name, read, path)
            path.unlink()
        assert not list(folder.iterdir()), "a file was left or made"
        special = [
            kind
            for kind in stored.stored()
            if kind.name.startswith(("shards/", "state", "journal", "checkpoint", "search"))
        ]
        for kind in special:
            for make in (_pipe, _endless, _loop, _folder):
                kind.put(folder, kind.files[kind.target])
                (folder / kind.target).unlink()
                make(folder / kind.target)
                _refused(f"{make.__name__} as {kind.name}", kind.read, folder)
                for path in folder.iterdir():
                    _removed(path)
        for name in ("model.json", "model.npz"):
            for make in (_endless, _loop, _folder):
                make(folder / name)
                _refused(f"{make.__name__} as {name}", cp.load, folder / name)
                _removed(folder / name)
    return len(contents) + 4 * len(special) + 6


def _refused(name: str, read: Callable[[Path], Any], path: Path) -> None:
    with bounded():
        try:
            found = read(path)
        except cp.CutpointError:
            return
        except Exception as problem:
            raise AssertionError(f"{name}: {problem!r}") from problem
    raise AssertionError(f"{name} is read: {found!r}")


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _loop(path: Path) -> None:
    path.symlink_to(path.name)


def _folder(path: Path) -> None:
    path.mkdir()


def _removed(path: Path) -> None:
    path.rmdir() if stat.S_ISDIR(path.lstat().st_mode) else path.unlink()


# -- Planted errors -----------------------------------------------------------------------------------------------


@contextlib.contextmanager
def trusting_arrays() -> Iterator[None]:
    """Arrays are taken as they are: their kinds, shapes and values are not compared with what is expected."""
    with patch.object(array_files, "arrays_in", _as_they_are):
        yield


def _as_they_are(content: bytes, expected: object) -> Any:
    return dict(np.load(io.BytesIO(content)))


@contextlib.contextmanager
def no_digests() -> Iterator[None]:
    """Digests are not compared."""
    from cutpoint.files import json as json_file

    with patch.object(json_file, "with_notes", _without_check(json_file.with_notes)):
        yield


def _without_check(right: Any) -> Any:
    def wrong(source: Any, options: Any, machine: Any, found: Any, _: str) -> Any:
        return right(source, options, machine, found, found.digest)

    return wrong


@contextlib.contextmanager
def no_largest_text() -> Iterator[None]:
    """A text may have as many bytes as it likes."""
    with patch.object(streams, "MOST_TEXT", 1 << 40):
        yield


ROWS = [
    Row(
        "readers",
        "A file of any format, changed in any way, is read to something valid or refused by a sentence, in bounded "
        "time and memory; also if its digest was made right again.",
        readers,
        trusting_arrays,
        share=2.0,
        tries=40,
    ),
    Row(
        "every-byte",
        "A changed byte of a file with a digest (JSON, NPZ, manifests, checkpoints, state files) is noticed, or "
        "changes nothing that is read.",
        every_byte,
        no_digests,
    ),
    Row(
        "malicious-files",
        "Bombs, billion laughs, claims of a billion states, pickles, paths out of an archive, and pipes, devices and "
        "links in the place of files are refused quickly and with little memory.",
        malicious,
        no_largest_text,
        timeout=240.0,
    ),
]
