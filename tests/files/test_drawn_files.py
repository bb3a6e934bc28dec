"""Models as drawings, in DOT and TikZ: what is drawn is what is read, by hand or not, and nothing is guessed."""

import shutil
import subprocess
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
    return cp.load(path, **options)


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


@pytest.mark.parametrize("suffix", ["dot", "gv", "tikz", "tex"])
def test_the_gallery_and_names_of_all_kinds_come_back(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"model.{suffix}"
    for acceptor in (*GALLERY.values(), nasty(), nasty().rationalized(100)):
        cp.save(acceptor, path)
        found = cp.load(path)
        assert found == acceptor
        assert found.is_exact == acceptor.is_exact
        assert list(map(repr, found.states + found.alphabet)) == list(map(repr, acceptor.states + acceptor.alphabet))


@pytest.mark.parametrize("suffix", ["dot", "tikz"])
def test_floats_and_fractions_stay_what_they_are(suffix: str, tmp_path: Path) -> None:
    parity = cp.gallery.parity()
    floats = parity.replace(transitions=parity.transitions, initial=parity.initial)
    for acceptor in (parity, floats):
        cp.save(acceptor, tmp_path / f"model.{suffix}")
        assert cp.load(tmp_path / f"model.{suffix}").is_exact == acceptor.is_exact


@pytest.mark.parametrize("suffix", ["dot", "tikz"])
def test_a_file_leaves_nothing_out_that_a_picture_does(suffix: str, tmp_path: Path) -> None:
    many = [f"event {k}" for k in range(200)]
    acceptor = cp.Acceptor(2, many, [[[0.5, 0.5], [0, 1]]] * 200, 0, {1})
    cp.save(acceptor, tmp_path / f"model.{suffix}")
    text = (tmp_path / f"model.{suffix}").read_text()
    assert "more line" not in text
    assert cp.load(tmp_path / f"model.{suffix}") == acceptor
    picture = cp.drawing.to_dot(acceptor) if suffix == "dot" else cp.drawing.to_tikz(acceptor)
    with pytest.raises(cp.errors.FormatError, match=r"expected names in full .*; got '… and "):
        loaded(picture, tmp_path, suffix)


@pytest.mark.parametrize("name", [name for name in GALLERY if name != "p_adic 12"])  # its picture leaves lines out
def test_pictures_of_the_gallery_are_read_too(name: str, tmp_path: Path) -> None:
    acceptor = GALLERY[name]
    for text, suffix in (
        (cp.drawing.to_dot(acceptor), "dot"),
        (cp.drawing.to_dot(acceptor, orientation="down"), "dot"),
        (cp.drawing.to_tikz(acceptor), "tikz"),
    ):
        found = loaded(text, tmp_path, suffix)
        assert by_names(found) == by_names(acceptor)
        if name not in ("krylov", "customers"):  # pairs are shown as text, and symbols come back sorted
            assert found == acceptor


@settings(max_examples=50)
@given(acceptor=acceptors(exact=True))
def test_pictures_of_exact_acceptors_are_read(acceptor: cp.Acceptor, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.getbasetemp()
    for text, suffix in ((cp.drawing.to_dot(acceptor), "dot"), (cp.drawing.to_tikz(acceptor), "tikz")):
        assert by_names(loaded(text, folder, suffix)) == by_names(acceptor)


def test_pictures_of_dfas_are_read(tmp_path: Path) -> None:
    language = cp.Language(cp.p_adic(3), "1/3")
    dfa = language.to_dfa()
    assert isinstance(dfa, cp.DFA)
    for text, suffix in ((cp.drawing.to_dot(dfa), "dot"), (cp.drawing.to_tikz(dfa), "tikz")):
        found = loaded(text, tmp_path, suffix)
        for word in ("", "0", "1", "01", "12", "20", "0121", "2210"):
            assert found.exact_acceptance(word) == dfa.accepts(word)


@pytest.mark.parametrize("symbol", ["x:1", "a,b", "12:30", "a, b: 1/2"])
def test_a_picture_is_never_read_as_one_of_other_symbols(symbol: str, tmp_path: Path) -> None:
    one = cp.Acceptor(1, [symbol, "c"], np.ones((2, 1, 1)), 0, {0})
    dfa = cp.Language(one, "1/2").to_dfa()
    assert isinstance(dfa, cp.DFA)
    for value in (one, dfa):
        for text, suffix in ((cp.drawing.to_dot(value), "dot"), (cp.drawing.to_tikz(value), "tikz")):
            assert f"'{symbol}'" in text
            with pytest.raises(
                cp.errors.FormatError, match=r"line \d+: (expected a probab|brackets and quotes|a line ends)"
            ):
                loaded(text, tmp_path, suffix)


def test_rounded_pictures_are_refused_or_rescaled(tmp_path: Path) -> None:
    learned = cp.random_acceptor(3, "ab", rng=0)
    for text, suffix in (
        (cp.drawing.to_dot(learned, digits=2), "dot"),
        (cp.drawing.to_tikz(learned, digits=2), "tikz"),
    ):
        with pytest.raises(cp.errors.FormatError, match=r"must sum to 1; got .* to rescale"):
            loaded(text, tmp_path, suffix)
        found = loaded(text, tmp_path, suffix, normalized=True)
        np.testing.assert_allclose(found.transitions, learned.transitions, rtol=0, atol=0.01)


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


def test_a_picture_by_hand(tmp_path: Path) -> None:
    text = r"""% a comment
\begin{tikzpicture}
\node[state, accepting, fill=red] (q) at (0, 0) {$q_{10}$};
\node (s) at (left) {};
\path (s) edge (q);
\path (q) edge[loop above] node {a \_: $\frac{1}{3}$ \\{}b,\\[2pt]c \\{}a \_\textbackslash{}x: 2/3} (q);
\end{tikzpicture}"""
    with pytest.raises(cp.errors.FormatError, match=r"line 6: control characters, \\ and % are escaped"):
        loaded(text, tmp_path, "tikz")
    found = loaded(text.replace(r"a \_\textbackslash{}x: 2/3", r"d"), tmp_path, "tikz", normalized=True)
    assert (found.states, list(found.alphabet), found.final_states) == (("q10",), ["a _", "b", "c", "d"], ("q10",))


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
TIKZ = r"""\begin{tikzpicture}
\node[state] (p) at (0, 0) {p};
\node (i) at (0, 1) {start};
\path (i) edge[dashed] (p);
\path (p) edge[loop] node[auto] {a: $\frac{1}{2}$ \\{}b: 1} (p);
\node[state, accepting] (q) at (0, 2) {q};
\path (p) edge node {a: 1/2} (q);
\path (q) edge node {a, b: 1} (q);
\end{tikzpicture}
"""


def test_the_small_drawings_are_right(tmp_path: Path) -> None:
    half = [["1/2", "1/2"], [0, 1]]
    assert loaded(DOT, tmp_path) == cp.Acceptor("pq", "a", {"a": half}, "p", "q")
    found = loaded(TIKZ, tmp_path, "tikz")
    assert found == cp.Acceptor("pq", "ab", {"a": half, "b": [[1, 0], [0, 1]]}, "p", "q")


@pytest.mark.parametrize(
    ("suffix", "old", "new", "sentence"),
    [
        ("dot", "digraph", "graph", "line 1: expected a directed graph, digraph { ... }, not strict; got 'graph'."),
        ("dot", "digraph", "strict digraph", "line 1: expected a directed graph, digraph { ... }, not strict; got 'strict'."),
        ("dot", "digraph {", "digraph [", "line 1: expected { at the beginning of the graph; got '['."),
        ("dot", DOT, "", "line 1: the file ends before its graph does. Is it whole?"),
        ("dot", "}\n", "", "line 8: the file ends before its graph does. Is it whole?"),
        ("dot", "}\n", "} digraph {}", "line 8: expected one graph and nothing behind it; got 'digraph'."),
        ("dot", "i -> p;", "i -- p;", "line 4: expected an arrow ->, or names without ports and without +; got '--'."),
        ("dot", "i -> p;", "i -> p:n;", "line 4: expected an arrow ->, or names without ports and without +; got ':'."),
        ("dot", "i -> p;", 'i -> "p" + "q";', "line 4: expected an arrow ->, or names without ports and without +; got '+'."),
        ("dot", "i -> p;", "i -> {p q};", "line 4: subgraphs are not read, write every arrow by itself and leave out ranks; got '{'."),
        ("dot", "i -> p;", "subgraph x { i -> p }", "line 4: subgraphs are not read, write every arrow by itself and leave out ranks; got 'subgraph'."),
        ("dot", "i -> p;", "i -> subgraph x { p }", "line 4: subgraphs are not read, write every arrow by itself and leave out ranks; got 'subgraph'."),
        ("dot", "i -> p;", "{ i -> p }", "line 4: subgraphs are not read, write every arrow by itself and leave out ranks; got '{'."),
        ("dot", "i -> p;", "i -> ;", "line 4: expected the node that the arrow leads to; got ';'."),
        ("dot", "i -> p;", "i = ;", "line 4: expected a value; got ';'."),
        ("dot", "i -> p;", "node;", "line 4: expected attributes in brackets behind node; got ';'."),
        ("dot", "i -> p;", "digraph;", "line 4: expected a node, an arrow or a setting; got 'digraph'."),
        ("dot", "i -> p;", "= p;", "line 4: expected a node, an arrow or a setting; got '='."),
        ("dot", "i -> p;", "i -> p [label];", "line 4: expected attributes such as label=name, or ]; got 'label'."),
        ("dot", "i -> p;", "i -> p [label=<b>];", "line 4: labels in HTML are not read. Write them in quotes."),
        ("dot", "i -> p;", "i -> <b>;", "line 4: labels in HTML are not read. Write them in quotes."),
        ("dot", "i -> p;", "i -> @;", "line 4: expected a name, a number or a sign of DOT; got '@;"),
        ("dot", "i -> p;", "i -> 0p;", "line 4: expected a name, a number or a sign of DOT; got '0p;"),
        ("dot", "}\n", '} "', "line 8: the quote is not closed."),
        ("dot", "i -> p;", "i -> p; /* x *", "line 4: the comment is not closed."),
        ("dot", "i -> p;", "", "expected a dashed arrow, or one from a node without a border, to each state that a run can start in; got none. Draw one as in start [shape=none]; start -> q0;"),
        ("dot", "i -> p;", "i -> p; i -> p;", "line 4: this start arrow occurs twice."),
        ("dot", "i -> p;", "i -> p; i -> q;", "initial must sum to 1; got 2. Write probabilities as in a, b: 1/2, or load with normalized=True to rescale rows."),
        ("dot", "i -> p;", "i -> p [label=half];", "line 4: expected a probability on a start arrow, or nothing; got 'half'."),
        ("dot", "i -> p;", "i -> p -> i;", "line 4: an arrow leads to 'i', which is no state: runs come from there, as it has no border."),
        ("dot", "i -> p;", 'i -> p -> p [label="b: 1"];', "line 4: expected a probability on a start arrow, or nothing; got 'b: 1'."),
        ("dot", "a: 1/2", "a: 1/2,\\nb", "line 5: expected a probability behind the colon, such as 1/2 or 0.5; got '1/2, b'."),
        ("dot", "a: 1/2", "a: half", "line 5: expected a probability behind the colon, such as 1/2 or 0.5; got 'half'."),
        ("dot", "a: 1/2", "a: 1/0", "line 5: expected a probability behind the colon, such as 1/2 or 0.5; got '1/0'."),
        ("dot", "a: 1/2", "a: -1", "line 5: expected a probability behind the colon, such as 1/2 or 0.5; got '-1'."),
        ("dot", "a: 1/2", "a: nan", "line 5: expected a probability behind the colon, such as 1/2 or 0.5; got 'nan'."),
        ("dot", "a: 1/2", "a: 1e999", "line 5: expected a probability behind the colon, such as 1/2 or 0.5; got '1e999'."),
        ("dot", "a: 1/2", "a: 1-1e-07", "line 5: expected a probability behind the colon, such as 1/2 or 0.5; got '1-1e-07'."),
        ("dot", "a: 1/2", "a: ", "line 5: expected a probability behind the colon, such as 1/2 or 0.5; got ''."),
        ("dot", "a: 1/2", "a: b: 1/2", "line 5: a line ends with its one probability, as in a: 1/4\\nb: 3/4, and a colon in a symbol is written as %3A; got 'a: b'."),
        ("dot", "a: 1/2", "(1, 2): 1/2", "line 5: brackets and quotes in a list are escaped as in web addresses, %28 for (; got '(1, 2)'."),
        ("dot", "a: 1/2", "' ': 1/2", "line 5: expected names in full and without quotes, not as a picture shows them; got \"' '\"."),
        ("dot", "a: 1/2", "a,: 1/2", "line 5: expected names in full and without quotes, not as a picture shows them; got ''."),
        ("dot", "a: 1/2", "abc…: 1/2", "line 5: expected names in full and without quotes"),
        ("dot", "a: 1/2", "a%: 1/2", "line 5: control characters, \\ and % are escaped as in web addresses, %25 for %; got 'a%'."),
        ("dot", "a: 1/2", "a\\\\nb: 1/2", "line 5: control characters, \\ and % are escaped"),
        ("dot", "a: 1/2", "a\tb: 1/2", "line 5: control characters, \\ and % are escaped"),
        ("dot", "a: 1/2", "%FF: 1/2", "line 5: '%FF' cannot be read as a name."),
        ("dot", "a: 1/2", "%=x: 1/2", "line 5: '%=x' cannot be read as a name."),
        ("dot", DOT, 'digraph { i [shape=none] i -> p p -> p [label="%=null"] }', "None cannot be a symbol"),
        ("dot", "a: 1/2", "a,", "line 5: expected lines such as a, b: 1/2 on the arrow of a step; got 'a,'."),
        ("dot", "a: 1/2", " \\n", "line 5: expected lines such as a, b: 1/2 on the arrow of a step; got ''."),
        ("dot", ' [label="a: 1/2"]', "", "line 5: expected lines such as a, b: 1/2 on the arrow of a step; got ''."),
        ("dot", "a: 1/2", "a: 1/2\\na: 1/2", "line 5: the step by 'a' occurs twice between these states."),
        ("dot", "a: 1/2", "\\E", "line 5: the label '\\\\E' stands for other text. Write that itself."),
        ("dot", "a: 1/2", "&#xd800;: 1/2", "line 5: expected text; got half of a pair of surrogates."),
        ("dot", "a: 1/2", "a: 1/3", "row of symbol 'a', state 'p' must sum to 1; got 5/6."),
        ("dot", "p; q [", 'symbols="a a"; p; q [', "expected a list of all symbols, each once; one occurs twice."),
        ("dot", "p; q [", 'symbols="b"; p; q [', "expected a list of all symbols, each once; 'a' is missing."),
        ("dot", "p; q [", 'symbols="a b"; p; q [', "expected a list of all symbols, each once; 'b' is on no arrow."),
        ("dot", "p; q [", "symbols=a; graph [symbols=a]; p; q [", "line 3: the symbols are listed twice."),
        ("dot", "p; q [", "p [label=q]; q [", "state names must be distinct; repeated: {'q'}."),
        ("dot", "p; q [", 'p [label="\\G"]; q [', "line 3: the label '\\\\G' stands for other text."),
        ("dot", "p; q [", 'p [label=""]; q [', "line 3: expected the name of a state; got nothing. Where runs start is drawn as in start [shape=none]"),
        ("dot", "p; q [", 'p [label="two\\nlines"]; q [', "line 3: control characters, \\ and % are escaped"),
        ("dot", "peripheries=2", "peripheries=two", "line 3: peripheries must be a whole number; got 'two'."),
        ("dot", "a: 1/2", "a/0.5", f"line 5: {BARE}; got 'a/0.5'. If that is the symbol, write : 1 behind it."),
        ("dot", "a: 1/2", "a/1", f"line 5: {BARE}; got 'a/1'."),
        ("dot", "a: 1/2", "a | 1/2", f"line 5: {BARE}; got 'a | 1/2'."),
        ("dot", "a: 1/2", "a (0.5)", f"line 5: {BARE}; got 'a (0.5)'."),
        ("dot", "a: 1/2", "a [p=.5]", f"line 5: {BARE}; got 'a [p=.5]'."),
        ("dot", "a: 1/2", "a = 0.5", f"line 5: {BARE}; got 'a = 0.5'."),
        ("dot", "a: 1/2", "a 0.5", f"line 5: {BARE}; got 'a 0.5'."),
        ("dot", "a: 1/2", "a, 0.5", f"line 5: {BARE}; got '0.5'."),
        ("dot", "a: 1/2", "1/2", f"line 5: {BARE}; got '1/2'."),
        ("dot", "a: 1/2", "a:0.5, b:1", "line 5: a line ends with its one probability"),
        ("dot", "a: 1/2", '\\"a\\": 1/2', "line 5: expected names in full and without quotes"),
        ("dot", "a: 1/2", "a: 1/2\\nb", "line 3: no arrow leads from 'q' by 'b'. Every state needs one for each symbol"),
        ("dot", '"a: 1"', '"a: 1", dir=back', "line 7: an arrow has one head, at its end; got dir='back'. Write a -> b."),
        ("dot", '"a: 1"', '"a: 1", dir=both', "line 7: an arrow has one head, at its end; got dir='both'."),
        ("dot", '"a: 1"', '"a: 1", headlabel="b: 1"', "line 7: the symbols of an arrow are its label; got headlabel."),
        ("dot", 'label="a: 1"', 'xlabel="a: 1"', "line 7: the symbols of an arrow are its label; got xlabel."),
        ("dot", '"a: 1"', '"a: 1", style=invis', "line 7: an arrow that cannot be seen has a label. Leave out style=invis."),
        ("dot", '"a: 1"', '"a: 1", style=dashed', "line 5: an arrow leads to 'q', which is no state: runs come from there, as a dashed arrow leaves it."),
        ("dot", "i [shape=none];", "", "line 4: expected lines such as a, b: 1/2 on the arrow of a step; got ''. One that only shows where runs start is drawn as in start [shape=none]; start -> q0;"),
        ("tikz", TIKZ, "", r"expected \end{tikzpicture} at the end of the picture. Is the file whole?"),
        ("tikz", r"\end{tikzpicture}", "", r"expected \end{tikzpicture} at the end of the picture. Is the file whole?"),
        ("tikz", r"\end{tikzpicture}", "\\end{tikzpicture}\nx", r"line 10: expected nothing behind \end{tikzpicture}; got 'x'."),
        ("tikz", r"\begin{tikzpicture}", r"\begin{tikzpicture} x", r"line 1: expected \begin{tikzpicture} on a line by itself; got"),
        ("tikz", r"\begin{tikzpicture}", r"\documentclass{article}", "line 1: expected a tikzpicture by itself, not a LaTeX document; got"),
        ("tikz", r"\begin{tikzpicture}", r"\usetikzlibrary{automata}", "line 1: expected a tikzpicture by itself, not a LaTeX document; got"),
        ("tikz", r"\node[state] (p)", r"\draw (0, 0) (p)", r"line 2: expected a line such as \node[state] (0) at (0, 0) {name}; or \path"),
        ("tikz", r"{p};", r"{p\alpha};", r"line 2: expected letters, $\frac{1}{2}$, $s_{1}$ or escaped signs; got '\\alpha'."),
        ("tikz", r"{p};", r"{p\textalpha{}};", r"line 2: expected letters, $\frac{1}{2}$, $s_{1}$ or escaped signs; got '\\textalpha{}'."),
        ("tikz", r"{p};", r"{$p$};", r"line 2: expected letters, $\frac{1}{2}$, $s_{1}$ or escaped signs; got '$p$'."),
        ("tikz", r"{p};", r"{p \dots{}};", "line 2: expected names in full and without quotes"),
        ("tikz", r"(q) at", r"(p) at", "line 6: the node 'p' occurs twice."),
        ("tikz", "\\path (i) edge[dashed] (p);", "\\path (i) edge[dashed] (z);", "line 4: expected the key of a node above; got 'z'."),
        ("tikz", "\\path (i) edge[dashed] (p);", "", "expected a dashed arrow, or one from a node without a border"),
        ("tikz", r"node {a: 1/2} ", "", "line 7: expected lines such as a, b: 1/2 on the arrow of a step; got ''."),
        ("tikz", r"{a: 1/2} ", r"{a: $\frac{1}{0}$} ", "line 7: expected a probability behind the colon, such as 1/2 or 0.5; got '1/0'."),
        ("tikz", r"{a: 1/2} ", r"{a: $\frac{1}{3}$} ", "row of symbol 'a', state 'p' must sum to 1; got 5/6."),
        ("tikz", r"\begin", "% symbols: a b\n% symbols: a b\n\\begin", "line 2: the symbols are listed twice."),
        ("tikz", r"\begin", "% symbols: a\n\\begin", "expected a list of all symbols, each once; 'b' is missing."),
    ],
)  # fmt: skip
def test_wrong_drawings_are_refused_with_the_place(
    suffix: str, old: str, new: str, sentence: str, tmp_path: Path
) -> None:
    text = {"dot": DOT, "tikz": TIKZ}[suffix]
    assert old in text
    with pytest.raises(cp.errors.FormatError) as refused:
        loaded(text.replace(old, new, 1), tmp_path, suffix)
    assert str(refused.value).removeprefix(f"{tmp_path}/model.{suffix}: ").startswith(sentence)


def test_a_belief_network_is_not_an_acceptor(tmp_path: Path) -> None:
    network = cp.BeliefNetwork(cp.p_adic(2), 2)
    for text, suffix in ((cp.drawing.to_dot(network), "dot"), (cp.drawing.to_tikz(network), "tikz")):
        with pytest.raises(
            cp.errors.FormatError, match="expected lines such as a, b: 1/2 on the arrow of a step; got ''"
        ):
            loaded(text, tmp_path, suffix)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("digraph {" + ";" * 1001, "the file has more than 1,000 words, the most that are read."),
        ("digraph {" + "[a=b]" * 1001, "line 1: expected a node, an arrow or a setting; got '['."),
        ("digraph { x [" + "a=b " * 2000, "the file has more than 1,000 words, the most that are read."),
        ("digraph { " + ";".join(f"a{k}" for k in range(20)) + "->a" * 200 + "}", "the file has more than 100 arrows, the most that are read."),
        ("digraph { " + ";".join(f"a{k}" for k in range(20)) + " a->a" * 200 + "}", "the file has more than 100 arrows, the most that are read."),
        ("digraph {" + "a->a " * 60 + "}", "the file has more than 50 arrows between the same nodes as others. Write all symbols"),
        ("digraph { a" + "->a" * 60 + "}", "the file has more than 50 arrows between the same nodes as others."),
        ('digraph { a [label="' + "\\n" * 101 + '"] }', "a text in quotes has more than 100 escapes, the most that are read."),
        ('digraph { i [shape=none] i -> a a -> a [label="' + "a," * 101 + 'a"] }', "line 1: the label has more than 100 symbols, the most that are read."),
        ('digraph { i [shape=none] i -> a a -> a [label="' + "a,\n" * 101 + 'a"] }', "line 1: the label has more than 100 lines, the most that are read."),
        ('digraph { i [shape=none] i -> a ' + "".join(f'a->a [label="b{k}, c{k}"] ' for k in range(30)) + '}', "the file has more than 50 exact steps, the most"),
        ('digraph { i [shape=none] i -> a a -> a [label="' + "b: 1.0\\n".join(map(str, range(99))) + '"] a -> b [label="a, b, c: 1.0"] }', "the file has more than 100 steps, the most"),
    ],
)  # fmt: skip
def test_bounds(text: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cutpoint.files.dot.MOST_PIECES", 1000)
    monkeypatch.setattr("cutpoint.files.dot.MOST_LINES", 100)
    monkeypatch.setattr("cutpoint.files.dot.MOST_LINES", 100)
    monkeypatch.setattr("cutpoint.files.dot.MOST_ENTRIES", 100)
    monkeypatch.setattr("cutpoint.files.dot.MOST_ENTRIES", 100)
    monkeypatch.setattr("cutpoint.files.dot.MOST_FRACTIONS", 50)
    monkeypatch.setattr("cutpoint.files.dot.MOST_PARALLEL", 50)
    with pytest.raises(cp.errors.FormatError) as refused:
        loaded(text, tmp_path)
    assert str(refused.value).removeprefix(f"{tmp_path}/model.dot: ").startswith(sentence)


# -- LaTeX ----------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="LaTeX is not on this machine")
def test_latex_compiles_what_is_written(tmp_path: Path) -> None:
    signs = cp.random_acceptor(4, "abcdef", rng=0).replace(
        states=['say "hi"', "back\\slash", "$x_1$ ^~", (1, "a")], alphabet=["%", "a_b", "{x}", "*", "[1]", "é|"]
    )
    dfa = cp.Language(cp.p_adic(2), "4/7").to_dfa()
    assert isinstance(dfa, cp.DFA)
    pictures = [cp.drawing.to_tikz(dfa), cp.drawing.to_tikz(cp.BeliefNetwork(cp.p_adic(2), 3))]
    pictures += [cp.drawing.to_tikz(acceptor) for acceptor in (*GALLERY.values(), signs)]
    for acceptor in (*GALLERY.values(), signs):
        cp.save(acceptor, tmp_path / "model.tikz")
        pictures.append((tmp_path / "model.tikz").read_text())
    head = "\\documentclass[tikz]{standalone}\n\\usetikzlibrary{automata}\n\\begin{document}\n"
    (tmp_path / "all.tex").write_text(head + "\n".join(pictures) + "\n\\end{document}\n")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert f"({len(pictures)} pages" in done.stdout
