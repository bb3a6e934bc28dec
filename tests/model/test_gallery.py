"""Classic acceptors do what their sources say."""

import random
import re
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import pytest

import cutpoint as cp
from cutpoint import gallery

WORDS = ["".join(word) for n in range(9) for word in product("01", repeat=n)]


def no_odd_ones_before_odd_zeros(word: str) -> bool:
    return not any(len(m[1]) % 2 and len(m[2]) % 2 for m in re.finditer(r"(1+)(0+)", word))


TOMITA: dict[int, Callable[[str], bool]] = {
    1: lambda w: "0" not in w,
    2: lambda w: re.fullmatch("(10)*", w) is not None,
    3: no_odd_ones_before_odd_zeros,
    4: lambda w: "000" not in w,
    5: lambda w: w.count("0") % 2 == 0 == w.count("1") % 2,
    6: lambda w: (w.count("0") - w.count("1")) % 3 == 0,
    7: lambda w: re.fullmatch("0*1*0*1*", w) is not None,
}


@pytest.mark.parametrize("number", TOMITA)
def test_tomita(number: int) -> None:
    acceptor = gallery.tomita(number)
    assert acceptor.acceptances(WORDS).tolist() == [float(TOMITA[number](word)) for word in WORDS]


@pytest.mark.parametrize("number", TOMITA)
def test_tomita_of_long_words(number: int) -> None:
    """Random words of up to 400 symbols, and words of the language with one symbol changed."""
    rng = random.Random(number)
    acceptor = gallery.tomita(number)
    words = ["".join(rng.choices("01", weights=[1, rng.choice([1, 9])], k=rng.randrange(9, 400))) for _ in range(200)]
    inside = ["1" * 300, "10" * 150, "0011" * 75, "01" * 150, "1100" * 75, "001" * 99, "0" * 90 + "1" * 90 + "0" * 90]
    words += inside + [word[:k] + str(1 - int(word[k])) + word[k + 1 :] for word in inside for k in range(0, 250, 25)]
    expected = [TOMITA[number](word) for word in words]
    assert acceptor.acceptances(words).tolist() == [float(verdict) for verdict in expected]
    assert {True, False} == set(expected)


def test_parity_and_deterministic() -> None:
    assert gallery.parity().acceptances(WORDS).tolist() == [float(word.count("1") % 2) for word in WORDS]
    with pytest.raises(cp.errors.InvalidArgument, match="state 'q' must have a next state for symbol 'b'; it has none"):
        gallery.deterministic({"p": {"a": "p", "b": "q"}, "q": {"a": "p"}}, "p", {"q"})


def test_majority() -> None:
    acceptor = gallery.majority()
    for word in ("".join(w) for n in range(8) for w in product("ab", repeat=n)):
        a, b = word.count("a"), word.count("b")
        expected = Fraction(1, 2) + (Fraction(1, 2**a) - Fraction(1, 2**b)) / 2
        assert acceptor.exact_acceptance(word) == expected
        assert (word in cp.Language(acceptor, "1/2")) == (b > a)


def test_double_binary() -> None:
    def value(word: str) -> Fraction:
        return Fraction(int(word[::-1] or "0", 2), 2 ** len(word))

    for u in WORDS[:31]:
        for v in WORDS[:15]:
            assert gallery.double_binary().exact_acceptance(f"{u}#{v}") == value(u) * value(v)
        assert gallery.double_binary().exact_acceptance(u) == 0
        assert gallery.double_binary().exact_acceptance(f"{u}##") == 0


def test_value_one() -> None:
    """One block baⁿb accepts with probability xⁿ/2; repeated blocks raise it towards xⁿ/(xⁿ + (1-x)ⁿ)."""
    x = Fraction(3, 4)
    acceptor = gallery.value_one(x)
    for n in range(5):
        assert acceptor.exact_acceptance("b" + "a" * n + "b") == x**n / 2
    n = 4
    limit = x**n / (x**n + (1 - x) ** n)
    near = acceptor.acceptance(("b" + "a" * n + "b") * 60)
    assert near == pytest.approx(float(limit), rel=1e-3)
    with pytest.raises(cp.errors.InvalidArgument, match="x must be a probability between 0 and 1; got 2"):
        gallery.value_one(2)


@pytest.mark.parametrize("x", ["1/4", "1/2"])
def test_the_value_is_not_one_up_to_a_half(x: str) -> None:
    """All words of up to 12 symbols; for 3/4, blocks that grow come as near to 1 as one likes."""
    words = ["".join(word) for n in range(13) for word in product("ab", repeat=n)]
    assert max(map(gallery.value_one(x).acceptance, words)) <= 0.5
    blocks = "".join("b" + "a" * (3 + k // 40) + "b" for k in range(200))
    assert gallery.value_one("3/4").acceptance(blocks) > 0.96


@pytest.mark.parametrize(
    ("pairs", "solution"),
    [
        ([("a", "baa"), ("ab", "aa"), ("bba", "bb")], "3231"),
        ([("1", "111"), ("10111", "10"), ("10", "0")], "2113"),
        ([("a", "ab"), ("b", "ca"), ("ca", "a"), ("abc", "c")], "12314"),
        ([("ab", "a"), ("ba", "b")], None),  # the first text is always longer
        ([("", "a"), ("a", "")], "12"),
    ],
)
def test_a_correspondence_problem_is_solved_by_words_of_acceptance_one_half(
    pairs: list[tuple[str, str]], solution: str | None
) -> None:
    acceptor = gallery.post(pairs)
    symbols = "".join(map(str, range(1, len(pairs) + 1)))
    assert acceptor.n_states == 4
    for word in ("".join(word) for n in range(6) for word in product(symbols, repeat=n)):
        first, second = ("".join(pairs[int(i) - 1][side] for i in word) for side in (0, 1))
        assert (acceptor.exact_acceptance(word) == Fraction(1, 2)) == (first == second)
    language = cp.Language(acceptor, "1/2", relation="=")
    solutions = [word for word in language.words(5) if word]
    assert solution in solutions if solution else solutions == []
    nonempty = ~cp.DFA(acceptor.alphabet, ((1,) * len(pairs), (1,) * len(pairs)), 0, frozenset({0}))
    assert list((language & nonempty).to_strict().words(3)) == [w for w in solutions if len(w) <= 3]


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_cerny_automata_need_long_reset_words(n: int) -> None:
    acceptor = gallery.cerny(n)
    moves = {"a": [(s + 1) % n for s in range(n)], "b": [*range(n - 1), 0]}
    level, length = {frozenset(range(n))}, 0
    while all(len(states) > 1 for states in level):  # breadth first over sets of states, until one is single
        level, length = {frozenset(moves[a][s] for s in states) for states in level for a in "ab"}, length + 1
    assert length == (n - 1) ** 2
    dfa = cp.Language(acceptor, 1, inclusive=True).to_dfa()
    assert isinstance(dfa, cp.DFA)
    word = dfa.shortest_word()
    assert word == "b" + ("a" * (n - 1) + "b") * (n - 2)
    assert len(word) == length
    assert acceptor.exact_acceptance(word) == 1
    assert cp.value(acceptor).word == word


def test_krylov_and_gambler() -> None:
    assert gallery.krylov(1).exact_acceptance("-") == Fraction(1, 2)
    assert gallery.krylov(3).acceptance("+++") == 1.0
    assert gallery.gambler(4, start=1).exact_acceptance("p" * 3) == Fraction(1, 8)
    assert gallery.gambler(4, win="1/3").is_exact
    with pytest.raises(cp.errors.InvalidArgument, match="goal must be a whole number from 1 to 10,000; got 0"):
        gallery.gambler(0)
    with pytest.raises(cp.errors.InvalidArgument, match="start must be a whole number from 0 to 4; got 9"):
        gallery.gambler(4, start=9)
    with pytest.raises(
        cp.errors.InvalidArgument, match=r"pairs must be a list of pairs of texts, at least one; got \['ab'\]"
    ):
        gallery.post(["ab"])  # type: ignore[list-item]
    with pytest.raises(cp.errors.InvalidArgument, match="n must be a whole number from 2 to 1,000; got 1"):
        gallery.cerny(1)


def test_every_gallery_acceptor_names_its_source() -> None:
    made = [gallery.p_adic, gallery.deterministic, gallery.parity, gallery.tomita, gallery.majority]
    made += [
        gallery.post,
        gallery.cerny,
        gallery.double_binary,
        gallery.value_one,
        gallery.krylov,
        gallery.gambler,
        gallery.land_of_oz,
    ]
    for function in made:
        assert re.search(r"Source: |Freivalds", function.__doc__ or ""), function.__name__


def test_random_acceptor_and_words() -> None:
    assert cp.random_acceptor(3, "ab", rng=5) == cp.random_acceptor(3, "ab", rng=5)
    assert cp.random_acceptor(3, "ab", rng=5) != cp.random_acceptor(3, "ab", rng=6)
    sharp = cp.random_acceptor(5, "ab", rng=1, concentration=1e-3)
    assert sharp.transitions.max() > 0.99
    with pytest.raises(cp.errors.InvalidArgument, match="concentration must be positive and at most 1e\\+06; got 0"):
        cp.random_acceptor(2, "a", rng=0, concentration=0)
    words = cp.random_words(["x", "yy"], 100, (2, 4), rng=0)
    assert {len(word) for word in words} == {2, 3, 4}
    assert cp.random_words("ab", 3, 5, rng=1) == cp.random_words("ab", 3, 5, rng=1)
    with pytest.raises(cp.errors.InvalidArgument, match="lengths must be a number or a pair"):
        cp.random_words("ab", 3, (5, 2), rng=1)
    with pytest.raises(cp.errors.InvalidArgument, match="count must be a whole number from 0 to 500,000,000; got -3"):
        cp.random_words("ab", -3, 2, rng=1)
