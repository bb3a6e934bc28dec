"""Every route against the package: the same numbers, fractions included, and the package's own sentences."""

import json
import math
from base64 import b64decode, b64encode
from fractions import Fraction
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, strategies as st

import cutpoint as cp
from cutpoint.workbench import drafts, messages
from cutpoint.workbench.machine_screen import DOWNLOADS, GALLERY
from cutpoint.workbench.routes import ROUTES, answer
from tests.oracles import acceptance, rational
from tests.strategies import acceptors

MACHINES = {python: make() for python, make in GALLERY.items()}
ACCEPTORS = {python: made for python, made in MACHINES.items() if isinstance(made, cp.Acceptor)}


def ask(route: str, **request: Any) -> Any:
    status, found = asked(route, **request)
    assert status == 200, found
    return found


def asked(route: str, **request: Any) -> tuple[int, Any]:
    body = msgspec.json.encode({key: _sent(value) for key, value in request.items()})
    found = answer(route, body)
    return found.status, json.loads(found.body)


def _sent(value: Any) -> Any:
    return drafts.draft_of(value.model) if isinstance(value, cp.Acceptor | cp.Generator) else value


def codes(machine: Any, word: Any) -> list[int]:
    return [machine.alphabet.index(symbol) for symbol in word]


@pytest.mark.parametrize("python", MACHINES)
def test_the_gallery_is_made_by_the_python_that_it_names(python: str) -> None:
    (entry,) = [entry for entry in ask("gallery")["entries"] if entry["python"] == python]
    made = eval(python, {"cp": cp})
    assert drafts.model_of(msgspec.convert(entry["draft"], messages.Draft)).machine == made
    assert entry["sentence"].endswith((".", ":")) or entry["sentence"]
    assert "`" not in entry["sentence"]
    assert "math" not in entry["sentence"]


@given(acceptors(exact=True) | acceptors())
def test_a_draft_is_the_machine(acceptor: cp.Acceptor) -> None:
    sent = json.loads(msgspec.json.encode(drafts.draft_of(acceptor.model)))
    found = ask("check", machine=sent)
    assert found["problems"] == []
    assert found["exact"] is acceptor.is_exact
    assert drafts.model_of(found["digest"]).machine == acceptor
    assert found["transitions"] == acceptor.transitions.tolist()


def test_what_is_beside_a_machine_is_handed_back() -> None:
    law = cp.Generator(1, "01", {"0": [["1/4"]], "1": [["1/4"]]}, 0, ["1/2"])
    model = cp.files.Model(cp.p_adic(2).with_unknown("skip"), "1/3", {"by": "me"}, ("small", "large"), inputs=law)
    found = ask("check", machine=json.loads(msgspec.json.encode(drafts.draft_of(model))))
    again = drafts.model_of(found["digest"])
    assert (again.cut_point, dict(again.metadata), again.classes) == (Fraction(1, 3), {"by": "me"}, ("small", "large"))
    assert (again.inputs, again.machine.alphabet.on_unknown) == (law, "skip")
    assert found["cut_point"] == "1/3"


def test_all_bad_rows_are_marked_with_the_sentence_of_the_package() -> None:
    draft = drafts.draft_of(cp.p_adic(2).model)
    wrong = msgspec.structs.replace(
        draft, transitions=[[["1", "1/3"], ["1/2", "2/5"]], [["-1/2", "3/2"], ["0", "1"]]], initial=["1/2", "1/3"]
    )
    problems = ask("check", machine=wrong)["problems"]
    places = [(p["part"], p["symbol"], p["state"], p["column"]) for p in problems]
    assert places == [
        ("initial", None, None, None),
        ("transitions", 1, 0, 0),
        ("transitions", 0, 0, None),
        ("transitions", 0, 1, None),
    ]
    with pytest.raises(cp.errors.InvalidAcceptor) as refused:
        cp.Acceptor(["s1", "s2"], "01", {"0": [["1", "1/3"], ["1/2", "1/2"]], "1": [[1, 0], [0, 1]]}, "s1", {"s2"})
    assert problems[2]["sentence"] == str(refused.value)
    misprint = msgspec.structs.replace(draft, initial=["one", "0"])
    assert ask("check", machine=misprint)["problems"] == [
        {
            "part": "initial",
            "sentence": "expected a finite number or a string such as '1/3'; got 'one'.",
            "symbol": None,
            "state": 0,
            "column": None,
        }
    ]


@pytest.mark.parametrize(
    ("change", "part", "words"),
    [
        ({"states": ["s", "s"]}, "states", "'s'"),
        ({"symbols": []}, "symbols", "at least one symbol"),
        ({"symbols": ["0", {"a": 1}]}, "symbols", "a name must be text"),
        ({"final": [True]}, "final", "2 numbers"),
        ({"kind": "quantum"}, "kind", "acceptor or generator"),
        ({"transitions": [[["1", "0"]]]}, "transitions", "(2, 2, 2)"),
        ({"states": []}, "states", "at least one state"),
    ],
)
def test_a_draft_that_does_not_fit_together_says_where(change: dict[str, Any], part: str, words: str) -> None:
    found = ask("check", machine=msgspec.structs.replace(drafts.draft_of(cp.p_adic(2).model), **change))
    assert found["problems"][0]["part"] == part
    assert words in found["problems"][0]["sentence"]


def test_faults_of_a_generator_are_those_of_its_states() -> None:
    G = cp.Generator(2, "a", {"a": [["1/2", 0], [0, "1/2"]]}, 0, ["1/2", "1/2"])
    wrong = msgspec.structs.replace(drafts.draft_of(G.model), stop=["1/2", "1/3"])
    (problem,) = ask("check", machine=wrong)["problems"]
    assert (problem["part"], problem["state"]) == ("transitions", 1)
    assert problem["sentence"].startswith("the moves and the stop of state 1 must sum to 1; got 5/6.")
    never = msgspec.structs.replace(
        drafts.draft_of(G.model), stop=["1/2", "0"], transitions=[[["1/2", "0"], ["0", "1"]]]
    )
    (problem,) = ask("check", machine=never)["problems"]
    assert problem["sentence"].startswith("from every state a word must be able to end; from {1} no path")


def test_rows_are_rescaled_if_asked() -> None:
    draft = msgspec.structs.replace(drafts.draft_of(cp.p_adic(2).model), initial=["2", "6"])
    assert ask("check", machine=draft, normalized=True)["draft"]["initial"] == ["1/4", "3/4"]


def test_names_of_any_length_leave_a_sentence_that_can_be_read() -> None:
    status, found = asked("step", **{"x" * 10**5: 1})
    assert (status, found["sentence"][-2:]) == (400, ").")
    assert len(found["sentence"]) <= messages.LONGEST_SENTENCE


def test_an_unknown_digest_is_a_conflict() -> None:
    assert asked("step", machine="0" * 64, word=[])[0] == 409


@pytest.mark.parametrize("python", ACCEPTORS)
def test_steps_are_those_of_the_package(python: str) -> None:
    A = ACCEPTORS[python]
    word = tuple(A.alphabet[k % A.n_symbols] for k in range(4))
    found = ask("step", machine=A, word=codes(A, word), exact=True)
    assert found["forward"] == A.forward(word).tolist()
    assert found["backward"] == A.backward(word, accepted=True).tolist()
    assert found["occupancy"] == A.occupancy(word).tolist()
    assert found["acceptances"] == [A.acceptance(word[:i]) for i in range(5)]
    assert [A.states[s] for s in found["path"]] == list(A.most_likely_path(word))
    exact = found["exact"]
    assert [[Fraction(v) for v in row] for row in exact["forward"]] == A.forward(word, exact=True).tolist()
    assert [Fraction(v) for v in exact["acceptances"]] == [A.exact_acceptance(word[:i]) for i in range(5)]
    if A.is_exact:
        assert Fraction(exact["acceptances"][-1]) == acceptance(rational(A), word)  # an oracle that shares no code
    numbers, path = A.numbers(exact=True), found["path"]
    moves = [numbers["transitions"][a][s][t] for a, s, t in zip(codes(A, word), path, path[1:], strict=False)]
    assert Fraction(exact["path_probability"]) == Fraction(numbers["initial"][path[0]]) * math.prod(moves)
    assert found["path_probability"] == pytest.approx(float(Fraction(exact["path_probability"])), rel=1e-12, abs=0)


def test_steps_given_the_end() -> None:
    A = cp.p_adic(2)
    found = ask("step", machine=A, word=[0, 1], accepted=True, exact=True)
    assert found["occupancy"] == A.occupancy("01", accepted=True).tolist()
    assert [A.states[s] for s in found["path"]] == list(A.most_likely_path("01", accepted=True))
    impossible = ask("step", machine=A, word=[0], accepted=True, exact=True)
    assert (impossible["path"], impossible["occupancy"], impossible["exact"]["occupancy"]) == (None, None, None)


def test_where_a_generator_never_stops_there_is_no_acceptance() -> None:
    G = cp.Generator(["s", "t"], "a", {"a": [[0, 1], [0, 0]]}, "s", {"s": 0, "t": 1})
    found = ask("step", machine=G, word=[0], exact=True)
    assert found["acceptances"] == [None, 1.0]
    assert found["exact"]["acceptances"] == ["", "1"]


def test_decimals_become_fractions() -> None:
    A = cp.Acceptor(2, "a", [[[0.1, 0.9], [0.3, 0.7]]], 0, {1})
    found = ask("check", machine=A, rationalized=True)
    assert found["exact"]
    assert found["draft"]["transitions"] == [[["1/10", "9/10"], ["3/10", "7/10"]]]
    assert ask("check", machine=A)["exact"] is False


def test_of_a_machine_of_decimals_numbers_are_decimals() -> None:
    """Their binary values are fractions of hundreds of digits."""
    A = cp.random_acceptor(3, "ab", rng=1)
    found, isolation = ask("decide", machine=A, cut_point="1/2"), cp.Language(A, "1/2").isolation()
    assert float(found["acceptance"]) == float(isolation.acceptance)
    assert float(found["distance"]) == float(isolation.distance)
    assert "/" not in found["acceptance"] + found["distance"]
    other = cp.random_acceptor(3, "ab", rng=2)
    verdict, compared = cp.equivalence(A, other), ask("compare", left=A, right=other)
    assert isinstance(verdict, cp.Different)
    assert [float(compared["left"]), float(compared["right"])] == [float(verdict.left), float(verdict.right)]
    assert "/" not in compared["left"] + compared["right"]


def test_a_generator_is_stepped_too() -> None:
    G = cp.Generator(["s"], "ab", {"a": [["1/2"]], "b": [["1/4"]]}, "s", {"s": "1/4"})
    found = ask("step", machine=G, word=[0, 1], exact=True)
    assert found["exact"]["probability"] == str(G.exact_probability("ab")) == "1/32"
    assert found["next_symbols"] == list(G.next_symbols("ab").values())


def test_steps_have_limits() -> None:
    assert asked("step", machine=cp.p_adic(2), word=[0] * 2001)[1]["kind"] == "TooLarge"
    status, found = asked("step", machine=cp.p_adic(2), word=[2])
    assert (status, found["sentence"]) == (422, "word must have codes from 0 to 1; got 2.")


@pytest.mark.parametrize("inclusive", [False, True])
@pytest.mark.parametrize("python", ACCEPTORS)
def test_words_are_on_their_side_of_the_cut_point(python: str, inclusive: bool) -> None:
    A = ACCEPTORS[python]
    found = ask("words", machine=A, cut_point="1/2", inclusive=inclusive, max_length=4, most=200)
    language = cp.Language(A, "1/2", inclusive)
    for each in found["words"]:
        word = A.alphabet.decode(each["word"])
        exact = A.exact_acceptance(word)
        assert each["side"] == ("above" if exact > Fraction(1, 2) else "tie" if exact == Fraction(1, 2) else "below")
        assert (word in language) == (each["side"] == "above" or (inclusive and each["side"] == "tie"))
        if A.is_exact:
            assert Fraction(each["exact"]) == exact
    assert found["above"] + found["ties"] + found["below"] == len(found["words"]) == _count(A, found["max_length"])
    levels = found["staircase"]
    assert [level["acceptance"] for level in levels] == sorted((level["acceptance"] for level in levels), reverse=True)
    for level in levels:
        assert level["above"] == sum(each["acceptance"] > level["acceptance"] for each in found["words"])
    assert sum(level["count"] for level in levels) == len(found["words"])


def _count(A: cp.Acceptor, longest: int) -> int:
    return sum(A.n_symbols**n for n in range(longest + 1))


def test_decisions_are_those_of_the_package() -> None:
    A = cp.p_adic(2)
    found = ask("decide", machine=A, cut_point="1/3")
    dfa = cp.Language(A, "1/3").to_dfa()
    assert isinstance(dfa, cp.DFA)
    assert found["dfa_states"] == dfa.n_states == 3
    assert found["dot"] == cp.drawing.to_dot(dfa)
    assert found["isolated"] is None
    assert found["distance"] == str(cp.Language(A, "1/3").isolation().distance)
    tie = ask("decide", machine=A, cut_point="1/2")
    assert (tie["isolated"], tie["sentence"]) == (False, "Not isolated: a word has exactly this acceptance.")
    proven = ask("decide", machine=cp.gallery.parity(), cut_point="1/2")
    assert (proven["isolated"], proven["proven"]) == (True, "1/2")
    open_ = ask("decide", machine=cp.gallery.majority(), cut_point="1/2", max_states=20)
    assert open_["dfa_states"] is None
    assert open_["unknown"] == str(cp.Language(cp.gallery.majority(), "1/2").to_dfa(20))


def test_comparison_gives_the_shortest_witness_with_both_tables() -> None:
    left, right = cp.p_adic(2), cp.mixture([cp.p_adic(2), cp.gallery.parity()], ["1/2", "1/2"])
    found = ask("compare", left=left, right=right)
    verdict = cp.equivalence(left, right)
    assert isinstance(verdict, cp.Different)
    assert left.alphabet.decode(found["word"]) == verdict.word
    assert (Fraction(found["left"]), Fraction(found["right"])) == (verdict.left, verdict.right)
    assert found["left_steps"]["acceptances"][-1] == float(verdict.left)
    assert ask("compare", left=left, right=~~left)["equal"] is True
    assert asked("compare", left=left, right=MACHINES[[*MACHINES][-1]])[0] == 422


@pytest.mark.parametrize("format", DOWNLOADS)
def test_what_is_downloaded_can_be_opened(format: str) -> None:
    machine = MACHINES[[*MACHINES][-1]] if format == ".pautomac_model.txt" else cp.p_adic(2)
    files = ask("download", machine=machine, format=format, name="../my model", rounded=True, bare=True)["files"]
    assert all(file["name"].startswith("_my_model.") for file in files)
    assert all(len(b64decode(file["content"])) > 1 for file in files)
    if format in (".svg", ".png", ".pdf", ".tikz", ".js", ".mjs", ".sql", ".onnx"):
        return
    opened = ask("open", files=[{"name": file["name"], "content": file["content"]} for file in files])
    again = drafts.model_of(opened["digest"]).machine
    assert (again.n_states, again.n_symbols) == (machine.n_states, machine.n_symbols)
    if format in (".json", ".dot", ".gv", ".drn", ".tra"):
        assert again == machine or np.array_equal(again.transitions, machine.transitions)


def test_a_file_is_called_by_the_name_that_the_user_knows() -> None:
    content = b64encode(b'{"cutpoint": 1}').decode()
    status, found = asked("open", files=[{"name": "C:\\mine\\a <b>.json", "content": content}])
    assert status == 422
    assert found["sentence"].startswith("C:\\mine\\a <b>.json: cutpoint")
    assert "/tmp" not in json.dumps(found)


@given(
    st.sampled_from([*ROUTES]),
    st.recursive(st.none() | st.integers() | st.text(), lambda c: st.lists(c) | st.dictionaries(st.text(), c)),
)
def test_any_request_gets_an_answer(route: str, body: Any) -> None:
    assert answer(route, json.dumps(body)).status in (200, 400, 422)


def test_a_machine_too_large_for_a_page_is_refused_and_a_small_sparse_one_is_shown(tmp_path: Path) -> None:
    def opened(n: int) -> tuple[int, Any]:
        shift = scipy.sparse.csr_array((np.ones(n), (np.arange(n), (np.arange(n) + 1) % n)), shape=(n, n))
        cp.save(cp.Acceptor(n, "a", {"a": shift}, 0, {1}), tmp_path / "m.npz")
        content = b64encode((tmp_path / "m.npz").read_bytes()).decode()
        return asked("open", files=[{"name": "m.npz", "content": content}])

    status, found = opened(300)
    assert (status, len(found["draft"]["states"])) == (200, 300)
    status, found = opened(1_000)
    assert status == 422
    assert found["sentence"].startswith("m.npz: the workbench shows at most 500,000 transitions; this has 1,000 states")
