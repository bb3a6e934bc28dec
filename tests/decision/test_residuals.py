"""DFAs by exact residuals and by the support: right on every short word, minimal, the same for equivalent acceptors."""

import operator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import optimize

import cutpoint as cp

automata = pytest.importorskip("automata.fa.dfa")

CUT_POINTS = [Fraction(n, d) for n, d in ((0, 1), (1, 1), (1, 2), (1, 3), (1, 4), (3, 4), (2, 5), (5, 7))]


def random_exact(rng: np.random.Generator) -> cp.Acceptor:
    """Few states, small weights: zeros, ties and equal rows are common."""
    size, n_symbols = int(rng.integers(1, 4)), int(rng.integers(1, 3))
    weights = rng.integers(0, 4, (n_symbols, size, size)) * (rng.random((n_symbols, size, size)) < 0.7)
    weights[weights.sum(axis=2) == 0, 0] = 1
    start = rng.integers(0, 3, size)
    start[0] += not start.any()
    return cp.Acceptor.normalized(size, "ab"[:n_symbols], weights.tolist(), start.tolist(), rng.random(size) < 0.5)


def permuted(acceptor: cp.Acceptor, rng: np.random.Generator) -> cp.Acceptor:
    order = rng.permutation(acceptor.n_states)
    steps = acceptor.exact_transitions[:, order][:, :, order]
    return cp.Acceptor(len(order), acceptor.alphabet, steps, acceptor.exact_initial[order], acceptor.final[order])


def padded(acceptor: cp.Acceptor, rng: np.random.Generator) -> cp.Acceptor:
    """Two more states, which no word reaches, in front."""
    size = acceptor.n_states
    steps: Any = np.full((acceptor.n_symbols, size + 2, size + 2), Fraction(0), dtype=object)
    steps[:, 2:, 2:] = acceptor.exact_transitions
    steps[:, 0, int(rng.integers(size + 2))] = Fraction(1)
    steps[:, 1, :2] = Fraction(1, 2)
    initial: Any = [0, 0, *acceptor.exact_initial]
    return cp.Acceptor(size + 2, acceptor.alphabet, steps, initial, np.array([True, False, *acceptor.final]))


def mixed(acceptor: cp.Acceptor) -> cp.Acceptor:
    """p = (p + 2p² + 2(2p - p²)) / 5 with other states."""
    return cp.mixture([acceptor, acceptor & acceptor, acceptor | acceptor], ["1/5", "2/5", "2/5"])


HOLDS = {">": operator.gt, "≥": operator.ge, "=": operator.eq, "≠": operator.ne}


def check_dfa(dfa: cp.DFA, acceptor: cp.Acceptor, cut_point: Fraction, relation: str, length: int = 10) -> None:
    """Against all words up to a length, with distributions in fractions, and against automata-lib's minimal DFA."""
    level = [(dfa.initial, acceptor.exact_initial)]
    for _ in range(length + 1):
        for state, row in level:
            value = row[acceptor.final].sum()
            assert (state in dfa.final) == HOLDS[relation](value, cut_point)
        pairs = (
            (dfa.transitions[s][a], row @ acceptor.exact_transitions[a])
            for s, row in level
            for a in range(acceptor.n_symbols)
        )
        level = list({(s, tuple(row)): (s, row) for s, row in pairs}.values())
    assert dfa.n_states == len(dfa.to_automata().minify().states)


@pytest.mark.parametrize("seed", range(4))
def test_equivalent_acceptors_have_the_same_dfa_or_none_within_the_limit(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(8):
        acceptor, cut_point = random_exact(rng), CUT_POINTS[rng.integers(len(CUT_POINTS))]
        relation: Any = rng.choice(list(HOLDS))
        answer = cp.Language(acceptor, cut_point, relation=relation).to_dfa(max_states=60)
        if isinstance(answer, cp.DFA):
            check_dfa(answer, acceptor, cut_point, relation)
        else:
            assert 0 < cut_point < 1
        for other in (permuted(acceptor, rng), padded(acceptor, rng), mixed(acceptor), mixed(padded(acceptor, rng))):
            assert cp.Language(other, cut_point, relation=relation).to_dfa(max_states=60) == answer


@pytest.mark.parametrize("cut_point", ["1/2", "1/3", "5/17", "311/1000"])
def test_a_mixture_that_is_equivalent_to_the_p_adic_acceptor_has_its_dfa(cut_point: str) -> None:
    first, second = (cp.Language(acceptor, cut_point).to_dfa(3000) for acceptor in (cp.p_adic(2), mixed(cp.p_adic(2))))
    assert first == second
    assert isinstance(first, cp.DFA)


def test_the_weights_of_the_parts_of_a_mixture_are_fixed() -> None:
    """State by state the column of '1' has entries on both sides of 1/10; with half of the weight in each part it is above."""
    part = cp.mixture([cp.p_adic(2), cp.gallery.tomita(1)])
    dfa = cp.Language(part, "1/10").to_dfa()
    assert isinstance(dfa, cp.DFA)
    check_dfa(dfa, part, Fraction(1, 10), ">", 9)


def test_the_support_decides_at_0_and_1_for_floats_too() -> None:
    """Rows of tenths do not sum to exactly 1 in binary, but which entries are 0 is known; 2⁻¹⁰⁷⁴ is not 0."""
    acceptor = cp.Acceptor(
        3, "ab", [[[0.1, 0.2, 0.7], [0, 1, 0], [0, 0, 1]], [[1, 0, 0], [5e-324, 1, 0], [0, 0, 1]]], 0, {1}
    )
    possible = cp.Language(acceptor, 0)
    dfa = possible.to_dfa()
    assert isinstance(dfa, cp.DFA)
    words = ["", "a", "b", "ab", "ba", "abab", "b" * 9, "aabb" * 40]
    assert dfa.contains(words).tolist() == possible.contains(words).tolist()
    certain = cp.Language(cp.gallery.gambler(4, win=0.5), 1, inclusive=True)
    nothing = certain.to_dfa()
    assert isinstance(nothing, cp.DFA)
    assert nothing == (~cp.Language(~certain.acceptor, 0)).to_dfa()
    sure = cp.Language(acceptor.replace(final={1, 2}), 1, inclusive=True).to_dfa()
    assert isinstance(sure, cp.DFA)
    assert list(sure.words(2)) == []  # the first state may be kept, by "a" too
    all_words = cp.Language(acceptor.replace(initial=2, final={2}), 1, relation="=").to_dfa()
    assert isinstance(all_words, cp.DFA)
    assert list(all_words.words(1)) == ["", "a", "b"]
    assert str(possible.to_dfa(max_states=1)) == (
        "unknown: 1 set of states was explored, and there are more. The language is regular: a larger max_states will do."
    )


@pytest.mark.parametrize("relation", list(HOLDS))
@pytest.mark.parametrize("cut_point", [0, 1])
def test_the_support_is_proven_for_every_relation(cut_point: int, relation: Any) -> None:
    rng = np.random.default_rng(cut_point)
    for _ in range(5):
        acceptor = random_exact(rng)
        dfa = cp.Language(acceptor, cut_point, relation=relation).to_dfa()
        assert isinstance(dfa, cp.DFA)
        check_dfa(dfa, acceptor, Fraction(cut_point), relation, 6)
        cp.decision.check(dfa)


def test_long_explorations_report_and_can_be_ended() -> None:
    language, seen = cp.Language(cp.gallery.majority(), "1/2"), list[int]()

    def report(explored: int) -> bool:
        seen.append(explored)
        return explored > 50

    answer = language.to_dfa(callback=report)
    assert isinstance(answer, cp.Unknown)
    assert seen == sorted(seen)
    assert (answer.explored, seen[-1]) == (seen[-1], answer.explored)
    assert "then it was interrupted" in str(answer)
    assert answer._repr_html_() == f"<p>{answer}</p>"

    def interrupt(explored: int) -> None:
        if explored > 20:
            raise KeyboardInterrupt

    for isolation in (None, "1/1000"):
        assert "then it was interrupted" in str(language.to_dfa(isolation=isolation, callback=interrupt))


def test_a_linear_program_that_proves_nothing_spares_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its row, on which a residual is exactly at the cut point, shows of many others that they are no sinks."""
    solved, solve = list[int](), optimize.linprog

    def counting(*given: Any, **named: Any) -> Any:
        solved.append(1)
        return solve(*given, **named)

    monkeypatch.setattr(optimize, "linprog", counting)
    assert cp.Language(cp.gallery.majority(), "1/2").to_dfa(max_states=100) == cp.Unknown(explored=100)
    assert len(solved) < 20
