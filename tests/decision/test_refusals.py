"""Languages and DFAs: what is refused, and the sentence word for word."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

import cutpoint as cp
from tests.refusals import GOOD, Refusal, check_refused

A = cp.Acceptor(**GOOD)

BINARY = cp.p_adic(2)

DFA: Any = cp.DFA

NO_ACCEPTOR: Any = 7


REFUSED: list[Refusal] = [
    (
        lambda: cp.Language(A, 0.5, relation="<"),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "relation must be '>', '>=', '=' or '!='; got '<'.",
    ),
    (
        lambda: cp.Language(A, 0.5, relation=[0, 1]),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "relation must be '>', '>=', '=' or '!='; got [0, 1].",
    ),
    (
        lambda: cp.Language(A, 0.5, "="),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "inclusive must be True or False; got '='. Write relation='='.",
    ),
    (
        lambda: cp.Language(A, 0.5, inclusive=True, relation="="),
        cp.errors.InvalidArgument,
        "inclusive means '>=', so it cannot go with relation='='.",
    ),
    (
        lambda: cp.Language(BINARY, 0.5, relation="=").most_accepted(2, 3),
        cp.errors.InvalidArgument,
        "most_accepted needs a language of acceptance above the cut point, or at least it.",
    ),
    (
        lambda: cp.Language(BINARY, 0.5, relation="!=").to_dfa(isolation=0.1),
        cp.errors.InvalidArgument,
        "isolation is for > and >=: no acceptance equals an isolated cut point.",
    ),
    (
        lambda: cp.Language(cp.random_acceptor(2, "ab", rng=3), 0.5, inclusive=True).to_strict(),
        cp.errors.InvalidArgument,
        "this needs rows that sum to exactly 1, and the binary values of these floats do not. Take "
        "acceptor.rationalized(), or give entries such as '1/10'.",
    ),
    (
        lambda: cp.Language(A, float("nan")),
        cp.errors.InvalidArgument,
        "a cut point must be a finite number or a string such as '1/3'; got nan.",
    ),
    (
        lambda: cp.Language(A, Fraction(-1, 2)),
        cp.errors.InvalidArgument,
        "a cut point must be a number between 0 and 1; got Fraction(-1, 2).",
    ),
    (
        lambda: cp.Language(A, 0.5).words(-1),
        cp.errors.InvalidArgument,
        "max_length must be a whole number, 0 or more; got -1.",
    ),
    (
        lambda: cp.Language(A, 0.5).to_dfa(max_states=0),
        cp.errors.InvalidArgument,
        "max_states must be a whole number, 1 or more; got 0.",
    ),
    (
        lambda: cp.Language(A, 0.5).isolation(max_states=0),
        cp.errors.InvalidArgument,
        "max_states must be a whole number, 1 or more; got 0.",
    ),
    (
        lambda: (
            cp.Language(cp.gallery.majority(), "1/2")
            <= cp.Language(cp.gallery.majority() & cp.gallery.majority(), "1/4")
        ),
        cp.errors.InvalidArgument,
        "inclusion of cut-point languages is undecidable; none of the first 200 words is in the one and not in the other, "
        "and 1,000 residuals do not show both to be regular. Give DFAs, such as Language.to_dfa(isolation=...).",
    ),
    (lambda: cp.decision.check("x"), cp.errors.InvalidArgument, "nothing proves 'x': it has no certificate."),
    (lambda: cp.ergodicity("x"), cp.errors.InvalidArgument, "expected an Acceptor; got 'x'."),  # type: ignore[arg-type]
    (lambda: cp.ergodicity(A, limit=0), cp.errors.InvalidArgument, "limit must be a whole number, 1 or more; got 0."),
    (
        lambda: cp.ergodicity(A).last_symbols(-0.5),
        cp.errors.InvalidArgument,
        "epsilon must be a number from 0 to 1; got -0.5.",
    ),
    (
        lambda: cp.ergodicity(A).definite_dfa("2"),
        cp.errors.InvalidArgument,
        "a cut point must be a number between 0 and 1; got '2'.",
    ),
    (
        lambda: cp.ergodicity(A).bound(-1),
        cp.errors.InvalidArgument,
        "length must be a whole number from 0 to 1,000,000; got -1.",
    ),
    (lambda: cp.value("x"), cp.errors.InvalidArgument, "expected an Acceptor; got 'x'."),  # type: ignore[arg-type]
    (
        lambda: cp.value(A, max_length=-1),
        cp.errors.InvalidArgument,
        "max_length must be a whole number from 0 to 10,000; got -1.",
    ),
    (lambda: cp.value(A, limit=0), cp.errors.InvalidArgument, "limit must be a whole number, 1 or more; got 0."),
    (
        lambda: cp.Language(A, 0.5).is_empty(max_length=1.5),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "max_length must be a whole number from 0 to 10,000; got 1.5.",
    ),
    (
        lambda: cp.Language(BINARY, 10**5000),
        cp.errors.InvalidArgument,
        "a cut point must be a number between 0 and 1; got an int of about 5001 digits.",
    ),
    (
        lambda: cp.Language("x", 0.5),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "expected an Acceptor; got 'x'.",
    ),
    (
        lambda: cp.Language(BINARY, 0.5).contains("01"),
        cp.errors.InvalidArgument,
        "expected a collection of words; got '01'. For a single word write [word].",
    ),
    (
        lambda: cp.Language(BINARY, 0.5).contains(5),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "expected a collection of words; got 5. For a single word write [word].",
    ),
    (
        lambda: cp.Language(BINARY, 0.5).to_dfa(callback=5),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "callback must be a function of a number, or None; got 5.",
    ),
    (
        lambda: cp.distance(BINARY, ~BINARY, 3, callback=5),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "callback must be a function of a length, or None; got 5.",
    ),
    (
        lambda: cp.Language(BINARY, "1/3").to_dfa().count(2**31),  # type: ignore[union-attr]
        cp.errors.InvalidArgument,
        "length must be a whole number from 0 to 1,000,000; got 2147483648.",
    ),
    (
        lambda: cp.AlgebraicNumber.sqrt(2).interval(0),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "width must be a positive number; got 0.",
    ),
    (
        lambda: cp.DFA(cp.data.Alphabet("ab"), ((5, 0),), 0, frozenset()),
        cp.errors.InvalidArgument,
        "a DFA over 2 symbols needs one next state per symbol in every state, an initial state and final states, "
        "all numbered from 0; got ((5, 0),), initial 0, final frozenset().",
    ),
    (
        lambda: cp.Language(A, "1/2", relation="<"),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "relation must be '>', '>=', '=' or '!='; got '<'.",
    ),
    (
        lambda: cp.Language(A, "1/2", inclusive=True, relation=">"),
        cp.errors.InvalidArgument,
        "inclusive means '>=', so it cannot go with relation='>'.",
    ),
    (
        lambda: cp.Language(A, "1/2", relation="=").most_accepted(1, max_length=3),
        cp.errors.InvalidArgument,
        "most_accepted needs a language of acceptance above the cut point, or at least it.",
    ),
    (
        lambda: cp.Language(A, "1/2", relation="!=").to_dfa(isolation="1/10"),
        cp.errors.InvalidArgument,
        "isolation is for > and >=: no acceptance equals an isolated cut point.",
    ),
    (
        lambda: DFA.equivalence(cp.Language(BINARY, "1/2").to_dfa(), 7),
        cp.errors.InvalidArgument,
        "expected a DFA; got 7.",
    ),
    (lambda: cp.decision.isomorphism(NO_ACCEPTOR, A), cp.errors.InvalidArgument, "expected an Acceptor; got 7."),
    (lambda: cp.decision.isomorphism(A, NO_ACCEPTOR), cp.errors.InvalidArgument, "expected an Acceptor; got 7."),
]


@pytest.mark.parametrize(("call", "kind", "sentence"), REFUSED)
def test_refused_with_a_sentence(call: Callable[[], object], kind: type[Exception], sentence: str) -> None:
    check_refused(call, kind, sentence)
