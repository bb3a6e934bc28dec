"""Alphabet and Sample: encoding, merging, what was seen."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import cutpoint as cp
from cutpoint.kernels.words import EncodedWords
from tests.strategies import KINDS, acceptors, samples


def test_alphabet_is_a_tuple_of_symbols() -> None:
    sigma = cp.data.Alphabet(["buy", "quit", 3])
    assert list(sigma) == ["buy", "quit", 3]
    assert hash(sigma) == hash(("buy", "quit", 3))
    assert sigma.code(3) == 2
    assert repr(sigma) == "Alphabet(['buy', 'quit', 3])"
    assert pickle.loads(pickle.dumps(sigma)) == sigma
    assert cp.data.Alphabet(sigma) is sigma
    with pytest.raises(cp.errors.UnknownSymbol, match=r"symbol 'Buy' is not in the alphabet .*\. Did you mean 'buy'\?"):
        sigma.code("Buy")


def codes(words: EncodedWords) -> list[list[int]]:
    return [words.symbols.tolist(), words.offsets.tolist()]


@given(st.lists(st.text(alphabet="aé☃𝔘"), max_size=6))
def test_encoding_and_decoding_words(words: list[str]) -> None:
    sigma = cp.data.Alphabet("𝔘☃éa")
    encoded = sigma.encode(words)
    assert [sigma.decode(encoded.word(r)) for r in range(len(encoded))] == words
    assert codes(sigma.encode([list(word) for word in words])) == codes(encoded)


def test_codes_do_not_depend_on_which_object_a_symbol_is() -> None:
    names = [f"symbol {k}" for k in range(1000)]  # more than there are places for addresses
    codes = np.random.default_rng(0).integers(1000, size=20_000)
    same = [names[k] for k in codes]
    fresh = [f"symbol {k}" for k in codes]
    mixed = [a if k % 2 else b for k, (a, b) in enumerate(zip(same, fresh, strict=True))]
    for word in (same, fresh, mixed):
        assert (cp.data.Alphabet(names).encode([word]).symbols == codes).all()


def test_every_way_of_encoding_gives_the_same_codes() -> None:
    import pyarrow as pa

    sigma, words = cp.data.Alphabet("abc"), ["abc", "", "cab", "b"]
    expected = codes(sigma._encode_each(list(words)))
    column = pa.array([list(word) for word in words])
    forms: list[Any] = [
        words,
        tuple(words),
        (word for word in words),
        [list(word) for word in words],
        [tuple(word) for word in words],
        [np.array(list(word), dtype="<U1") for word in words],
        column,
        pa.chunked_array([column[:2], column[2:]]),
        pa.array([["x"], *([list(word) for word in words])])[1:],
        ["abc", [], "cab", ("b",)],
    ]
    for form in forms:
        assert codes(sigma.encode(form)) == expected
    square = np.array([["a", "b"], ["c", "a"]])
    assert codes(sigma.encode(square)) == [[0, 1, 2, 0], [0, 2, 4]]
    numbers = cp.data.Alphabet(range(5))
    assert codes(numbers.encode(np.array([[4, 0], [1, 1]]))) == [[4, 0, 1, 1], [0, 2, 4]]


def test_unknown_symbols_are_named_in_every_form() -> None:
    import pyarrow as pa

    sigma = cp.data.Alphabet("abc")
    forms: list[Any] = [
        ["ab", "axc"],
        [["a"], ["a", "x"]],
        np.array([["a", "b"], ["a", "x"]]),
        pa.array([["a"], ["a", "x"]]),
    ]
    for form in forms:
        with pytest.raises(cp.errors.UnknownSymbol, match="word 1, position 1: symbol 'x' is not in the alphabet"):
            sigma.encode(form)
    with pytest.raises(cp.errors.InvalidArgument, match="the Arrow column has nulls"):
        sigma.encode(pa.array([["a"], None]))
    with pytest.raises(
        cp.errors.InvalidArgument, match="expected an Arrow column of lists, one word per row; got string"
    ):
        sigma.encode(pa.array(["ab"]))


def test_samples_of_arrow_columns() -> None:
    import pyarrow as pa

    column = pa.array([["a", "b"], ["b"]])
    sample = cp.Sample(column, accepted=[True, False])
    assert sample == cp.Sample(["ab", "b"], accepted=[True, False])
    acceptor = cp.random_acceptor(2, "ab", rng=0)
    assert acceptor.acceptance(column[0]) == acceptor.acceptance("ab") != acceptor.acceptance("b")
    mixed = cp.data.Alphabet(["a", 1])
    assert mixed.encode(np.array([["a", 1]], dtype=object)).symbols.tolist() == [0, 1]
    for wrong in (pa.array([[["a"]]]), pa.table({"a": [["a"]]}), pa.array([1, 2])):
        with pytest.raises(cp.errors.InvalidArgument, match="expected an Arrow column of lists, one word per row; got"):
            cp.data.Alphabet("ab").encode(wrong)


def test_an_interrupt_while_encoding_is_not_lost() -> None:
    class Interrupting:
        def __hash__(self) -> int:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cp.data.Alphabet("ab").encode([["a"], [Interrupting()]])


def test_alphabet_of_words() -> None:
    assert cp.Sample(["ba", "c"]).alphabet == ("a", "b", "c")
    assert cp.Sample([[3, 1], [2]]).alphabet == (1, 2, 3)
    assert cp.Sample([["x", 1]]).alphabet == ("x", 1), "symbols that cannot be sorted keep their order"
    assert cp.Sample([""]).alphabet == ()
    assert cp.Sample(["b"], alphabet="abc").alphabet == ("a", "b", "c")


def test_equal_observations_are_merged() -> None:
    sample = cp.Sample(
        ["b", "ab", "b", "b", "ab"],
        accepted=[True, None, True, False, None],
        counts=np.array([1, 2, 0.5, 3, 4], dtype=np.float32),
    )
    assert sample.words == ("b", "ab", "b")
    assert sample.accepted == (True, None, False)
    assert sample.counts.tolist() == [1.5, 6.0, 3.0]
    assert sample.total == 10.5
    assert len(sample) == 3
    assert sample[1] == cp.data.Observation("ab", None, None, None, 6.0)
    assert sample[-1].accepted is False
    with pytest.raises(IndexError, match="observation 3 does not exist"):
        sample[3]


def test_a_last_verdict_and_a_verdict_on_the_word_are_the_same_thing() -> None:
    one = cp.Sample(["ab"], accepted=[True])
    two = cp.Sample(["ab"], verdicts=[[None, None, True]])
    three = cp.Sample(["ab"], accepted=[True], verdicts=[[None, None, True]])
    assert one == two == three
    assert hash(one) == hash(two)
    assert two.marks is None
    both = cp.Sample(["ab"], verdicts=[[None, False, True]], states=[["q", None, "r"]])
    assert both[0] == cp.data.Observation("ab", True, (None, False, True), ("q", None, "r"), 1.0)


def test_observations_of_weight_zero_are_left_out() -> None:
    sample = cp.Sample(["a", "b"], accepted=[True, False], counts=[0, 2])
    assert sample.words == ("b",)
    assert sample.alphabet == ("a", "b")


def test_observations_of_weight_zero_leave_no_trace() -> None:
    sample = cp.Sample(["a", "b"], states=[None, ["s", "t"]], counts=[1, 0])
    assert not sample.has_evidence
    assert sample == cp.Sample(["a"], alphabet="ab")
    other = cp.Sample(["a", "a"], states=[["s", "t"], ["zz", "zz"]], counts=[1, 0])
    assert {state for mark in other.mark_table for state in mark.states or ()} == {"s", "t"}


def test_evidence_or_none() -> None:
    assert not cp.Sample(["ab", ""]).has_evidence
    assert not cp.Sample(["ab"], accepted=[None], verdicts=[None], states=[[None] * 3]).has_evidence
    assert cp.Sample(["ab", "b"], accepted=[None, False]).has_evidence
    assert cp.Sample(["ab"], states=[[None, None, "q"]]).has_evidence


def test_sets_of_states() -> None:
    sample = cp.Sample(["a"], states=[[{"q", "r"}, "q"]])
    assert sample[0].states == ({"q", "r"}, "q")
    named_by_set = cp.Sample(["a"], states=[[frozenset({"q"}), None]])
    assert named_by_set.marks_of(0)[0].states == frozenset({frozenset({"q"})}), "a frozenset is a name"


def test_order_does_not_matter_to_equality() -> None:
    assert cp.Sample(["a", "b"], accepted=[True, False]) == cp.Sample(["b", "a"], accepted=[False, True])
    assert cp.Sample(["a", "b"], accepted=[True, False]) != cp.Sample(["b", "a"], accepted=[True, False])
    assert cp.Sample(["a"]) != cp.Sample(["a"], counts=[2])
    assert cp.Sample(["a"]) != "a"


@pytest.mark.parametrize("kind", KINDS)
@given(st.data())
def test_a_sample_rebuilt_from_its_observations_is_equal(kind: str, data: st.DataObject) -> None:
    sample = data.draw(samples(data.draw(acceptors()), kind))
    again = cp.Sample(sample.words, sample.accepted, sample.verdicts, sample.states, sample.counts, sample.alphabet)
    assert again == sample
    assert pickle.loads(pickle.dumps(sample)) == sample
    assert copy.deepcopy(sample) == sample
    assert sum(o.count for o in sample) == sample.total


def test_immutable() -> None:
    sample = cp.Sample(["a"])
    with pytest.raises(AttributeError, match=r"a Sample is immutable: cannot change 'counts'\. Make a new Sample\."):
        sample.counts = np.ones(1)
    with pytest.raises(AttributeError, match="cannot change 'counts'"):
        del sample.counts
    with pytest.raises(ValueError, match="read-only"):
        sample.counts[0] = 5


def test_labels_as_numbers() -> None:
    assert cp.Sample(["a", "b", "c"], accepted=np.array([1.0, 0.0, 1.0])).accepted == (True, False, True)
    with pytest.raises(cp.errors.InvalidSample, match=r"or None for not known; got .*nan"):
        cp.Sample(["a"], accepted=np.array([np.nan]))


def test_samples_add_up() -> None:
    one = cp.Sample(["b", "ab"], accepted=[True, False])
    two = cp.Sample(["ab", "c"], accepted=[False, None], states=[None, ["q", "r"]])
    both = one + two
    assert both.total == 4
    assert list(both.alphabet) == ["a", "b", "c"]
    assert both[1].count == 2
    assert both[2].states == ("q", "r")
    assert [o.word for o in both[1:]] == ["ab", "c"]
    with pytest.raises(TypeError):
        one + 1  # type: ignore[operator]


def test_repr() -> None:
    assert repr(cp.Sample(["", "ab"])) == (
        "Sample(2 observations, 2 distinct, alphabet 'ab', lengths 0 to 2: inputs alone)"
    )
    assert repr(cp.Sample(["", "ab"], accepted=[None, True])).endswith(": 1 accepted, 1 without verdict)")
    assert repr(cp.Sample(["a"], states=["pq"])).endswith("lengths 1 to 1: all states seen)")
    assert repr(cp.Sample([["buy"]], states=[["q", None]])) == (
        "Sample(1 observation, 1 distinct, 1 symbol, lengths 1 to 1: 1 mark along the way)"
    )


def test_many_words_are_merged_quickly_enough_to_be_used() -> None:
    words = cp.random_words("ab", 20_000, 8, rng=0)
    sample = cp.Sample(words, accepted=[True] * len(words))
    assert len(sample) == 256
    assert sample.total == 20_000


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
@settings(max_examples=25)
def test_the_sum_of_samples_has_the_observations_of_both(kind: str, data: st.DataObject) -> None:
    acceptor = data.draw(acceptors())
    one = data.draw(samples(acceptor, kind))
    other = data.draw(samples(acceptor, data.draw(st.sampled_from(KINDS))))
    rows = [*one, *other]
    expected = cp.Sample(
        [row.word for row in rows],
        [row.accepted for row in rows],
        [row.verdicts for row in rows],
        [row.states for row in rows],
        [row.count for row in rows],
        acceptor.alphabet,
    )
    assert one + other == expected
    assert (one + other).total == one.total + other.total


@settings(max_examples=25)
@given(
    st.lists(st.tuples(st.text("ab", max_size=4), st.booleans(), st.floats(0.1, 30)), min_size=1, max_size=12),
    st.booleans(),
)
def test_prefixes_have_the_outcome_of_their_case(cases: list[tuple[str, bool, float]], with_ids: bool) -> None:
    words, accepted, counts = map(list, zip(*cases, strict=True))
    sample = cp.Sample(
        words, accepted=accepted, counts=counts, alphabet="ab", ids=range(len(words)) if with_ids else None
    )
    for weight in ("case", "prefix"):
        totals: dict[tuple[str, bool], float] = {}
        for word, outcome, count in cases:
            share = 1 / (len(word) + 1) if weight == "case" else 1.0
            for i in range(len(word) + 1):
                totals[word[:i], outcome] = totals.get((word[:i], outcome), 0.0) + count * share
        found = sample.prefixes(weight)
        assert {(each.word, each.accepted): each.count for each in found} == pytest.approx(totals, rel=1e-12)
        assert found.total == pytest.approx(sample.total if weight == "case" else sum(totals.values()), rel=1e-12)
        assert found.cases is not None
        assert found.cases.groups is not None
        shared = np.bincount(found.cases.observations, found.cases.counts, minlength=len(found))
        np.testing.assert_allclose(shared, found.counts, rtol=1e-12)
        if with_ids:
            for case, (word, _, _) in enumerate(cases):
                rows = np.flatnonzero(found.cases.groups == case)
                assert [found[int(r)].word for r in found.cases.observations[rows]] == [
                    word[:i] for i in range(len(word) + 1)
                ]
                assert {found.cases.ids[r] for r in rows} == {case}


def test_equal_cases_without_ids_are_cases_of_their_own_up_to_a_bound() -> None:
    found = cp.Sample(["ab", "b"], accepted=[True, False], counts=[3, 1e6]).prefixes()
    assert found.cases is not None
    assert found.cases.groups is not None
    groups, sizes = np.unique(found.cases.groups, return_counts=True)
    assert (len(groups), sizes.tolist()) == (3 + 20, [3] * 3 + [2] * 20)


def test_prefixes_of_grouped_cases_stay_in_their_group_and_sums_keep_groups_apart() -> None:
    sample = cp.Sample(["ab", "b", "a"], accepted=[True, False, True], ids=["x", "y", "z"]).grouped([7, 8, 7])
    found = sample.prefixes()
    assert found.cases is not None
    assert found.cases.groups is not None
    assert found.cases.groups.tolist() == [0, 0, 0, 1, 1, 0, 0]
    both = (found + found).cases
    assert both is not None
    assert both.groups is not None
    assert both.groups.tolist() == [0, 0, 0, 1, 1, 0, 0, 2, 2, 2, 3, 3, 2, 2]
    assert (found + cp.Sample(["a"], ids=[1])).cases.groups is None  # type: ignore[union-attr]
