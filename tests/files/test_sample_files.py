"""Samples in files: every format gives the same sample, reading undoes writing, files are read in one pass."""

import bz2
import csv
import gzip
import io
import json
import lzma
import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings, strategies as st

import cutpoint as cp
from cutpoint.files import streams
from tests.strategies import KINDS, acceptors, samples

SAMPLE = cp.Sample(
    [["look", "buy"], ["look"], [], ["look", "buy"]], accepted=[True, False, None, True], counts=[1, 1, 1, 1]
)
LONG = "who,at,what,sold\n8,1,look,no\n7,10,buy,yes\n7,9,look,\n9,,,\n"
TEXTS = {
    "no header.tsv": "1\tlook buy\n0\tlook\n\t\nyes\tlook buy\n",
    "other order.tsv": "look buy\tTrue\nlook\tFalse\n\t\nlook buy\tTrue\n",
    "header.tsv": "id\tlabel\tsequence\n7\t1\tlook buy\n8\t0\tlook\n9\t\t\n10\t1\tlook buy\n",
    "counts.txt": "count\tword\taccepted\n2\tlook buy\t1\n1\tlook\t0\n1\t\t?\n",
    "windows.tsv": "\ufeffword\taccepted\r\nlook buy\t1\r\nlook\t0\r\n\t\r\nlook buy\t1",
    "blank lines.tsv": "\n1\tlook buy\n\n0\tlook\n\t\n1\tlook buy\n\n",
    "commas.csv": 'Accepted,Word\n1,look buy\n0,"look"\n,\n1,"look buy"\n',
    "objects.ndjson": '{"word": ["look", "buy"], "accepted": true}\n{"word": "look ", "accepted": 0}\n\n'
    '{"accepted": null, "word": "", "more": {}}\n{"word": "look buy", "accepted": "yes"}\n',
    "lines.jsonl": '{"text": "look buy", "label": 1, "count": 2}\n{"text": "look", "label": 0, "count": 1}\n'
    '{"text": [], "count": 1}\n',
    "names.abbadingo": "4 2\n1 2 look buy\n0 1 look\n-1 0\n1 2 look buy\n",
    "events.csv": "id,time,event,outcome\n7,2024-02-01,buy,1\n8,2024-02-01,look,0\n7,2024-01-31,look,\n9,2024-01-01,,\n"
    "10,2024-01-01,look,yes\n10,2024-01-02,buy,yes\n",
    "events.tsv": "event\tid\nlook\t7\nbuy\t7\nlook\t8\n\t9\nlook\t10\nbuy\t10\n",
}


@pytest.mark.parametrize("name", TEXTS)
def test_the_same_sample_in_every_format(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(TEXTS[name].encode())
    labels = cp.Sample(SAMPLE.words, counts=SAMPLE.counts) if name == "events.tsv" else SAMPLE
    assert cp.read_sample(path) == labels
    assert cp.read_sample(str(path)) == labels


@pytest.mark.parametrize("block", [1, 2, 7, 30])
@pytest.mark.parametrize(
    "name", [name for name in TEXTS if name not in ("other order.tsv", "no header.tsv", "blank lines.tsv")]
)
def test_blocks_of_any_size_give_the_same_sample(monkeypatch: pytest.MonkeyPatch, name: str, block: int) -> None:
    monkeypatch.setattr(streams, "BLOCK", block)
    kind = {"abbadingo": "abbadingo", "csv": "csv", "ndjson": "ndjson", "jsonl": "ndjson"}.get(
        name.split(".")[1], "tsv"
    )
    found = cp.read_sample(io.BytesIO(TEXTS[name].encode()), format=kind)
    assert found == (cp.Sample(SAMPLE.words, counts=SAMPLE.counts) if name == "events.tsv" else SAMPLE)


@pytest.mark.parametrize("extension", [".gz", ".bz2", ".xz", ".zst"])
def test_compression_by_extension(tmp_path: Path, extension: str) -> None:
    for name in ("sample.tsv", "sample.ndjson", "sample.abbadingo"):
        path = tmp_path / (name + extension)
        cp.write_sample(SAMPLE, path)
        assert cp.read_sample(path) == SAMPLE
        first = path.read_bytes()
        if extension == ".gz":
            assert first[4:8] == bytes(4)  # no time of writing: the same sample gives the same bytes
    magic = {".gz": b"\x1f\x8b", ".bz2": b"BZh", ".xz": b"\xfd7zXZ", ".zst": b"\x28\xb5\x2f\xfd"}
    assert first.startswith(magic[extension])


def test_members_one_after_the_other_are_one_file(tmp_path: Path) -> None:
    for pack, extension in ((gzip.compress, ".gz"), (bz2.compress, ".bz2"), (lzma.compress, ".xz")):
        path = tmp_path / f"two.tsv{extension}"
        path.write_bytes(pack(b"1\tab\n0\t") + pack(b"b\n"))
        assert cp.read_sample(path) == cp.Sample(["ab", "b"], [True, False])


def test_parquet(tmp_path: Path) -> None:
    words = {"word": [["look", "buy"], ["look"], [], ["look", "buy"]], "label": [True, False, None, True]}
    texts = {"text": ["look buy", "look", "", "look buy"], "label": [1, 0, None, 1]}
    pl.DataFrame(words).write_parquet(tmp_path / "words.parquet")
    pl.DataFrame(texts).write_parquet(tmp_path / "texts.parquet")
    pl.read_csv(io.StringIO(LONG), try_parse_dates=True).with_columns(at=pl.col("at").fill_null(0)).write_parquet(
        tmp_path / "events.parquet"
    )
    assert cp.read_sample(tmp_path / "words.parquet") == cp.read_sample(tmp_path / "texts.parquet") == SAMPLE
    with open(tmp_path / "words.parquet", "rb") as file:
        assert cp.read_sample(file) == SAMPLE
    events = cp.read_sample(tmp_path / "events.parquet", id="who", order="at", event="what", outcome="sold")
    assert events == cp.Sample([["look"], ["look", "buy"], []], [False, True, None])


def test_parquet_comes_in_slices(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cutpoint.files.parquet.SLICE", 3)
    words = [f"{k:b}" for k in range(8)]
    pl.DataFrame({"word": words}).write_parquet(tmp_path / "w.parquet")
    chunks = list(cp.files.read_chunks(tmp_path / "w.parquet"))
    assert [list(chunk.lines) for chunk in chunks] == [[1, 2, 3], [4, 5, 6], [7, 8]]
    assert [word for chunk in chunks for word in chunk.words] == words


def test_columns_by_name_and_number() -> None:
    table = "seq,sold,n\nab,0,2\nb,1,3\n"
    expected = cp.Sample(["ab", "b"], [False, True], counts=[2, 3])
    for columns in (
        {"word": "seq", "accepted": "sold", "weight": "n"},
        {"word": 1, "accepted": 2, "weight": 3, "header": True},
    ):
        found = cp.read_sample(io.StringIO(table), format="csv", **columns)
        assert found == expected
    rows = io.StringIO(table.split("\n", 1)[1])
    assert cp.read_sample(rows, format="csv", word=1, accepted=2, weight=3, delimiter=",") == expected
    semicolons = io.StringIO(table.replace(",", ";"))
    assert cp.read_sample(
        semicolons, format="csv", delimiter=";", word="seq", positive="0", accepted="sold"
    ) == cp.Sample(["ab", "b"], [True, False])


def test_a_long_table_of_events_by_the_names_of_its_columns() -> None:
    rows = LONG.replace("9,,,\n", "9,0,,\n")
    columns: Any = {"id": "who", "order": "at", "event": "what", "outcome": "sold"}
    expected = cp.Sample([["look"], ["look", "buy"], []], [False, True, None])
    assert cp.read_sample(io.StringIO(rows), format="csv", **columns) == expected
    (chunk,) = cp.files.read_chunks(io.StringIO(rows), format="csv", **columns)
    assert (chunk.ids, list(chunk.lines)) == (["8", "7", "9"], [2, 3, 5])
    numbers: Any = {"id": 1, "order": 2, "event": 3, "outcome": 4}
    assert cp.read_sample(io.StringIO(rows.split("\n", 1)[1]), format="csv", **numbers) == expected
    late = io.StringIO("id,event,verdict\n1,a,0\n1,b,1\n")
    assert cp.read_sample(late, format="csv") == cp.Sample(["ab"], verdicts=[[None, False, True]])


def test_the_earlier_and_the_later_words() -> None:
    rows = "text,day,count,label\nab,9,2,1\nb,10,1,0\na,8,1,1\nab,10,0,0\nab,7,1,1\n"
    earlier, later = cp.files.read_split(io.StringIO(rows), "day", 0.3, format="csv")
    assert earlier == cp.Sample(["a", "ab"], [True, True], alphabet="ab")
    assert later == cp.Sample(["ab", "b"], [True, False], counts=[2, 1])  # words of one day stay together
    assert (earlier.ids, later.ids) == ((4, 6), (2, 3))
    for day, sentence in (
        ("x", "line 3, column 'day': an order in texts must be numbers, or dates and times such as 2024-03-01"),
        ("", "line 3, column 'day': the value to split by must not be missing. Leave out the row.$"),
    ):
        with pytest.raises(cp.errors.FormatError, match=f"^the stream: {sentence}"):
            cp.files.read_split(io.StringIO(rows.replace("b,10,1", f"b,{day},1")), "day", 0.3, format="csv")


def test_characters_and_separators() -> None:
    def words(text: str, **options: Any) -> Any:
        return next(cp.files.read_chunks(io.StringIO(text), **options)).words

    assert list(words("ab\nb\n")) == ["ab", "b"]
    assert list(words("ab b\nab\n")) == [["ab", "b"], ["ab"]]
    assert list(words("ab b\nab\n", separator="")) == ["ab b", "ab"]
    assert list(words("ab\nb\n", separator=" ")) == [["ab"], ["b"]]
    assert list(words("ab>b\nab\n", separator=">")) == [["ab", "b"], ["ab"]]
    assert list(words("ab\n", alphabet=["ab", "b"])) == [["ab"]]
    assert list(words("a b\n", alphabet=" ab")) == ["a b"]
    assert list(words("1 0\n", alphabet=[0, 1])) == [[1, 0]]
    assert list(words("1\t1\n0\t0\n", word=1, accepted=2)) == ["1", "0"]


def test_pautomac_and_the_alphabet_that_a_file_declares() -> None:
    sample = cp.read_sample(io.StringIO("3 12\n2 0 11\n0\n2 0 11\n"), format="pautomac")
    assert sample == cp.Sample([["0", "11"], []], counts=[2, 1], alphabet=[str(k) for k in range(12)])
    named = cp.read_sample(io.StringIO("2 3\n1 1 x\n0 1 y\n"), format="abbadingo")
    assert named == cp.Sample(["x", "y"], [True, False])
    given = cp.read_sample(io.StringIO("1 2\n1 2 0 1\n"), format="abbadingo", alphabet=[1, 0])
    assert given == cp.Sample([[0, 1]], [True], alphabet=[1, 0])


def test_leading_empty_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "BLOCK", 1)
    assert cp.read_sample(io.StringIO("\n\n1\tab\n"), word=2, accepted=1) == cp.Sample(["ab"], [True])
    assert cp.read_sample(io.StringIO("\n\nab\n")) == cp.Sample(["", "ab"], counts=[2, 1])
    assert cp.read_sample(io.StringIO("\n\n")).counts.tolist() == [2]


def test_names_tell_the_format(tmp_path: Path) -> None:
    path = tmp_path / "7.pautomac.train"
    path.write_text("1 2\n2 0 1\n")
    assert cp.read_sample(path) == cp.Sample(["01"])
    with pytest.raises(
        cp.errors.InvalidArgument,
        match=r"the format is not clear from the name 'x\.dat'\. Names may end in .* Or pass format=…, one of",
    ):
        cp.read_sample(tmp_path / "x.dat")


def test_standard_input_and_open_files(tmp_path: Path) -> None:
    code = "import cutpoint as cp; print(cp.read_sample('-'))"
    done = subprocess.run(
        [sys.executable, "-c", code], input="1\tab\n0\tb\n", capture_output=True, text=True, check=True
    )
    assert done.stdout == "Sample(2 observations, 2 distinct, alphabet 'ab', lengths 1 to 2: 1 accepted, 1 rejected)\n"
    path = tmp_path / "latin.csv"
    path.write_bytes("word\né\n".encode("latin-1"))
    with open(path, encoding="latin-1") as file:
        assert cp.read_sample(file) == cp.Sample(["é"])


class Endless:
    """A file of a thousand million rows, which counts the bytes that were asked of it."""

    def __init__(self) -> None:
        self.given = 0

    def read(self, size: int) -> bytes:
        self.given += size
        return b"1\tabab\n" * (size // 7)


def test_a_file_is_read_in_one_pass_a_block_at_a_time() -> None:
    source: Any = Endless()
    for k, chunk in zip(range(3), cp.files.read_chunks(source, accepted=1, word=2), strict=False):
        assert source.given == (k + 1) * streams.BLOCK
        assert len(chunk.words) == len(chunk.lines) <= streams.BLOCK // 7
    assert chunk.lines[0] == 2 * len(chunk.words) + 1


def test_unknown_symbols_are_told_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "w.tsv"
    path.write_text("0\t0 1\n1\t1 2\n")
    with pytest.raises(cp.errors.UnknownSymbol) as caught:
        list(cp.files.read_chunks(path, alphabet=cp.p_adic(2).alphabet))
    assert str(caught.value) == f"{path}: line 2, position 2: symbol '2' is not in the alphabet {{'0', '1'}}."


# Reading undoes writing.

SYMBOL = st.text(st.characters(exclude_categories=["Cs"], exclude_characters=" \t\n\r\0"), min_size=1, max_size=3)


COUNT = st.sampled_from([1, 2, 0.125, 1e-9, 7e20])


@st.composite
def text_samples(draw: st.DrawFn, symbol: Any = SYMBOL, counts: Any = COUNT) -> Any:
    alphabet = draw(st.lists(symbol, min_size=1, max_size=4, unique=True))
    words = draw(st.lists(st.lists(st.sampled_from(alphabet), max_size=4), min_size=1, max_size=5))
    accepted = draw(st.lists(st.sampled_from([True, False, None]), min_size=len(words), max_size=len(words)))
    weights = draw(st.lists(counts, min_size=len(words), max_size=len(words)))
    return cp.Sample(words, accepted, counts=weights)


def again(sample: cp.Sample, name: str, folder: Path, **options: Any) -> cp.Sample:
    cp.write_sample(sample, folder / name)
    return cp.read_sample(folder / name, **options)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)  # what a disk does is not tested here, and takes most of the time
        yield tmp_path_factory.mktemp("samples")


@given(sample=text_samples())
def test_tsv_there_and_back(folder: Path, sample: cp.Sample) -> None:
    assert again(sample, "s.tsv", folder) == sample


@given(sample=text_samples())
def test_tsv_there_and_back_in_small_blocks(folder: Path, sample: cp.Sample) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streams, "BLOCK", 16)
        patch.setattr("cutpoint.files.samples.MERGED_AT", 8)
        assert again(sample, "t.tsv", folder) == sample


@given(
    sample=text_samples(
        st.one_of(st.text(min_size=1, max_size=2), st.integers(), st.floats(allow_nan=False, allow_infinity=False))
    )
)
def test_ndjson_there_and_back(folder: Path, sample: cp.Sample) -> None:
    assert again(sample, "s.ndjson", folder, alphabet=sample.alphabet) == sample


def test_ndjson_with_blanks_that_are_symbols(folder: Path) -> None:
    sample = cp.Sample(["a b", " "], [True, False])
    assert again(sample, "blanks.ndjson", folder) == sample


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
@settings(max_examples=40)
def test_ndjson_holds_all_that_was_seen(folder: Path, kind: str, data: st.DataObject) -> None:
    sample = data.draw(samples(data.draw(acceptors()), kind))
    assert again(sample, "all.ndjson", folder, alphabet=sample.alphabet) == sample


def test_abbadingo_cannot_hold_null_characters(tmp_path: Path) -> None:
    with pytest.raises(cp.errors.InvalidArgument, match=r"Abbadingo holds symbols that are texts without blanks"):
        cp.write_sample(cp.Sample([["a\0"]], [True]), tmp_path / "s.abbadingo")


@given(sample=text_samples(SYMBOL.filter(lambda symbol: symbol.split() == [symbol]), st.integers(1, 3)))
def test_abbadingo_there_and_back(folder: Path, sample: cp.Sample) -> None:
    assert again(sample, "s.abbadingo", folder, alphabet=sample.alphabet) == sample
    declared = cp.read_sample(folder / "s.abbadingo").alphabet
    assert declared == cp.data.Alphabet(sorted(map(str, declared))) or [*declared] == [
        str(k) for k in range(len(declared))
    ]


@given(
    rows=st.lists(
        st.tuples(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\0")), st.booleans())
    ),
    delimiter=st.sampled_from(",;|"),
    block=st.sampled_from([5, 64, 1 << 20]),
)
def test_csv_as_the_standard_library_writes_it(rows: list[tuple[str, bool]], delimiter: str, block: int) -> None:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows([("text", "label"), *rows])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streams, "BLOCK", block)
        chunks = cp.files.read_chunks(io.StringIO(text.getvalue()), format="csv", delimiter=delimiter, separator="")
        if not rows:
            with pytest.raises(cp.errors.InvalidFile, match=r"the file has a header and no rows\.$"):
                list(chunks)
            return
        found = [row for chunk in chunks for row in zip(chunk.words, chunk.accepted or (), chunk.lines, strict=True)]
    lines = accumulate((word.count("\n") + 1 for word, _ in rows[:-1]), initial=2)
    assert found == [(*row, line) for row, line in zip(rows, lines, strict=True)]


@pytest.mark.parametrize(
    ("sample", "name", "sentence"),
    [
        (cp.Sample([[1]]), "s.tsv", "TSV holds symbols that are texts without blanks; got 1. Write NDJSON."),
        (cp.Sample(["a b"]), "s.tsv", "TSV holds symbols that are texts without blanks; got ' '. Write NDJSON."),
        (
            cp.Sample(["a"], states=[["p", "q"]]),
            "s.tsv",
            "TSV cannot hold what was seen along the words. Write NDJSON.",
        ),
        (
            cp.Sample(["a"], states=[["p", "q"]]),
            "s.abbadingo",
            "Abbadingo cannot hold what was seen along the words. Write NDJSON.",
        ),
        (
            cp.Sample([["a\u00a0b"]]),
            "s.abbadingo",
            "Abbadingo holds symbols that are texts without blanks; got 'a\\xa0b'. Write NDJSON.",
        ),
        (
            cp.Sample(["a"], counts=[0.5]),
            "s.abbadingo",
            "Abbadingo repeats an observation as often as it was seen; counts must be whole numbers.",
        ),
        (
            cp.Sample([[("a", 1)]]),
            "s.ndjson",
            "NDJSON holds symbols and states that are texts or numbers; got ('a', 1).",
        ),
        (cp.Sample(["a"]), "s.csv", "samples are written as tsv, ndjson, abbadingo or pautomac; got csv."),
    ],
)
def test_what_a_format_cannot_hold_is_said(tmp_path: Path, sample: cp.Sample, name: str, sentence: str) -> None:
    with pytest.raises(cp.errors.InvalidArgument) as caught:
        cp.write_sample(sample, tmp_path / name)
    assert str(caught.value) == sentence
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("symbols", ["01", ["look", "cart", "buy"], [str(k) for k in range(12)]], ids=len)
def test_simulated_data_are_read_without_options(tmp_path: Path, symbols: Any) -> None:
    truth = cp.random_acceptor(3, symbols, rng=1)
    words: Any = [*cp.random_words(symbols, 200, (0, 9), rng=2)]
    labels = [seen.accepted for word in words for seen in cp.simulate(truth, [word], rng=len(word))]
    texts = [" ".join(word) for word in words]
    (tmp_path / "words.tsv").write_text(
        "".join(f"{label:d}\t{text}\n" for label, text in zip(labels, texts, strict=True))
    )
    assert cp.read_sample(tmp_path / "words.tsv") == cp.Sample([[*word] for word in words], labels)
    paths = [["p", *("q" if symbol == symbols[0] else "p" for symbol in word)] for word in words]
    rows = [f"{text}\t{' '.join(path)}\n" for text, path in zip(texts, paths, strict=True)]
    (tmp_path / "states.tsv").write_text("".join(rows))
    expected = cp.Sample([[*word] for word in words], states=paths)
    assert cp.read_sample(tmp_path / "states.tsv", word=1, states=2) == expected


def test_quoted_cells_longer_than_the_limit_of_the_csv_module() -> None:
    word = "ab" * 100_000
    (chunk,) = cp.files.read_chunks(io.StringIO(f'word,label\n"{word}",1\n'), format="csv")
    assert chunk.words == [word]


def test_rows_that_end_in_later_blocks_do_not_pile_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "BLOCK", 8)
    text = "text\n" + '"a\nb\nc\nd"\n' * 50
    chunks = list(cp.files.read_chunks(io.StringIO(text), format="csv", separator=""))
    assert max(len(chunk.words) for chunk in chunks) <= 2
    assert [line for chunk in chunks for line in chunk.lines] == [*range(2, 202, 4)]


def test_json_of_a_written_sample(tmp_path: Path) -> None:
    cp.write_sample(cp.Sample(["ab"], states=[["p", None, {"p"}]]), tmp_path / "s.ndjson")
    assert json.loads((tmp_path / "s.ndjson").read_text()) == {
        "word": "ab",
        "accepted": None,
        "count": 1.0,
        "verdicts": None,
        "states": ["p", None, "p"],
    }


def test_a_label_of_abbadingo_can_be_named_as_positive() -> None:
    text = "3 2\n1 1 0\n0 1 1\n-1 0\n"
    sample = cp.read_sample(io.StringIO(text), format="abbadingo", positive="0")
    assert sample.accepted == (False, True, None)
