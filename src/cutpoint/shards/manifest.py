"""The manifest of a folder of shards: alphabet, meaning of the marks, and each shard's size and checksum."""

from __future__ import annotations

import json
from typing import Any

from cutpoint.data import Alphabet, Mark
from cutpoint.data.marks import FIRST_MARKS
from cutpoint.data.storage import beside, content_of
from cutpoint.em.shards import Head, Shards, Size
from cutpoint.errors import CutpointError
from cutpoint.files.json import digest
from cutpoint.files.source import MOST_TEXT, Source
from cutpoint.files.strict_json import Value, document
from cutpoint.files.typed_names import plain
from cutpoint.shards.packing import Packed

NAME = "manifest.json"
FORMAT = "shards"
VERSION = 1
KEYS = ("cutpoint", "alphabet", "marks", "evidence", "shards", "digest")
SIZES = ("observations", "distinct", "symbols", "edges")


def manifest(head: Head, parts: list[Packed], has_evidence: bool) -> bytes:
    """Content of the manifest of shards that lie beside it; they are named without their folder."""
    raw: dict[str, Any] = {
        "cutpoint": {"format": FORMAT, "version": VERSION},
        "alphabet": [plain(symbol) for symbol in head.alphabet],
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
        root = document(source, content.decode())
    except UnicodeDecodeError:
        raise source.refused("expected text in UTF-8; got bytes that are not.") from None
    members = root.members()
    if "cutpoint" not in members or members["cutpoint"].members().get("format", root).raw != FORMAT:
        raise source.refused("this is not the manifest of a folder of shards.")
    if members["cutpoint"].raw.get("version") != VERSION:
        raise source.refused(f"the shards must be of version {VERSION}; another version of cutpoint wrote them.")
    parts = root.fields(KEYS)
    if parts["digest"].text() != digest(root.raw):
        raise source.refused(
            "the manifest is damaged (its content does not match its digest). Use another copy, or write the shards "
            "again."
        )
    try:
        alphabet = Alphabet(parts["alphabet"].names("symbol"))
    except CutpointError as wrong:
        raise source.refused(str(wrong), "alphabet") from None
    table = tuple(_mark_of(item) for item in parts["marks"].items("mark"))
    if table[:3] != FIRST_MARKS:
        parts["marks"].refuse("a table that begins with no mark, accepted and rejected")
    shards = tuple(_shard(item, folder, len(table) > 3) for item in parts["shards"].items("shard"))
    if len({shard.name for shard in shards}) != len(shards):
        parts["shards"].refuse("shards of different names")
    if not isinstance(parts["evidence"].raw, bool):
        parts["evidence"].refuse("true or false")
    return Shards(Head(alphabet, table), shards, parts["evidence"].raw)


def _mark(mark: Mark) -> list[Any]:
    states = None if mark.states is None else sorted((plain(state) for state in mark.states), key=repr)
    return [mark.verdict, states]


def _mark_of(item: Value) -> Mark:
    verdict, states = item.items("part", 2)
    if verdict.raw not in (None, True, False) or not isinstance(verdict.raw, bool | None):
        verdict.refuse("true, false or null")
    return Mark(verdict.raw, None if states.raw is None else frozenset(states.names("state")))


def _shard(item: Value, folder: str, marked: bool) -> Packed:
    fields = item.fields(("file", "sha256", *SIZES))
    name, checksum = fields["file"].text(), fields["sha256"].text()
    if "/" in name or "\\" in name or name in ("", ".", ".."):
        fields["file"].refuse("the name of a file beside the manifest")
    total, *sizes = (fields[key].number() for key in SIZES)
    if any(size < 0 or size != int(size) for size in sizes) or total < 0:
        item.refuse("sizes that are not negative, and whole but for the observations")
    distinct, symbols, edges = map(int, sizes)
    return Packed(beside(folder, name), checksum, Size(float(total), distinct, symbols, edges, marked, edges > 0))
