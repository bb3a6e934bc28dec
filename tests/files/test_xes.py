"""Process logs in XES: the same cases as in a table, read as they come; what nobody should pass is refused."""

import gzip
import io
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

import cutpoint as cp
from cutpoint.files import streams, xes

LOG = """<?xml version="1.0" encoding="UTF-8"?>
<!-- a comment -->
<log xes.version="1.0" xmlns="http://www.xes-standard.org/">
  <extension name="Concept" prefix="concept" uri="http://www.xes-standard.org/concept.xesext"/>
  <global scope="trace"><string key="concept:name" value="none"/></global>
  <classifier name="Activity" keys="concept:name"/>
  <string key="concept:name" value="the whole log"/>
  <trace>
    <string key="concept:name" value="c1"/>
    <string key="goal" value="car &amp; boat"><string key="concept:name" value="nested"/></string>
    <float key="amount" value="1500.5"/>
    <boolean key="label" value="true"/>
    <list key="notes"><values><string key="concept:name" value="in a list"/></values></list>
    <event>
      <date key="time:timestamp" value="2011-10-03T00:38:44.546+02:00"/>
      <string key="concept:name" value="offer"/>
    </event>
    <event>
      <string key="concept:name" value="submit"/>
      <date key="time:timestamp" value="2011-10-01T00:38:44.546Z"/>
    </event>
  </trace>
  <trace>
    <event><string key="concept:name" value="submit"/><date key="time:timestamp" value="2011-10-02T00:00:00"/></event>
    <string key="concept:name" value="c2"/>
    <boolean key="label" value="false"/>
    <int key="amount" value="500"/>
  </trace>
  <trace><string key="concept:name" value="c3"/></trace>
</log>
""".replace("2011-10-02T00:00:00", "2011-10-02T00:00:00Z")
SAMPLE = cp.Sample([["submit", "offer"], ["submit"], []], [True, False, None])


def stream(text: str) -> io.BytesIO:
    return io.BytesIO(text.encode())


@pytest.mark.parametrize("block", [1, 7, 60, 300, 1 << 20])
@pytest.mark.parametrize("rows", [1, 1 << 13])
def test_a_log_gives_its_cases(monkeypatch: pytest.MonkeyPatch, block: int, rows: int) -> None:
    monkeypatch.setattr(xes, "BLOCK", block)
    monkeypatch.setattr(xes, "ROWS", rows)
    chunks = list(cp.files.read_chunks(stream(LOG), format="xes"))
    assert len(chunks) == 1 if rows > 1 else len(chunks) == 3 or block > 7
    assert [line for chunk in chunks for line in chunk.lines] == [14, 24, 29]
    assert [line for chunk in chunks for lines in chunk.symbol_lines or () for line in lines] == [18, 14, 24]
    found = cp.read_sample(stream(LOG), format="xes")
    assert found == SAMPLE
    assert found.ids == ("c1", "c2", "c3")


def test_by_extension_compressed_in_other_encodings_and_as_an_open_text(tmp_path: Path) -> None:
    other = LOG.replace("UTF-8", "ISO-8859-1").replace("offer", "é")
    expected = cp.Sample([["submit", "é"], ["submit"], []], [True, False, None])
    for name, content in (
        ("log.xes", LOG.encode()),
        ("log.xes.gz", gzip.compress(LOG.encode())),
        ("latin.xes", other.encode("latin-1")),
        ("wide.xes", LOG.replace("UTF-8", "UTF-16").encode("utf-16")),
    ):
        (tmp_path / name).write_bytes(content)
        assert cp.read_sample(tmp_path / name) == (expected if name == "latin.xes" else SAMPLE)
    with open(tmp_path / "latin.xes", encoding="latin-1") as file:
        assert cp.read_sample(file) == expected


def test_attributes_gaps_and_other_columns() -> None:
    options: Any = {"gaps": "1h,1d", "attributes": {"case:goal": None, "case:amount": [1000]}, "format": "xes"}
    assert cp.read_sample(stream(LOG), **options).words == (
        ("goal=car & boat", "amount>=1000", "submit", "wait>=1d", "offer"),
        ("amount<1000", "submit"),
        (),
    )
    found = cp.read_sample(stream(LOG), outcome="case:goal", positive="car & boat", format="xes")
    assert found.accepted == (True, None, None)
    with pytest.raises(cp.errors.FormatError, match="positive must be an outcome that some row has; none has 'boat'"):
        cp.read_sample(stream(LOG), outcome="case:goal", positive="boat", format="xes")


def test_shards_of_several_logs(tmp_path: Path) -> None:
    for name in ("one.xes", "two.xes"):
        (tmp_path / name).write_text(LOG)
    several: list[dict[str, Any]] = [{}, {"event": "concept:name", "gaps": "1w"}]
    for options in several:
        shards = cp.write_shards(tmp_path / "*.xes", tmp_path / f"shards{len(options)}", **options)
        assert cp.Sample.concatenate(list(shards.samples()), shards.alphabet) == SAMPLE + SAMPLE


REFUSED = {
    "": "the stream: the file is empty.",
    "<log>": "the stream: line 1: the XML is not well-formed (no element found).",
    "<log/>": "the stream: the file is empty.",
    "word\tlabel\n": "the stream: line 1: the XML is not well-formed (syntax error).",
    "<log>\n<trace></log>": "the stream: line 2: the XML is not well-formed (mismatched tag).",
    "<pnml></pnml>": "the stream: line 1: expected an XES log, an element <log>; got <pnml>.",
    '<?xml version="1.0" encoding="klingon"?><log/>': "the stream: the XML cannot be read (unknown encoding: "
    "klingon).",
    '<!DOCTYPE log [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]>\n<log/>': "the stream: line 1: a log must not have a document "
    "type (DOCTYPE), which could declare entities.",
    '<!DOCTYPE log SYSTEM "file:///etc/passwd"><log/>': "the stream: line 1: a log must not have a document type "
    "(DOCTYPE), which could declare entities.",
    "<log>&b;</log>": "the stream: line 1: the XML is not well-formed (undefined entity).",
    "<log>" * 101: "the stream: line 1: elements must be nested at most 100 deep; they are deeper.",
    '<log><trace>\n<string key="a"/></trace></log>': "the stream: line 2: an attribute must have a key and a value; "
    "<string> lacks one.",
    '<log><trace><int key="a" value="x"/></trace></log>': "the stream: line 1: the attribute 'a' must be a number, as it "
    "is of the kind int; got 'x'.",
    '<log><trace><event><string key="concept:name" value="a"/></event></trace></log>': "the stream: no column is called "
    "id, case, case id, case key, trace id or case:concept:name; the columns are {'concept:name'}. Choose one with id=….",
    LOG.replace("c2", "c1"): "the stream: line 23: the name of a trace must occur once; 'c1' is that of an earlier trace "
    "too.",
    LOG.replace('"2011-10-02T00:00:00Z"', '"2 Oct 2011"'): "the stream: line 24, column 'time:timestamp': an order in "
    "texts must be numbers, or dates and times such as 2024-03-01 or 2024-03-01T09:30; got '2 Oct 2011', and as texts "
    "'10' comes before '9', 'Feb' before 'Jan'. Convert it, or sort the table and leave out the column.",
    "<log><trace>" + "".join(f'<int key="{k}" value="1"/>' for k in range(1001)): "the stream: line 1: there must be at "
    "most 1,000 attributes; got more.",
}  # fmt: skip


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: text[:40])
def test_refused_logs(text: str) -> None:
    with pytest.raises(cp.errors.FormatError) as caught:
        cp.read_sample(stream(text), format="xes")
    assert str(caught.value) == REFUSED[text]


def test_many_different_attributes_are_refused() -> None:
    events = "".join(f'<event><int key="{k}" value="1"/></event>' for k in range(1001))
    with pytest.raises(cp.errors.FormatError, match="must have at most 1,000 different attributes; got more"):
        cp.read_sample(stream(f"<log><trace>{events}</trace></log>"), format="xes")


class Growing(io.RawIOBase):
    """A log that goes on for a number of bytes, made as it is read."""

    def __init__(self, head: bytes, body: Any, size: int) -> None:
        self.left, self.head, self.body, self.number = size, head, body, 0

    def read(self, size: int = -1) -> bytes:
        """Some bytes, the first ones the head."""
        if self.left <= 0:
            return b""
        found, self.head = self.head, b""
        while len(found) < size:
            found += self.body(self.number)
            self.number += 1
        self.left -= len(found)
        return found + (b"</log>" if self.left <= 0 else b"")


def test_a_long_log_is_read_in_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xes, "ROWS", 1000)
    monkeypatch.setattr(xes, "BLOCK", 1 << 16)
    event = b'<event><string key="concept:name" value="a"/></event>' * 50
    log: Any = Growing(
        b"<log>", lambda k: b'<trace><string key="concept:name" value="%d"/>%s</trace>' % (k, event), 1 << 22
    )
    tracemalloc.start()
    try:
        total = sum(len(chunk.words) for chunk in cp.files.read_chunks(log, format="xes"))
        assert tracemalloc.get_traced_memory()[1] < 1 << 24
    finally:
        tracemalloc.stop()
    assert total == log.number > 1000


def test_a_value_without_end_is_refused_before_it_fills_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(xes, "LONGEST_LINE", 1 << 22)
    log: Any = Growing(b'<log><trace><string key="', lambda _: b"a" * 1024, 1 << 26)
    with pytest.raises(
        cp.errors.FormatError, match=r"line 1: an element must have at most 4,194,304 bytes; it has more"
    ):
        cp.read_sample(log, format="xes")
    assert log.left > 1 << 25


def test_a_log_that_unpacks_out_of_proportion(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "ALWAYS_FINE", 1 << 20)
    (tmp_path / "log.xes.gz").write_bytes(gzip.compress(b"<log>" + b" " * (1 << 24) + b"</log>"))
    with pytest.raises(cp.errors.InvalidFile, match="must grow by at most a factor of 200 when it is decompressed"):
        cp.read_sample(tmp_path / "log.xes.gz")
