"""The programs that files are written for read them, and find the same acceptance probabilities."""

import json
import re
import struct
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import cutpoint as cp

SEEDS = range(100)
NAMES: list[Any] = ["s1", "two words", 3, (0, "q"), 'quo"te', "[x]", "é", "init", "start", "//", "{}", "%41", True, ""]
SYMBOLS: list[Any] = ["a", "b c", 7, "<eps>", ("x", None), "0"]


def random_model(seed: int) -> cp.Acceptor:
    """Acceptors of 1 to 6 states and 1 to 4 symbols of many names, some with one initial state, some with zeros."""
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(1, 7)), int(rng.integers(1, 5))
    states: Any = n if seed % 3 == 0 else [NAMES[k] for k in rng.permutation(len(NAMES))[:n]]
    alphabet = [SYMBOLS[k] for k in rng.permutation(len(SYMBOLS))[:m]]
    sharpness = 0.02 if seed % 4 == 0 else 1.0
    steps = rng.dirichlet(np.full(n, sharpness), size=(m, n))
    initial = rng.dirichlet(np.full(n, 0.5)) if seed % 2 else np.eye(n)[rng.integers(n)]
    return cp.Acceptor.normalized(states, alphabet, steps, initial, rng.random(n) < 0.5)


def random_codes(seed: int, n_symbols: int) -> list[list[int]]:
    rng = np.random.default_rng(seed + 1000)
    return [[], *(rng.integers(n_symbols, size=rng.integers(1, 12)).tolist() for _ in range(8))]


# -- OpenFst -----------------------------------------------------------------------------------------------------


def openfst_acceptances(path: Path, words: list[list[int]]) -> list[float]:
    """Sum over the paths of word ∘ acceptor in OpenFst's logarithms of 64 bits; symbol k has label k + 1."""
    fst = pytest.importorskip("pywrapfst")
    symbols = fst.SymbolTable.read_text(str(path.with_suffix(".syms")))
    states = fst.SymbolTable.read_text(str(path.with_suffix(".ssyms")))
    compiler = fst.Compiler(arc_type="log64", isymbols=symbols, osymbols=symbols, ssymbols=states, acceptor=True)
    compiler.write(path.read_text())
    graph = compiler.compile().arcsort("ilabel")
    found = []
    for word in words:
        line = fst.Compiler(arc_type="log64", acceptor=True)
        line.write("".join(f"{i}\t{i + 1}\t{code + 1}\n" for i, code in enumerate(word)) + f"{len(word)}\n")
        found.append(openfst_total(fst.compose(line.compile(), graph), symbols.num_symbols()))
    return found


def openfst_total(both: Any, n_labels: int) -> float:
    """Sum over all paths: with nothing left to read, OpenFst adds them up into the final weight of one state.

    The number comes from the bytes of a file, because OpenFst prints no more than nine digits.
    """
    if both.start() < 0:
        return 0.0
    silent = [(label, 0) for label in range(1, n_labels)]
    both.relabel_pairs(ipairs=silent, opairs=silent).rmepsilon(delta=1e-30)
    assert both.num_states() == 1
    weight, arcs = struct.unpack("<dq", both.write_to_string()[-16:])
    assert arcs == 0
    return float(np.exp(-weight))


@pytest.mark.parametrize("seed", SEEDS)
def test_openfst_finds_the_same_acceptance_probabilities(seed: int, tmp_path: Path) -> None:
    acceptor, path = random_model(seed), tmp_path / "model.att"
    cp.save(acceptor, path)
    words = random_codes(seed, acceptor.n_symbols)
    expected = acceptor.acceptances([[acceptor.alphabet[code] for code in word] for word in words])
    np.testing.assert_allclose(openfst_acceptances(path, words), expected, rtol=1e-12, atol=1e-300)


# -- Storm -------------------------------------------------------------------------------------------------------


def storm_model(path: Path, kind: str = "float") -> Any:
    stormpy = pytest.importorskip("stormpy")
    io = pytest.importorskip("stormpy.io")
    options = io.DirectEncodingParserOptions()
    options.build_choice_labeling = True
    return stormpy.build_model_from_drn[float if kind == "float" else stormpy.Rational](str(path), options=options)


def storm_matrices(model: Any, exact: bool = False) -> tuple[dict[str, NDArray[Any]], NDArray[Any], NDArray[Any]]:
    """Matrix of each action, initial row and final column, from the states and choices as Storm keeps them."""
    n = model.nr_states
    zero = Fraction(0) if exact else 0.0
    matrices: dict[str, NDArray[Any]] = {}
    for state in model.states:
        for choice in state.actions:
            (action,) = choice.labels
            matrix = matrices.setdefault(action, np.full((n, n), zero))
            for step in choice.transitions:
                matrix[state.id, step.column] = Fraction(str(step.value)) if exact else step.value
    (first,) = model.initial_states
    row = np.full(n, zero)
    row[first] = 1
    if "start" in model.labeling.get_labels() and first in list(model.labeling.get_states("start")):
        row = matrices["start"][first]  # the action named start elsewhere is a symbol: its own row is not used
    known = model.labeling.get_labels()  # DRN has no place for a label that no state has
    final = set(model.labeling.get_states("accept")) if "accept" in known else set()
    return matrices, row, np.array([s in final for s in range(n)])


def storm_acceptance(parts: tuple[dict[str, NDArray[Any]], NDArray[Any], NDArray[Any]], actions: list[str]) -> Any:
    matrices, row, final = parts
    for action in actions:
        row = row @ matrices[action]
    return row @ final


@pytest.mark.parametrize("seed", SEEDS)
def test_storm_finds_the_same_acceptance_probabilities(seed: int, tmp_path: Path) -> None:
    acceptor, path = random_model(seed), tmp_path / "model.drn"
    cp.save(acceptor, path)
    model = storm_model(path)
    actions = [next(iter(choice.labels)) for choice in next(iter(model.states)).actions]  # in the alphabet's order
    assert len(actions) == acceptor.n_symbols
    parts = storm_matrices(model)
    for word in random_codes(seed, acceptor.n_symbols):
        expected = acceptor.acceptance([acceptor.alphabet[code] for code in word])
        np.testing.assert_allclose(
            storm_acceptance(parts, [actions[code] for code in word]), expected, rtol=1e-12, atol=1e-300
        )


def test_storm_reads_fractions_exactly(tmp_path: Path) -> None:
    for acceptor in (cp.p_adic(3), cp.mixture([cp.p_adic(3), ~cp.p_adic(3)], ["1/7", "6/7"])):
        cp.save(acceptor, tmp_path / "model.drn")
        parts = storm_matrices(storm_model(tmp_path / "model.drn", "exact"), exact=True)
        for word in ("", "0", "12", "2101"):
            assert storm_acceptance(parts, list(word)) == acceptor.exact_acceptance(word)


@pytest.mark.parametrize("seed", range(20))
def test_storm_checks_the_process_of_one_symbol(seed: int, tmp_path: Path) -> None:
    """With one symbol there is nothing to decide: to be in an accepting state at step k is the acceptance of a^k."""
    stormpy = pytest.importorskip("stormpy")
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 6))
    steps, initial = rng.dirichlet(np.ones(n), size=(1, n)), rng.dirichlet(np.ones(n))
    acceptor = cp.Acceptor.normalized(n, "a", steps, initial, np.arange(n) == 1)
    cp.save(acceptor, tmp_path / "model.drn")
    model = storm_model(tmp_path / "model.drn")
    for k in (0, 1, 5):
        (formula,) = stormpy.parse_properties(f'Pmax=? [ true U[{k + 1},{k + 1}] "accept" ]')
        found = stormpy.model_checking(model, formula).get_value(model.initial_states[0])
        np.testing.assert_allclose(found, acceptor.acceptance("a" * k), rtol=1e-12, atol=0)


# -- PRISM: no program on pip reads its files, so they are read here as its manual describes them -----------------


def prism_acceptance(folder: Path, word: list[int]) -> float:
    """Follow the choices of a word through the files, one distribution after the other."""
    lines = [line.split() for line in (folder / "model.tra").read_text().splitlines()]
    n, choices, transitions = map(int, lines[0])
    assert transitions == len(lines) - 1
    assert choices == len({(s, k) for s, k, *_ in lines[1:]})
    labels = (folder / "model.lab").read_text().splitlines()
    code = {label.split("=", 1)[1].strip('"'): label.split("=", 1)[0] for label in labels[0].split()}
    has = {line.split(":")[0]: line.split(":")[1].split() for line in labels[1:]}
    assert (folder / "model.sta").read_text().splitlines() == ["(s)", *(f"{s}:({s})" for s in range(n))]
    (first,) = [s for s, found in has.items() if code["init"] in found]
    extra = code.get("start") in has[first]
    belief = {first: 1.0}
    for choice in [0] * extra + word:
        after: dict[str, float] = {}
        for s, k, t, p, _ in lines[1:]:
            if k == str(choice) and s in belief:
                after[t] = after.get(t, 0.0) + belief[s] * float(p)
        belief = after
    return sum(p for s, p in belief.items() if code["accept"] in has.get(s, []))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_files_of_prism_say_the_same_acceptance_probabilities(seed: int, tmp_path: Path) -> None:
    acceptor = random_model(seed)
    cp.save(acceptor, tmp_path / "model.tra")
    for word in random_codes(seed, acceptor.n_symbols):
        expected = acceptor.acceptance([acceptor.alphabet[code] for code in word])
        np.testing.assert_allclose(prism_acceptance(tmp_path, word), expected, rtol=1e-12, atol=1e-300)


def test_storm_reads_the_transitions_and_labels_of_prism(tmp_path: Path) -> None:
    """Storm's explicit files are PRISM's but for the first lines."""
    stormpy = pytest.importorskip("stormpy")
    acceptor = cp.random_acceptor(3, "ab", rng=4)
    cp.save(acceptor, tmp_path / "model.tra")
    steps = (tmp_path / "model.tra").read_text().splitlines()[1:]
    (tmp_path / "storm.tra").write_text("mdp\n" + "".join(line.rsplit(" ", 1)[0] + "\n" for line in steps))
    head, *labels = (tmp_path / "model.lab").read_text().splitlines()
    names = " ".join(word.split("=")[1].strip('"') for word in head.split())
    number = {word.split("=")[0]: word.split("=")[1].strip('"') for word in head.split()}
    (tmp_path / "storm.lab").write_text(f"#DECLARATION\n{names}\n#END\n")
    with (tmp_path / "storm.lab").open("a") as file:
        for line in labels:
            state, *codes = line.replace(":", "").split()
            file.write(f"{state} {' '.join(number[code] for code in codes)}\n")
    model = stormpy.build_model_from_explicit(str(tmp_path / "storm.tra"), str(tmp_path / "storm.lab"))
    matrix = np.zeros((model.nr_choices, model.nr_states))
    for row in range(model.nr_choices):
        for step in model.transition_matrix.get_row(row):
            matrix[row, step.column] = step.value
    rows = np.vstack([acceptor.transitions.swapaxes(0, 1).reshape(6, 3), acceptor.initial])
    np.testing.assert_array_equal(matrix, np.hstack([rows, np.zeros((7, 1))]))
    assert list(model.labeling.get_states("accept")) == [s for s in range(3) if acceptor.final[s]]


# -- Graphviz ----------------------------------------------------------------------------------------------------


def graphviz_parts(path: Path) -> tuple[dict[str, Any], dict[tuple[str, str, str], str], dict[str, str]]:
    """Names of states with whether they are final, steps and initial probabilities, all as Graphviz reads them."""
    graphviz = pytest.importorskip("pygraphviz")
    graph = graphviz.AGraph(str(path))
    nodes = {node: (node.attr["label"], node.attr["peripheries"] == "2") for node in graph.nodes() if node != "start"}
    steps, initial = {}, {}
    for arrow in graph.edges():
        before, after = arrow
        label = arrow.attr["label"] or ""
        if before == "start":
            assert arrow.attr["style"] == "dashed"
            initial[nodes[after][0]] = label or "1"
            continue
        for line in re.split(r"(?<!,)\\n", label):
            symbols, value = line.replace("\\n", " ").split(": ")
            for symbol in symbols.split(", "):
                steps[nodes[before][0], symbol, nodes[after][0]] = value
    return dict(nodes.values()), steps, initial


def word(name: Any, is_state: bool) -> str:
    """A name as the page about files describes it."""
    if type(name) is int and is_state:
        return str(name)
    plain = type(name) is str and name and not (is_state and name.isdigit())
    text = name if plain else json.dumps(name, ensure_ascii=False, separators=(",", ":"))
    escaped = "".join(c if c.isalnum() or c in "_.-+" else "".join(f"%{b:02X}" for b in c.encode()) for c in text)
    return escaped if plain else f"%={escaped}"


@pytest.mark.parametrize("seed", SEEDS)
def test_graphviz_reads_the_same_states_and_steps(seed: int, tmp_path: Path) -> None:
    acceptor = random_model(seed)
    acceptor = acceptor.rationalized(1000) if seed % 5 == 0 else acceptor
    cp.save(acceptor, tmp_path / "model.dot")
    states, steps, initial = graphviz_parts(tmp_path / "model.dot")
    values = acceptor.exact_transitions if acceptor.is_exact else acceptor.transitions
    start = acceptor.exact_initial if acceptor.is_exact else acceptor.initial
    names = [word(name, is_state=True) for name in acceptor.states]
    symbols = [word(name, is_state=False) for name in acceptor.alphabet]
    kind = Fraction if acceptor.is_exact else float
    assert states == dict(zip(names, acceptor.final.tolist(), strict=True))
    assert {key: kind(value) for key, value in initial.items()} == {
        name: value for name, value in zip(names, start.tolist(), strict=True) if value
    }
    assert {key: kind(value) for key, value in steps.items()} == {
        (names[s], symbols[a], names[t]): values[a, s, t] for a, s, t in zip(*values.nonzero(), strict=True)
    }
