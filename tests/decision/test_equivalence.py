"""Equivalence and distance, against enumeration with fractions."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import cutpoint as cp
from cutpoint.exact.spans import explore, first_nonzero, primes, row_space
from tests.guises import different_from, permuted, small_acceptor, split, with_clock, with_dummy
from tests.strategies import acceptors
from tests.words import rank, values

BATCHES = range(10)
TOLERANCE = "tolerance must be a finite number, 1e-12 or more, because below that rounding decides; got "


def first_difference(left: Any, right: Any, longest: int) -> tuple[str, Fraction, Fraction] | None:
    """First word, by enumeration, on which two functions differ, and their values there."""
    mine, its = values(left, longest), values(right, longest)
    return next(((word, mine[word], its[word]) for word in mine if mine[word] != its[word]), None)


@pytest.mark.parametrize("batch", BATCHES)
def test_acceptors_in_other_guises_are_equal(batch: int) -> None:
    """500 pairs in all: permuted, split, with a dummy beside them, and mixtures of these."""
    rng = np.random.default_rng(batch)
    guises = (permuted, split, with_dummy, lambda A, rng: permuted(split(split(A, rng), rng), rng), _mixed)
    for case in range(50):
        A = small_acceptor(rng, int(rng.integers(1, 5)), "abc"[: rng.integers(1, 4)])
        B = guises[case % len(guises)](A, rng)
        assert first_difference(A, B, 2) is None  # the construction itself
        answer = cp.equivalence(A, B)
        assert answer == cp.Equal()
        assert answer


def _mixed(A: cp.Acceptor, rng: np.random.Generator) -> cp.Acceptor:
    return cp.mixture([split(A, rng), with_dummy(A, rng)], ["2/7", "5/7"])


@pytest.mark.parametrize("batch", BATCHES)
def test_the_witness_is_the_first_word_of_all(batch: int) -> None:
    """500 pairs in all that differ at some length and at none shorter."""
    rng = np.random.default_rng(100 + batch)
    for case in range(50):
        A = small_acceptor(rng, int(rng.integers(1, 4)))
        ticks = case % 5
        B = permuted(different_from(A, ticks, rng), rng)
        left = (A, split(A, rng), with_dummy(A, rng))[case % 3]
        answer = cp.equivalence(left, B)
        assert isinstance(answer, cp.Different)
        assert len(answer.word) == ticks
        assert (answer.word, answer.left, answer.right) == first_difference(left, B, ticks)
        assert isinstance(answer.left, Fraction)
        assert answer.difference == answer.left - answer.right != 0
        assert not answer


def test_the_witness_is_first_even_where_its_prefix_looks_superfluous() -> None:
    """After b the row is that of the empty word: b and all its extensions are left out, the first word is not."""
    steps = {"a": {0: 1, 1: 2, 2: 2, 3: 2}, "b": {0: 0, 1: 3, 2: 2, 3: 3}}
    A = cp.Acceptor(4, "ab", steps, 0, {3})
    B = A.replace(final=set())
    assert cp.equivalence(A, B) == cp.Different("ab", Fraction(1), Fraction(0))
    assert cp.equivalence(A.replace(final={2, 3}), A) == cp.Different("aa", Fraction(1), Fraction(0))


@given(acceptors(max_states=3, max_symbols=2), acceptors(max_states=3, max_symbols=2))
def test_floats_count_as_their_binary_values(A: cp.Acceptor, B: cp.Acceptor) -> None:
    if A.n_symbols != B.n_symbols:
        B = cp.Acceptor(1, A.alphabet, [[[1.0]]] * A.n_symbols, 0, {0})
    answer = cp.equivalence(A, B)
    found = first_difference(A, B, A.n_states + B.n_states - 1)
    assert (answer == cp.Equal()) if found is None else (answer == cp.Different(*found))


def test_states_that_accept_everything_keep_their_last_bits() -> None:
    """Three times the float 1/3 is a little less than 1, stored sparse or not."""
    thirds = cp.Acceptor(3, "a", [[[1 / 3] * 3] * 3], [1 / 3] * 3, {0, 1, 2})
    sure = cp.Acceptor(1, "a", [[[1.0]]], 0, {0})
    assert cp.equivalence(thirds.to_sparse(), sure) == cp.equivalence(thirds, sure)
    assert not cp.equivalence(thirds, sure)


def test_a_last_bit_is_a_difference_and_a_tolerance_forgives_it() -> None:
    A = cp.Acceptor(2, "a", [[[0.5, 0.5], [0.25, 0.75]]], 0, {1})
    up = np.nextafter(0.75, 1)
    B = cp.Acceptor(2, "a", [[[0.5, 0.5], [1 - up, up]]], 0, {1})
    answer = cp.equivalence(A, B)
    assert isinstance(answer, cp.Different)
    assert answer.word == "aa"
    assert answer.difference == (Fraction(3, 4) - Fraction(up)) / 2 < 0
    assert cp.equivalence(A, B, tolerance=1e-12) == cp.Equal(tolerance=1e-12)


def test_a_fraction_is_not_its_float() -> None:
    A = cp.Acceptor(2, "ab", [[["1/2", "1/2"], [0, 1]], [["7/10", "3/10"], [0, 1]]], 0, {1})
    B = cp.Acceptor(2, "ab", A.transitions, A.initial, A.final)
    expected = cp.Different("b", Fraction(3, 10), Fraction(0.3))
    assert cp.equivalence(A, B) == expected
    assert cp.equivalence(B, A) == cp.Different("b", expected.right, expected.left)
    assert cp.equivalence(A, B, tolerance=1e-12)


# -- With a tolerance -----------------------------------------------------------------------------------------------


def learned_like(n_states: int, seed: int) -> cp.Acceptor:
    return cp.random_acceptor(n_states, "abc", rng=seed)


@pytest.mark.parametrize("seed", range(20))
def test_a_tolerance_sees_through_guises_of_floats(seed: int) -> None:
    rng = np.random.default_rng(seed)
    A = learned_like(8, seed)
    B = permuted(A & learned_like(2, seed + 100).replace(final=np.array([True, True])), rng)
    assert cp.equivalence(A, B, tolerance=1e-12)
    noisy = A.transitions * (1 + 1e-6 * rng.standard_normal(A.transitions.shape))
    C = cp.Acceptor.normalized(A.states, A.alphabet, noisy, A.initial, A.final)
    assert cp.equivalence(A, C, tolerance=1e-3)
    answer = cp.equivalence(A, C, tolerance=1e-10)
    assert isinstance(answer, cp.Different)
    assert answer.left == A.acceptance(answer.word)
    assert answer.right == C.acceptance(answer.word)
    assert abs(float(answer.difference)) > 1e-10


def test_a_tolerance_finds_a_late_difference() -> None:
    """Nothing before the eighth symbol tells them apart; the float search must go that far."""
    A = small_acceptor(np.random.default_rng(3), 3)
    B = different_from(A, 8, np.random.default_rng(4))
    answer = cp.equivalence(A, B, tolerance=1e-9)
    assert isinstance(answer, cp.Different)
    assert len(answer.word) == 8


def test_a_tolerance_follows_every_branch_and_thin_directions() -> None:
    """Only b leads on, and where it leads few runs go."""
    rows = [{"a": 5, "b": 1}, {"a": 5, "b": 2}, {"a": 5, "b": 3}, {"a": 5, "b": 4}, {"a": 5, "b": 4}, {"a": 5, "b": 5}]
    A = cp.gallery.deterministic(dict(enumerate(rows)), 0, {4})
    assert cp.equivalence(A, A.replace(final=set()), tolerance=0.5) == cp.Different("bbbb", 1.0, 0.0)
    thin = cp.Acceptor(3, "a", {"a": {0: {0: 0.99, 1: 0.01}, 1: 2, 2: 2}}, 0, {2})
    answer = cp.equivalence(thin, thin.replace(final=set()), tolerance=1e-3)
    assert isinstance(answer, cp.Different)
    assert answer.word == "aa"


def test_slow_drift_is_what_a_tolerance_can_miss() -> None:
    """As the documentation says: on the words tried they hardly differ, on long ones they do."""
    A = cp.Acceptor(2, "a", [[[0.999, 0.001], [0, 1]]], 0, {1})
    B = cp.Acceptor(2, "a", [[[0.9989, 0.0011], [0, 1]]], 0, {1})
    assert cp.equivalence(A, B, tolerance=1e-3)
    assert cp.distance(A, B, max_length=1000).value > 0.03


# -- WeightedAutomaton functions, alphabets ------------------------------------------------------------------------------------


def test_linear_functions_and_acceptors_are_compared_alike() -> None:
    A = cp.p_adic(3)
    f = cp.WeightedAutomaton.of(A)
    assert cp.equivalence(A, f)
    assert cp.equivalence(f + f, 2 * f)
    assert cp.equivalence(f - f, cp.WeightedAutomaton("012", [], np.zeros((3, 0, 0)), []))
    assert cp.equivalence(~A, 1 - f)
    assert cp.equivalence(A & A, f & f)
    assert cp.equivalence(A | A, f + f - (f & f))
    assert cp.equivalence(f, 1 - f) == cp.Different("", Fraction(0), Fraction(1))
    tiny = f + cp.WeightedAutomaton("012", [1], [[["1/2"]]] * 3, [Fraction(1, 10**30)])
    assert cp.equivalence(f, tiny) == cp.Different("", Fraction(0), Fraction(1, 10**30))
    assert cp.equivalence(f, tiny, tolerance=1e-12)


def test_symbols_may_come_in_another_order() -> None:
    A = cp.p_adic(3)
    B = A.restricted("210")
    assert cp.equivalence(A, B)
    assert cp.equivalence(B, A & A).word == "2"  # type: ignore[union-attr]
    assert cp.equivalence(A, B & B).word == "1"  # type: ignore[union-attr]


def test_words_of_long_symbols_are_tuples() -> None:
    A = cp.p_adic(2).renamed(symbols={"0": "zero", "1": "one"})
    assert cp.equivalence(A, A & A) == cp.Different(("one",), Fraction(1, 2), Fraction(1, 4))


def test_answers_read_well() -> None:
    A = cp.p_adic(2)
    assert str(cp.equivalence(A, A)) == "equal on all words"
    assert str(cp.equivalence(A, A, tolerance=1e-6)) == "no difference above 1e-06 found"
    answer = cp.equivalence(A, A & A)
    assert str(answer) == "different on '1': 1/2 and 1/4, difference 1/4"
    assert repr(answer) == "Different(word='1', left=Fraction(1, 2), right=Fraction(1, 4))"
    assert repr(cp.Different("a", Fraction(1, 7**6000), Fraction(0))) == (
        "Different(word='a', left=a Fraction too long to print, right=Fraction(0, 1))"
    )


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((cp.p_adic(2), cp.p_adic(3)), "automata must have the same alphabet; got {'0', '1'} and {'0', '1', '2'}."),
        ((cp.p_adic(2), "p_adic"), "expected an Acceptor or a WeightedAutomaton; got 'p_adic'."),
        ((None, cp.p_adic(2)), "expected an Acceptor or a WeightedAutomaton; got None."),
        ((cp.p_adic(2), cp.p_adic(2), float("nan")), TOLERANCE + "nan."),
        ((cp.p_adic(2), cp.p_adic(2), -1e-9), TOLERANCE + "-1e-09."),
        ((cp.p_adic(2), cp.p_adic(2), 0), TOLERANCE + "0."),
        ((cp.p_adic(2), cp.p_adic(2), 1e-13), TOLERANCE + "1e-13."),
        ((cp.p_adic(2), cp.p_adic(2), float("inf")), TOLERANCE + "inf."),
        ((cp.p_adic(2), cp.p_adic(2), "small"), TOLERANCE + "'small'."),
    ],
)
def test_what_cannot_be_compared_is_refused(arguments: Any, sentence: str) -> None:
    with pytest.raises(cp.errors.InvalidArgument) as refusal:
        cp.equivalence(*arguments)
    assert str(refusal.value) == sentence


# -- Proofs ---------------------------------------------------------------------------------------------------------


def with_primes(monkeypatch: pytest.MonkeyPatch, *first: int) -> None:
    """Let the search begin with some primes; small ones divide what they should not."""

    def starting() -> Iterator[int]:
        yield from first
        yield from primes()

    monkeypatch.setattr("cutpoint.exact.spans.primes", starting)


def test_unlucky_primes_do_not_mislead(monkeypatch: pytest.MonkeyPatch) -> None:
    """Modulo 2, 3, 5, 7 much is 0 or dependent that is not: verdict, witness and space are right all the same."""
    rng = np.random.default_rng(7)
    misled = 0
    with_primes(monkeypatch, 2, 3, 5, 7)
    for case in range(100):
        A = small_acceptor(rng, int(rng.integers(1, 4)))
        B = permuted(different_from(A, case % 4, rng), rng) if case % 2 else split(A, rng)
        found = first_difference(A, B, case % 4 if case % 2 else 2)
        assert cp.equivalence(A, B) == (cp.Equal() if found is None else cp.Different(*found))
        difference = cp.WeightedAutomaton.of(A) - B
        alone = explore(difference.integers, 3).word
        misled += found is not None and alone != tuple("ab".index(symbol) for symbol in found[0])
    assert misled >= 10


def test_a_search_with_a_longest_word_looks_at_all_words_up_to_it() -> None:
    chain = [[float(t == s + 1) for t in range(5)] for s in range(5)]
    only = cp.WeightedAutomaton("ab", [1, 0, 0, 0, 0], {"a": chain, "b": chain}, [0, 0, 0, 0, 1])  # words of 4 symbols
    found = {longest: explore(only.integers, 2**63 - 25, longest).word for longest in (None, 0, 1, 3, 4, 5)}
    assert found == {None: (0,) * 4, 0: None, 1: None, 3: None, 4: (0,) * 4, 5: (0,) * 4}


def test_values_that_a_large_prime_divides_are_found() -> None:
    """The very prime of the first search divides the difference."""
    p = 2**63 - 25
    steps = [[[Fraction(p, 2**64), 1 - Fraction(p, 2**64)], [0, 1]]]
    A, B = cp.Acceptor(2, "a", steps, 0, {0}), cp.Acceptor(2, "a", [[[0, 1], [0, 1]]], 1, {0})
    shifted = cp.WeightedAutomaton("a", [0, 1, 0], [[[0, 0, 0], [0, 0, 1], [0, 0, 1]]], [0, 0, p])
    assert next(primes()) == p
    assert cp.equivalence(A, B).word == ""  # type: ignore[union-attr]
    assert cp.equivalence(shifted, cp.WeightedAutomaton.constant("a", 0)) == cp.Different("a", Fraction(p), Fraction(0))
    multiple = cp.WeightedAutomaton("a", [p, 0], [[[0, 1], [0, 1]]], [1, 2])  # modulo p there are no rows at all
    assert len(row_space(multiple.integers).pivots) == cp.minimize(multiple).dimension == 2
    jump = cp.WeightedAutomaton("a", [1, 0], [[[1, p], [0, 1]]], [1, 1])  # modulo p the first row is all there is
    assert len(row_space(jump.integers).pivots) == cp.minimize(jump).dimension == 2


@given(acceptors(max_states=4, max_symbols=2, exact=True))
def test_the_row_space_is_that_of_all_words(A: cp.Acceptor) -> None:
    span = row_space(A.integers)
    words = values(A, A.n_states - 1)
    rows = [A.forward(word, exact=True)[-1].tolist() for word in words]
    basis = span.basis.tolist()
    assert len(basis) == rank(rows) == rank(rows + basis)
    assert [[row[j] for j in span.pivots] for row in basis] == np.eye(len(basis), dtype=int).tolist()
    assert all(all(x == 0 for x in row[:j]) for row, j in zip(basis, span.pivots, strict=True))
    assert all(i < j for i, j in pairwise(span.pivots))


def test_fractions_of_many_digits_are_read_back() -> None:
    """Matrices in coordinates with large entries: one prime is not enough, some dozens are."""
    big = Fraction(10**40 + 7, 3**60)
    A = with_clock(small_acceptor(np.random.default_rng(1), 2), 2)
    n = A.n_states
    turn = [[Fraction(int(s == t)) + (big if t == s + 1 else 0) for t in range(n)] for s in range(n)]
    back = [[(-big) ** (t - s) if t >= s else Fraction(0) for t in range(n)] for s in range(n)]
    there, again = np.array(turn, dtype=object), np.array(back, dtype=object)
    assert ((there @ again) == np.eye(n, dtype=int)).all()
    f = cp.WeightedAutomaton.of(A)
    g = cp.WeightedAutomaton("ab", f.exact_initial @ again, there @ f.exact_transitions @ again, there @ f.exact_final)
    assert cp.equivalence(f, g)
    assert cp.minimize(g).dimension == cp.minimize(f).dimension
    assert first_nonzero(g.integers) == tuple(
        "ab".index(s) for s in next(word for word, value in values(f, 3).items() if value)
    )


# -- Distance -------------------------------------------------------------------------------------------------------


def largest_difference(left: Any, right: Any, longest: int) -> tuple[Fraction, str]:
    """By enumeration: the largest difference and its first word."""
    mine, its = values(left, longest), values(right, longest)
    gaps = {word: abs(mine[word] - its[word]) for word in mine}
    return max(gaps.values()), next(word for word in gaps if gaps[word] == max(gaps.values()))


@given(acceptors(max_states=3, exact=True), st.integers(0, 5), st.integers(0, 2**32))
def test_distance_is_the_largest_difference(A: cp.Acceptor, longest: int, seed: int) -> None:
    B = small_acceptor(np.random.default_rng(seed), 1 + seed % 3, "".join(map(str, A.alphabet)))
    found = cp.distance(A, B, longest)
    assert (found.value, found.word) == largest_difference(A, B, longest)
    assert isinstance(found.value, Fraction)
    f = cp.WeightedAutomaton.of(A) - cp.WeightedAutomaton.of(B) / 2
    to_weighted = cp.distance(f, B, longest)
    assert (to_weighted.value, to_weighted.word) == largest_difference(f, B, longest)


@settings(max_examples=40)
@given(acceptors(max_states=3), st.integers(0, 2**32))
def test_distance_of_floats(A: cp.Acceptor, seed: int) -> None:
    B = cp.random_acceptor(2, A.alphabet, rng=seed)
    found = cp.distance(A, B, 4)
    assert float(found.value) == pytest.approx(float(largest_difference(A, B, 4)[0]), rel=1e-12, abs=0)
    assert float(found.value) == pytest.approx(
        abs(A.acceptance(found.word) - B.acceptance(found.word)), rel=1e-12, abs=0
    )


def test_distance_tells_how_far_it_is() -> None:
    A = cp.random_acceptor(3, "ab", rng=0)
    seen: list[int] = []
    found = cp.distance(A, cp.random_acceptor(3, "ab", rng=1), 5, callback=seen.append)
    assert found == cp.distance(A, cp.random_acceptor(3, "ab", rng=1), 5)
    assert seen == list(range(len(seen)))
    assert 1 < len(seen) <= 6
    same = cp.distance(A, A, 10**6)
    assert (same, type(same.value)) == (cp.decision.Distance(0.0, ""), float)


def test_distance_goes_far_where_acceptors_forget() -> None:
    A, B = cp.random_acceptor(3, "ab", rng=1).rationalized(100), cp.random_acceptor(3, "ab", rng=2).rationalized(100)
    short = cp.distance(A, B, 8)
    assert cp.distance(A, B, 100) == short
    assert (short.value, short.word) == largest_difference(A, B, 8)
    assert cp.distance(cp.gallery.tomita(3), cp.gallery.tomita(7), 200) == cp.decision.Distance(Fraction(1), "10")


def test_distance_of_functions_that_fade_or_grow() -> None:
    """Only ab has a value: bounds must hold for short beginnings too, not only for those of full length."""
    zero = [0, 0, 0]
    f = cp.WeightedAutomaton("ab", [1, 0, 0], {"a": [[0, 1, 0], zero, zero], "b": [zero, [0, 0, 1], zero]}, [0, 0, -5])
    assert cp.distance(f, cp.WeightedAutomaton.constant("ab", 0), 6) == cp.decision.Distance(Fraction(5), "ab")
    doubling = cp.WeightedAutomaton("a", [1], [[[2]]], [1])
    assert cp.distance(doubling, cp.WeightedAutomaton.constant("a", 0), 10) == cp.decision.Distance(
        Fraction(1024), "a" * 10
    )
    assert cp.distance(0.5 * f, cp.p_adic(2).renamed(symbols={"0": "a", "1": "b"}), 6).word == "ab"


def test_distance_zero_and_its_words() -> None:
    A = cp.p_adic(2)
    assert cp.distance(A, split(A, np.random.default_rng(0)), 10**6) == cp.decision.Distance(Fraction(0), "")
    f = cp.WeightedAutomaton.of(A)
    assert cp.distance(f - f, 0 * f, 3) == cp.decision.Distance(Fraction(0), "")
    nothing = cp.WeightedAutomaton("01", [], np.zeros((2, 0, 0)), [])
    assert cp.distance(nothing, A, 3) == cp.decision.Distance(Fraction(7, 8), "111")
    clock = cp.gallery.deterministic({i: dict.fromkeys("ab", i + 1 if i < 3 else 3) for i in range(4)}, 0, {3})
    assert cp.distance(clock, clock.replace(final=set()), 9) == cp.decision.Distance(
        Fraction(1), "aaa"
    )  # as with any symbols
    assert str(cp.distance(A, ~A, 0)) == "1 at ''"
    assert repr(cp.distance(A, A & A, 2)) == "Distance(value=Fraction(1, 4), word='1')"


@pytest.mark.parametrize(
    ("arguments", "kind", "sentence"),
    [
        (
            (2, 20, 100),
            cp.errors.TooLarge,
            "at length 7 there are 128 words to keep; the limit is 100. "
            "Stop earlier with max_length=6. Or allow more words with max_words=….",
        ),
        ((2, -1), cp.errors.InvalidArgument, "max_length must be a whole number, 0 or more; got -1."),
        ((2, 3.0), cp.errors.InvalidArgument, "max_length must be a whole number, 0 or more; got 3.0."),
        ((2, 3, 0), cp.errors.InvalidArgument, "max_words must be a whole number, 1 or more; got 0."),
        (
            (3, 3),
            cp.errors.InvalidArgument,
            "automata must have the same alphabet; got {'0', '1'} and {'0', '1', '2'}.",
        ),
    ],
)
def test_distance_says_what_it_cannot_do(arguments: Any, kind: type[Exception], sentence: str) -> None:
    """Almost the p-adic acceptor, in floats: bounds never drop a word."""
    p, *rest = arguments
    exact = cp.p_adic(p)
    nearly = exact.transitions * (1 - 2e-12) + 1e-12
    B = cp.Acceptor(exact.states, exact.alphabet, nearly, exact.initial, exact.final)
    with pytest.raises(kind) as refusal:
        cp.distance(cp.p_adic(2), B, *rest)
    assert str(refusal.value) == sentence


def test_values_of_floats_are_printed_as_floats() -> None:
    left, right = (cp.random_acceptor(2, "ab", rng=rng, final={1}) for rng in (1, 2))
    found = cp.equivalence(left, right)
    assert isinstance(found, cp.Different)
    assert isinstance(found.left, Fraction)  # the answer is exact all the same
    assert repr(found) == f"Different(word='', left={float(found.left)!r}, right={float(found.right)!r})"
    assert "/" not in str(found)
    assert "1/2 and 1/4" in str(cp.equivalence(cp.p_adic(2), cp.p_adic(2) & cp.p_adic(2)))


@pytest.mark.parametrize("seed", [0, 1, 24, 27, 34, 44, 52])
def test_distance_of_weighted_automata_is_the_largest_difference(seed: int) -> None:
    """Entries of both signs with different denominators, in the row, the matrices and the column."""
    rng = np.random.default_rng(seed)

    def entries(*shape: int) -> Any:
        return np.vectorize(lambda p, q: Fraction(int(p), int(q)), otypes=[object])(
            rng.integers(-3, 4, shape), rng.integers(1, 5, shape)
        )

    f, g = (cp.WeightedAutomaton("ab", entries(2), entries(2, 2, 2), entries(2)) for _ in range(2))
    words = ["".join(word) for n in range(5) for word in product("ab", repeat=n)]
    largest = max(abs(f.exact_value(word) - g.exact_value(word)) for word in words)
    found = cp.distance(f, g, 4)
    assert found.value == largest
    assert abs(f.exact_value(found.word) - g.exact_value(found.word)) == largest
    in_floats = cp.distance(f * 1.0, g * 1.0, 4)
    assert in_floats.value == pytest.approx(float(largest), rel=1e-12, abs=0)
