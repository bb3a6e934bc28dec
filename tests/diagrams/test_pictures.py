"""Pictures of acceptors, DFAs and belief networks: what is in the SVG, the same bytes, hostile names."""

import os
import re
import runpy
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

import cutpoint as cp
from cutpoint.diagrams.picture import _has_fonts, _without_font_warnings
from tests.golden.pictures import FOLDER, pictures
from tests.strategies import acceptors

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = [
    "<b>&amp;</b>",
    'say "hi"',
    "back\\slash\\N",
    "bell\a",
    "\ud800",
    "$\\frac{1}{0}$",
    "x" * 5000,
    "a\nb",
    "\u202edo",
]
needs_fonts = pytest.mark.skipif(not _has_fonts(), reason="this machine has no fonts for PNG and PDF")


def groups(svg: str, kind: str) -> dict[str, ET.Element]:
    """Nodes or edges of a picture by their titles; the labels of edges, which are drawn last, are put back to them."""
    found: dict[str, dict[str, ET.Element]] = {"node": {}, "edge": {}, "graph": {}}
    for group in ET.fromstring(svg).iter(f"{SVG}g"):
        found[group.get("class", "")][group.findtext(f"{SVG}title", "")] = group
    for name in [name for name in found["node"] if "->" in name]:
        found["edge"][name].extend(found["node"].pop(name).findall(f"{SVG}text"))
    return found[kind]


def texts(group: ET.Element) -> list[str]:
    return [text.text or "" for text in group.iter(f"{SVG}text")]


def test_figure_1() -> None:
    svg = cp.draw(cp.p_adic(2)).svg
    nodes, arrows = groups(svg, "node"), groups(svg, "edge")
    assert {name: texts(node) for name, node in nodes.items()} == {"start": ["start"], "0": ["s1"], "1": ["s2"]}
    borders = {name: len(list(node.iter(f"{SVG}ellipse"))) for name, node in nodes.items()}
    assert borders == {"start": 0, "0": 1, "1": 2}, "final states are doubled"
    assert {name: texts(arrow) for name, arrow in arrows.items()} == {
        "start->0": [],
        "0->0": ["0: 1", "1: 1/2"],
        "0->1": ["1: 1/2"],
        "1->0": ["0: 1/2"],
        "1->1": ["0: 1/2", "1: 1"],
    }
    dashed = {name for name, arrow in arrows.items() if any(path.get("stroke-dasharray") for path in arrow.iter())}
    assert dashed == {"start->0"}


@settings(max_examples=30)
@given(acceptors(exact=True), st.sampled_from([0, Fraction(1, 4), 0.5]))
def test_every_probability_is_shown_once(acceptor: cp.Acceptor, least: float) -> None:
    arrows = groups(cp.draw(acceptor, min_probability=least).svg, "edge")
    told = {}
    for name, arrow in arrows.items():
        for line in texts(arrow):
            symbols, _, value = line.rpartition(": ")
            for symbol in symbols.split(", "):
                told[name, symbol] = Fraction(value)
    expected: dict[tuple[str, Any], Fraction] = {}
    for s in range(acceptor.n_states):
        p = acceptor.exact_initial[s]
        if p >= least and 0 < p < 1:
            expected[f"start->{s}", ""] = p
        for t in range(acceptor.n_states):
            for a, letter in enumerate(acceptor.alphabet):
                p = acceptor.exact_transitions[a, s, t]
                if p > 0 and p >= least:
                    expected[f"{s}->{t}", letter] = p
    assert told == expected


def test_small_probabilities_are_faint() -> None:
    acceptor = cp.Acceptor(2, "ab", [[[0.999, 0.001], [0.1, 0.9]], [[1, 0], [0.1, 0.9]]], 0, {1})
    arrows = groups(cp.draw(acceptor).svg, "edge")
    colors = {name: next(path.get("stroke", "") for path in arrow.iter(f"{SVG}path")) for name, arrow in arrows.items()}
    assert colors["0->0"] == colors["1->1"] == colors["start->0"] == "black"
    assert colors["0->1"] > colors["1->0"] > "#000000", "the smaller the probability, the lighter the gray"
    assert [text.get("fill") for text in arrows["0->1"].iter(f"{SVG}text")] == [colors["0->1"]]
    assert texts(arrows["1->0"]) == ["a, b: 0.1"]
    mixed = cp.Acceptor(2, "ab", [[[0.999, 0.001], [0, 1]], [[0.5, 0.5], [0, 1]]], 0, {1})
    assert "#" not in cp.drawing.to_dot(mixed), "an arrow is as strong as its largest probability"
    assert texts(groups(cp.draw(acceptor, digits=2).svg, "edge")["0->1"]) == ["a: 0.001"], "not rounded to nothing"


def test_orientation() -> None:
    def height(picture: cp.drawing.Picture) -> float:
        left, top, right, bottom = map(float, ET.fromstring(picture.svg).get("viewBox", "").split())
        return (bottom - top) / (right - left)

    assert (
        height(cp.draw(cp.gallery.gambler(6, start=0))) < 1 < height(cp.draw(cp.gallery.gambler(6), orientation="down"))
    )
    network = cp.BeliefNetwork(cp.p_adic(2), 4)
    assert height(cp.draw(network)) < 1 < height(cp.draw(network, orientation="down"))


def test_labels_lie_above_all_arrows_on_white() -> None:
    dense = cp.random_acceptor(4, ["<look>", "cart", "<b>"], rng=3)
    page = list(ET.fromstring(cp.draw(dense).svg).iter(f"{SVG}g"))
    titles = [group.findtext(f"{SVG}title", "") for group in page]
    arrows = [k for k, group in enumerate(page) if group.get("class") == "edge"]
    labels = [k for k, title in enumerate(titles) if "->" in title and k not in arrows]
    assert len(labels) == len(arrows) == 4 * 4 + 4
    assert min(labels) > max(arrows)
    for group in (page[k] for k in labels):
        (white,) = group.findall(f"{SVG}polygon")
        assert white.get("fill") == "white"
        corners = sorted(tuple(map(float, corner.split(","))) for corner in white.get("points", "").split())
        (left, top), (right, bottom) = corners[0], corners[-1]
        for text in group.findall(f"{SVG}text"):
            assert left < float(text.get("x", "")) < right
            assert top < float(text.get("y", "")) < bottom + 4
    only = cp.DFA(cp.data.Alphabet(["<b>"]), ((0,),), 0, frozenset())
    assert texts(groups(cp.draw(only).svg, "edge")["0->0"]) == ["<b>"], "not markup"


def test_figure_2() -> None:
    svg = cp.draw(cp.BeliefNetwork(cp.p_adic(2), 4)).svg
    nodes, arrows = groups(svg, "node"), groups(svg, "edge")
    assert [texts(nodes[f"X{i}"]) for i in range(1, 5)] == [["X₁"], ["X₂"], ["X₃"], ["X₄"]]
    assert set(arrows) == {f"X{i}->S{i + 1}" for i in range(1, 5)} | {f"S{i}->S{i + 1}" for i in range(1, 5)}
    middle = {
        name: tuple(float(next(node.iter(f"{SVG}ellipse")).get(axis, "")) for axis in ("cx", "cy"))
        for name, node in nodes.items()
    }
    for i in range(1, 5):
        assert middle[f"X{i}"][0] == middle[f"S{i}"][0], "X above S"
        assert middle[f"X{i}"][1] < middle[f"S{i}"][1]
        assert middle[f"S{i}"][0] < middle[f"S{i + 1}"][0]
    assert texts(groups(cp.draw(cp.BeliefNetwork(cp.p_adic(2), 0)).svg, "node")["S1"]) == ["S₁"]


def test_dfa() -> None:
    dfa = cp.Language(cp.p_adic(3), "1/3").to_dfa()
    assert isinstance(dfa, cp.DFA)
    arrows = groups(cp.draw(dfa).svg, "edge")
    told = {(name, symbol) for name, arrow in arrows.items() for line in texts(arrow) for symbol in line.split(", ")}
    steps = enumerate(dfa.transitions)
    assert told == {(f"{s}->{t}", symbol) for s, row in steps for symbol, t in zip(dfa.alphabet, row, strict=True)}
    assert f"start->{dfa.initial}" in arrows


def test_long_labels_are_bounded() -> None:
    many = [f"event {k}" for k in range(200)]
    alike = cp.Acceptor(2, many, [[[0.5, 0.5], [0, 1]]] * 200, 0, {1})
    for acceptor in (alike, cp.p_adic(200)):
        lines = texts(groups(cp.draw(acceptor).svg, "edge")["0->1"])
        assert len(lines) == 10
        assert lines[-1].startswith("… and ")
    assert texts(groups(cp.draw(alike).svg, "edge")["0->1"])[:2] == ["event 0, event 1,", "event 2, event 3,"]


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_names(name: str, tmp_path: Path) -> None:
    acceptor = cp.Acceptor([name, "other"], [name], [[[0.25, 0.75], [0, 1]]], [1, 0], [False, True])
    shown = {
        "bell\a": "bell\\x07",
        "\ud800": "\\ud800",
        "x" * 5000: "x" * 27 + "…",
        "a\nb": "a\\nb",
        "\u202edo": "\\u202edo",
    }
    expected = shown.get(name, name)
    picture = cp.draw(acceptor, tmp_path / "a.svg")
    for svg in (picture.svg, (tmp_path / "a.svg").read_text(encoding="utf-8")):
        assert texts(groups(svg, "node")["0"]) == [expected]
        assert texts(groups(svg, "edge")["0->1"]) == [f"{expected}: 0.75"]
    assert set(groups(picture.svg, "node")) == {"start", "0", "1"}, "nothing else has come in"
    assert len(picture.dot.splitlines()) == len(cp.drawing.to_dot(acceptor.replace(states=["p", "q"])).splitlines())


@settings(max_examples=60)
@given(st.text(min_size=1, max_size=8), st.text(min_size=1, max_size=8))
def test_any_names_make_valid_svg_and_dot(state: str, symbol: str) -> None:
    acceptor = cp.Acceptor([state, "\x00other"], [symbol], [[[0.25, 0.75], [0, 1]]], [1, 0], [False, True])
    svg = cp.draw(acceptor).svg
    assert set(groups(svg, "edge")) == {"start->0", "0->0", "0->1", "1->1"}
    assert len(texts(groups(svg, "node")["0"])) == 1


TEX = re.compile(r"\\(?:text[a-z]+\{\}|[{}$&#_%]|dots\{\})")


@settings(max_examples=60)
@given(st.one_of(st.text(alphabet=r"\{}$&#^_%~<>[]*|ab1 ", min_size=1, max_size=8), st.sampled_from(HOSTILE)))
def test_names_in_tikz_are_text(name: str) -> None:
    text = cp.drawing.to_tikz(cp.Acceptor([name, "other"], [name], [[[0.25, 0.75], [0, 1]]], [1, 0], [False, True]))
    (node,) = re.findall(r"\\node\[state\] \(0\) at \(0, 0\) \{(.*)\};", text)
    if re.fullmatch(r"[a-zA-Z]\d+", name):
        assert node == f"${name[0]}_{{{name[1:]}}}$"
    else:
        assert not re.search(r"[\\{}$&#^_%~<>|]", TEX.sub("", node)), node
    assert text.count("\\path") == 4


def test_tikz_of_the_paper() -> None:
    lines = cp.drawing.to_tikz(cp.p_adic(3)).splitlines()
    assert r"  \node[state, accepting] (1) at (4.28, 0) {$s_{2}$};" in lines
    assert r"  \path (0) edge[bend left=20] node[auto] {1: $\frac{1}{3}$ \\[3pt]2: $\frac{2}{3}$} (1);" in lines
    network = cp.drawing.to_tikz(cp.BeliefNetwork(cp.p_adic(2), 1)).splitlines()
    assert network[2:-1] == [
        r"  \node[state] (X1) at (0, 2) {$X_{1}$};",
        r"  \node[state] (S1) at (0, 0) {$S_{1}$};",
        r"  \node[state] (S2) at (2, 0) {$S_{2}$};",
        r"  \path (X1) edge (S2);",
        r"  \path (S1) edge (S2);",
    ]
    faint = cp.drawing.to_tikz(cp.Acceptor(1 + 1, "a", [[[0.99, 0.01], [0, 1]]], [0.99, 0.01], {1}), orientation="down")
    assert r"\path (0) edge[black!48] node[auto] {a: 0.01} (1);" in faint
    assert r"\path (start1) edge[dashed, black!48] node[auto] {0.01} (1);" in faint
    assert r"(1) at (0, -" in faint


def test_tikz_nodes_keep_apart() -> None:
    text = cp.drawing.to_tikz(cp.random_acceptor(12, "ab", rng=0))
    places = [complex(float(x), float(y)) for x, y in re.findall(r"\\node\[.*?\] \(\d+\) at \((.*?), (.*?)\)", text)]
    assert len(places) == 12
    assert min(abs(p - q) for p in places for q in places if p is not q) > 3


@pytest.mark.parametrize(
    "extension",
    ["svg", *(pytest.param(name, marks=needs_fonts) for name in ("png", "pdf")), "dot", "gv", "tikz", "tex"],
)
def test_files(extension: str, tmp_path: Path) -> None:
    first, second = tmp_path / f"a.{extension}", tmp_path / f"b.{extension.upper()}"
    cp.draw(cp.p_adic(3), first)
    cp.draw(cp.p_adic(3)).save(str(second))
    assert first.read_bytes() == second.read_bytes()
    starts = {
        "svg": b"<?xml",
        "png": b"\x89PNG",
        "pdf": b"%PDF",
        "dot": b"digraph",
        "gv": b"digraph",
        "tikz": b"% needs",
        "tex": b"% needs",
    }
    assert first.read_bytes().startswith(starts[extension])
    assert first.stat().st_size < 100_000
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([first.name, second.name]), "no part is left"


@needs_fonts
def test_the_same_bytes_in_another_process(tmp_path: Path) -> None:
    code = (
        "import sys, cutpoint as cp; p = cp.draw(cp.p_adic(3)); sys.stdout.buffer.write(p.svg.encode() + p.png + p.pdf)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    picture = cp.draw(cp.p_adic(3))
    assert done.stdout == picture.svg.encode() + picture.png + picture.pdf


def test_warnings_of_the_font_library_are_not_shown(capfd: pytest.CaptureFixture[str]) -> None:
    with _without_font_warnings():
        os.write(2, b'Fontconfig warning: "conf", line 6: unknown element\nsomething else\n')
    assert capfd.readouterr().err == "something else\n"
    with pytest.raises(ValueError, match=r"^no$"), _without_font_warnings():
        raise ValueError("no")
    os.write(2, b"shown\n")
    assert capfd.readouterr().err == "shown\n"


def test_picture_shows_itself() -> None:
    picture = cp.draw(cp.p_adic(2))
    assert picture._repr_svg_() == picture.svg
    assert picture.dot == cp.drawing.to_dot(cp.p_adic(2))
    assert picture.tikz == cp.drawing.to_tikz(cp.p_adic(2))
    assert repr(picture) == "<Picture: 2 nodes, 5 arrows; .save(path) writes SVG, PNG, PDF, DOT or TikZ>"


def test_gallery_is_drawn() -> None:
    gallery = cp.gallery
    drawn: list[Any] = [
        cp.p_adic(10),
        gallery.parity(),
        gallery.majority(),
        gallery.double_binary(),
        gallery.value_one(),
    ]
    drawn += [gallery.krylov(3), gallery.gambler(5), gallery.land_of_oz(), *map(gallery.tomita, range(1, 8))]
    for acceptor in drawn:
        nodes = groups(cp.draw(acceptor).svg, "node")
        assert [texts(nodes[str(s)]) for s in range(acceptor.n_states)] == [[str(name)] for name in acceptor.states]


@needs_fonts
def test_the_page_shows_what_the_example_makes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root = Path(__file__).parents[2]
    runpy.run_path(str(root / "examples" / "pictures.py"))["main"](tmp_path)
    made = {path.name: path.stat().st_size for path in tmp_path.iterdir()}
    kept = {path.name: path.stat().st_size for path in (root / "docs" / "pictures").glob("[!w]*")}
    assert made.keys() == kept.keys()
    assert max(kept.values()) < 120_000, "small files"
    pages = "".join((root / "docs" / name).read_text() for name in ("pictures.md", "lecture.md"))
    assert set(re.findall(r"\]\(pictures/(.*?)\)", pages)) == set(kept)
    assert capsys.readouterr().out.count("bytes") == len(made)


def test_without_the_extra(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "pygraphviz", None)
    picture = cp.draw(cp.p_adic(2))
    for name in ("a.svg", "a.png", "a.pdf"):
        with pytest.raises(cp.errors.MissingExtra) as refusal:
            picture.save(tmp_path / name)
        assert str(refusal.value) == (
            'SVG, PNG and PDF need Graphviz; install it with: pip install "cutpoint[draw]". Without it, save the '
            "picture as text: .dot, .gv, .tikz or .tex."
        )
    assert not list(tmp_path.iterdir())
    for name, each in pictures().items():
        for extension, text in {"dot": "dot", "gv": "dot", "tex": "tikz", "tikz": "tikz"}.items():
            each.save(tmp_path / f"a.{extension}")
            assert (tmp_path / f"a.{extension}").read_text() == (FOLDER / f"{name}.{text}").read_text()
    large = cp.draw(cp.random_acceptor(40, "a", rng=0))
    assert large.tikz.count("edge") == large.dot.count("->") == 1640, "text of any size"


@pytest.mark.skipif(sys.platform != "linux", reason="fonts are found in another way")
def test_without_fonts(tmp_path: Path) -> None:
    (tmp_path / "fonts.conf").write_text("<fontconfig></fontconfig>")
    code = (
        "import cutpoint as cp; picture = cp.draw(cp.p_adic(2)); print(len(picture.svg) > 1000)\n"
        "try: picture.png\n"
        "except cp.errors.MissingExtra as refusal: print(refusal)"
    )
    environment = os.environ | {"FONTCONFIG_FILE": str(tmp_path / "fonts.conf")}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout == (
        "True\nPNG and PDF need a font, and this machine has none. Save as .svg, which uses the fonts of the machine "
        "where it is displayed, or install a font such as DejaVu Sans.\n"
    )


@pytest.mark.parametrize(
    ("call", "kind", "sentence"),
    [
        (
            lambda: cp.draw(3),  # type: ignore[arg-type]
            cp.errors.InvalidArgument,
            "expected an Acceptor, a Generator, a DFA or a BeliefNetwork to draw; got 3.",
        ),
        (
            lambda: cp.drawing.to_tikz("A"),  # type: ignore[arg-type]
            cp.errors.InvalidArgument,
            "expected an Acceptor, a Generator, a DFA or a BeliefNetwork to draw; got 'A'.",
        ),
        (
            lambda: cp.draw(cp.p_adic(2), "a.bmp"),
            cp.errors.InvalidArgument,
            "the path of a picture must end in .svg, .png, .pdf, .dot, .gv, .tikz or .tex; got 'a.bmp'.",
        ),
        (
            lambda: cp.draw(cp.p_adic(2), 3),  # type: ignore[arg-type]
            cp.errors.InvalidArgument,
            "the path of a picture must end in .svg, .png, .pdf, .dot, .gv, .tikz or .tex; got 3.",
        ),
        (
            lambda: cp.draw(cp.p_adic(2), "no/such/folder/a.svg"),
            cp.errors.InvalidFile,
            "no/such/folder/a.svg: cannot be written (No such file or directory).",
        ),
        (
            lambda: cp.draw(cp.p_adic(2), "a\0b.dot"),
            cp.errors.InvalidFile,
            "a\\x00b.dot: cannot be written (embedded null byte).",
        ),
        (
            lambda: cp.drawing.to_dot(cp.p_adic(2), min_probability=float("nan")),
            cp.errors.InvalidArgument,
            "min_probability must be a number between 0 and 1; got nan.",
        ),
        (
            lambda: cp.draw(cp.p_adic(2), min_probability="1/2"),  # type: ignore[arg-type]
            cp.errors.InvalidArgument,
            "min_probability must be a number between 0 and 1; got '1/2'.",
        ),
        (
            lambda: cp.drawing.to_dot(cp.p_adic(2), digits=0),
            cp.errors.InvalidArgument,
            "digits must be a whole number from 1 to 17; got 0.",
        ),
        (
            lambda: cp.drawing.to_tikz(cp.p_adic(2), orientation="left"),
            cp.errors.InvalidArgument,
            "orientation must be 'right' or 'down'; got 'left'.",
        ),
        (
            lambda: cp.draw(cp.random_acceptor(40, "a", rng=0)).svg,
            cp.errors.TooLarge,
            "a picture has at most 300 nodes and 300 arrows; this one has 40 nodes and 1,640 arrows. Leave out small "
            "probabilities with min_probability=…, or save it as text (.dot or .tikz).",
        ),
    ],
)
def test_refusals(call: Any, kind: type[Exception], sentence: str) -> None:
    with pytest.raises(kind) as refusal:
        call()
    assert str(refusal.value) == sentence


def test_long_labels_lie_along_their_arrows_on_the_side_they_bend_to() -> None:
    steps = [[0.1, 0.25, 0.65], [1 / 3, 1 / 3, 1 / 3], [0.5, 0.25, 0.25]]
    A = cp.Acceptor(3, "a", {"a": steps}, [2 / 3, 1 / 3, 0], {0})
    assert "sloped" not in cp.drawing.to_tikz(A)
    text = cp.drawing.to_tikz(A, digits=16)
    places = {key: (float(x), float(y)) for key, x, y in re.findall(r"\((\d)\) at \((\S+), (\S+)\)", text)}
    sides = {ends[::2]: ends[1] for ends in re.findall(r"\((\d)\) edge\[bend.*node\[(.*), pos.*\((\d)\);", text)}
    assert places["1"][0] == places["2"][0] > places["0"][0]
    assert places["1"][1] > places["2"][1]
    assert sides == {
        ("0", "1"): "auto", ("0", "2"): "auto", ("2", "0"): "auto", ("2", "1"): "auto",
        ("1", "0"): "sloped, below", ("1", "2"): "sloped, above",
    }  # fmt: skip
    assert re.findall(r"start\d\) edge\[dashed\] node\[(.*?)\]", text) == ["sloped, above"] * 2


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="LaTeX is not on this machine")
def test_latex_compiles_what_is_written(tmp_path: Path) -> None:
    signs = cp.random_acceptor(4, "abcdef", rng=0).replace(
        states=['say "hi"', "back\\slash", "$x_1$ ^~", (1, "a")], alphabet=["%", "a_b", "{x}", "*", "[1]", "é|"]
    )
    dfa = cp.Language(cp.p_adic(2), "4/7").to_dfa()
    assert isinstance(dfa, cp.DFA)
    drawn: list[Any] = [
        dfa,
        cp.BeliefNetwork(cp.p_adic(2), 3),
        cp.p_adic(12),
        cp.gallery.krylov(3),
        cp.gallery.customers(),
        signs,
    ]
    head = "\\documentclass[tikz]{standalone}\n\\usetikzlibrary{automata}\n\\begin{document}\n"
    pictures = "\n".join(cp.drawing.to_tikz(value) for value in drawn)
    (tmp_path / "all.tex").write_text(f"{head}{pictures}\n\\end{{document}}\n")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]
    assert f"({len(drawn)} pages" in done.stdout
