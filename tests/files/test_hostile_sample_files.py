"""Files of words that nobody should pass: a sentence with file, line and column, in bounded memory, never a traceback."""

import gzip
import io
import os
import random
import re
import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings, strategies as st

import cutpoint as cp
from cutpoint.files import streams

GZ = gzip.compress(b"1\tab\n" * 1000)
CASES: dict[str, tuple[str, bytes, dict[str, Any], str]] = {
    "empty": ("f.tsv", b"", {}, "f.tsv: the file is empty."),
    "empty, ndjson": ("f.ndjson", b"\n\n", {}, "f.ndjson: the file is empty."),
    "header alone": ("f.tsv", b"word\tlabel\n", {}, "f.tsv: the file has a header and no rows."),
    "header of events alone": ("f.tsv", b"id\tevent\n", {}, "f.tsv: the file has a header and no rows."),
    "cut off": ("f.tsv.gz", GZ[:-9], {}, "f.tsv.gz: the compressed file ends too early. Get a complete copy."),
    "flipped bytes": (
        "f.tsv.gz",
        GZ[:10] + b"\xff\xff\xff" + GZ[13:],
        {},
        "f.tsv.gz: the file cannot be decompressed (Error -3 while decompressing data: invalid block type).",
    ),
    "not compressed": (
        "f.tsv.gz",
        b"1\tab\n",
        {},
        "f.tsv.gz: the file cannot be decompressed (Not a gzipped file (b'1\\t')).",
    ),
    "not said to be compressed": ("f.tsv", GZ, {}, "f.tsv: the file is compressed; its name must then end in .gz."),
    "latin-1": (
        "f.tsv",
        b"1\tab\n0\tcaf\xe9\n",
        {},
        "f.tsv: line 2: the text must be UTF-8; byte 6 of the line is 0xe9. Convert the file. Or open it with encoding=… "
        "and pass the open file.",
    ),
    "utf-16": (
        "f.tsv",
        "1\tab\n".encode("utf-16"),
        {},
        "f.tsv: line 1: the text must be UTF-8; it is UTF-16. Convert it.",
    ),
    "NUL": (
        "f.tsv",
        b"1\tab\n0\ta\0b\n",
        {},
        "f.tsv: line 2: a text must not contain NUL characters. Is it UTF-16, or a binary file?",
    ),
    "old Macintosh": (
        "f.tsv",
        b"1\tab\r0\tb\r",
        {},
        "f.tsv: line 1: a carriage return must be followed by a newline; one is not.",
    ),
    "ragged, short": ("f.tsv", b"1\tab\n0\n", {}, "f.tsv: line 2: expected 2 columns, as in the first row; got 1."),
    "ragged, long": (
        "f.tsv",
        b"1\tab\n0\tb\tc\n",
        {},
        "f.tsv: line 2: expected 2 columns, as in the first row; got 3.",
    ),
    "ragged so that the cells fit": (
        "f.tsv",
        b"1\tab\n0\n1\tab\tc\n",
        {},
        "f.tsv: line 2: expected 2 columns, as in the first row; got 1.",
    ),
    "ragged, with quotes": (
        "f.csv",
        b'word,label\n"ab",1\n"a\nb"\n',
        {},
        "f.csv: line 3: expected 2 columns, as in the first row; got 1.",
    ),
    "a quote never closed": (
        "f.csv",
        b'word,label\nab,1\n"ab,1\nb,0\n',
        {},
        "f.csv: line 3: a quote opened in this row is not closed before the file ends.",
    ),
    "a quote inside": (
        "f.csv",
        b'word,label\n"a\nb",1\na"b,1\n',
        {},
        'f.csv: line 4: column 1: a cell with quotes must begin and end with one, and have any others doubled (""); it does not.',
    ),
    "text after a quote": (
        "f.csv",
        b'word,label\nab,"1"x\n',
        {},
        'f.csv: line 2: column 2: a cell with quotes must begin and end with one, and have any others doubled (""); it does not.',
    ),
    "no such column": (
        "f.csv",
        b"word,label\nab,1\n",
        {"accepted": "lable"},
        "f.csv: accepted must be one of the columns {'word', 'label'}; got 'lable'. Did you mean 'label'?",
    ),
    "a column twice": (
        "f.csv",
        b"word,word\nab,1\n",
        {"word": "word"},
        "f.csv: word must be one column; 2 have the name 'word'. Give a number.",
    ),
    "no such number": ("f.csv", b"ab,1\n", {"word": 3}, "f.csv: word must be one of the columns {1, 2}; got 3."),
    "a name without names": (
        "f.csv",
        b"ab,1\n",
        {"word": "w", "header": False},
        "f.csv: word must be one of the columns {1, 2}; got 'w'.",
    ),
    "two that could be": (
        "f.csv",
        b"word,label,outcome\nab,1,0\n",
        {},
        "f.csv: columns 2 and 3 could be 'accepted', by their names. Choose one with accepted=….",
    ),
    "none that could be": (
        "f.csv",
        b"path,label\nab,1\n",
        {},
        "f.csv: no column is called word, words, sequence, symbols, text or string; the columns are {'path', "
        "'label'}. Choose one with word=…. Or, if rows are events, name id=… and event=…, and outcome=….",
    ),
    "two columns of outcomes": (
        "f.tsv",
        b"1\t0\n0\t1\n",
        {},
        "f.tsv: the table has 2 columns and no header with known names, so they must be given. Number "
        "them, as in word=2 accepted=1. Or pass header=True if the first row has names.",
    ),
    "an outcome that is none": (
        "f.tsv",
        b"word\tlabel\nab\t1\nb\tmaybe\n",
        {},
        "f.tsv: line 3, column 'label': an outcome must be 1 or 0, true or false, yes or no, accepted or rejected, "
        "positive or negative, or empty if it is not known; got 'maybe'. Name the value that means accepted with "
        "positive=….",
    ),
    "a positive that is not there": (
        "f.tsv",
        b"word\tlabel\nab\tx\nb\ty\n",
        {"positive": "z"},
        "f.tsv: positive must be an outcome that some row has; none has 'z'.",
    ),
    "a positive that no event has": (
        "f.csv",
        b"id,event,label\n7,a,1\n8,b,0\n",
        {"positive": "z"},
        "f.csv: column 'label': positive must be one of the outcomes {'1', '0'}; got 'z'.",
    ),
    "outcomes in some rows alone": (
        "f.tsv",
        b"1\tab\n0\tb\nmaybe\tb\n",
        {},
        "f.tsv: the table has 2 columns and no header with known names, so they must be given. Number "
        "them, as in word=2 accepted=1. Or pass header=True if the first row has names.",
    ),
    "a count that is none": (
        "f.tsv",
        b"word\tcount\nab\t1e999\n",
        {},
        "f.tsv: line 2, column 'count': a count must be a number, finite and not negative; got '1e999'.",
    ),
    "counts of zero": (
        "f.tsv",
        b"word\tcount\nab\t0\n",
        {},
        "f.tsv: at least one observation must have a positive count; none has.",
    ),
    "states that do not fit": (
        "f.tsv",
        b"a b\tp q\n",
        {"word": 1, "states": 2},
        "f.tsv: line 1, column 2: there must be 3 values for a word of 2 symbols, one before the first symbol and one after "
        "each; got 2.",
    ),
    "verdicts that are none": (
        "f.ndjson",
        b'{"word": "a", "verdicts": [0, 7]}',
        {},
        "f.ndjson: line 1, column 'verdicts': verdicts must be 1, 0, true, false or missing; got [0, 7].",
    ),
    "an outcome against the last verdict": (
        "f.ndjson",
        b'{"word": "a", "verdicts": [0, 1], "label": 0}',
        {},
        "f.ndjson: line 1, column 'verdicts': the last verdict and the outcome must agree, as both are about the whole word.",
    ),
    "states that are no names": (
        "f.ndjson",
        b'{"word": "a", "states": ["p", [["q"]]]}',
        {},
        "f.ndjson: line 1, column 'states': states must be names, lists of names, or null where none was seen; got [['q']].",
    ),
    "counts whose sum is too large": (
        "f.tsv",
        b"word\tcount\na\t1e308\n",
        {},
        "f.tsv: counts must have a sum of at most 1e+300; scale them down.",
    ),
    "events in conflict": (
        "f.csv",
        b"id,event,label\n7,a,1\n8,b,0\n7,c,no\n",
        {},
        "f.csv: line 4, column 'label': all rows of a case must agree; case '7' has '1' earlier and 'no' here.",
    ),
    "events without order": (
        "f.csv",
        b"id,event,order\n7,a,1\n8,b,\n",
        {},
        "f.csv: line 3, column 'order': the order of an event must not be missing. Leave out the row, or sort the table "
        "and leave out the column.",
    ),
    "not JSON": (
        "f.ndjson",
        b'{"word": "a"}\n{"word": }\n',
        {},
        "f.ndjson: line 2: column 10: the JSON is not valid (Expecting value).",
    ),
    "JSON, but no object": (
        "f.ndjson",
        b'["ab", 1]\n',
        {},
        'f.ndjson: line 1: each line must be an object such as {"word": "ab"}; got [\'ab\', 1].',
    ),
    "JSON with NaN": (
        "f.ndjson",
        b'{"word": "a", "count": NaN}\n',
        {},
        "f.ndjson: line 1: the JSON cannot be read (NaN is not JSON).",
    ),
    "JSON with a key twice": (
        "f.ndjson",
        b'{"word": "a", "word": "b"}\n',
        {},
        "f.ndjson: line 1: the key 'word' occurs twice in an object.",
    ),
    "JSON nested too deep": (
        "f.ndjson",
        b'{"word": ' + b"[" * 100_000 + b"}\n",
        {},
        "f.ndjson: line 1: the lists are nested too deeply.",
    ),
    "JSON with a huge number": (
        "f.ndjson",
        b'{"word": "a", "count": ' + b"9" * 5000 + b"}\n",
        {},
        "f.ndjson: line 1: the JSON cannot be read (Exceeds the limit (4300 digits) for integer string conversion: value "
        "has 5000 digits).",
    ),
    "symbols that are lists": (
        "f.ndjson",
        b'{"word": ["a", ["b"]]}\n',
        {},
        "f.ndjson: line 1, column 'word': position 2: a symbol must be a text or a number; got ['b'].",
    ),
    "a word that is an object": (
        "f.ndjson",
        b'{"word": {"a": 1}}\n',
        {},
        "f.ndjson: line 1, column 'word': expected a text or a list of symbols; got {'a': 1}. Read numbers as text.",
    ),
    "a label that is a list": (
        "f.ndjson",
        b'{"word": "a", "label": [1]}\n',
        {},
        "f.ndjson: line 1, column 'label': an outcome must be 1 or 0, true or false, yes or no, accepted or rejected, "
        "positive or negative, or empty if it is not known; got [1]. Name the value that means accepted with positive=….",
    ),
    "no Parquet": ("f.parquet", b"PAR1 but not really", {}, "f.parquet: the file cannot be read as Parquet ("),
    "Abbadingo without header": (
        "f.abbadingo",
        b"1 2 0 1\n",
        {},
        "f.abbadingo: line 1: expected the numbers of words and symbols, such as 20 2; got '1 2 0 1'.",
    ),
    "Abbadingo cut off": (
        "f.abbadingo",
        b"3 2\n1 2 0 1\n",
        {},
        "f.abbadingo: the header says 3 words; got 1. Is the file complete?",
    ),
    "Abbadingo with more": (
        "f.abbadingo",
        b"1 2\n1 2 0 1\n1 0\n",
        {},
        "f.abbadingo: line 3: the header says 1 word; there are more.",
    ),
    "Abbadingo with a wrong length": (
        "f.abbadingo",
        b"1 2\n1 3 0 1\n",
        {},
        "f.abbadingo: line 2: column 2: the length must be the number of symbols that follow; got '3' and 2 symbols.",
    ),
    "Abbadingo with a wrong label": (
        "f.abbadingo",
        b"1 2\n2 2 0 1\n",
        {},
        "f.abbadingo: line 2: column 1: a label must be 1, 0, or -1 for not known; got '2'.",
    ),
    "Abbadingo with too many symbols": (
        "f.abbadingo",
        b"1 2\n1 3 0 1 2\n",
        {},
        "f.abbadingo: the header says 2 symbols; there are {'0', '1', '2'}.",
    ),
    "Abbadingo that claims much": (
        "f.abbadingo",
        b"1 1000000000\n1 1 0\n",
        {},
        "f.abbadingo: line 1: the header claims 1,000,000,000 symbols; the limit is 100,000 symbols.",
    ),
    "PAutomaC with a length too long to read": (
        "f.pautomac",
        b"1 2\n" + b"9" * 5000 + b" 0\n",
        {},
        "f.pautomac: line 2: column 1: the length must be the number of symbols that follow; got "
        "'9999999999999999999999999999999999999999999999999999999999… and 1 symbol.",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_refused_with_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, case: str) -> None:
    name, content, options, sentence = CASES[case]
    monkeypatch.chdir(tmp_path)
    Path(name).write_bytes(content)
    with pytest.raises(cp.errors.FormatError) as caught:
        cp.read_sample(name, **options)
    found = str(caught.value)
    assert found == sentence if sentence.endswith(".") or "…" in sentence else found.startswith(sentence)


ARGUMENTS: dict[str, tuple[dict[str, Any], str]] = {
    "two kinds of table": (
        {"word": 1, "event": 2},
        "a table has one word per row (word) or one event per row (event); name columns of one kind only. The "
        "column with the outcome is accepted=… where rows are words, outcome=… where they are events.",
    ),
    "no such format": (
        {"format": "xls"},
        "format must be one of abbadingo, csv, ndjson, parquet, pautomac, tsv, xes; got 'xls'.",
    ),
    "a long delimiter": (
        {"format": "csv", "delimiter": "::"},
        "delimiter must be one character, not a quote or the end of a line; got '::'.",
    ),
    "a column that is no column": ({"word": 1.5}, "word must be the name or the number of a column; got 1.5."),
}


@pytest.mark.parametrize("case", ARGUMENTS)
def test_refused_arguments(case: str) -> None:
    options, sentence = ARGUMENTS[case]
    with pytest.raises(cp.errors.InvalidArgument) as caught:
        cp.read_sample(io.StringIO("ab\t1\n"), **options)
    assert str(caught.value) == sentence


def test_an_unknown_option_is_a_type_error() -> None:
    with pytest.raises(TypeError, match=r"^unexpected option 'wrod'; the options are \['accepted', 'alphabet', "):
        cp.read_sample(io.StringIO("ab"), wrod=1)  # type: ignore[call-arg]


def test_files_that_are_not_there(tmp_path: Path) -> None:
    for name in ("missing.tsv", "missing.parquet", "missing.tsv.gz"):
        with pytest.raises(cp.errors.InvalidFile, match=r"missing.*: the file cannot be opened \(No such file"):
            cp.read_sample(tmp_path / name)
    with pytest.raises(cp.errors.InvalidFile, match=r"the file cannot be opened \(Is a directory\)\.$"):
        cp.read_sample(tmp_path, format="tsv")
    with pytest.raises(cp.errors.InvalidFile, match=r"the file cannot be opened \(No such file\)\.$"):
        cp.read_sample("https://example.org/words.parquet")


def test_separators_that_come_late(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "BLOCK", 6)
    with pytest.raises(
        cp.errors.InvalidFile, match=r"^the stream: line 4, column 1: this word contains a blank, but none of the"
    ):
        cp.read_sample(io.StringIO("ab\nba\nab\na b\n"))
    with pytest.raises(
        cp.errors.InvalidFile, match=r"^the stream: 'label' first occurs after line 2; the first line must have it"
    ):
        cp.read_sample(io.StringIO('{"word": "a"}\n{"word": "a", "label": 1}\n'), format="ndjson")


@pytest.mark.parametrize("missing", ["polars", "zstd"])
def test_extras_are_named(tmp_path: Path, missing: str) -> None:
    hide = {"polars": "['polars']", "zstd": "['compression.zstd', 'backports.zstd']"}[missing]
    name = {"polars": "w.parquet", "zstd": "w.tsv.zst"}[missing]
    (tmp_path / name).write_bytes(b"")
    code = f"""
import sys
for module in {hide}: sys.modules[module] = None
import cutpoint as cp
try: cp.read_sample({str(tmp_path / name)!r})
except cp.errors.MissingExtra as problem: print(problem)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith('the extra data: pip install "cutpoint[data]".\n')


# Bombs: small files that become large.


def test_a_line_without_end_is_refused_before_it_fills_the_memory(tmp_path: Path) -> None:
    class Endless:
        def read(self, size: int) -> bytes:
            return b"a" * size

    bomb = tmp_path / "line.tsv.gz"
    with gzip.open(bomb, "wb", compresslevel=1) as file:
        for _ in range(120):
            file.write(b"a" * (1 << 20))
    sources: list[tuple[Any, str]] = [
        (Endless(), "the stream: line 1: a line must have at most 67,108,864 bytes; it has more."),
        (bomb, f"{bomb}: the file must grow by at most a factor of 200 when it is decompressed; it grows by more. "),
    ]
    for source, sentence in sources:
        tracemalloc.start()
        try:
            with pytest.raises(cp.errors.InvalidFile, match="^" + re.escape(sentence)):
                cp.read_sample(source)
            assert tracemalloc.get_traced_memory()[1] < 2 * streams.LONGEST_LINE
        finally:
            tracemalloc.stop()


def test_a_quote_without_end_is_refused_before_it_fills_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cutpoint.files.delimited.LONGEST_LINE", 1000)
    monkeypatch.setattr(streams, "BLOCK", 100)
    with pytest.raises(
        cp.errors.InvalidFile, match=r"line 2: a quote opened in this row is not closed within 1,000 characters\.$"
    ):
        cp.read_sample(io.StringIO('word\n"' + "ab\n" * 10_000), format="csv")


def test_a_file_that_grows_out_of_proportion_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "ALWAYS_FINE", 1 << 20)
    monkeypatch.setattr(streams, "BLOCK", 1 << 16)
    path = tmp_path / "rows.tsv.gz"
    path.write_bytes(gzip.compress(b"1\tab\n" * (1 << 20)))
    with pytest.raises(
        cp.errors.InvalidFile, match=r"must grow by at most a factor of 200 when it is decompressed; it grows by"
    ):
        cp.read_sample(path)
    monkeypatch.setattr(streams, "ALWAYS_FINE", 1 << 26)
    assert cp.read_sample(path).counts.tolist() == [1 << 20]


# Fuzz: files with bytes changed, cut, doubled.

VALID = {
    "tsv": b"word\taccepted\tcount\nlook buy\t1\t2\nlook\t0\t1\n\t?\t1\n",
    "csv": b'id,order,event,outcome\n7,1,"look",yes\n7,2,"b""uy\n",\n8,2024-01-01,look,no\n',
    "ndjson": b'{"word": ["look", "buy"], "accepted": true, "states": ["p", null, ["p", "q"]]}\n{"word": "ab", "count": 2}\n',
    "abbadingo": b"3 2\n1 2 0 1\n0 1 0\n-1 0\n",
    "pautomac": b"2 2\n2 0 1\n1 0\n",
    "xes": b'<log><trace><string key="concept:name" value="7"/><string key="label" value="yes"/><event><string '
    b'key="concept:name" value="look"/><date key="time:timestamp" value="2024-01-01"/><int key="n" value="1"/></event>'
    b'</trace>\n<trace><string key="concept:name" value="8"/></trace></log>',
}


PIECES = [b"\t", b"\n", b'"', b",", b" ", b"\r", b"\0", b"\xff", b"[", b"{}", b"[]", b"null", b"-1", b"1e999", b"nan"]
PIECES += [b"<", b">", b"</trace>", b"<event>", b"<trace/>", b"&lt;", b"&a;", b"<!DOCTYPE log>", b"<!--", b"key="]


def mutated(rng: random.Random, content: bytes) -> bytes:
    """Content with pieces put in, cut out or doubled."""
    for _ in range(rng.randint(1, 4)):
        i, j = sorted(rng.choices(range(len(content) + 1), k=2))
        content = rng.choice(
            [
                content[:i] + rng.choice(PIECES) + content[i:],
                content[:i] + rng.choice(PIECES) + content[j:],
                content[:i] + content[j:],
                content[:j] + content[i:j] + content[j:],
            ]
        )
    return content


def is_sample_or_sentence(source: Any, name: str, **options: Any) -> bool:
    try:
        return cp.read_sample(source, **options).total > 0
    except cp.errors.InvalidFile as problem:
        return str(problem).startswith(f"{name}: ") and "\n" not in str(problem)


@pytest.mark.filterwarnings("ignore::cutpoint.errors.CharactersWarning")
@pytest.mark.parametrize("kind", VALID)
@given(seed=st.integers(0, 2**32 - 1), block=st.sampled_from([8, 1 << 20]))
@settings(max_examples=1200)
def test_any_change_gives_a_sample_or_a_sentence(kind: str, seed: int, block: int) -> None:
    content = mutated(random.Random(seed), VALID[kind])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streams, "BLOCK", block)
        assert is_sample_or_sentence(io.BytesIO(content), "the stream", format=kind), content


@pytest.mark.filterwarnings("ignore::cutpoint.errors.CharactersWarning")
@pytest.mark.parametrize("kind", ["parquet", "tsv.gz"])
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=300)
def test_any_change_of_a_file_that_is_not_text(tmp_path_factory: pytest.TempPathFactory, kind: str, seed: int) -> None:
    rng, table = random.Random(seed), io.BytesIO()
    pl.DataFrame({"word": ["ab", "b"], "label": [True, None]}).write_parquet(table)
    changed = bytearray(GZ if kind == "tsv.gz" else table.getvalue())
    for _ in range(rng.randint(1, 5)):
        changed[rng.randrange(len(changed))] = rng.randrange(256)
    path = tmp_path_factory.getbasetemp() / f"{os.getpid()}.{kind}"
    path.write_bytes(changed[: rng.randint(len(changed) // 2, 3 * len(changed) // 2)])
    assert is_sample_or_sentence(path, str(path))
