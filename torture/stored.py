"""Files of every kind that the package reads, each with what it holds, for the rows that damage them."""

import contextlib
import gzip
import hashlib
import io
import json
import os
import tempfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

import cutpoint as cp
from cutpoint.cases.event_lines import EventLines
from cutpoint.cases.state_file import CHECKSUM, HEADER, StateFile
from cutpoint.data.array_files import archive_of
from cutpoint.files.json import canonical, digest

CUSTOMERS = cp.gallery.customers()
THIRDS = cp.p_adic(3)
FLOATS = cp.Acceptor(["new", 7], ["click", 1.5], [[[0.25, 0.75], [0.0, 1.0]], [[0.5, 0.5], [1.0, 0.0]]], "new", {7})
WORDS = cp.Sample(["ab", "a", "", "bba"], [True, False, None, True], counts=[1.0, 2.0, 1.0, 3.0])
SEARCHED = cp.Sample(["ab", "a", "", "bba"] * 5, [True, False, False, True] * 5)
GENERATOR = cp.Generator(2, ["0", "1"], {"0": {0: {0: 0.5}}, "1": {0: {1: 0.25}, 1: {1: 0.5}}}, 0, [0.25, 0.5])
EVENTS = b"who,when,what,outcome\n7,1,look,yes\n7,2,buy,\n8,2024-01-01,look,no\n9,3,look,\n"
XES = (
    b'<log><trace><string key="concept:name" value="7"/><string key="label" value="yes"/><event><string '
    b'key="concept:name" value="look"/><date key="time:timestamp" value="2024-01-01"/><int key="n" value="1"/></event>'
    b'</trace>\n<trace><string key="concept:name" value="8"/><string key="label" value="no"/></trace></log>'
)
JFLAP = (
    b"<structure><type>fa</type><automaton><state id='0'><initial/></state><state id='1'><final/></state>"
    b"<transition><from>0</from><to>1</to><read>a</read></transition></automaton></structure>"
)


@dataclass(frozen=True)
class Stored:
    """A kind of file.

    Attributes
    ----------
    name : of the kind.
    files : contents of all files in a folder, by name.
    target : the file that is damaged.
    read : what a folder holds, in a form that is compared with ``==``.
    sign : content with a digest that is right again, as someone would write it who means harm.
    has_digest : whether each change of a byte must be noticed.
    """

    name: str
    files: dict[str, bytes]
    target: str
    read: Callable[[Path], Any]
    sign: Callable[[bytes], bytes] = bytes
    has_digest: bool = False

    def put(self, folder: Path, content: bytes) -> None:
        """Write all files, the target with this content."""
        for name, whole in {**self.files, self.target: content}.items():
            (folder / name).write_bytes(whole)
        if self.target.startswith("shard"):
            _list_in_manifest(folder)

    def found(self, folder: Path, content: bytes) -> Any:
        """What is read with this content, or None if it is refused by a sentence."""
        self.put(folder, content)
        try:
            return self.read(folder)
        except cp.CutpointError as refusal:
            sentence = str(refusal)
            assert sentence.endswith((".", "?", ";")), sentence
            assert "\n" not in sentence, sentence
            assert len(sentence) < 2000, sentence
            return None


@contextlib.contextmanager
def scratch() -> Iterator[Path]:
    """A folder that is removed at the end; nothing waits for the disk."""
    with tempfile.TemporaryDirectory() as folder, patch.object(os, "fsync", _nothing):
        yield Path(folder)


def _nothing(_: int) -> None:
    """Wait for nothing."""


@cache
def stored() -> tuple[Stored, ...]:
    """All kinds."""
    return (*_models(), *_samples(), *_shards(), _checkpoint(), _search(), *_state())


def _models() -> Iterator[Stored]:
    machines = {"exact": cp.files.Model(THIRDS, "1/3"), "floats": cp.files.Model(FLOATS, 0.25, {"rows": 1, "by": "a"})}
    generator = {"generator": cp.files.Model(GENERATOR, "1/3")}
    sparse = {
        "sparse": cp.files.Model(FLOATS.to_sparse(), 0.25),
        "sparse-generator": cp.files.Model(GENERATOR.to_sparse()),
    }
    for suffix, models in {
        "json": {**machines, **generator}, "json.gz": machines,
        "npz": {"floats": machines["floats"], **generator, **sparse},
        "att": {"floats": machines["floats"]}, "drn": machines,
        "tra": {"floats": machines["floats"]}, "dot": machines, "pautomac_model.txt": generator,
    }.items():  # fmt: skip
        for name, model in models.items():
            bare = cp.files.Model(model.machine) if suffix not in ("json", "json.gz", "npz") else model
            with scratch() as folder:
                cp.save(bare, folder / f"model.{suffix}")
                files = {path.name: path.read_bytes() for path in folder.iterdir()}
            for target, content in files.items():
                whole = suffix in ("json", "json.gz", "npz") or b"sha256" in content
                sign = {"json": _signed_json, "json.gz": _signed_gz, "npz": _signed_npz}.get(suffix, _without_digest)
                reader = _Model(f"model.{suffix}")
                yield Stored(f"{name}.{target.removeprefix('model.')}", files, target, reader, sign, whole)
    yield Stored("jff", {"model.jff": JFLAP}, "model.jff", _Model("model.jff"))


@dataclass(frozen=True)
class _Model:
    """Reads a model and uses it."""

    name: str

    def __call__(self, folder: Path) -> Any:
        model = cp.read_model(folder / self.name)
        machine = model.machine
        word = list(machine.alphabet)[:3]
        value = machine.acceptance(word) if not isinstance(machine, cp.Generator) else machine.probability(word)
        assert 0.0 <= value <= 1.0 + 1e-6, (machine, value)
        return machine, model.cut_point, dict(model.metadata), model.classes, model.labels


@dataclass(frozen=True)
class _Sample:
    """Reads a sample."""

    name: str

    def __call__(self, folder: Path) -> Any:
        sample = cp.read_sample(folder / self.name)
        assert 0.0 < sample.total < np.inf, sample
        assert (sample.counts > 0.0).all(), sample
        return sample


def _samples() -> Iterator[Stored]:
    with scratch() as folder:
        for suffix in ("tsv", "ndjson", "abbadingo", "tsv.gz"):
            cp.write_sample(WORDS, folder / f"words.{suffix}")
        cp.write_sample(cp.Sample(["ab", "a", "bba"]), folder / "words.pautomac")
        contents = {path.name: path.read_bytes() for path in folder.iterdir()}
    contents["words.csv"] = b'word,label,count\n"a b",yes,2\nb,no,1\n,yes,1\n'
    contents["events.csv"] = EVENTS
    contents["events.ndjson"] = b'{"id": 1, "event": "a", "label": 1}\n{"id": 2, "event": "b", "label": 0}\n'
    contents["marks.ndjson"] = b'{"word": ["a", "b"], "states": ["p", null, ["p", "q"]]}\n{"word": "ab", "count": 2}\n'
    contents["log.xes"], contents["log.xes.gz"] = XES, gzip.compress(XES, mtime=0)
    with contextlib.suppress(ImportError):
        import polars

        table = io.BytesIO()
        polars.DataFrame({"word": ["ab", "b"], "label": [True, None]}).write_parquet(table)
        contents["words.parquet"] = table.getvalue()
    for name, content in sorted(contents.items()):
        yield Stored(name, {name: content}, name, _Sample(name))


def _shards() -> Iterator[Stored]:
    with scratch() as folder:
        states = [["s", None, None], [None, "s"], None, ["t", None, None, None]]
        cp.write_shards(cp.Sample(["ab", "b", "", "bba"], states=states), folder / "shards", observations=2)
        files = {path.name: path.read_bytes() for path in (folder / "shards").iterdir()}
    for name in sorted(files):
        sign = _signed_json if name == "manifest.json" else bytes
        yield Stored(f"shards/{name}", files, name, _read_shards, sign, has_digest=name == "manifest.json")


def _read_shards(folder: Path) -> Any:
    shards = cp.ShardedSample.open(folder)
    start = cp.random_acceptor(["s", "t"], shards.alphabet, rng=1)
    assert cp.log_likelihood(start, shards) <= 0.0
    return cp.Sample.concatenate(list(shards.samples()), shards.alphabet)


def _list_in_manifest(folder: Path) -> None:
    """Write the checksum of the changed shard into the manifest."""
    raw = json.loads((folder / "manifest.json").read_bytes())
    for entry in raw["shards"]:
        entry["sha256"] = hashlib.sha256((folder / entry["file"]).read_bytes()).hexdigest()
    (folder / "manifest.json").write_bytes(json.dumps(raw | {"digest": digest(raw)}).encode())


def _fit(folder: Path) -> Any:
    start = cp.random_acceptor(2, "ab", rng=3)
    fit = cp.baum_welch(start, WORDS, max_steps=4, tolerance=0.0, checkpoint=folder / "fit.checkpoint")
    return fit.acceptor, list(fit.history)


def _checkpoint() -> Stored:
    with scratch() as folder:
        cp.baum_welch(
            cp.random_acceptor(2, "ab", rng=3), WORDS, max_steps=2, tolerance=0.0, checkpoint=folder / "fit.checkpoint"
        )
        content = (folder / "fit.checkpoint").read_bytes()
    return Stored("checkpoint", {"fit.checkpoint": content}, "fit.checkpoint", _fit, _signed_packed, has_digest=True)


def _learn(folder: Path) -> Any:
    learned = cp.learn(SEARCHED, n_states=2, folds=2, checkpoint=folder / "search.checkpoint")
    return learned.acceptor


def _search() -> Stored:
    with scratch() as folder:
        _learn(folder)
        content = (folder / "search.checkpoint").read_bytes()
    name = "search.checkpoint"
    return Stored("search", {name: content}, name, _learn, _signed_packed, has_digest=True)


def _state() -> Iterator[Stored]:
    with scratch() as folder:
        for k in range(4):
            with StateFile(str(folder / "cases"), _lines()) as kept:
                batch = _batch(k)
                kept.append(batch)
                kept.lines.answers(kept.lines.parsed(batch))
                if k == 1:
                    kept.save()
        files = {path.name: path.read_bytes() for path in folder.iterdir()}
    yield Stored("state", files, "cases", _read_state, _signed_packed, has_digest=True)
    yield Stored("journal", files, "cases.journal", _read_state, _signed_journal)


def _batch(k: int) -> bytes:
    symbol = str(CUSTOMERS.alphabet[k % len(CUSTOMERS.alphabet)])
    return b'{"id": "case %d", "event": "%s"}\nhm\n{"id": %d, "event": "?"}\n' % (k % 2, symbol.encode(), k)


def _lines() -> EventLines:
    return EventLines(cp.Runs(CUSTOMERS, 0.4))


def _read_state(folder: Path) -> Any:
    with StateFile(str(folder / "cases"), _lines()) as kept:
        runs = kept.lines.runs
        return {case: runs[case] for case in runs}, kept.lines.lines, kept.repeated


# -- Digests made right again -------------------------------------------------------------------------------------


def _signed_json(content: bytes) -> bytes:
    try:
        raw = json.loads(content)
        return json.dumps(raw | {"digest": digest(raw)}).encode() if isinstance(raw, dict) else content
    except (ValueError, RecursionError, cp.CutpointError):
        return content


def _signed_gz(content: bytes) -> bytes:
    with contextlib.suppress(OSError, EOFError, zlib.error):
        return gzip.compress(_signed_json(gzip.decompress(content)), mtime=0)
    return content


def _signed_npz(content: bytes) -> bytes:
    try:
        arrays = dict(np.load(io.BytesIO(content)))
        raw = json.loads(arrays["header"].tobytes())
        names = ("transitions", "starts", "columns", "values", "initial", "stop", "final")
        others = [arrays[name] for name in names if name in arrays]
        text = canonical(raw | {"digest": digest(raw, others)})
        return archive_of(arrays | {"header": np.frombuffer(text, dtype=np.uint8)})
    except Exception:  # NumPy tells a broken archive by any error
        return content


def _signed_packed(content: bytes) -> bytes:
    magic, newline, rest = content.partition(b"\n")
    return magic + newline + hashlib.sha256(rest[32:]).digest() + rest[32:]


def _signed_journal(content: bytes) -> bytes:
    """Batches as they are in the journal, with checksums that are right."""
    signed, start = b"", 0
    while start + HEADER.size + CHECKSUM.size <= len(content):
        lines, length, _ = HEADER.unpack(content[start : start + HEADER.size])
        begin = start + HEADER.size + CHECKSUM.size
        batch = content[begin : begin + length]
        head = HEADER.pack(lines, len(batch), zlib.crc32(batch))
        signed += head + CHECKSUM.pack(zlib.crc32(head)) + batch
        start = begin + length
    return signed


def _without_digest(content: bytes) -> bytes:
    return b"".join(line for line in content.splitlines(keepends=True) if b"sha256" not in line)
