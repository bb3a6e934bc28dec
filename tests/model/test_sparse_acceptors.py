"""Acceptors stored sparse: how they come about, what they refuse, and that they answer as dense ones do."""

from collections.abc import Callable
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import sparse

import cutpoint as cp
from cutpoint.errors import CutpointError, InvalidAcceptor, TooLarge

N = 80
FORMATS = ("coo", "csr", "csc", "lil", "dok", "dia", "bsr")


def ring(n: int = N, stay: Any = "1/3", go: Any = "2/3") -> dict[int, dict[int, Any]]:
    return {s: {s: stay, (s + 1) % n: go} for s in range(n)}


def acceptor(n: int = N) -> cp.Acceptor:
    return cp.Acceptor(n, "ab", {"a": ring(n), "b": ring(n, "1/2", "1/2")}, 0, {1, 5})


def large(final: int = 3, n: int = 20_000) -> cp.Acceptor:
    """Too large for a dense array; no two states have the same future."""
    there = sparse.coo_array((np.full(n, 0.25), (np.arange(n), (np.arange(n) + 1) % n)), shape=(n, n))
    return cp.Acceptor(n, "a", [there + 0.75 * sparse.eye_array(n)], 0, {final})


@pytest.mark.parametrize("kind", FORMATS)
def test_matrices_of_scipy_in_every_format(kind: Any) -> None:
    dense = acceptor().to_dense()
    matrices = [sparse.coo_array(np.asarray(dense.transitions[a])).asformat(kind) for a in range(2)]
    made = cp.Acceptor(N, "ab", matrices, 0, {1, 5})
    assert made.is_sparse
    assert made == cp.Acceptor(N, "ab", dict(zip("ab", matrices, strict=True)), 0, {1, 5})
    np.testing.assert_array_equal(made.transitions, dense.transitions)


def test_dictionaries_keep_fractions_and_repr_says_the_form() -> None:
    A = acceptor()
    assert A.is_sparse
    assert A.is_exact
    assert repr(A).endswith("sparse with 320 moves, exact>")
    assert A.exact_acceptance("ab") == A.to_dense().exact_acceptance("ab") == Fraction(1, 2)
    assert A.to_dense() == A
    assert hash(A) == hash(A.to_dense())


@pytest.mark.parametrize(
    ("matrix", "sentence"),
    [
        (lambda: sparse.coo_array((np.ones(N + 1), ([*range(N), 0], [*range(N), 0])), shape=(N, N)), "it has two from 0 to 0"),
        (lambda: 0.5 * sparse.eye_array(N), "row of symbol 'a', state 0 must sum to 1; got 0.5"),
        (lambda: sparse.eye_array(N + 1), r"must have shape \(80, 80\)"),
        (lambda: -1.0 * sparse.eye_array(N), "not negative; got -1"),
        (lambda: np.nan * sparse.eye_array(N), "finite; got nan"),
        (lambda: sparse.coo_array((10**9, 10**9)), "must have shape"),
        (lambda: broken("indices", N), "not a well-formed sparse matrix|indices from 0 to 79"),
        (lambda: broken("indices", -1), "not a well-formed sparse matrix|indices from 0 to 79"),
        (lambda: broken("indptr", 7), "not a well-formed sparse matrix"),
        (lambda: with_float_indices("csr"), "must have whole numbers for indices; got float64"),
        (lambda: with_float_indices("coo"), "must have whole numbers for indices; got float64"),
        (lambda: sparse.eye_array(N, dtype=np.complex128), r"expected a finite number or a string such as '1/3'; got \(1\+0j\)"),
    ],
)  # fmt: skip
def test_wrong_matrices_are_refused_in_a_sentence(matrix: Callable[[], Any], sentence: str) -> None:
    with pytest.raises(InvalidAcceptor, match=sentence):
        cp.Acceptor(N, "a", [matrix()], 0, {1})


def broken(part: str, value: int) -> Any:
    matrix = sparse.eye_array(N, format="csr")
    getattr(matrix, part)[1 if part == "indptr" else 0] = value
    return matrix


def with_float_indices(kind: Any) -> Any:
    matrix: Any = sparse.eye_array(N).asformat(kind)
    if kind == "coo":
        matrix.coords = tuple(part.astype(np.float64) for part in matrix.coords)
    else:
        matrix.indices = matrix.indices.astype(np.float64)
    return matrix


def test_matrices_that_are_not_one_per_symbol_are_refused() -> None:
    one: Any = sparse.eye_array(N)
    with pytest.raises(InvalidAcceptor, match="in a list or by symbol in a dictionary; got a single sparse matrix"):
        cp.Acceptor(N, "a", one, 0, {1})
    with pytest.raises(InvalidAcceptor, match="must have one matrix per symbol, 1; got 2"):
        cp.Acceptor(N, "a", [one, one], 0, {1})
    with pytest.raises(InvalidAcceptor, match="final must be a collection of states or a vector; got <"):
        cp.Acceptor(N, "a", [one], 0, sparse.coo_array(np.ones(N)))


def test_a_neighbourhood_ends_where_nothing_is_added() -> None:
    assert repr(acceptor().near(3, steps=10**12)) == "<MachinePart: 80 of 80 states>"


def test_columns_out_of_order_are_put_in_order() -> None:
    matrix = sparse.csr_array(
        (np.array([0.25, 0.75] * N), np.array([1, 0] * N), np.arange(0, 2 * N + 1, 2)), shape=(N, N)
    )
    A = cp.Acceptor(N, "a", [matrix], 0, {0})
    assert A.transitions[0, 5, :2].tolist() == [0.75, 0.25]


@pytest.mark.parametrize(
    "view",
    [
        lambda A: A.transitions,
        lambda A: A.to_dense(),
        lambda A: A.matrix("a"),
        lambda A: A.chain("a"),
        lambda A: A & A,
        cp.draw,
        cp.minimize,
        lambda A: cp.Language(A, "1/3").to_dfa(),
        lambda A: A.forward("a" * 20_000),
        lambda A: A.occupancy("a" * 20_000),
    ],
)
def test_what_would_not_fit_is_refused_with_its_size(view: Callable[[cp.Acceptor], Any]) -> None:
    with pytest.raises(TooLarge, match=r"would take .* GB|of 20,000 states is too large|acceptor; it has 20,000"):
        view(large())


def test_what_works_on_dense_matrices_takes_sparse_acceptors() -> None:
    dense = cp.random_acceptor(3, "ab", rng=1)
    sample = cp.simulate(dense, cp.random_words("ab", 200, (1, 6), rng=2), rng=3)
    errors = [cp.assess.standard_errors(machine, sample).table() for machine in (dense, dense.to_sparse())]
    assert errors[0] == errors[1]
    fits = [cp.learn(sample, start=machine, folds=2, student=False) for machine in (dense, dense.to_sparse())]
    assert fits[0].acceptor == fits[1].acceptor
    law = cp.Generator.from_ngrams(sample, 2)
    laws = [cp.learn_generator(sample, start=machine, folds=2).generator for machine in (law, law.to_sparse())]
    assert laws[0] == laws[1]


def test_equivalence_of_large_acceptors(monkeypatch: pytest.MonkeyPatch) -> None:
    A = large()
    assert cp.equivalence(A, A.replace()) == cp.Equal()
    assert cp.equivalence(A, large(final=2), tolerance=1e-9) == cp.Different("aa", A.acceptance("aa"), 0.0625)
    module = import_module("cutpoint.decision.equivalence")
    monkeypatch.setattr(module, "MOST_DIMENSIONS", 50)
    monkeypatch.setattr(module, "MOST_WORK", 100)
    assert cp.equivalence(large(n=200), cp.mixture([large(n=200), large(n=200)])) == cp.Equal()
    for tolerance in (None, 1e-9):
        with pytest.raises(TooLarge, match=r"agree on all words of up to 9 symbols; a proof for all words would take"):
            cp.equivalence(large(90, 200), large(91, 200), tolerance)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("exact", [True, False])
def test_the_quotient_is_that_of_the_dense_form(seed: int, exact: bool) -> None:
    """States that were split are lumped again, in both forms alike."""
    rng = np.random.default_rng(seed)
    weights = rng.integers(0, 3, size=(2, 7, 7))
    weights[:, :, 0] += 1
    small = cp.Acceptor.normalized(7, "ab", weights if exact else weights / 1.0, 0, set(rng.choice(7, 2).tolist()))
    A = cp.mixture([small, small, cp.Acceptor.normalized(5, "ab", weights[:, :5, :5], 1, {2})])
    dense, lumped = cp.quotient(A.to_dense()), cp.quotient(A.to_sparse())
    assert lumped.n_states == dense.n_states < A.n_states
    assert lumped == dense if exact else cp.equivalence(lumped, dense, tolerance=1e-9)


def test_long_paths_are_lumped_in_little_time() -> None:
    """Each round splits one state from the others."""
    assert cp.quotient(large(n=600)).n_states == 600
    twice = cp.mixture([large(n=300), large(n=300)])
    assert cp.quotient(twice).n_states == 300


def test_weighted_automata_keep_the_form() -> None:
    f = large().to_weighted()
    assert (2 * f - f).value("aaa") == f.value("aaa")
    assert (-f).is_sparse


def test_storm_finds_the_same_acceptance_of_a_large_machine(tmp_path: Path) -> None:
    """One symbol leaves nothing to decide: to be in an accepting state at step k is the acceptance of a^k."""
    stormpy = pytest.importorskip("stormpy")
    A = large(n=10_000)
    cp.save(A, tmp_path / "model.drn")
    model = stormpy.build_model_from_drn(str(tmp_path / "model.drn"))
    (formula,) = stormpy.parse_properties('Pmax=? [ true U[12,12] "accept" ]')
    found = stormpy.model_checking(model, formula).get_value(model.initial_states[0])
    np.testing.assert_allclose(found, A.acceptance("a" * 12), rtol=1e-12, atol=0)
    assert cp.load(tmp_path / "model.drn") == A


def test_files_hold_sparse_acceptors_as_they_are(tmp_path: Path) -> None:
    A = large(n=300)
    for name in ("a.npz", "a.drn", "a.tra", "a.att", "a.json"):
        cp.save(A, tmp_path / name)
        read = cp.load(tmp_path / name)
        assert read == A
        assert read.is_sparse == (name != "a.json"), name
    cp.save(acceptor(), tmp_path / "exact.npz", rounded=True)
    cp.save(acceptor(), tmp_path / "exact.tra", rounded=True)
    assert cp.load(tmp_path / "exact.npz").is_sparse
    assert cp.load(tmp_path / "exact.npz") == cp.load(tmp_path / "exact.tra")
    with pytest.raises(CutpointError, match="JSON cannot hold this acceptor: 20,000 states"):
        cp.save(large(), tmp_path / "b.json")
    with pytest.raises(CutpointError, match="DOT cannot hold this acceptor: 20,000 states"):
        cp.save(cp.Acceptor(20_000, "a", {"a": ring(20_000)}, 0, {1}), tmp_path / "b.dot")
    with pytest.raises(CutpointError, match=r"or save as \.drn, which keeps fractions"):
        cp.save(acceptor(), tmp_path / "b.npz")
