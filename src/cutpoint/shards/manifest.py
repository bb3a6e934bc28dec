"""The manifest of a folder of shards: alphabet, meaning of the marks, and each shard's size and checksum."""

from __future__ import annotations

import json
from typing import Annotated, Any

import msgspec

from cutpoint.data import Alphabet, Mark
from cutpoint.data.marks import FIRST_MARKS
from cutpoint.data.storage import beside, content_of
from cutpoint.em.shards import Head, Shards, Size
from cutpoint.errors import CutpointError
from cutpoint.files.json import FileKind, digest, document, names, record
from cutpoint.files.source import MOST_TEXT, Source
from cutpoint.files.tokens import json_value
from cutpoint.shards.packing import Packed

NAME = "manifest.json"
FORMAT = "shards"
VERSION = 1

Count = Annotated[int, msgspec.Meta(ge=0)]


class ShardEntry(msgspec.Struct, forbid_unknown_fields=True):
    """What the manifest says of a shard."""

    file: str
    sha256: str
    observations: Annotated[float, msgspec.Meta(ge=0, le=1e300)]
    distinct: Count
    symbols: Count
    edges: Count


class Manifest(msgspec.Struct, forbid_unknown_fields=True):
    """The members of the manifest."""

    cutpoint: FileKind
    alphabet: list[Any]
    marks: list[tuple[bool | None, list[Any] | None]]
    evidence: bool
    shards: list[ShardEntry]
    digest: str


def manifest(head: Head, parts: list[Packed], has_evidence: bool) -> bytes:
    """Content of the manifest of shards that lie beside it; they are named without their folder."""
    raw: dict[str, Any] = {
        "cutpoint": {"format": FORMAT, "version": VERSION},
        "alphabet": [json_value(symbol) for symbol in head.alphabet],
        "marks": [_mark(mark) for mark in head.mark_table],
        "evidence": has_evidence,
        "shards": [
            {
                "file": part.name,
                "sha256": part.checksum,
                "observations": part.size.total,
                "distinct": part.size.distinct,
                "symbols": part.size.symbols,
                "edges": part.size.edges,
            }
            for part in parts
        ],
    }
    text = json.dumps(raw | {"digest": digest(raw)}, ensure_ascii=False, indent=1)
    return (text + "\n").encode()


def read_manifest(folder: str) -> Shards:
    """Shards of a folder, none of them loaded yet."""
    path = beside(folder, NAME)
    source = Source(path.removesuffix(".json"), ".json")
    content = content_of(path)
    if len(content) > MOST_TEXT:
        raise source.refused("the manifest is too long to be read.")
    try:
        raw = document(source, content.decode())
    except UnicodeDecodeError:
        raise source.refused("expected text in UTF-8; got bytes that are not.") from None
    kind = raw.get("cutpoint")
    if not isinstance(kind, dict) or kind.get("format") != FORMAT:
        raise source.refused("this is not the manifest of a folder of shards.")
    if kind.get("version") != VERSION:
        raise source.refused(f"the shards must be of version {VERSION}; another version of cutpoint wrote them.")
    found = record(source, raw, Manifest)
    if found.digest != digest(raw):
        raise source.refused(
            "the manifest is damaged (its content does not match its digest). Use another copy, or write the shards "
            "again."
        )
    try:
        alphabet = Alphabet(names(source, found.alphabet, "alphabet"))
    except CutpointError as wrong:
        raise source.refused(str(wrong), "alphabet") from None
    table = tuple(
        Mark(verdict, None if states is None else frozenset(names(source, states, f"marks[{k}][1]")))
        for k, (verdict, states) in enumerate(found.marks)
    )
    if table[:3] != FIRST_MARKS:
        raise source.refused("expected a table that begins with no mark, accepted and rejected.", "marks")
    shards = tuple(_shard(source, k, entry, folder, len(table) > 3) for k, entry in enumerate(found.shards))
    if len({shard.name for shard in shards}) != len(shards):
        raise source.refused("expected shards of different names.", "shards")
    return Shards(Head(alphabet, table), shards, found.evidence)


def _mark(mark: Mark) -> list[Any]:
    states = None if mark.states is None else sorted((json_value(state) for state in mark.states), key=repr)
    return [mark.verdict, states]


def _shard(source: Source, k: int, entry: ShardEntry, folder: str, marked: bool) -> Packed:
    if "/" in entry.file or "\\" in entry.file or entry.file in ("", ".", ".."):
        raise source.refused("expected the name of a file beside the manifest.", f"shards[{k}].file")
    size = Size(entry.observations, entry.distinct, entry.symbols, entry.edges, marked, entry.edges > 0)
    return Packed(beside(folder, entry.file), entry.sha256, size)
