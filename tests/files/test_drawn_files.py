"""Models as drawings, in DOT: what is drawn is what is read, by hand or not, and nothing is guessed."""

import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import cutpoint as cp
from tests.strategies import acceptors

GALLERY: dict[str, cp.Acceptor] = {
    "p_adic 2": cp.p_adic(2),
    "p_adic 12": cp.p_adic(12),
    "parity": cp.gallery.parity(),
    "majority": cp.gallery.majority(),
    "double_binary": cp.gallery.double_binary(),
    "value_one": cp.gallery.value_one(),
    "krylov": cp.gallery.krylov(3),
    "gambler": cp.gallery.gambler(5),
    "land_of_oz": cp.gallery.land_of_oz(),
    "customers": cp.gallery.customers(),
    **{f"tomita {k}": cp.gallery.tomita(k) for k in range(1, 8)},
}
NASTY: list[Any] = [
    'say "hi"', "back\\slash\\N", "<b>&amp;</b>", "50%", "$x_1$", "a\nb", "", (1, ("a", None)), 7, "7", "é☃", "s₁", "s1",
    "a, b: 1/2", "… and 3 more lines", "x" * 200, "start", " ", "'", "->", "//", "}", True, 0.5,
]  # fmt: skip


def nasty() -> cp.Acceptor:
    n = len(NASTY)
    plain = cp.random_acceptor(n, range(n), rng=0, concentration=0.02)
    return plain.replace(states=NASTY, alphabet=NASTY, initial=np.full(n, 1 / n))


def loaded(text: str, folder: Path, suffix: str = "dot", **options: Any) -> cp.Acceptor:
    path = folder / f"model.{suffix}"
    path.write_text(text, encoding="utf-8")
    return cp.read_model(path, **options).acceptor


def by_names(acceptor: cp.Acceptor) -> dict[Any, Any]:
    """Probabilities other than 0 by the texts of names, and the final states: the order of symbols is no part of it."""
    found: dict[Any, Any] = {("final",): {str(state) for state in acceptor.final_states}}
    for s, before in enumerate(acceptor.states):
        if acceptor.exact_initial[s]:
            found[str(before)] = acceptor.exact_initial[s]
        for t, after in enumerate(acceptor.states):
            for a, symbol in enumerate(acceptor.alphabet):
                if acceptor.exact_transitions[a, s, t]:
                    found[str(before), str(symbol), str(after)] = acceptor.exact_transitions[a, s, t]
    return found


# -- What was written ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("suffix", ["dot", "gv"])
def test_the_gallery_and_names_of_all_kinds_come_back(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"model.{suffix}"
    for acceptor in (*GALLERY.values(), nasty(), nasty().rationalized(100)):
        cp.save(acceptor, path)
        found = cp.load(path)
        assert found == acceptor
        assert found.is_exact == acceptor.is_exact
        assert list(map(repr, found.states + found.alphabet)) == list(map(repr, acceptor.states + acceptor.alphabet))


def test_floats_and_fractions_stay_what_they_are(tmp_path: Path) -> None:
    parity = cp.gallery.parity()
    floats = parity.replace(transitions=parity.transitions, initial=parity.initial)
    for acceptor in (parity, floats):
        cp.save(acceptor, tmp_path / "model.dot")
        assert cp.load(tmp_path / "model.dot").is_exact == acceptor.is_exact


def test_a_file_leaves_nothing_out_that_a_picture_does(tmp_path: Path) -> None:
    many = [f"event {k}" for k in range(200)]
    acceptor = cp.Acceptor(2, many, [[[0.5, 0.5], [0, 1]]] * 200, 0, {1})
    cp.save(acceptor, tmp_path / "model.dot")
    assert "more line" not in (tmp_path / "model.dot").read_text()
    assert cp.load(tmp_path / "model.dot") == acceptor
    with pytest.raises(cp.errors.FormatError, match=r"expected names in full .*; got '… and "):
        loaded(cp.drawing.to_dot(acceptor), tmp_path)


def test_texts_longer_than_graphviz_reads_at_a_time(tmp_path: Path) -> None:
    """Graphviz reads 16,384 bytes at a time: a list of 4,000 symbols is longer, as is a name of letters of four bytes."""
    symbols = [f"event {k}" for k in range(4000)]
    acceptor = cp.Acceptor(
        ["\U00010400" * 9000, "b" * 40_000], symbols, [[[0.5, 0.5], [0, 1]]] * 4000, [1.0, 0.0], [0, 1]
    )
    cp.save(acceptor, tmp_path / "model.dot")
    assert cp.load(tmp_path / "model.dot") == acceptor


def test_reading_takes_time_in_proportion_to_the_file(tmp_path: Path) -> None:
    begun = time.perf_counter()
    for text in ("x" * 1_000_000, "0" * 1_000_000, "a=b " * 200_000, "/* " * 200_000):
        for graph in (f'digraph {{ a [label="{text}"] }}', f"digraph {{ a [{text}] }}", f"digraph {{ {text} }}"):
            with pytest.raises(cp.errors.FormatError):
                loaded(graph, tmp_path)
    assert time.perf_counter() - begun < 60  # in proportion to the square it would take an hour


@pytest.mark.parametrize("name", [name for name in GALLERY if name != "p_adic 12"])  # its picture leaves lines out
def test_pictures_of_the_gallery_are_read_too(name: str, tmp_path: Path) -> None:
    acceptor = GALLERY[name]
    for text in (cp.drawing.to_dot(acceptor), cp.drawing.to_dot(acceptor, orientation="down")):
        found = loaded(text, tmp_path)
        assert by_names(found) == by_names(acceptor)
        if name not in ("krylov", "customers"):  # pairs are shown as text, and symbols come back sorted
            assert found == acceptor


@settings(max_examples=50)
@given(acceptor=acceptors(exact=True))
def test_pictures_of_exact_acceptors_are_read(acceptor: cp.Acceptor, tmp_path_factory: pytest.TempPathFactory) -> None:
    found = loaded(cp.drawing.to_dot(acceptor), tmp_path_factory.getbasetemp())
    assert by_names(found) == by_names(acceptor)


def test_pictures_of_dfas_are_read(tmp_path: Path) -> None:
    language = cp.Language(cp.p_adic(3), "1/3")
    dfa = language.to_dfa()
    assert isinstance(dfa, cp.DFA)
    found = loaded(cp.drawing.to_dot(dfa), tmp_path)
    for word in ("", "0", "1", "01", "12", "20", "0121", "2210"):
        assert found.exact_acceptance(word) == dfa.accepts(word)


@pytest.mark.parametrize("symbol", ["x:1", "a,b", "12:30", "a, b: 1/2"])
def test_a_picture_is_never_read_as_one_of_other_symbols(symbol: str, tmp_path: Path) -> None:
    one = cp.Acceptor(1, [symbol, "c"], np.ones((2, 1, 1)), 0, {0})
    dfa = cp.Language(one, "1/2").to_dfa()
    assert isinstance(dfa, cp.DFA)
    for value in (one, dfa):
        text = cp.drawing.to_dot(value)
        assert f"'{symbol}'" in text
        with pytest.raises(
            cp.errors.FormatError, match=r"arrow '0' -> '0': (expected a probab|brackets and quotes|a line ends)"
        ):
            loaded(text, tmp_path)


def test_rounded_pictures_are_refused_or_rescaled(tmp_path: Path) -> None:
    learned = cp.random_acceptor(3, "ab", rng=0)
    text = cp.drawing.to_dot(learned, digits=2)
    with pytest.raises(cp.errors.FormatError, match=r"must sum to 1; got .* to rescale"):
        loaded(text, tmp_path)
    found = loaded(text, tmp_path, normalized=True)
    np.testing.assert_allclose(found.transitions, learned.transitions, rtol=0, atol=0.01)


def test_tikz_is_written_by_draw_and_not_read(tmp_path: Path) -> None:
    sentence = r"TikZ is a picture, which draw writes and nothing reads. Keep the model as .json, or as .dot"
    for suffix in ("tikz", "tex", "tikz.gz"):
        with pytest.raises(cp.errors.InvalidArgument, match=sentence):
            loaded("", tmp_path, suffix)
    cp.draw(cp.p_adic(2), tmp_path / "model.tikz")
    assert (tmp_path / "model.tikz").read_text().endswith("\\end{tikzpicture}\n")


def test_reading_needs_graphviz_and_writing_does_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pygraphviz", None)
    path = tmp_path / "model.dot"
    cp.save(cp.p_adic(2), path)
    with pytest.raises(cp.errors.MissingExtra, match=r'model.dot: DOT is read with Graphviz; .* "cutpoint\[draw\]"'):
        cp.load(path)


# -- What was written by hand ---------------------------------------------------------------------------------------

HAND = r"""
/* Two days
   of weather */
digraph "a graph" {
# a line of the preprocessor
  graph [bgcolor=white]; rankdir = "LR"
  node [shape=doublecircle] sunny;      // declared while shapes are double
  node [shape=circle, width=.5 height=-1.5];
  "" [shape=none]
  "" -> sunny
  sunny -> sunny [label="day: 0.5"]
  sunny -> rainy [label=" day : 0.5\lnight,\l  wind: 1\l", color=red, weight=2];
  rainy -> rainy -> sunny [label="day: 1/2"] [fontsize=9];
  rainy -> sunny [label=night]
  rainy -> rainy [label="\
wind"];
  rainy [peripheries=1; label="rain &amp; \"fog\""]
}
"""


def test_a_graph_by_hand(tmp_path: Path) -> None:
    found = loaded(HAND, tmp_path)
    half = [[0.5, 0.5], [0.5, 0.5]]
    expected = cp.Acceptor(
        ["sunny", 'rain & "fog"'],
        ["day", "night", "wind"],
        {"day": half, "night": [[0, 1], [1, 0]], "wind": [[0, 1], [0, 1]]},
        "sunny",
        {"sunny"},
    )
    assert found == expected


@pytest.mark.parametrize(
    ("text", "states", "alphabet", "final"),
    [
        ("digraph{i[shape=point]i->a a->a[label=x]}", ["a"], ["x"], []),
        ("digraph { i [shape=point]; i -> a; edge [label=x] edge [color=red]; a -> a; }", ["a"], ["x"], []),
        ('digraph { i [shape=point]; i -> "say \\"hi\\""; "say \\"\\\nhi\\"" -> "say \\"hi\\"" [label=x] }', ['say "hi"'], ["x"], []),
        ("DiGraph { i -> 0 [style=dashed]; 0 -> 0 [label=\"x, y\"]; 0 [peripheries=2] }", [0], ["x", "y"], [0]),
        ("digraph { i [style=\"invis,bold\"]; i -> a; a -> a [label=\"s10\\ns9\\ns010\\nb\"] }", ["a"], ["b", "s9", "s010", "s10"], []),
        ("digraph { graph [symbols=\"y x\"] i [shape=plain] i -> a [label=1] a -> a [label=\"x\\ry\"] }", ["a"], ["y", "x"], []),
        ("digraph { i [shape=none]; i -> a; a -> a [label=\"%=7, 7, two words, %2C\"] }", ["a"], ["7", "%2C", "%=7", "two words"], []),
        ("digraph { i [shape=none]; i -> é; é -> é [label=ü] é [label=\"&eacute;&#33;&#x21;&nosuch;\"] }", ["é!!&nosuch;"], ["ü"], []),
        ("digraph { i [shape=none]; i -> a; a -> a [label=x] a [shape=doublecircle, peripheries=1] }", ["a"], ["x"], []),
        ("digraph { i [peripheries=0]; i -> a; a -> a [label=x] a -> b [style=invis]; b -> b [label=x, dir=forward] }", ["a", "b"], ["x"], []),
        ("\ufeffdigraph { i [shape=none]; i -> a; a -> a [label=\"0.5: 1\\na/0.5: 1\\npage 1\\nx=1\\nv1.5\\nf(0)\"] }", ["a"], ["0.5", "a/0.5", "f(0)", "page 1", "v1.5", "x=1"], []),
        ("digraph { note [shape=plaintext, label=\"a legend\"] i [shape=none]; i -> a; a -> a [label=x] }", ["a"], ["x"], []),
    ],
)  # fmt: skip
def test_small_graphs(text: str, states: Any, alphabet: Any, final: Any, tmp_path: Path) -> None:
    found = loaded(text, tmp_path)
    meant = {"%2C": ",", "%=7": 7}
    assert list(found.states) == states
    assert list(found.alphabet) == [meant.get(word, word) for word in alphabet]
    assert list(found.final_states) == final
    assert found.is_exact


# -- What is refused ------------------------------------------------------------------------------------------------

DOT = """digraph {
  i [shape=none];
  p; q [peripheries=2];
  i -> p;
  p -> q [label="a: 1/2"];
  p -> p [label="a: 1/2"];
  q -> q [label="a: 1"];
}
"""
BARE = "a probability stands behind a colon, as in a, b: 1/2"


def test_the_small_drawing_is_right(tmp_path: Path) -> None:
    assert loaded(DOT, tmp_path) == cp.Acceptor("pq", "a", {"a": [["1/2", "1/2"], [0, 1]]}, "p", "q")


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("digraph", "graph", "line 1: expected a directed graph, digraph { ... }, not strict; got 'graph {'."),
        ("digraph", "strict digraph", "line 1: expected a directed graph, digraph { ... }, not strict; got 'strict digraph {'."),
        ("digraph {", "digraph [", "line 1: expected a directed graph, digraph { ... }, not strict; got 'digraph ['."),
        (DOT, "", "line 1: the file ends before its graph does. Is it whole?"),
        ("}\n", "", "line 8: the file ends before its graph does. Is it whole?"),
        ("}\n", "} digraph {}", "line 8: expected one graph and nothing behind it; got 'digraph {}'."),
        ("i -> p;", "i -- p;", "line 4: expected an arrow ->; got --."),
        ("i -> p;", "i -> p:n;", "line 4: ports are not read. Write a name with a colon in quotes."),
        ("i -> p;", 'i -> "p" + "q";', "line 4: texts joined by + are not read. Write them as one."),
        ("i -> p;", "i -> {p q};", "line 4: subgraphs are not read. Write every arrow by itself and leave out ranks."),
        ("i -> p;", "subgraph x { i -> p }", "line 4: subgraphs are not read. Write every arrow by itself and leave out ranks."),
        ("i -> p;", "i -> subgraph x { p }", "line 4: subgraphs are not read. Write every arrow by itself and leave out ranks."),
        ("i -> p;", "{ i -> p }", "line 4: subgraphs are not read. Write every arrow by itself and leave out ranks."),
        ("i -> p;", "i -> ;", "line 4: Graphviz cannot read this (syntax error near ';')."),
        ("i -> p;", "i = ;", "line 4: Graphviz cannot read this (syntax error near ';')."),
        ("i -> p;", "node;", "line 4: Graphviz cannot read this (syntax error near ';')."),
        ("i -> p;", "digraph;", "line 4: Graphviz cannot read this (syntax error near 'digraph')."),
        ("i -> p;", "= p;", "line 4: expected a name, a number or a sign of DOT; got '= p;'."),
        ("i -> p;", "i -> p [label];", "line 4: Graphviz cannot read this (syntax error near ']')."),
        ("i -> p;", "i -> p [label=<b>];", "line 4: labels in HTML are not read. Write them in quotes."),
        ("i -> p;", "i -> <b>;", "line 4: labels in HTML are not read. Write them in quotes."),
        ("i -> p;", "i -> @;", "line 4: expected a name, a number or a sign of DOT; got '@;"),
        ("i -> p;", "i -> 0p;", "line 4: expected a name, a number or a sign of DOT; got '0p;"),
        ("}\n", '} "', "line 8: expected one graph and nothing behind it; got '\"'."),
        ('"a: 1"', '"a: 1', "line 7: the quote is not closed."),
        ("i -> p;", "i -> p, q;", "line 4: expected one node on each side of an arrow; got ','. Write every arrow by itself."),
        ("i -> p;", 'i -> p -> "%=7";', "line 4: expected a label for a name that begins with %; got '\"%=7\";'."),
        ("i -> p;", 'i -> p -> "\\\n%=7";', "line 4: expected a label for a name that begins with %"),
        ("i -> p;", "i -> p [key=x];", "arrows with a key are not read. Leave out key=."),
        ("i -> p;", "i -> p; /* x *", "line 4: the comment is not closed."),
        ("i -> p;", "", "expected a dashed arrow, or one from a node without a border, to each state that a run can start in; got none. Draw one as in start [shape=none]; start -> q0;"),
        ("i -> p;", "i -> p; i -> p;", "arrow 'i' -> 'p': this start arrow occurs twice."),
        ("i -> p;", "i -> p; i -> q;", "initial must sum to 1; got 2. Write probabilities as in a, b: 1/2, or use normalized=True to rescale rows."),
        ("i -> p;", "i -> p [label=half];", "arrow 'i' -> 'p': expected a probability on a start arrow, or nothing; got 'half'."),
        ("i -> p;", "i -> p -> i;", "arrow 'p' -> 'i': 'i' is no state but where runs start, as it has no border: no arrow can lead there."),
        ("i -> p;", 'i -> p -> p [label="b: 1"];', "arrow 'i' -> 'p': expected a probability on a start arrow, or nothing; got 'b: 1'."),
        ("a: 1/2", "a: 1/2,\\nb", "arrow 'p' -> 'q': expected a probability behind the colon, such as 1/2 or 0.5; got '1/2, b'."),
        ("a: 1/2", "a: half", "arrow 'p' -> 'q': expected a probability behind the colon, such as 1/2 or 0.5; got 'half'."),
        ("a: 1/2", "a: 1/0", "arrow 'p' -> 'q': expected a probability behind the colon, such as 1/2 or 0.5; got '1/0'."),
        ("a: 1/2", "a: -1", "arrow 'p' -> 'q': expected a probability behind the colon, such as 1/2 or 0.5; got '-1'."),
        ("a: 1/2", "a: nan", "arrow 'p' -> 'q': expected a probability behind the colon, such as 1/2 or 0.5; got 'nan'."),
        ("a: 1/2", "a: 1e999", "arrow 'p' -> 'q': expected a probability behind the colon, such as 1/2 or 0.5; got '1e999'."),
        ("a: 1/2", "a: 1-1e-07", "arrow 'p' -> 'q': expected a probability behind the colon, such as 1/2 or 0.5; got '1-1e-07'."),
        ("a: 1/2", "a: ", "arrow 'p' -> 'q': expected a probability behind the colon, such as 1/2 or 0.5; got ''."),
        ("a: 1/2", "a: b: 1/2", "arrow 'p' -> 'q': a line ends with its one probability, as in a: 1/4\\nb: 3/4, and a colon in a symbol is written as %3A; got 'a: b'."),
        ("a: 1/2", "(1, 2): 1/2", "arrow 'p' -> 'q': brackets and quotes in a list are escaped as in web addresses, %28 for (; got '(1, 2)'."),
        ("a: 1/2", "' ': 1/2", "arrow 'p' -> 'q': expected names in full and without quotes, not as a picture shows them; got \"' '\"."),
        ("a: 1/2", "a,: 1/2", "arrow 'p' -> 'q': expected names in full and without quotes, not as a picture shows them; got ''."),
        ("a: 1/2", "abc…: 1/2", "arrow 'p' -> 'q': expected names in full and without quotes"),
        ("a: 1/2", "a%: 1/2", "arrow 'p' -> 'q': control characters, \\ and % are escaped as in web addresses, %25 for %; got 'a%'."),
        ("a: 1/2", "a\\\\nb: 1/2", "arrow 'p' -> 'q': control characters, \\ and % are escaped"),
        ("a: 1/2", "a\tb: 1/2", "arrow 'p' -> 'q': control characters, \\ and % are escaped"),
        ("a: 1/2", "%FF: 1/2", "arrow 'p' -> 'q': '%FF' cannot be read as a name."),
        ("a: 1/2", "%=x: 1/2", "arrow 'p' -> 'q': '%=x' cannot be read as a name."),
        (DOT, 'digraph { i [shape=none] i -> p p -> p [label="%=null"] }', "symbols must not be None"),
        ("a: 1/2", "a,", "arrow 'p' -> 'q': expected lines such as a, b: 1/2 on the arrow of a step; got 'a,'."),
        ("a: 1/2", " \\n", "arrow 'p' -> 'q': expected lines such as a, b: 1/2 on the arrow of a step; got ''."),
        (' [label="a: 1/2"]', "", "arrow 'p' -> 'q': expected lines such as a, b: 1/2 on the arrow of a step; got ''."),
        ("a: 1/2", "a: 1/2\\na: 1/2", "arrow 'p' -> 'q': the step by 'a' occurs twice between these states."),
        ("a: 1/2", "\\E", "arrow 'p' -> 'q': the label '\\\\E' stands for other text. Write that itself."),
        ("a: 1/2", "&#xd800;: 1/2", "arrow 'p' -> 'q': the label '&#xd800;: 1/2' stands for other text. Write that itself."),
        ("a: 1/2", "a: 1/3", "row of symbol 'a', state 'p' must sum to 1; got 5/6."),
        ("p; q [", 'symbols="a a"; p; q [', "expected a list of all symbols, each once; one occurs twice."),
        ("p; q [", 'symbols="b"; p; q [', "expected a list of all symbols, each once; 'a' is missing."),
        ("p; q [", 'symbols="a b"; p; q [', "expected a list of all symbols, each once; 'b' is on no arrow."),
        ("p; q [", "p [label=q]; q [", "state names must be distinct; repeated: {'q'}."),
        ("p; q [", 'p [label="\\G"]; q [', "node 'p': the label '\\\\G' stands for other text."),
        ("p; q [", 'p [label=""]; q [', "node 'p': expected the name of a state; got nothing. Where runs start is drawn as in start [shape=none]"),
        ("p; q [", 'p [label="two\\nlines"]; q [', "node 'p': control characters, \\ and % are escaped"),
        ("peripheries=2", "peripheries=two", "node 'q': peripheries must be a whole number; got 'two'."),
        ("a: 1/2", "a/0.5", f"arrow 'p' -> 'q': {BARE}; got 'a/0.5'. If that is the symbol, write : 1 behind it."),
        ("a: 1/2", "a/1", f"arrow 'p' -> 'q': {BARE}; got 'a/1'."),
        ("a: 1/2", "a | 1/2", f"arrow 'p' -> 'q': {BARE}; got 'a | 1/2'."),
        ("a: 1/2", "a (0.5)", f"arrow 'p' -> 'q': {BARE}; got 'a (0.5)'."),
        ("a: 1/2", "a [p=.5]", f"arrow 'p' -> 'q': {BARE}; got 'a [p=.5]'."),
        ("a: 1/2", "a = 0.5", f"arrow 'p' -> 'q': {BARE}; got 'a = 0.5'."),
        ("a: 1/2", "a 0.5", f"arrow 'p' -> 'q': {BARE}; got 'a 0.5'."),
        ("a: 1/2", "a, 0.5", f"arrow 'p' -> 'q': {BARE}; got '0.5'."),
        ("a: 1/2", "1/2", f"arrow 'p' -> 'q': {BARE}; got '1/2'."),
        ("a: 1/2", "a:0.5, b:1", "arrow 'p' -> 'q': a line ends with its one probability"),
        ("a: 1/2", '\\"a\\": 1/2', "arrow 'p' -> 'q': expected names in full and without quotes"),
        ("a: 1/2", "a: 1/2\\nb", "node 'q': no arrow leads from 'q' by 'b'. Every state needs one for each symbol"),
        ('"a: 1"', '"a: 1", dir=back', "arrow 'q' -> 'q': an arrow has one head, at its end; got dir='back'. Write a -> b."),
        ('"a: 1"', '"a: 1", dir=both', "arrow 'q' -> 'q': an arrow has one head, at its end; got dir='both'."),
        ('"a: 1"', '"a: 1", headlabel="b: 1"', "arrow 'q' -> 'q': the symbols of an arrow are its label; got headlabel."),
        ('label="a: 1"', 'xlabel="a: 1"', "arrow 'q' -> 'q': the symbols of an arrow are its label; got xlabel."),
        ('"a: 1"', '"a: 1", style=invis', "arrow 'q' -> 'q': an arrow that cannot be seen has a label. Leave out style=invis."),
        ('"a: 1"', '"a: 1", style=dashed', "arrow 'p' -> 'q': 'q' is no state but where runs start, as a dashed arrow leaves it: no arrow can lead there."),
        ("i [shape=none];", "", "arrow 'i' -> 'p': expected lines such as a, b: 1/2 on the arrow of a step; got ''. One that only shows where runs start is drawn as in start [shape=none]; start -> q0."),
    ],
)  # fmt: skip
def test_wrong_drawings_are_refused_with_the_place(old: str, new: str, sentence: str, tmp_path: Path) -> None:
    assert old in DOT
    with pytest.raises(cp.errors.FormatError) as refused:
        loaded(DOT.replace(old, new, 1), tmp_path)
    assert str(refused.value).removeprefix(f"{tmp_path}/model.dot: ").startswith(sentence)


def test_a_belief_network_is_not_an_acceptor(tmp_path: Path) -> None:
    text = cp.drawing.to_dot(cp.BeliefNetwork(cp.p_adic(2), 2))
    with pytest.raises(cp.errors.FormatError, match="expected lines such as a, b: 1/2 on the arrow of a step; got ''"):
        loaded(text, tmp_path)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("digraph {" + "a " * 1001, "the file has more than 1,000 words, the most that are read."),
        ("digraph {" + "[a=b]a" * 501, "the file has more than 1,000 words, the most that are read."),
        ("digraph { x [" + "a=b " * 2000, "line 1: the file ends before its graph does. Is it whole?"),
        ("digraph { " + ";".join(f"a{k}" for k in range(20)) + "->a" * 200 + "}", "the file has more than 100 arrows, the most that are read."),
        ("digraph { " + ";".join(f"a{k}" for k in range(20)) + " a->a" * 200 + "}", "the file has more than 100 arrows, the most that are read."),
        ("digraph {" + "a->a " * 60 + "}", "the file has more than 50 arrows between the same nodes as others. Write all symbols"),
        ("digraph { a" + "->a" * 60 + "}", "the file has more than 50 arrows between the same nodes as others."),
        ('digraph { a [label="' + "\\n" * 101 + '"] }', "the file has more than 100 escapes, the most that are read."),
        ('digraph { i [shape=none] i -> a a -> a [label="' + "a," * 101 + 'a"] }', "arrow 'a' -> 'a': the label has more than 100 symbols, the most that are read."),
        ('digraph { i [shape=none] i -> a a -> a [label="' + "a,\n" * 101 + 'a"] }', "arrow 'a' -> 'a': the label has more than 100 symbols, the most that are read."),
        ("digraph { a [" + " ".join(f"a{k}=b" for k in range(60)) + "] a -> a }", "the file has more than 50 attribute values, the most that are read."),
        ('digraph { i [shape=none] i -> a ' + "".join(f'a->a [label="b{k}, c{k}"] ' for k in range(30)) + '}', "the file has more than 50 exact steps, the most"),
        ('digraph { i [shape=none] i -> a a -> a [label="' + "b: 1.0\\n".join(map(str, range(99))) + '"] a -> b [label="a, b, c: 1.0"] }', "the file has more than 100 steps, the most"),
    ],
)  # fmt: skip
def test_bounds(text: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cutpoint.files.dot.MOST_WORDS", 1000)
    monkeypatch.setattr("cutpoint.files.dot.MOST_LINES", 100)
    monkeypatch.setattr("cutpoint.files.dot.MOST_ENTRIES", 100)
    if "attribute" in sentence:
        monkeypatch.setattr("cutpoint.files.dot.MOST_VALUES", 50)
    monkeypatch.setattr("cutpoint.files.dot.MOST_FRACTIONS", 50)
    monkeypatch.setattr("cutpoint.files.dot.MOST_PARALLEL", 50)
    with pytest.raises(cp.errors.FormatError) as refused:
        loaded(text, tmp_path)
    assert str(refused.value).removeprefix(f"{tmp_path}/model.dot: ").startswith(sentence)


# -- Graphviz in this process ---------------------------------------------------------------------------------------


def test_drawing_before_reading_changes_nothing(tmp_path: Path) -> None:
    """Graphviz keeps defaults in the process: a label that was not given, and one that is empty, stay different."""
    for _ in range(2):
        assert loaded(DOT, tmp_path).states == ("p", "q")
        with pytest.raises(cp.errors.FormatError, match="node 'p': expected the name of a state; got nothing"):
            loaded(DOT.replace("p;", 'p [label=""];', 1), tmp_path)
        assert cp.draw(cp.p_adic(2)).svg


def test_nothing_is_printed_and_one_error_does_not_spoil_the_next_file(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for wrong in ("i -> ;", "i -> p [label=];", "i -> p [", "node;"):
        with pytest.raises(cp.errors.FormatError):
            loaded(DOT.replace("i -> p;", wrong), tmp_path)
        assert loaded(DOT, tmp_path).states == ("p", "q")
    os.write(2, b"still here")
    assert capfd.readouterr().err == "still here"


def test_a_process_without_a_standard_error_reads_too(tmp_path: Path) -> None:
    (tmp_path / "model.dot").write_text(DOT)
    code = "import os, sys, cutpoint as cp; os.close(2); print(cp.load(sys.argv[1]).n_states)"
    done = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "model.dot"], capture_output=True, text=True, check=True
    )
    assert done.stdout == "2\n"


def test_threads_read_at_the_same_time(tmp_path: Path) -> None:
    (tmp_path / "wrong.dot").write_text(DOT.replace("i -> p;", "i -> ;"))
    (tmp_path / "right.dot").write_text(DOT)
    found: list[object] = []

    def read() -> None:
        for _ in range(50):
            found.append(cp.load(tmp_path / "right.dot"))
            with pytest.raises(cp.errors.FormatError, match=r"line 4: Graphviz cannot read this"):
                cp.load(tmp_path / "wrong.dot")

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [loaded(DOT, tmp_path)] * 200
