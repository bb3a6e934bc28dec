"""The row about outputs: names that try to become code, markup or commands stay names."""

import contextlib
import csv
import html.parser
import io
import json
import re
import sqlite3
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import cache
from pathlib import Path
from unittest.mock import patch

import numpy as np

import cutpoint as cp
from cutpoint.cli.app import _exit_code
from torture.scoreboard import Row

FRAGMENTS = [
    "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", '" onmouseover="x', "<!--", "]]>", "&lt;",
    "&#0;", "'; DROP TABLE events; --", "' OR 1=1 --", '"; --', "/*", "*/", "${alert(1)}", "`", "\\", "\\u0022",
    "\u2028", "\u2029", "\\input{/etc/passwd}", "}\\write18{ls}", "$x^2$", "%", "#", "~", "\\N", '"]; evil -> node; "',
    "->", ";", "=cmd|' /C calc'!A0", "+1", "@x", ",", "\t", "\n", "\r", '"', "'", "\x1b[2J", "\x1b]0;x\x07", "\x00",
    "\x7f", "\x9b", "\u202e", "\u2066", "é😀", "[red]", "{0}", "%s", "javascript:alert(1)", "a", " ", "null", "NaN",
    "../../x", "x" * 300,
]  # fmt: skip
TAGS = {"p", "div", "img", "table", "tr", "td", "th", "figure", "figcaption", "b"}
EVENTS = {"table": 'odd "table', "id": "the 'id'", "order": "select", "event": "what is; it"}


def names(rng: np.random.Generator, number: int) -> list[str]:
    """Different names, each of some fragments."""
    found = dict[str, None]()
    while len(found) < number:
        found["".join(FRAGMENTS[k] for k in rng.integers(0, len(FRAGMENTS), int(rng.integers(1, 4))))] = None
    return list(found)


def machine(states: list[str], symbols: list[str]) -> cp.Acceptor:
    """The same numbers, whatever the names."""
    steps = np.array([[[0.875, 0.125], [0.5, 0.5]], [[0.25, 0.75], [0.375, 0.625]]])
    return cp.Acceptor(states, symbols, steps, states[0], {states[1]})


def injection(seed: int) -> int:
    """Every output of a model and a sample with hostile names."""
    rng = np.random.default_rng(seed)
    named = names(rng, 8)
    acceptor = machine(named[:2], named[2:4])
    with tempfile.TemporaryDirectory() as folder:
        for output in OUTPUTS:
            output(acceptor, named, Path(folder))
    return len(OUTPUTS)


class _Page(html.parser.HTMLParser):
    """Tags and attributes of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags, self.attributes, self.addresses = set[str](), set[str](), set[str]()
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a tag."""
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)
        self.addresses.update(str(value) for name, value in attrs if name in ("src", "href"))


def _harmless(text: str) -> None:
    assert all(character.isprintable() or character in "\n\t" for character in text), repr(text)[:2000]


def _notebook(acceptor: cp.Acceptor, named: list[str], _: Path) -> None:
    sample = cp.Sample([[a, b] for a in named[2:4] for b in named[2:4]], [True, False, True, None])
    for value in (acceptor, sample):
        page = _Page(value._repr_html_())
        assert page.tags <= TAGS, page.tags
        assert not any(name.startswith("on") for name in page.attributes), page.attributes
        assert all(address.startswith("data:image/") for address in page.addresses), page.addresses


@cache
def _report_marks() -> tuple[set[str], set[str]]:
    """Tags and attributes of a report with plain names."""
    with tempfile.TemporaryDirectory() as folder:
        page = _report_page(machine(["p", "q"], ["a", "b"]), ["p", "q", "a", "b", "no", "yes", "title", "note"], folder)
    return page.tags, page.attributes


def _report_page(acceptor: cp.Acceptor, named: list[str], folder: str | Path) -> _Page:
    sample = cp.simulate(acceptor, cp.random_words(acceptor.alphabet, 30, (1, 4), rng=1), rng=2)
    fit = cp.baum_welch(acceptor, sample, max_steps=2)
    path = Path(folder, "page.html")
    about = {named[7]: named[6]}
    cp.report(fit, sample, path, title=named[6], outcomes=(named[5] + "1", named[4] + "2"), about=about)
    text = path.read_text()
    _harmless(text)
    return _Page(text)


def _report(acceptor: cp.Acceptor, named: list[str], folder: Path) -> None:
    page, (tags, attributes) = _report_page(acceptor, named, folder), _report_marks()
    assert page.tags <= tags, page.tags - tags
    assert page.attributes <= attributes, page.attributes - attributes
    assert not any("javascript:" in address for address in page.addresses), page.addresses


def _pictures(acceptor: cp.Acceptor, _: list[str], __: Path) -> None:
    plain = cp.draw(machine(["p", "q"], ["a", "b"]))
    picture = cp.draw(acceptor)
    tags = [{element.tag for element in ET.fromstring(each.svg).iter()} for each in (picture, plain)]
    assert tags[0] <= tags[1], tags[0] - tags[1]
    assert picture.svg.count("<g ") == plain.svg.count("<g "), "as many nodes and edges"
    assert len(picture.dot.splitlines()) == len(plain.dot.splitlines()), picture.dot


def _tikz(acceptor: cp.Acceptor, _: list[str], __: Path) -> None:
    text, plain = cp.drawing.to_tikz(acceptor), cp.drawing.to_tikz(machine(["p", "q"], ["a", "b"]))
    found = {command for command in re.findall(r"\\[a-zA-Z]+", text) if not command.startswith("\\text")}
    known = {*re.findall(r"\\[a-zA-Z]+", plain), "\\dots"}
    assert found <= known, found - known
    assert text.count("\\path") == plain.count("\\path"), text


def _saved(acceptor: cp.Acceptor, named: list[str], folder: Path) -> None:
    for suffix in ("json", "npz", "drn", "dot", "tra", "att"):
        path = folder / f"model.{suffix}"
        beside = suffix in ("json", "npz")
        model = cp.files.Model(acceptor, None, {named[6]: named[7]}, (named[4], named[5]))
        try:
            cp.save(model if beside else acceptor, path)
        except cp.CutpointError as refusal:
            _harmless(str(refusal))
            continue
        found = cp.read_model(path)
        assert (found.acceptor.alphabet, found.acceptor.states) == (acceptor.alphabet, acceptor.states), (suffix, found)
        if beside:
            assert found.classes == (named[4], named[5]), found
            assert dict(found.metadata) == {named[6]: named[7]}, found


def _samples(acceptor: cp.Acceptor, named: list[str], folder: Path) -> None:
    words = [[a, b] for a in named[2:4] for b in named[2:4]]
    sample = cp.Sample(words, [True, False, True, False], alphabet=acceptor.alphabet)
    for suffix in ("tsv", "ndjson", "abbadingo"):
        path = folder / f"words.{suffix}"
        try:
            cp.write_sample(sample, path)
        except cp.CutpointError as refusal:
            _harmless(str(refusal))
            continue
        assert cp.read_sample(path, alphabet=acceptor.alphabet) == sample, suffix


def _sql(acceptor: cp.Acceptor, named: list[str], folder: Path) -> None:
    """SQLite answers as the package does; it takes no text with NUL."""
    if any("\0" in name for name in named):
        return
    path = folder / "model.sql"
    cp.export(cp.files.Model(acceptor, 0.5, classes=(named[4], named[5])), path, **EVENTS)
    word = [*acceptor.alphabet, acceptor.alphabet[0]]
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("""CREATE TABLE "odd ""table" ("the 'id'", "select", "what is; it")""")
        database.executemany("""INSERT INTO "odd ""table" VALUES (1, ?, ?)""", list(enumerate(word)))
        [row] = database.execute(path.read_text()).fetchall()
        assert database.execute("""SELECT count(*) FROM "odd ""table" """).fetchall() == [(3,)]
    assert abs(row[-2] - acceptor.acceptance(word)) < 1e-12, row
    assert row[-1] in (named[4], named[5]), row


def _javascript(acceptor: cp.Acceptor, named: list[str], folder: Path) -> None:
    """Names are in the text as strings of JSON, which end neither a line of a script nor an element of a page."""
    cp.export(acceptor, folder / "model.mjs")
    text = (folder / "model.mjs").read_text()
    assert not re.search(r"</script|<!--|\u2028|\u2029|[\x00-\x08\x0b-\x1f]", text), text[:2000]
    plain = folder / "plain.mjs"
    cp.export(machine(["p", "q"], ["a", "b"]), plain)
    assert len(text.splitlines()) == len(plain.read_text().splitlines())
    strings = re.findall(r'"(?:[^"\\\n]|\\.)*"', text)
    assert set(named[2:4]) <= {json.loads(string) for string in strings}, strings


def _terminal(acceptor: cp.Acceptor, named: list[str], folder: Path) -> None:
    for text in (repr(acceptor), str(acceptor), acceptor.table(), repr(cp.Language(acceptor, "1/2"))):
        _harmless(text)
    cp.save(cp.files.Model(acceptor, "1/2", {named[6]: named[7]}, (named[4], named[5])), folder / "shown.json")
    for verb in (["info"], ["table"], ["draw"]):
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()) as err:
            assert _exit_code([*verb, str(folder / "shown.json")]) == 0, err.getvalue()
        _harmless(out.getvalue() + err.getvalue())


def _spreadsheet(acceptor: cp.Acceptor, named: list[str], folder: Path) -> None:
    """No cell of a CSV file begins as a formula does, with or without blanks; without its apostrophe it is the name."""
    cp.save(cp.files.Model(acceptor, "1/2", classes=(named[4], named[5])), folder / "scored.json")
    words = folder / "scored.ndjson"
    words.write_text("".join(json.dumps({"id": name, "word": [acceptor.alphabet[0]]}) + "\n" for name in named))
    with contextlib.redirect_stderr(io.StringIO()) as err:
        code = _exit_code(["score", str(folder / "scored.json"), str(words), "-o", str(folder / "scores.csv")])
        assert code == 0, err.getvalue()
    with (folder / "scores.csv").open(newline="") as file:
        _, *rows = csv.reader(file)
    for cell in (cell for row in rows for cell in row):
        assert not re.match(r"[\t\r\n]|\s*[-=+@]", cell), cell
    kept = [(name, f"'{name}") for name in named]
    assert all(row[0] in both for row, both in zip(rows, kept, strict=True)), rows


def _sentences(acceptor: cp.Acceptor, named: list[str], _: Path) -> None:
    for wrong in (lambda: acceptor.acceptance([named[7] + "?"]), lambda: acceptor.replace(final={named[7] + "?"})):
        try:
            wrong()
        except cp.CutpointError as refusal:
            _harmless(str(refusal))
        else:
            raise AssertionError("an unknown name is known")


OUTPUTS: list[Callable[[cp.Acceptor, list[str], Path], None]] = [
    _notebook, _report, _pictures, _tikz, _saved, _samples, _sql, _javascript, _terminal, _spreadsheet, _sentences,
]  # fmt: skip


@contextlib.contextmanager
def names_as_they_are() -> Iterator[None]:
    """Names in pages are not escaped."""
    from cutpoint.data import html as pages

    with patch.object(pages, "escape", str):
        yield


ROWS = [
    Row(
        "injection",
        "Names of states, symbols, classes and notes stay names in every output: pages, pictures, DOT, TikZ, SQL, "
        "JavaScript, tables, files, terminals and sentences; in CSV for a spreadsheet none becomes a formula.",
        injection,
        names_as_they_are,
    )
]
