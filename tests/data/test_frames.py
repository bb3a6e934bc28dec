"""Samples from data frames: one word per row, or one event per row; and the merging of equal rows."""

import io
import pickle
import random
from collections import Counter
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st

import cutpoint as cp
from cutpoint.data.alphabet import Tokens
from cutpoint.kernels import words
from cutpoint.kernels.words import EncodedWords

LIBRARIES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "arrow": pa.table,
}


@pytest.fixture(params=LIBRARIES)
def frame(request: pytest.FixtureRequest) -> Callable[[dict[str, Any]], Any]:
    return LIBRARIES[request.param]


def test_words_of_characters_lists_and_tokens(frame: Any) -> None:
    df = frame(
        {"w": ["ab", "", "ab"], "l": [["a", "b"], [], ["a", "b"]], "t": ["a b", "", " a  b "], "c": ["a,b", "", "a,b"]}
    )
    expected = cp.Sample(["ab", "", "ab"])
    assert cp.Sample.from_frame(df, "w") == expected
    assert cp.Sample.from_frame(df, "l") == expected
    assert cp.Sample.from_frame(df, "t", separator=" ") == expected
    assert cp.Sample.from_frame(df, "c", separator=",") == expected
    assert cp.Sample.from_frame(df, "t", separator="").alphabet == cp.data.Alphabet(" ab")
    assert cp.Sample.from_frame(df, "w", alphabet="cba").alphabet == cp.data.Alphabet("cba")


@pytest.mark.parametrize(
    ("values", "positive", "expected"),
    [
        ([True, False, None], None, [True, False, None]),
        ([1, 0, None], None, [True, False, None]),
        ([1.0, 0.0, None], None, [True, False, None]),
        (["Yes", "no", None], None, [True, False, None]),
        ([" TRUE", "f", "?"], None, [True, False, None]),
        (["accepted", "rejected", ""], None, [True, False, None]),
        (["1.0", "0", "NA"], None, [True, False, None]),
        (["buy", "quit", None], "buy", [True, False, None]),
        ([3, 4, None], 3, [True, False, None]),
        ([3, 4, 4], "3", [True, False, False]),
        (["no", "yes", "yes"], "no", [True, False, False]),
        (["?", "none", ""], "none", [None, True, None]),
    ],
)
def test_outcomes(frame: Any, values: list[Any], positive: object, expected: list[Any]) -> None:
    df = frame({"word": ["a", "b", "c"], "y": values})
    assert list(cp.Sample.from_frame(df, accepted="y", positive=positive).accepted) == expected


def test_counts_verdicts_and_states(frame: Any) -> None:
    df = frame({"word": ["a", "ab"], "n": [2.0, 0.5], "v": [[False, True], None], "s": [["p", "q"], ["p", "q", "q"]]})
    sample = cp.Sample.from_frame(df, weight="n", verdicts="v", states="s")
    rows: Any = [[False, True], None], [["p", "q"], ["p", "q", "q"]]
    assert sample == cp.Sample(["a", "ab"], None, rows[0], rows[1], [2, 0.5])


NAN = float("nan")
WORDS = {
    "word": ["a", "b"],
    "y": ["x", "no"],
    "n": [1.0, -1.0],
    "t": ["a,b", "a,,b"],
    "l": [["a"], [None]],
    "i": [1, 2],
}
REFUSED: dict[str, tuple[Callable[[Any], object], str]] = {
    "no such column": (
        lambda df: cp.Sample.from_frame(df, "Word"),
        "word must be one of the columns {'word', 'y', 'n', 't', 'l', 'i'}; got 'Word'. Did you mean 'word'?",
    ),
    "an outcome that is none": (
        lambda df: cp.Sample.from_frame(df, accepted="y"),
        "row 0, column 'y': an outcome must be 1 or 0, true or false, yes or no, accepted or rejected, positive or "
        "negative, or empty if it is not known; got 'x'. Name the value that means accepted with positive=….",
    ),
    "a positive that is not there": (
        lambda df: cp.Sample.from_frame(df, accepted="y", positive="nO"),
        "column 'y': positive must be one of the outcomes {'x', 'no'}; got 'nO'. Did you mean 'no'?",
    ),
    "a negative count": (
        lambda df: cp.Sample.from_frame(df, weight="n"),
        "row 1, column 'n': a count must be a number, finite and not negative; got -1.0.",
    ),
    "a count that is a text": (
        lambda df: cp.Sample.from_frame(df, weight="y"),
        "row 0, column 'y': a count must be a number, finite and not negative; got 'x'.",
    ),
    "separators side by side": (
        lambda df: cp.Sample.from_frame(df, "t", separator=","),
        "row 1, column 't': symbols between separators ',' must not be empty; got 'a,,b'.",
    ),
    "a missing symbol": (
        lambda df: cp.Sample.from_frame(df, "l"),
        "row 1, column 'l': position 0: a symbol must be a text or a number; got None.",
    ),
    "words that are numbers": (
        lambda df: cp.Sample.from_frame(df, "i"),
        "row 0, column 'i': expected a text or a list of symbols; got 1. Read numbers as text.",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals(frame: Any, case: str) -> None:
    call, sentence = REFUSED[case]
    with pytest.raises(cp.CutpointError) as caught:
        call(frame(WORDS))
    assert str(caught.value) == sentence


def test_a_missing_word_and_what_is_no_frame(frame: Any) -> None:
    with pytest.raises(
        cp.errors.InvalidSample, match=r"^row 1, column 'word': a word must not be missing; the empty word is"
    ):
        cp.Sample.from_frame(frame({"word": ["a", None]}))
    with pytest.raises(cp.errors.InvalidArgument, match=r"got a lazy frame; call \.collect\(\) first\.$"):
        cp.Sample.from_frame(pl.LazyFrame({"word": ["a"]}))
    with pytest.raises(
        cp.errors.InvalidArgument, match=r"^expected a data frame of pandas, polars or Arrow; got a list\.$"
    ):
        cp.Sample.from_frame(["ab"])
    with pytest.raises(cp.errors.InvalidArgument, match=r"^the data frame cannot be read: .+") as refusal:
        cp.Sample.from_frame(pd.DataFrame([["a", "b"]], columns=["word", "word"]))
    assert "\n" not in str(refusal.value)


MOMENTS: dict[str, list[Any]] = {
    "numbers": [9, 10, 11],
    "large numbers": [2**62 + 1, 2**62 + 2, 2**62 + 3],
    "numbers beyond 64 bits": [-1, 2**63, 2**63 + 1],
    "numbers beside floats": [0.5, 2**53, 2**53 + 1],
    "floats": [-0.5, 0.25, 1e9],
    "numbers as texts": ["9", "10", "11"],
    "decimals as texts": ["-9.5", "1e1", "11"],
    "dates": [date(2024, 9, 30), date(2024, 10, 1), date(2024, 10, 2)],
    "dates as texts": ["2024-09-30", "2024-10-01", "2024-10-02T00:00:01"],
    "dates with slashes": ["2024/09/30", "2024/10/01 09:30:00.500", "2024-10-02 00:00"],
    "times": [time(9, 30), time(10), time(11)],
    "moments": [datetime(2024, 1, 1, 9), datetime(2024, 1, 1, 10), datetime(2024, 1, 2)],
    "zones as texts": ["2024-01-01T09:00+02:00", "2024-01-01T08:00+00:00", "2024-01-01T09:00+00:00"],
    "durations": [timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1)],
}


@pytest.mark.parametrize("kind", MOMENTS)
def test_events_in_order(frame: Any, kind: str) -> None:
    first, second, third = MOMENTS[kind]
    if kind.startswith("numbers be"):
        frame = pd.DataFrame  # only pandas holds any Python number
    at = [third, first, first, second]
    column = pd.Series(at, dtype=object) if frame is pd.DataFrame else at
    df = frame({"id": [1, 1, 2, 1], "at": column, "what": list("cazb"), "won": [None, 1, 0, None]})
    sample = cp.Sample.from_events(df, id="id", order="at", event="what", outcome="won")
    assert (sample.words, sample.accepted) == (("abc", "z"), (True, False))


def test_events_of_equal_order_and_without_order_stay_as_they_are(frame: Any) -> None:
    df = frame({"id": ["x", "x", "y", "x"], "day": [2, 1, 1, 1], "what": ["c", "b", "z", "a"]})
    assert cp.Sample.from_events(df, id="id", order="day", event="what").words == ("bac", "z")
    assert cp.Sample.from_events(df, id="id", event="what").words == ("cba", "z")


def test_events_with_verdicts_weights_and_an_id_without_event(frame: Any) -> None:
    df = frame({"id": [1, 1, 2], "what": ["a", "b", None], "so_far": ["no", "yes", "no"], "n": [2.0, 2.0, 0.5]})
    sample = cp.Sample.from_events(df, id="id", event="what", verdict="so_far", weight="n")
    assert sample == cp.Sample(["ab", ""], verdicts=[[None, False, True], [False]], counts=[2, 0.5])


def test_the_columns_of_a_process_log_are_found(frame: Any) -> None:
    """The names that process mining tools give to columns, in any case of letters, blanks and underscores alike."""
    expected = cp.Sample([["submit", "offer"], ["submit"]], [True, False])
    for names in (
        ("case:concept:name", "concept:name", "time:timestamp", "case:label"),
        ("Case ID", "Activity", "Complete Timestamp", "Outcome"),
        ("CASE_KEY", "ActivityName", "EVENT_TIME", "Target"),
        ("CaseID", "task", "start_timestamp", "class"),
    ):
        values = ["b", "a", "a"], ["submit", "offer", "submit"], ["2024-01-09", "2024-01-02", "2024-01-01"], [0, 1, 1]
        found = cp.Sample.from_events(frame(dict(zip(names, values, strict=True))))
        assert found == expected
        assert found.ids == ("b", "a")


def test_names_of_the_standard_win_over_others() -> None:
    rows = {"case:concept:name": [1], "concept:name": ["a"], "time:timestamp": [1], "id": ["x"], "activity": ["b"]}
    sample = cp.Sample.from_events(pl.DataFrame(rows | {"start time": [1], "text": ["long"]}))
    assert (sample.words, sample.ids) == (("a",), (1,))


def test_ids_and_the_words_of_rows(frame: Any) -> None:
    df = frame({"case": [3, 1, 2], "sequence": ["ab", "b", "ab"], "label": [1, 0, 1]})
    sample = cp.Sample.from_frame(df)
    assert (sample.words, sample.accepted, sample.ids) == (("ab", "b"), (True, False), (3, 1, 2))
    assert sample.per_case([0.25, 0.5]).tolist() == [0.25, 0.5, 0.25]


def ids_of(sample: cp.Sample) -> Any:
    return sample.ids


@given(
    st.lists(st.tuples(st.text("ab", max_size=2), st.booleans(), st.integers(0, 2)), min_size=1),
    st.randoms(use_true_random=False),
)
def test_every_row_finds_its_observation(rows: list[tuple[str, bool, int]], rng: random.Random) -> None:
    rows = [*rows, ("a", True, 1)]
    words, accepted, counts = (list(column) for column in zip(*rows, strict=True))
    sample = cp.Sample(words, accepted, counts=counts, alphabet="ab", ids=range(len(rows)))
    cut = rng.randint(0, len(rows))
    parts = [
        cp.Sample(words[i:j], accepted[i:j], counts=counts[i:j], alphabet="ba", ids=range(i, j))
        for i, j in ((0, cut), (cut, len(rows)))
        if any(counts[i:j])
    ]
    order = np.array(rng.sample(range(len(sample)), len(sample)))
    again = pickle.loads(pickle.dumps(sample))
    copies = (
        sample,
        cp.Sample.concatenate(parts, "ab"),
        sample.take(order),
        sample.recoded(cp.data.Alphabet("bca")),
        again,
    )
    for each in copies:
        assert each.ids == tuple(k for k, count in enumerate(counts) if count)
        places = each.per_case(np.arange(len(each)))
        for k, place in zip(ids_of(each), places.tolist(), strict=True):
            assert (each[place].word, each[place].accepted) == (words[k], accepted[k])
        assert np.bincount(places, each.known_cases.counts).tolist() == each.counts.tolist()
    ids = ids_of(sample)
    some = [k for k in range(len(ids)) if rng.random() < 0.5] or [0]
    kept = [ids[k] for k in some]
    part = sample.of_cases(some)
    assert part == cp.Sample(
        [words[k] for k in kept], [accepted[k] for k in kept], counts=[counts[k] for k in kept], alphabet="ab"
    )
    assert part.ids == tuple(kept)
    assert [part.words[r] for r in part.per_case(np.arange(len(part)))] == [words[k] for k in kept]


def test_attributes_and_gaps_are_symbols(frame: Any) -> None:
    at = [datetime(2024, 1, 1, 9), datetime(2024, 1, 1, 10), datetime(2024, 1, 3), datetime(2024, 1, 1)]
    df = frame(
        {
            "id": [1, 1, 1, 2],
            "event": list("abca"),
            "time": at,
            "goal": ["car", None, "car", None],
            "n": [5.0, 5, 5, 10],
        }
    )
    sample = cp.Sample.from_events(df, gaps=["1h", "1d", "1w"], attributes={"goal": None, "n": [7, 10]})
    assert sample.words == (("goal=car", "n<7", "a", "wait>=1h", "b", "wait>=1d", "c"), ("n>=10", "a"))
    assert cp.Sample.from_events(df, gaps=timedelta(days=1)).words[0][2] == "wait>=1d"
    numbers = frame({"id": [1, 1, 1], "event": list("abc"), "order": [1.0, 2.5, 30.0]})
    assert cp.Sample.from_events(numbers, gaps=[2, 20]).words == (("a", "b", "wait>=20", "c"),)


@given(
    st.lists(st.tuples(st.integers(1, 3), st.sampled_from("ab"), st.integers(0, 30)), min_size=1, max_size=12),
    st.lists(st.integers(1, 20), min_size=1, max_size=3, unique=True).map(sorted),
)
def test_waits_come_where_events_are_far_apart(rows: list[tuple[int, str, int]], edges: list[int]) -> None:
    df = pl.DataFrame(rows, ["id", "event", "time"], orient="row")
    found = cp.Sample.from_events(df, gaps=edges)
    places = found.per_case(np.arange(len(found)))
    for name, place in zip(ids_of(found), places.tolist(), strict=True):
        case = sorted((row for row in rows if row[0] == name), key=lambda row: row[2])
        expected: list[str] = []
        for k, (_, event, at) in enumerate(case):
            reached = [edge for edge in edges if k and at - case[k - 1][2] >= edge]
            expected += [*[f"wait>={max(reached, default=0)}"] * bool(reached), event]
        assert list(found.words[place]) == expected


def test_verdicts_beside_attributes_and_gaps() -> None:
    df = pl.DataFrame(
        {"id": [1, 1, 2], "event": ["a", "b", None], "time": [1, 9, 0], "verdict": [0, 1, 0], "goal": ["x", "x", "y"]}
    )
    sample = cp.Sample.from_events(df, gaps=5, attributes=["goal"])
    assert sample.words == (("goal=x", "a", "wait>=5", "b"), ("goal=y",))
    assert sample.verdicts == ((None, None, False, None, True), None)
    assert sample.accepted == (True, False)


def test_gaps_of_cases_with_one_event() -> None:
    df = pl.DataFrame({"id": [1, 2], "event": ["a", "b"], "time": ["2024-01-01", "2024-01-02"]})
    assert cp.Sample.from_events(df, gaps="1h").words == ("a", "b")
    none = df.with_columns(event=pl.Series([None, None], dtype=pl.String))
    assert cp.Sample.from_events(none, gaps="1h").words == ((),)


def test_a_case_without_events_needs_no_order() -> None:
    df = pl.DataFrame({"id": [1, 2, 1], "event": ["b", None, "a"], "time": [2, None, 1]})
    assert cp.Sample.from_events(df).words == ("ab", "")


NAMES = ["buy", "look", "quit"]


def test_names_that_are_read_as_characters_are_told() -> None:
    sentence = r"^each character is a symbol: 'look' is a word of 4 symbols. Pass separator=' ' if blanks separate"
    with pytest.warns(cp.errors.CharactersWarning, match=sentence):
        assert cp.Sample.from_frame(pl.DataFrame({"word": NAMES})).lengths.tolist() == [3, 4, 4]
    with pytest.warns(cp.errors.CharactersWarning, match=sentence):
        cp.read_sample(io.StringIO("\n".join(NAMES)))
    with pytest.warns(cp.errors.CharactersWarning, match="'b a' is a word of 3 symbols"):
        cp.Sample.from_frame(pl.DataFrame({"word": ["a", "b a"]}))
    for separator, lengths in ((" ", [1, 1, 1]), ("", [3, 4, 4])):  # no warnings, which are errors here
        assert cp.Sample.from_frame(pl.DataFrame({"word": NAMES}), separator=separator).lengths.tolist() == lengths
        assert cp.read_sample(io.StringIO("\n".join(NAMES)), separator=separator).lengths.tolist() == lengths
    cp.read_sample(io.StringIO("\n".join(NAMES)), alphabet="abcdefghijklmnopqrstuvwxyz")
    cp.read_sample(io.StringIO("0110\n01\nabc\n"))


BAD_EVENTS: dict[str, tuple[dict[str, list[Any]], str]] = {
    "outcomes in conflict": (
        {"y": [1, 1, 0]},
        "row 2, column 'y': all rows of a case must agree; case 7 has 1 earlier and 0 here.",
    ),
    "weights in conflict": (
        {"n": [1, 1, 2]},
        "row 2, column 'n': all rows of a case must agree; case 7 has 1 earlier and 2 here.",
    ),
    "no id": ({"id": ["a", "b", None]}, "row 2, column 'id': every event must have a case id; got None."),
    "no order": (
        {"t": ["1", "2", None]},
        "row 2, column 't': the order of an event must not be missing. Leave out the row, or sort the table and leave "
        "out the column.",
    ),
    "an order that texts get wrong": (
        {"t": ["1/2/2024", "2/1/2024", "10/1/2024"]},
        "row 0, column 't': an order in texts must be numbers, or dates and times such as 2024-03-01 or "
        "2024-03-01T09:30; got '1/2/2024', and as texts '10' comes before '9', 'Feb' before 'Jan'. Convert it, or sort the table and leave "
        "out the column.",
    ),
    "an order of names": (
        {"t": ["Jan", "Feb", "Mar"]},
        "row 0, column 't': an order in texts must be numbers, or dates and times such as 2024-03-01 or "
        "2024-03-01T09:30; got 'Jan', and as texts '10' comes before '9', 'Feb' before 'Jan'. Convert it, or sort the table "
        "and leave out the column.",
    ),
    "a text that is no time": (
        {"t": ["2024-01-02", "2024-01-03", "2024-1-4"]},
        "row 2, column 't': an order in texts must be numbers, or dates and times such as 2024-03-01 or "
        "2024-03-01T09:30; got '2024-1-4', and as texts '10' comes before '9', 'Feb' before 'Jan'. Convert it, or sort the table and leave "
        "out the column.",
    ),
    "a text that is no number": (
        {"t": ["1", "x", "3"]},
        "row 1, column 't': an order in texts must be numbers, or dates and times such as 2024-03-01 or "
        "2024-03-01T09:30; got 'x', and as texts '10' comes before '9', 'Feb' before 'Jan'. Convert it, or sort the table and leave "
        "out the column.",
    ),
    "an event that is missing": (
        {"e": ["a", "b", None]},
        "row 2, column 'e': an event must not be missing in a case that has others. Leave out rows without an event.",
    ),
    "outcome against verdict": (
        {"y": [1, 1, 1], "v": ["", "", "no"]},
        "row 0, column 'id': the outcome of case 7 and its verdict after the last event must agree.",
    ),
}


@pytest.mark.parametrize("case", BAD_EVENTS)
def test_refused_events(case: str) -> None:
    columns, sentence = BAD_EVENTS[case]
    df = pl.DataFrame({"id": [7, 8, 7], "e": ["a", "b", "c"]} | columns)
    names = {"order": "t", "outcome": "y", "verdict": "v", "weight": "n"}
    with pytest.raises(cp.errors.InvalidSample) as caught:
        cp.Sample.from_events(df, id="id", event="e", **{k: v for k, v in names.items() if v in columns})
    assert str(caught.value) == sentence


def test_orders_that_cannot_be_compared() -> None:
    df = pd.DataFrame({"id": [1, 1], "e": ["a", "b"], "t": [1, "x"]})
    with pytest.raises(
        cp.errors.InvalidSample, match=r"^column 't': the values must be comparable, all numbers or all dates"
    ):
        cp.Sample.from_events(df, id="id", event="e", order="t")


@given(st.lists(st.text("abc", max_size=5), min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_a_shuffled_table_of_events_gives_the_words_back(words: list[str], rng: random.Random) -> None:
    rows: list[tuple[Any, ...]] = [
        (k, i, symbol, len(word) > 2) for k, word in enumerate(words) for i, symbol in enumerate(word or [None])
    ]
    rng.shuffle(rows)
    df = pl.DataFrame(rows, ["id", "at", "what", "long"], orient="row", infer_schema_length=None)
    sample = cp.Sample.from_events(df, id="id", order="at", event="what", outcome="long", alphabet="abc")
    assert Counter(dict(zip(sample.words, sample.counts, strict=True))) == Counter(words)
    assert all(accepted is (len(word) > 2) for word, accepted in zip(sample.words, sample.accepted, strict=True))


ROWS = st.lists(
    st.tuples(st.text("ab", max_size=3), st.sampled_from([True, False, None]), st.integers(0, 2)), min_size=1
)


@pytest.mark.parametrize("hashes", ["as they are", "all equal", "in small blocks"])
@given(rows=ROWS)
def test_equal_observations_are_merged_in_order(hashes: str, rows: list[tuple[str, Any, int]]) -> None:
    expected: dict[Any, float] = {}
    for word, accepted, count in rows:
        if count:
            expected[word, accepted] = expected.get((word, accepted), 0.0) + count
    with pytest.MonkeyPatch.context() as patch:
        if hashes == "all equal":
            patch.setattr(words, "_mixed", np.zeros_like)
        if hashes == "in small blocks":
            patch.setattr(words, "BLOCK", 2)
        if not expected:
            with pytest.raises(cp.errors.InvalidSample):
                cp.Sample([w for w, *_ in rows], counts=[0] * len(rows))
            return
        counts = [n for *_, n in rows]
        sample = cp.Sample([w for w, *_ in rows], [a for _, a, _ in rows], counts=counts, alphabet="ab")
    assert [((o.word, o.accepted), o.count) for o in sample] == list(expected.items())


def test_hashes_of_different_observations_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    def unexpected(*_: object) -> None:
        raise AssertionError("the slow way is for contrived observations only")

    monkeypatch.setattr(EncodedWords, "_first_equal_by_bytes", unexpected)
    words = [f"{k:b}"[1:] for k in range(1, 1 << 12)]
    verdicts: Any = [[None] * len(word) + [k % 2 == 0] for k, word in enumerate(words)]
    sample = cp.Sample(words * 3, [True] * len(words) + [False] * len(words) + [None] * len(words))
    assert len(sample) == 3 * len(words)
    assert len(cp.Sample(words, verdicts=verdicts, states=[[*word, "p"] for word in words])) == len(words)


def test_tokens_are_words() -> None:
    words = Tokens(["a b", "", "b"], " ")
    assert [words[-1], list(words[:2])] == [["b"], [["a", "b"], []]]
    assert cp.Sample(words) == cp.Sample(list(words)) == cp.Sample(["ab", "", "b"])
    assert cp.p_adic(2).acceptances(Tokens(["0 1", ""], " ")).tolist() == [0.5, 0.0]
    with pytest.raises(cp.errors.UnknownSymbol, match=r"^word 1, position 0: symbol 'x'"):
        cp.p_adic(2).acceptances(Tokens(["0", "x"], " "))


def test_sums_of_samples_are_checked() -> None:
    huge = cp.Sample(["a"], counts=[1e300])
    with pytest.raises(cp.errors.InvalidSample, match="sum of at most"):
        huge + cp.Sample(["b"], counts=[1e300])
