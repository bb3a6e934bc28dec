"""Proofs that results carry: accepted as they are, refused once they are changed."""

import dataclasses
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import pytest

import cutpoint as cp
from cutpoint.decision import check
from cutpoint.decision.certificates import IsolationCertificate
from tests.decision.test_residuals import check_dfa

A = cp.p_adic(2)
MIXED = cp.mixture([A, A & A, A | A], ["1/5", "2/5", "2/5"])
NOISY = cp.mixture([cp.gallery.tomita(4), A], ["4/5", "1/5"])

RESULTS: dict[str, Callable[[], Any]] = {
    "equal": lambda: cp.equivalence(A, MIXED),
    "equal with other names": lambda: cp.equivalence(A, A.renamed(states=str.upper)),
    "minimized": lambda: cp.minimize(MIXED),
    "minimized to nothing": lambda: cp.minimize(A.to_weighted() - MIXED),
    "support": lambda: cp.Language(MIXED, 0).to_dfa(),
    "certain": lambda: cp.Language(cp.gallery.gambler(3), 1, inclusive=True).to_dfa(),
    "residuals": lambda: cp.Language(A, "3/7").to_dfa(),
    "residuals with lifted columns": lambda: cp.Language(MIXED, "1/3").to_dfa(),
    "exactly": lambda: cp.Language(A, "1/2", relation="=").to_dfa(),
    "other than, with lifted columns": lambda: cp.Language(MIXED, "1/2", relation="!=").to_dfa(),
    "one residual": lambda: cp.Language(A, 1).to_dfa(),
    "irrational": lambda: cp.Language(cp.gallery.tomita(2), cp.AlgebraicNumber.sqrt("1/2")).to_dfa(),
    "isolation": lambda: cp.Language(cp.p_adic(3).restricted("02"), "1/2").isolation(),
    "isolated": lambda: (language := cp.Language(NOISY, "1/2")).to_dfa(isolation=language.isolation()),
}


def changed(value: Any) -> Iterator[Any]:
    """The same value with one number in it changed, each in turn; automata stay as they are."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from (value + 1, value - 1)
    elif isinstance(value, Fraction):
        yield from (value + Fraction(1, 7), value - Fraction(1, 7), value * Fraction(1001, 1000) + Fraction(1, 10**6))
    elif isinstance(value, tuple):
        for i, part in enumerate(value):
            yield from ((*value[:i], other, *value[i + 1 :]) for other in changed(part))
            yield (*value[:i], *value[i + 1 :])
    elif type(value).__module__ == IsolationCertificate.__module__:
        for name, part in vars(value).items():
            yield from (type(value)(**(vars(value) | {name: other})) for other in changed(part))


class Claim:
    """A result with another certificate."""

    def __init__(self, result: Any, certificate: Any) -> None:
        self.result, self.certificate = result, certificate

    def __getattr__(self, name: str) -> Any:
        return getattr(self.result, name)


@pytest.mark.parametrize("name", RESULTS)
def test_proofs_are_accepted_and_changed_ones_refused(name: str) -> None:
    """A changed proof that is accepted is one. Where the claim changed with it, that must be true as well."""
    result = RESULTS[name]()
    check(result)
    tried = refused = 0
    for certificate in changed(result.certificate):
        tried += 1
        try:
            check(Claim(result, certificate))
        except cp.errors.InvalidProof:
            refused += 1
        else:
            cut_point = getattr(certificate, "cut_point", None)
            relation = getattr(certificate, "relation", "≥" if cut_point == 1 else ">")
            if isinstance(certificate, IsolationCertificate):
                nearest = cp.Language(certificate.acceptor, cut_point).isolation(max_length=9)
                assert certificate.distance <= nearest.distance
            if isinstance(result, cp.DFA) and isinstance(cut_point, Fraction):
                check_dfa(result, certificate.acceptor, cut_point, relation, 5)
    assert refused >= 0.9 * tried, (refused, tried)


def test_a_proof_about_one_acceptor_proves_nothing_about_another() -> None:
    other = A.replace(initial={"s1": "1/2", "s2": "1/2"})
    for name in ("residuals", "support", "isolated"):
        result = RESULTS[name]()
        with pytest.raises(cp.errors.InvalidProof):
            check(Claim(result, dataclasses.replace(result.certificate, acceptor=other)))
    equal = RESULTS["equal"]()
    with pytest.raises(cp.errors.InvalidProof):
        check(Claim(equal, dataclasses.replace(equal.certificate, left=other.to_weighted())))


@pytest.mark.parametrize(
    "name", ["support", "certain", "residuals", "residuals with lifted columns", "exactly", "isolated", "irrational"]
)
def test_a_changed_dfa_is_refused(name: str) -> None:
    dfa = RESULTS[name]()
    claims = [dataclasses.replace(dfa, final=dfa.final ^ {state}) for state in range(dfa.n_states)]
    claims.append(dataclasses.replace(dfa, alphabet=[f"other {symbol}" for symbol in dfa.alphabet]))
    for state, row in enumerate(dfa.transitions):
        for a in range(len(row)):
            for other in set(range(dfa.n_states)) - {row[a]}:
                rows = [list(each) for each in dfa.transitions]
                rows[state][a] = other
                claims.append(dataclasses.replace(dfa, transitions=rows))
    for claim in claims:
        with pytest.raises(cp.errors.InvalidProof, match="the proof fails: "):
            check(claim)


def odd(value: Any) -> Iterator[Any]:
    """The same value with one number in it of another kind, each in turn: equal as numbers, but no part of a proof."""
    if isinstance(value, int | Fraction):
        yield from (float(value), str(value), None, Fraction(value) if isinstance(value, int) else value.numerator)
    elif isinstance(value, tuple):
        yield from (list(value), None)
        for i, part in enumerate(value):
            yield from ((*value[:i], other, *value[i + 1 :]) for other in odd(part))
    elif type(value).__module__ == IsolationCertificate.__module__:
        for name, part in vars(value).items():
            if name not in ("cut_point", "relation"):
                yield from (type(value)(**(vars(value) | {name: other})) for other in odd(part))


@pytest.mark.parametrize("name", RESULTS)
def test_numbers_of_another_kind_are_no_proof(name: str) -> None:
    result = RESULTS[name]()
    for certificate in odd(result.certificate):
        with pytest.raises(cp.errors.InvalidProof, match="has no such form"):
            check(Claim(result, certificate))


def test_a_minimized_automaton_with_another_number_is_refused() -> None:
    small = cp.minimize(MIXED)
    other = small * "1001/1000"
    with pytest.raises(
        cp.errors.InvalidProof, match=r"the two columns differ on row|leaves the space|not in the space"
    ):
        check(Claim(other, small.certificate))


def test_what_has_no_proof_is_told() -> None:
    for result in (
        cp.Equal(1e-6),
        cp.Language(NOISY, "1/2").to_dfa(isolation="3/10"),
        cp.Unknown(5),
        "x",
        A.to_weighted(),
    ):
        with pytest.raises(cp.errors.InvalidArgument, match="it has no certificate"):
            check(result)


def test_a_distance_of_zero_isolates_nothing() -> None:
    isolation = RESULTS["isolation"]()
    certificate = isolation.certificate
    for distance in (Fraction(0), -certificate.distance):
        with pytest.raises(cp.errors.InvalidProof, match="the distance is not above 0"):
            check(Claim(isolation, dataclasses.replace(certificate, distance=distance)))
