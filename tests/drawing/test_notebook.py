"""Displays in notebooks: right, escaped, bounded, quick, and there without the extra."""

import base64
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

import cutpoint as cp

VOID = {"img", "br", "meta"}
NAME = "<script>alert('&')</script>\"x"
HOSTILE = cp.Acceptor(
    [NAME, "ok"], [NAME, "b"], [[["1/2", "1/2"], [0, 1]], [[1, 0], [0, 1]]], [1, 0], np.array([False, True])
)
SAMPLE = cp.Sample([[NAME], ["b", "b"], [NAME]], accepted=[True, False, True])
FIT = cp.baum_welch(cp.random_acceptor(2, SAMPLE.alphabet, rng=1), SAMPLE, max_steps=3)
LANGUAGE = cp.Language(cp.p_adic(2), "1/2")
DFA = LANGUAGE.to_dfa()
NETWORK = cp.BeliefNetwork(cp.p_adic(2), 4)
TABLE = cp.drawing.forward_table(HOSTILE, [NAME, "b"])
VALUES: dict[str, Any] = {
    "acceptor": HOSTILE,
    "sample": SAMPLE,
    "fit": FIT,
    "language": LANGUAGE,
    "dfa": DFA,
    "network": NETWORK,
    "table": TABLE,
}


class Page(HTMLParser):
    """Tags that are opened and closed in order, the text between them, rows of tables, pictures."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.rows: list[list[str]] = []
        self.text = ""
        self.pictures: list[str] = []
        self.feed(page)
        self.close()
        assert not self.open, f"not closed: {self.open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag not in VOID:
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        if tag == "img":
            kind, _, content = (dict(attrs)["src"] or "").partition(",")
            assert kind == "data:image/svg+xml;base64"
            self.pictures.append(base64.b64decode(content).decode("utf-8"))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data
        if self.open and self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data


@pytest.mark.parametrize("name", VALUES)
def test_pages_are_well_formed_and_escaped(name: str) -> None:
    page = Page(VALUES[name]._repr_html_())
    assert page.tags <= {"p", "div", "img", "table", "tr", "td", "th", "figure", "figcaption", "b"}
    for picture in page.pictures:
        assert "script" not in {element.tag.rpartition("}")[2] for element in ET.fromstring(picture).iter()}
    assert len(page.pictures) == (name not in ("sample", "table"))
    if name in ("acceptor", "sample", "fit", "table"):
        assert "<script>alert(" in page.text


@pytest.mark.parametrize("name", VALUES)
def test_without_the_extra_the_tables_stay(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = Page(VALUES[name]._repr_html_()).rows
    monkeypatch.setitem(sys.modules, "pygraphviz", None)
    page = Page(VALUES[name]._repr_html_())
    assert page.rows == rows
    assert not page.pictures


def test_acceptor() -> None:
    assert Page(cp.p_adic(2)._repr_html_()).rows == [
        ["", "s1", "s2"],
        ["→ s1", "1", "0"],
        ["s2 *", "1/2", "1/2"],
        ["", "s1", "s2"],
        ["→ s1", "1/2", "1/2"],
        ["s2 *", "0", "1"],
    ]


def test_sample() -> None:
    sample = cp.Sample(["ab", "b", "ab"], [True, None, True], states=[[1, 2, None], None, [1, 2, None]])
    page = Page(sample._repr_html_())
    assert page.rows == [
        ["word", "verdict", "count", "seen along the way"],
        ["'ab'", "accepted", "2", "states (1, 2, None)"],
        ["'b'", "", "1", ""],
    ]
    assert page.text.startswith(repr(sample))


def test_fit_and_learned() -> None:
    page = Page(FIT._repr_html_())
    assert page.rows[:3] == [["Fit", ""], ["log-likelihood", f"{FIT.log_likelihood:.6g}"], ["steps", "3"]]
    assert str(FIT.stop) in page.text
    member = cp.search.Member(FIT.acceptor, "random", 0.25, ())
    learned = cp.search.Learned(FIT.acceptor, FIT.history, FIT.stop, -1.5, "A detail.", members=(member,))
    page = Page(learned._repr_html_())
    assert page.rows[:2] == [["Learned", ""], ["log-likelihood", "-1.5"]]
    assert ["held-out log loss", "0.25 over 1 fold"] in page.rows
    assert "A detail." in page.text


def test_language_and_dfa() -> None:
    page = Page(LANGUAGE._repr_html_())
    words = "First words: '11', '011', '101', '111', '0011'"
    assert f"Words accepted with a probability of more than 1/2. {words}" in page.text
    root = cp.Language(cp.p_adic(2), cp.AlgebraicNumber.sqrt("1/2"), inclusive=True)
    assert "a probability of at least √(1/2) ≈ 0.7071. First words: '11', '011'" in Page(root._repr_html_()).text
    assert isinstance(DFA, cp.DFA)
    assert Page(DFA._repr_html_()).rows == [
        ["", "0", "1"],
        ["→ 0", *map(str, DFA.transitions[0])],
        ["1", *map(str, DFA.transitions[1])],
        ["2 *", *map(str, DFA.transitions[2])],
    ]


def test_forward_table_reads_well_in_both() -> None:
    table = cp.drawing.forward_table(cp.p_adic(2), "01")
    assert (
        repr(table)
        == str(table)
        == "k  read  s1   s2   accepted if it ended here\n0        1    0    0\n1  0     1    0    0\n2  1     1/2  1/2  1/2"
    )
    assert Page(table._repr_html_()).rows[-1] == ["2", "1", "1/2", "1/2", "1/2"]
    assert isinstance(table, str)


def test_names_that_cannot_be_seen_are_shown() -> None:
    names = ["", " ", "a\nb", "\x1b[31m", 10**5000]
    odd = cp.Acceptor(names, ["\t", "x"], np.full((2, 5, 5), 0.2), "", np.array([True, False, False, False, False]))
    assert repr(odd).startswith(
        "<Acceptor: 5 states {'', ' ', 'a\\nb', …}, 2 symbols {'\\t', x}, starts in {''}, accepts"
    )
    head, *rows = str(cp.drawing.forward_table(odd, ["\t"])).splitlines()
    assert re.fullmatch(
        r"k  read  ''   ' '  'a\\nb'  '\\x1b\[31m'  an int of about 5001 digits  accepted if it ended here", head
    )
    assert [row.split()[:2] for row in rows] == [["0", "1"], ["1", r"'\t'"]]
    assert odd.table().splitlines()[0].split() == [r"'\t':"]
    assert all(line.isprintable() for line in odd.table().splitlines())


def test_tables_read_well_in_a_notebook() -> None:
    page = SAMPLE._repr_html_()
    assert page.count('<table style="margin: 0 0 1em 0">') == 1, "notebooks would center it"
    assert page.count('<td style="text-align: left; min-width: 5em; overflow-wrap: anywhere">') == len(SAMPLE)
    assert HOSTILE._repr_html_().count('<td style="text-align: left; white-space: nowrap">') == 2 * 2
    assert HOSTILE._repr_html_().count('<figure style="margin: 0">') == 2


def test_pages_of_large_values_are_bounded() -> None:
    wide = cp.random_acceptor([f"{k:03}" * 1000 for k in range(90)], [f"{k:04}" * 500 for k in range(80)], rng=0)
    many = cp.Sample([f"{k:b}" for k in range(5000)])
    long = cp.Language(cp.p_adic(2), "1/1025").to_dfa()
    broad = cp.DFA(cp.data.Alphabet(range(1000)), ((0,) * 1000,), 0, frozenset())
    values: list[Any] = [wide, cp.Language(wide, 0.5), many, long, broad, cp.p_adic(20_000)]
    values += [cp.Fit(FIT.acceptor, FIT.history, FIT.stop, -1.0, "long " * 10**5)]
    values += [cp.BeliefNetwork(wide, 10_000), cp.drawing.forward_table(cp.p_adic(2), "01" * 300)]
    for value in values:
        page = value._repr_html_()
        assert len(page) < 60_000, type(value)
        Page(page)
    rows = Page(many._repr_html_()).rows
    assert len(rows) == 14
    assert rows[-1] == ["…"]
    assert Page(wide._repr_html_()).rows[0][-1] == "…"
    assert "… and 74 more symbols" in wide._repr_html_()


def test_displays_load_nothing_before_they_are_asked_for() -> None:
    code = (
        "import sys, cutpoint as cp; A = cp.p_adic(2); "
        "heavy = {'cutpoint.diagrams.picture', 'cutpoint.drawing', 'pygraphviz', 'matplotlib', 'scipy'}; "
        "print(sorted(heavy & set(sys.modules))); A._repr_html_(); print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    before, after = done.stdout.splitlines()
    assert before == "[]"
    assert after == "['cutpoint.diagrams.picture', 'pygraphviz']"


def test_readable_text_in_a_terminal() -> None:
    for name, value in VALUES.items():
        text = repr(value)
        assert re.match(r"<(Acceptor|Fit|Language|DFA|BeliefNetwork): |Sample\(|k  read", text), name
        assert not text.startswith("<cutpoint."), name
