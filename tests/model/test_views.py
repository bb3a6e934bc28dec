"""Belief network, Markov chain, DOT text, tables."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

import cutpoint as cp
from tests.strategies import acceptors, words_of

A_PARITY = cp.gallery.parity()


@given(st.data())
def test_network_agrees_with_enumeration(data: st.DataObject) -> None:
    """Section 3: the table algorithm gives what summing the joint over all paths gives."""
    acceptor = data.draw(acceptors(max_states=3))
    length = data.draw(st.integers(0, 3))
    network = cp.BeliefNetwork(acceptor, length)
    table = network.joint_table()
    words, paths = list(network.words()), list(network.paths())
    assert table.shape == (len(words), len(paths))
    assert table.sum() == pytest.approx(1.0, rel=1e-12)
    final = [path[-1] in acceptor.final_states for path in paths]
    for row, word in zip(table, words, strict=True):
        assert row.sum() == pytest.approx(network.input_probability(word), rel=1e-12)
        assert row[final].sum() / row.sum() == pytest.approx(acceptor.acceptance(word), rel=1e-12, abs=1e-300)
        joint = [network.joint(word, path) for path in paths]
        np.testing.assert_allclose(row, joint, rtol=1e-13, atol=0)
        np.testing.assert_allclose(joint, [acceptor.joint(word, path) for path in paths], rtol=1e-13, atol=0)


@given(st.data())
def test_forward_and_backward_probabilities_of_section_4(data: st.DataObject) -> None:
    acceptor = data.draw(acceptors())
    word = data.draw(words_of(acceptor))
    network = cp.BeliefNetwork(acceptor, len(word))
    forward, backward = network.forward(word), network.backward(word)
    factor = acceptor.n_symbols ** -len(word)
    np.testing.assert_allclose(forward[0], acceptor.initial * factor, rtol=1e-14)
    assert forward[-1].sum() == pytest.approx(factor, rel=1e-12)
    for i, symbol in enumerate(word):
        matrix = acceptor.transitions[acceptor.alphabet.code(symbol)]
        np.testing.assert_allclose(forward[i + 1], forward[i] @ matrix, rtol=1e-12, atol=1e-300)
    np.testing.assert_allclose(backward, 1.0, rtol=1e-13)


def test_network_of_figure_2() -> None:
    network = cp.BeliefNetwork(cp.p_adic(2), 4)
    assert network.nodes == ("X1", "X2", "X3", "X4", "S1", "S2", "S3", "S4", "S5")
    assert set(network.arcs) == {
        ("X1", "S2"), ("X2", "S3"), ("X3", "S4"), ("X4", "S5"),
        ("S1", "S2"), ("S2", "S3"), ("S3", "S4"), ("S4", "S5"),
    }  # fmt: skip
    assert network.values("X3") == ("0", "1")
    assert network.values("S5") == ("s1", "s2")
    assert [f.name for f in network.factors[:3]] == ["p(S1)", "p(X1)", "p(S2 | X1, S1)"]
    assert "X4 -> S5;" in cp.drawing.to_dot(network)
    assert cp.BeliefNetwork(cp.p_adic(2), 0).nodes == ("S1",)
    assert cp.drawing.to_dot(cp.BeliefNetwork(cp.p_adic(2), 0)).count("->") == 0
    assert repr(network) == "<BeliefNetwork: 9 nodes, 8 arcs, for inputs of length 4>"
    with pytest.raises(cp.errors.InvalidArgument, match="the network has the nodes X1, X2"):
        network.values("X5")


def test_stationary_distribution() -> None:
    chain = cp.gallery.land_of_oz().chain("d")
    np.testing.assert_allclose(chain.stationary, [[0.4, 0.2, 0.4]], rtol=1e-15)
    assert chain.is_irreducible
    assert chain.is_ergodic
    np.testing.assert_allclose(chain.power(60), np.repeat(chain.stationary, 3, axis=0), rtol=1e-12)
    np.testing.assert_allclose(chain.limit, np.repeat(chain.stationary, 3, axis=0), rtol=1e-14)


def test_gamblers_ruin() -> None:
    """Feller XIV.2: from z coins of N, the goal is reached with probability z/N after z(N-z) plays on average."""
    chain = cp.gallery.gambler(5).chain("p")
    assert chain.recurrent_classes == ((0,), (5,))
    assert chain.transient_states == (1, 2, 3, 4)
    np.testing.assert_allclose(chain.absorption[:, 1], np.arange(6) / 5, rtol=1e-13)
    np.testing.assert_allclose(chain.expected_steps, [z * (5 - z) for z in range(6)], rtol=1e-13)
    unfair = cp.gallery.gambler(5, win=0.4).chain("p")
    r = 0.6 / 0.4
    np.testing.assert_allclose(unfair.absorption[:, 1], [(r**z - 1) / (r**5 - 1) for z in range(6)], rtol=1e-13)


def test_periods() -> None:
    swap = cp.gallery.parity().chain("1")
    assert swap.periods == (2,)
    assert not swap.is_ergodic
    np.testing.assert_allclose(swap.stationary, [[0.5, 0.5]])
    assert cp.gallery.parity().chain("0").recurrent_classes == (("even",), ("odd",))
    assert cp.gallery.parity().chain("11").periods == (1, 1)
    assert repr(swap) == "<MarkovChain: 2 states, recurrent classes of periods [2], 0 transient states>"


@given(st.data())
def test_chain_laws(data: st.DataObject) -> None:
    """Stationary rows are stationary; absorption is a distribution that one more step leaves unchanged."""
    acceptor = data.draw(acceptors(max_states=6))
    chain = acceptor.chain(data.draw(words_of(acceptor)))
    np.testing.assert_allclose(chain.stationary @ chain.matrix, chain.stationary, rtol=1e-12, atol=1e-300)
    np.testing.assert_allclose(chain.stationary.sum(axis=1), 1.0, rtol=1e-13)
    np.testing.assert_allclose(chain.absorption.sum(axis=1), 1.0, rtol=1e-10)
    np.testing.assert_allclose(chain.matrix @ chain.absorption, chain.absorption, rtol=1e-10, atol=1e-14)
    members = [state for group in chain.classes for state in group]
    assert sorted(members, key=str) == sorted(acceptor.states, key=str)
    assert set(members) == {s for group in chain.recurrent_classes for s in group} | set(chain.transient_states)
    average = sum(chain.power(k) for k in range(4000, 4060)) / 60
    np.testing.assert_allclose(chain.limit, average, atol=1e-6)


def test_small_stationary_probabilities_are_accurate() -> None:
    """Birth and death with rates 1 and 1e-9: entries down to 1e-90 keep their relative accuracy."""
    size = 11
    matrix = np.zeros((size, size))
    for s in range(size):
        if s + 1 < size:
            matrix[s, s + 1] = 1e-9
        if s > 0:
            matrix[s, s - 1] = 0.5
        matrix[s, s] = 1 - matrix[s].sum()
    acceptor = cp.Acceptor(size, "a", [matrix], 0, {0})
    expected = (2e-9) ** np.arange(size)
    np.testing.assert_allclose(acceptor.chain("a").stationary[0], expected / expected.sum(), rtol=1e-13)


def test_absorption_where_states_are_hardly_ever_left() -> None:
    """Gambler's ruin at odds 1 to 2 that plays once in 1e14 steps: the same chances as if it played always."""
    stay = 1 - 1e-14
    left, right = 2e-14 / 3, 1e-14 / 3
    matrix = np.eye(5)
    for s in (1, 2, 3):
        matrix[s, s - 1 : s + 2] = left, stay, right
    chain = cp.Acceptor(5, "a", [matrix], 2, {4}).chain("a")
    np.testing.assert_allclose(chain.absorption[:, 1], [0, 1 / 15, 1 / 5, 7 / 15, 1], rtol=1e-13)
    np.testing.assert_allclose(chain.absorption.sum(axis=1), 1.0, rtol=1e-14)
    np.testing.assert_allclose(chain.expected_steps, [0, 2.2e14, 3.6e14, 3.4e14, 0], rtol=1e-13)


def test_chains_of_extreme_numbers() -> None:
    rare = cp.Acceptor(3, "a", [[[1 - 1e-200, 1e-200, 0], [0, 1 - 1e-200, 1e-200], [0, 0, 1]]], 0, {2}).chain("a")
    assert rare.absorption.tolist() == [[1.0], [1.0], [1.0]]
    np.testing.assert_allclose(rare.expected_steps, [2e200, 1e200, 0], rtol=1e-14)
    uphill = cp.Acceptor(3, "a", [[[0, 1, 0], [1e-200, 0, 1], [0, 1e-200, 1]]], 0, {2}).chain("a")
    np.testing.assert_allclose(uphill.stationary, [[0, 1e-200, 1]], rtol=1e-14)
    steps = [[[1 - 1e-200, 1e-200, 0], [0, 1, 0], [0, 0, 1.0]], [[1, 0, 0], [1 - 1e-200, 0, 1e-200], [0, 0, 1.0]]]
    product = cp.Acceptor(3, "ab", steps, 0, {2}).chain("ab")
    assert product.recurrent_classes == ((2,),), "from 0 to 2 with probability 1e-400"
    assert product.absorption.tolist() == [[1.0], [1.0], [1.0]]


def test_chains_cannot_be_changed_or_misused() -> None:
    chain = cp.gallery.land_of_oz().chain("d")
    with pytest.raises(ValueError, match="read-only"):
        chain.stationary[0, 0] = 9
    with pytest.raises(AttributeError, match="cannot assign to field"):
        chain.matrix = np.eye(3)  # type: ignore[misc]
    with pytest.raises(cp.errors.InvalidArgument, match="steps must be a whole number, 0 or more; got -1"):
        chain.power(-1)
    with pytest.raises(cp.errors.InvalidArgument, match="needs a square matrix; got shape \\(2, 2\\)"):
        cp.model.MarkovChain(np.eye(2), ["a"])
    with pytest.raises(cp.errors.InvalidArgument, match="must not be negative and must sum to 1"):
        cp.model.MarkovChain(np.array([[2.0, -1.0], [0.3, 0.1]]), ["a", "b"])


def test_dot_escapes_names() -> None:
    acceptor = cp.Acceptor(['say "hi"', "back\\slash"], ["new\nline"], [[[0.25, 0.75], [0, 1]]], [0.5, 0.5], set())
    text = cp.drawing.to_dot(acceptor)
    assert r'label="say \"hi\""' in text
    assert r'label="back\\slash"' in text
    assert r'label="new\\nline: 0.25"' in text
    assert 'start -> 0 [style=dashed, label="0.5"];' in text


def test_dot_of_a_dfa() -> None:
    dfa = cp.Language(A_PARITY, "1/2").to_dfa()
    assert isinstance(dfa, cp.DFA)
    assert cp.drawing.to_dot(dfa).splitlines()[1:] == [
        "  rankdir=LR;",
        '  node [fontname="Helvetica,Arial,sans-serif", shape=circle];',
        '  edge [fontname="Helvetica,Arial,sans-serif", fontsize=12];',
        '  start [label="start", shape=plaintext];',
        '  0 [label="0"];',
        '  1 [label="1", peripheries=2];',
        "  start -> 0 [style=dashed];",
        '  0 -> 0 [label="0"];',
        '  0 -> 1 [label="1"];',
        '  1 -> 1 [label="0"];',
        '  1 -> 0 [label="1"];',
        "}",
    ]


def test_tables_of_exact_acceptors_show_fractions() -> None:
    assert cp.drawing.forward_table(cp.p_adic(3), "12").splitlines()[1:] == [
        "0        1    0    0",
        "1  1     2/3  1/3  1/3",
        "2  2     2/9  7/9  7/9",
    ]
    exact = cp.p_adic(3).forward("12", exact=True).astype(float)
    np.testing.assert_allclose(cp.p_adic(3).forward("12"), exact, rtol=1e-15)


def test_print_is_bounded() -> None:
    assert str(cp.random_acceptor(80, "ab", rng=0)).endswith("; table() shows all matrices")


def test_forward_table_of_symbols_longer_than_a_character() -> None:
    acceptor = cp.Acceptor(["x", "y"], ["buy", "quit"], [[[0.9, 0.1], [0, 1]], [[1, 0], [1, 0]]], "x", {"y"})
    assert cp.drawing.forward_table(acceptor, ["buy", "buy"]).splitlines() == [
        "k  read  x     y     accepted if it ended here",
        "0        1     0     0",
        "1  buy   0.9   0.1   0.1",
        "2  buy   0.81  0.19  0.19",
    ]
