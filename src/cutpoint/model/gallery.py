"""Classic acceptors, each with its source."""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from cutpoint.data import Alphabet, State, Symbol
from cutpoint.data.alphabet import is_collection
from cutpoint.errors import InvalidArgument
from cutpoint.exact import finite_number, whole_number
from cutpoint.model.acceptor import Acceptor
from cutpoint.model.mixtures import mixture
from cutpoint.model.parts import States, random_generator
from cutpoint.wording import shown

__all__ = [
    "cerny",
    "customers",
    "deterministic",
    "double_binary",
    "gambler",
    "krylov",
    "land_of_oz",
    "majority",
    "p_adic",
    "parity",
    "post",
    "random_acceptor",
    "tomita",
    "value_one",
]

MOST_CONCENTRATED = 1e6  # largest concentration of random rows; they are uniform to three digits there


def p_adic(p: int) -> Acceptor:
    r"""The p-adic acceptor: the word x₁…x_k is accepted with probability 0.x_k…x₁ in base p.

    .. math:: P(a) = \begin{pmatrix} 1 - a/p & a/p \\ 1 - (a+1)/p & (a+1)/p \end{pmatrix}, \quad 0 \le a < p

    The symbols are the numerals ``"0"``, ``"1"``, … as strings. Its language at λ is regular if and only if λ is
    rational. Source: Rabin, *Probabilistic automata*, Information and Control 6 (1963); the paper's Example 1, Fig. 1.

    Examples
    --------
    >>> p_adic(10).exact_acceptance("523")  # 0.325
    Fraction(13, 40)
    """
    p = whole_number("p", p, least=2, most=10**6)
    matrices = {
        str(a): [[1 - Fraction(a, p), Fraction(a, p)], [1 - Fraction(a + 1, p), Fraction(a + 1, p)]] for a in range(p)
    }
    return Acceptor(["s1", "s2"], list(matrices), matrices, "s1", {"s2"})


def deterministic(transitions: Mapping[Any, Mapping[Any, State]], initial: State, final: Iterable[State]) -> Acceptor:
    """A deterministic finite automaton as an acceptor: acceptance is 0 or 1.

    ``transitions[state][symbol]`` is the next state. Source: Rabin and Scott, *Finite automata and their decision
    problems*, IBM Journal of Research and Development 3 (1959).

    Examples
    --------
    >>> ends_in_b = deterministic({"no": {"a": "no", "b": "yes"}, "yes": {"a": "no", "b": "yes"}}, "no", {"yes"})
    >>> ends_in_b.acceptances(["ab", "ba"])
    array([1., 0.])
    """
    if not (isinstance(transitions, Mapping) and all(isinstance(row, Mapping) for row in transitions.values())):
        raise InvalidArgument(f"transitions must be a mapping {{state: {{symbol: state}}}}; got {shown(transitions)}.")
    alphabet = Alphabet(dict.fromkeys(symbol for row in transitions.values() for symbol in row))
    for state, row in transitions.items():
        for symbol in alphabet:
            if symbol not in row:
                raise InvalidArgument(f"state {state!r} must have a next state for symbol {symbol!r}; it has none.")
    matrices = {symbol: {state: row[symbol] for state, row in transitions.items()} for symbol in alphabet}
    states = States(list(transitions))
    start = states[states.code(initial, "initial: ")]
    ends = {states[states.code(state, "final: ")] for state in final} if is_collection(final) else final
    return Acceptor(states, alphabet, matrices, {start: 1}, ends)


def parity() -> Acceptor:
    """Accept words over 0, 1 with an odd number of ones. Source: Rabin and Scott (1959).

    Examples
    --------
    >>> cp.gallery.parity().acceptances(["1", "11"])
    array([1., 0.])
    """
    return deterministic({"even": {"0": "even", "1": "odd"}, "odd": {"0": "odd", "1": "even"}}, "even", {"odd"})


TOMITA: dict[int, tuple[str, str, tuple[int, ...]]] = {
    # number: (next state on 0, next state on 1, final states); state 0 is the first
    1: ("11", "01", (0,)),
    2: ("202", "122", (0,)),
    3: ("02432", "10331", (0, 1, 4)),
    4: ("1233", "0003", (0, 1, 2)),
    5: ("1032", "2301", (0,)),
    6: ("120", "201", (0,)),
    7: ("02244", "11334", (0, 1, 2, 3)),
}


def tomita(number: int) -> Acceptor:
    """One of the seven Tomita languages over 0, 1, the usual benchmark of grammatical inference.

    1: only ones; 2: (10)*; 3: no odd run of ones is directly followed by an odd run of zeros; 4: no 000; 5: even
    numbers of zeros and of ones; 6: as many zeros as ones modulo 3; 7: 0*1*0*1*. (Some collections read 3 as "no odd
    run of zeros anywhere after an odd run of ones", and some leave the empty word out of 2.)

    Source: Tomita, *Dynamic construction of finite automata from examples using hill-climbing*, Proc. 4th Annual
    Conference of the Cognitive Science Society (1982).

    Examples
    --------
    >>> tomita(4).acceptances(["0100", "10001"])
    array([1., 0.])
    """
    whole_number("the number of a Tomita language", number, least=1, most=7)
    on_zero, on_one, final = TOMITA[number]
    steps = {s: {"0": int(z), "1": int(o)} for s, (z, o) in enumerate(zip(on_zero, on_one, strict=True))}
    return deterministic(steps, 0, final)


def majority() -> Acceptor:
    r"""More b than a: acceptance :math:`\tfrac12 + \tfrac12 (2^{-|x|_a} - 2^{-|x|_b})`, above 1/2 iff b outnumbers a.

    A language that is not regular, at a cut point that is not isolated. A fair coin picks one of two experiments: does
    a token that each a destroys with probability 1/2 survive, or does one that each b destroys perish? The idea of
    comparing counts by survival is Freivalds', *Probabilistic two-way machines*, MFCS (1981).

    Examples
    --------
    >>> majority().exact_acceptance("abb")
    Fraction(5, 8)
    """
    half = Fraction(1, 2)
    steps: dict[str, dict[str, Any]] = {
        "a": {"A": {"A": half, "no": half}, "B": "B", "no": "no", "yes": "yes"},
        "b": {"A": "A", "B": {"B": half, "yes": half}, "no": "no", "yes": "yes"},
    }
    return Acceptor(["A", "B", "no", "yes"], "ab", steps, {"A": half, "B": half}, {"A", "yes"})


def double_binary() -> Acceptor:
    """Product of two binary numbers: ``u#v`` is accepted with probability 0.rev(u) · 0.rev(v) in base 2.

    Its language is not regular at any cut point strictly between 0 and 1. Source: the p-adic acceptor of Rabin, run
    twice; N. Fijalkow's lectures on probabilistic automata call it the universally non-regular automaton.

    Examples
    --------
    >>> double_binary().exact_acceptance("1#01")  # 0.1 times 0.10
    Fraction(1, 4)
    """
    mixed = {"low": "1/2", "high": "1/2"}, {"low2": "1/2", "high2": "1/2"}
    steps: dict[str, dict[str, Any]] = {
        "0": {"low": "low", "high": mixed[0], "low2": "low2", "high2": mixed[1], "no": "no"},
        "1": {"low": mixed[0], "high": "high", "low2": mixed[1], "high2": "high2", "no": "no"},
        "#": {"low": "no", "high": "low2", "low2": "no", "high2": "no", "no": "no"},
    }
    return Acceptor(["low", "high", "low2", "high2", "no"], "01#", steps, "low", {"high2"})


def value_one(x: Any = "3/4") -> Acceptor:
    r"""Family with value 1 exactly when x > 1/2: some words are then accepted with probability as near 1 as you like.

    A block ``b aⁿ b`` moves to the accepting sink with probability :math:`x^n/2`, to the rejecting one with
    :math:`(1-x)^n/2`, and otherwise back to the start. Source: Gimbert and Oualhadj, *Probabilistic automata on finite
    words: decidable and undecidable problems*, ICALP (2010).

    Examples
    --------
    >>> value_one("3/4").exact_acceptance("baab")
    Fraction(9, 32)
    """
    p = _probability("x", x)
    kept = {state: state for state in ("wait_up", "wait_down", "accept", "reject")}
    moves = {"start": "start", "up": {"up": p, "wait_up": 1 - p}, "down": {"down": 1 - p, "wait_down": p}}
    split = {"start": {"up": "1/2", "down": "1/2"}, "up": "accept", "down": "reject"}
    return Acceptor(
        ["start", "up", "wait_up", "down", "wait_down", "accept", "reject"],
        "ab",
        {"a": kept | moves, "b": kept | split | {"wait_up": "start", "wait_down": "start"}},
        "start",
        {"accept"},
    )


def post(pairs: Iterable[tuple[str, str]]) -> Acceptor:
    r"""Acceptor of a Post correspondence problem: a word is accepted with exactly 1/2 iff it is empty or a solution.

    The problem has pairs of texts :math:`(u_1, v_1), \dots, (u_k, v_k)`, and a solution is a word
    :math:`i_1 \dots i_n` over the numbers of pairs with :math:`u_{i_1} \cdots u_{i_n} = v_{i_1} \cdots v_{i_n}`.
    Characters are digits from 1 on in base p, one more than there are characters, so that different texts are different
    numbers 0.u and 0.v, read from the back; acceptance is :math:`\tfrac12 + \tfrac12 (0.u - 0.v)`.

    No program decides for all problems whether there is a solution; hence none decides whether some word other than the
    empty one has acceptance 1/2, nor, by :meth:`Language.to_strict`, whether a language is empty. Symbols are the
    numerals ``"1"``, …, ``"k"``; there are four states. Source: Post, *A variant of a recursively unsolvable problem*,
    Bull. Amer. Math. Soc. 52 (1946); Nasu and Honda, *Mappings induced by PGSM-mappings and some recursively unsolvable
    problems of finite probabilistic automata*, Information and Control 15 (1969); Paz (1971).

    Examples
    --------
    >>> P = post([("a", "baa"), ("ab", "aa"), ("bba", "bb")])
    >>> P.exact_acceptance("3231"), P.exact_acceptance("323")  # bba ab bba a = bb aa bb baa
    (Fraction(1, 2), Fraction(2335, 6561))
    """
    texts = list(pairs) if is_collection(pairs) else []
    if not texts or not all(
        isinstance(pair, tuple | list) and len(pair) == 2 and all(isinstance(text, str) for text in pair)
        for pair in texts
    ):
        raise InvalidArgument(f"must be a list of pairs of texts, at least one; got {shown(pairs)}.", argument="pairs")
    digits = {character: str(k) for k, character in enumerate(sorted(set("".join(map("".join, texts)))), start=1)}
    numbers = p_adic(max(2, len(digits) + 1))
    first, second = (
        numbers.inverse_image({str(i): [digits[c] for c in pair[side]] for i, pair in enumerate(texts, start=1)})
        for side in (0, 1)
    )
    return mixture([first, ~second])


def cerny(n: int) -> Acceptor:
    r"""Černý's automaton of n states, started in any of them: its shortest reset word has :math:`(n - 1)^2` symbols.

    The symbol a moves every state to the next one, the last to the first; b moves the last one to the first and no
    other. Every state is equally likely at first, and the first is final: a word is accepted with the part of the
    states that it takes there, with 1 iff it resets the automaton to it. Shorter words may come as near as
    :math:`1 - 1/n`. Whether :math:`(n - 1)^2` symbols reset every automaton that can be reset is Černý's conjecture.

    Source: Černý, *Poznámka k homogénnym experimentom s konečnými automatmi*, Matematicko-fyzikálny časopis SAV 14
    (1964); Volkov, *Synchronizing automata and the Černý conjecture*, LATA (2008).

    Examples
    --------
    >>> resets = cp.Language(cerny(4), 1, inclusive=True)
    >>> next(resets.words()), resets.find_word(max_length=8) is None
    ('baaabaaab', True)
    """
    size = whole_number("n", n, least=2, most=1000)
    around = {s: (s + 1) % size for s in range(size)}
    steps = {"a": around, "b": {s: 0 if s == size - 1 else s for s in range(size)}}
    return Acceptor(size, "ab", steps, [Fraction(1, size)] * size, {0})


def krylov(depth: int = 2) -> Acceptor:
    """Krylov's learning automaton: it keeps to one of two actions, the deeper the surer, under reward and penalty.

    Symbols ``+`` (reward) and ``-`` (penalty). A reward deepens the state; a penalty deepens or shallows it with
    probability 1/2 each, and at the surface may switch the action. States are pairs (action, depth), 1 the
    shallowest; final states are those of action 1. Source: V. Yu. Krylov, *On one stochastic automaton which is
    asymptotically optimal in random medium*, Automation and Remote Control 24 (1964); Narendra and Thathachar,
    *Learning Automata* (1989).

    Examples
    --------
    >>> krylov(2).acceptance("+--")
    0.75
    """
    depth = whole_number("depth", depth, least=1, most=10_000)
    half = Fraction(1, 2)
    states = list(product((1, 2), range(1, depth + 1)))
    deeper = {(action, level): (action, min(level + 1, depth)) for action, level in states}
    shallower = {(action, level): (action, level - 1) if level > 1 else (3 - action, 1) for action, level in states}
    reward = {state: {deeper[state]: 1} for state in states}
    penalty = {state: {deeper[state]: half, shallower[state]: half} for state in states}
    return Acceptor(states, "+-", {"+": reward, "-": penalty}, {(1, 1): 1}, set(states[:depth]))


def gambler(goal: int, win: Any = "1/2", start: int | None = None) -> Acceptor:
    """Gambler's ruin: each ``p`` (play) wins or loses one coin, until 0 or the goal; final when the goal is reached.

    By default it starts with half of the goal, rounded down. Source: Feller, *An Introduction to Probability Theory and
    Its Applications* I, chapter XIV.

    Examples
    --------
    >>> gambler(4).exact_acceptance("pppp")
    Fraction(3, 8)
    """
    goal, chance = whole_number("goal", goal, least=1, most=10_000), _probability("win", win)
    rows = {coins: {coins + 1: chance, coins - 1: 1 - chance} for coins in range(1, goal)}
    first = goal // 2 if start is None else whole_number("start", start, least=0, most=goal)
    return Acceptor(range(goal + 1), "p", {"p": {0: 0, goal: goal} | rows}, {first: 1}, {goal})


def land_of_oz() -> Acceptor:
    """The weather of the Land of Oz: never two nice days in a row; final when it rains.

    One symbol ``d`` (a day); stationary distribution (2/5, 1/5, 2/5) of rain, nice, snow. Source: Kemeny, Snell and
    Thompson, *Introduction to Finite Mathematics*, 3rd edition (1974).

    Examples
    --------
    >>> land_of_oz().chain("d").stationary.round(12)
    array([[0.4, 0.2, 0.4]])
    """
    matrix = [["1/2", "1/4", "1/4"], ["1/2", 0, "1/2"], ["1/4", "1/4", "1/2"]]
    return Acceptor(["rain", "nice", "snow"], "d", {"d": matrix}, "nice", {"rain"})


def customers() -> Acceptor:
    """Customers between ads, mails, visits, carts and waiting, who are cold, curious, ready or annoyed: made up.

    Those who are ready at the end buy; nobody sees how warm a customer is. An example to learn from outcomes.

    Examples
    --------
    >>> customers().exact_acceptance(["ad", "visit"])
    Fraction(43, 250)
    """
    tenths = {  # rows: from cold, curious, ready, annoyed; columns: to the same
        "ad": [[6, 3, 0, 1], [0, 7, 1, 2], [0, 0, 9, 1], [0, 0, 0, 10]],
        "mail": [[8, 1, 0, 1], [0, 5, 4, 1], [0, 0, 10, 0], [1, 0, 0, 9]],
        "visit": [[3, 7, 0, 0], [0, 6, 4, 0], [0, 0, 10, 0], [0, 3, 0, 7]],
        "cart": [[0, 9, 1, 0], [0, 2, 8, 0], [0, 0, 10, 0], [0, 2, 0, 8]],
        "wait": [[10, 0, 0, 0], [4, 6, 0, 0], [0, 5, 5, 0], [5, 0, 0, 5]],
    }
    states = ["cold", "curious", "ready", "annoyed"]
    return Acceptor.normalized(states, list(tenths), tenths, [8, 2, 0, 0], {"ready"})


def random_acceptor(
    states: int | Iterable[State],
    alphabet: Iterable[Symbol],
    rng: np.random.Generator | int,
    concentration: float = 1.0,
    final: Any = None,
) -> Acceptor:
    """Acceptor with random rows (Dirichlet, by default uniform): a start for learning, a case for tests.

    By default every second state is final, beginning with the second; the initial distribution is random too. Small
    concentrations give rows close to deterministic.

    Examples
    --------
    >>> random_acceptor(3, "ab", rng=0)
    <Acceptor: 3 states {0, 1, 2}, 2 symbols {a, b}, starts in {0, 1, 2}, accepts in {1}>
    """
    if not (isinstance(concentration, int | float) and 0 < concentration <= MOST_CONCENTRATED):
        limit = f"positive and at most {MOST_CONCENTRATED:g}"
        raise InvalidArgument(f"must be {limit}; got {shown(concentration)}.", argument="concentration")
    names, sigma, draws = States(states), Alphabet(alphabet), random_generator(rng)
    shape = np.full(len(names), float(concentration))
    # A zero would be structural, and learning could never leave it: the floor keeps every entry positive.
    weights = draws.dirichlet(shape, size=(len(sigma), len(names))) + 1e-12
    start = draws.dirichlet(shape) + 1e-12
    chosen = np.arange(len(names)) % 2 == 1 if final is None else final
    return Acceptor.normalized(names, sigma, weights, start, chosen)


def _probability(name: str, value: object) -> Fraction | float:
    number = finite_number(name, value)
    if not 0 <= number <= 1:
        raise InvalidArgument(f"{name} must be a probability between 0 and 1; got {shown(value)}.")
    return number
