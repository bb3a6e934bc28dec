"""Files that lie, break off or swell: refused with the place, in bounded memory and time."""

import gzip
import io
import json
import math
import os
import random
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import cutpoint as cp
from cutpoint.files import streams
from tests import memory
from tests.golden.generate import FOLDER, golden

COIN = cp.p_adic(2)
FLOATS = COIN.replace(transitions=COIN.transitions, initial=[0.25, 0.75])


@pytest.fixture(autouse=True, scope="module")
def _no_waiting_for_the_disk() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield


def refusal(path: Path, content: str | bytes, **options: Any) -> str:
    """Sentence with which a file of this content is refused."""
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(cp.errors.FormatError) as refused:
        cp.load(path, **options)
    sentence = str(refused.value)
    assert sentence.startswith(f"{path.parent}/model."), sentence
    assert len(sentence) < 600
    return sentence.split(": ", 1)[1]


# -- JSON --------------------------------------------------------------------------------------------------------

JSON = """{"cutpoint": {"format": "acceptor", "version": 1}, "states": ["a", "b"], "alphabet": ["x"],
"initial": [1, 0], "final": ["b"], "transitions": {"x": [[0.5, 0.5], [0, 1]]}}"""


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("0.5, 0.5", "NaN, 0.5", "transitions.x[0][0]: expected a finite number or a string such as \"1/3\"; got nan."),
        ("0.5, 0.5", "1e999, 0", "transitions.x[0][0]: expected a finite number or a string such as \"1/3\"; got inf."),
        ("0.5, 0.5", "-Infinity, 0", "transitions.x[0][0]: expected a finite number"),
        ("0.5, 0.5", "1" + "0" * 5000 + ", 0", "transitions.x[0][0]: expected a finite number"),
        ("0.5, 0.5", "1" + "0" * 4000 + ", 0", "transitions.x[0][0]: expected a finite number"),
        ("0.5, 0.5", '"' + "1" * 9000 + '", 0', "transitions.x[0][0]: expected a finite number"),
        ("0.5, 0.5", '{"a": 1}, 0', "transitions.x[0][0]: expected a finite number or a string such as \"1/3\"; got an object."),
        ("0.5, 0.5", "null, 1", "transitions.x[0][0]: expected a finite number or a string such as \"1/3\"; got null."),
        ('"initial"', '"states"', "the key 'states' occurs twice in an object."),
        ('{"x": [', '{"x": 0, "x": [', "the key 'x' occurs twice in an object."),
        ('"version": 1', '"version": 1, "version": 1', "the key 'version' occurs twice in an object."),
        ('["a", "b"]', "[" * 200 + "]" * 200, "states[0]: expected a name"),
        ('["a", "b"]', "[" * 100_000 + "]" * 100_000, "the lists are nested too deeply."),
        ('["a", "b"]', '{"a":' * 100_000, "the lists are nested too deeply."),
        ('["a", "b"]', "[NaN, 1]", "states[0]: expected a name"),
        ('["a", "b"]', '["\\ud800", "b"]', "states[0]: expected a name"),
        ('["a", "b"]', "[]", "states: at least one state is needed; the state set is empty."),
        ('["x"]', "[]", "transitions: expected keys out of {}; got 'x'."),
        ('["x"]', '["x", "x"]', "alphabet: symbols must be distinct; repeated: {'x'}."),
        ("[1, 0]", "[1, 0", "line 2, column 26: this is not JSON"),
        ("}}", "}} x", "line 2, column 80: this is not JSON (Extra data). Is the file whole?"),
        ("[1, 0]", "[1, 0]\x00", "line 2, column 18: this is not JSON"),
        (JSON, "", "line 1, column 1: this is not JSON (Expecting value). Is the file whole?"),
        (JSON, "[]", "expected an object; got a list."),
        (JSON, "3", "expected an object; got a whole number."),
    ],
)  # fmt: skip
def test_hostile_json_is_refused_with_the_place(old: str, new: str, sentence: str, tmp_path: Path) -> None:
    assert old in JSON
    assert refusal(tmp_path / "model.json", JSON.replace(old, new, 1)).startswith(sentence)


def test_every_truncation_is_refused(tmp_path: Path) -> None:
    for name in ("floats.json", "floats.npz", "log.att", "even.jff", "floats.drn", "floats.dot"):
        content = (FOLDER / name).read_bytes().rstrip()
        lists = name in ("log.att", "floats.drn")  # without their last lines these may be whole
        for end in range(0, math.ceil(len(content) * 0.8) if lists else len(content) - 1, 7):
            assert refusal(tmp_path / f"model{Path(name).suffix}", content[:end])


def test_whole_numbers_beyond_floats_are_refused(tmp_path: Path) -> None:
    text = 'digraph { s [shape=none]; s -> a; a -> a [label="x: 0.5"]; a -> b [label="x: %s"]; b -> b [label=x]; }'
    assert "expected a probability" in refusal(tmp_path / "model.dot", text % ("1" * 400))


def test_text_that_is_none_is_refused(tmp_path: Path) -> None:
    for suffix in ("json", "att", "drn", "dot"):
        assert refusal(tmp_path / f"model.{suffix}", b"\n\n\xff\xfe") == (
            "line 3: expected text in UTF-8; got bytes that are not."
        )


# -- Claims and bombs --------------------------------------------------------------------------------------------


needs_peaks = pytest.mark.skipif(not memory.RESET.exists(), reason="this system does not tell peaks of memory")


@needs_peaks
def test_a_bomb_in_gzip_is_refused_in_bounded_memory(tmp_path: Path) -> None:
    """Ten gigabytes of spaces in ten megabytes; the process that reads them stays below 600 MB."""
    (tmp_path / "model.json.gz").write_bytes(gzip.compress(b" " * 2**20) * 10 * 2**10)
    assert (tmp_path / "model.json.gz").stat().st_size < 2**24
    code = (
        f"{Path(memory.__file__).read_text()}\n"
        "import sys, cutpoint as cp\n"
        "try: cp.load(sys.argv[1])\n"
        "except cp.errors.FormatError as wrong: print(wrong)\n"
        "print(peak())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "model.json.gz"], capture_output=True, text=True, check=True
    )
    sentence, kilobytes = done.stdout.splitlines()
    assert sentence.endswith("the file has more than 134,217,728 bytes, the most that are read.")
    assert int(kilobytes) < 600_000


@needs_peaks
def test_many_small_values_are_refused_before_memory_is_taken(tmp_path: Path) -> None:
    text = '{"cutpoint": ' + "[" + "[],{}," * 3_000_000 + "[]]}"
    before = memory.reset_peak()
    assert refusal(tmp_path / "model.json", text) == "the file has more than 2,500,000 values, the most that are read."
    assert memory.peak() - before < 200_000


def test_the_keys_of_many_matrices_are_not_compared_with_each_other(tmp_path: Path) -> None:
    keys = [str(k) for k in range(50_000)]
    content = json.loads(JSON) | {"states": ["b"], "initial": [1], "alphabet": keys}
    content["transitions"] = {key: [[1]] for key in keys}
    (tmp_path / "model.json").write_text(json.dumps(content))
    begun = time.perf_counter()
    assert cp.load(tmp_path / "model.json").n_symbols == 50_000
    content["transitions"]["x"] = [[1]]
    assert refusal(tmp_path / "model.json", json.dumps(content)).endswith("; got 'x'.")
    assert time.perf_counter() - begun < 30  # comparing all with all would take minutes


@needs_peaks
def test_many_short_lines_are_refused_before_memory_is_taken(tmp_path: Path) -> None:
    """AT&T text is held whole; the others are read line by line, and refused at the first that is wrong."""
    for suffix, sentence in (
        ("att", "the file has more than 2,500,000 lines, the most that are read."),
        ("drn", "line 1: expected a line of the head of a DRN file; got '0 0 a'."),
        ("tra", "line 1: expected the numbers of states, choices and transitions; got '0 0 a'."),
    ):
        before = memory.reset_peak()
        assert refusal(tmp_path / f"model.{suffix}", "0 0 a\n" * 2_500_001) == sentence
        assert memory.peak() - before < 200_000


def test_broken_gzip_is_refused(tmp_path: Path) -> None:
    whole = gzip.compress(JSON.encode(), mtime=0)
    for content in (b"", whole[:-9], JSON.encode(), whole[:30] + b"\0\0\0\0" + whole[34:], whole[:-3] + b"abc"):
        if content:
            assert "the file is not a whole gzip file (" in refusal(tmp_path / "model.json.gz", content)
    assert "this is not JSON" in refusal(tmp_path / "model.json.gz", b"")


def test_a_billion_states_are_only_claimed(tmp_path: Path) -> None:
    cp.save(FLOATS, tmp_path / "model.drn")
    text = (tmp_path / "model.drn").read_text().partition("\n")[2]  # without the digest, as forged
    assert refusal(tmp_path / "model.drn", text.replace("@nr_states\n3", "@nr_states\n1000000000")) == (
        "@nr_states claims '1000000000'; the file has 3."
    )
    assert refusal(tmp_path / "model.drn", text.replace("state 1 ", "state 1000000000 ")).startswith(
        "line 18: expected state 1; got '1000000000'."
    )
    assert "999999999 is not a state to go to." in refusal(
        tmp_path / "model.drn", text.replace("1 : 0.5", "999999999 : 0.5")
    )
    cp.save(FLOATS, tmp_path / "model.tra")
    text = (tmp_path / "model.tra").read_text()
    assert refusal(tmp_path / "model.tra", "1000000000" + text[1:]) == (
        "the file has more than 10,000,000 states, the most that are read."
    )
    assert refusal(tmp_path / "model.tra", text.replace("\n2 0 ", "\n1000000000 0 ")) == (
        "line 8: expected a state below 3; got 1000000000."
    )
    one = "".join(f"{s}\t{s}\ta\n" for s in (0, 10**9))
    (tmp_path / "model.att").write_text(one)
    assert cp.load(tmp_path / "model.att").states == (0, 10**9)  # a name, not a size
    (tmp_path / "model.att").write_text("".join(f"{s}\t{s}\ta\n" for s in range(2100)))
    assert cp.load(tmp_path / "model.att").stored.n_entries == 2100  # few moves of many states are stored sparse
    dense = "".join(f"{s}\t{t}\ta\n" for s in range(1500) for t in range(0, 1500, 7))
    assert refusal(tmp_path / "model.att", dense).startswith(
        "1,500 states and 1 symbol make 2,250,000 transitions, more than the 2,000,000 of a text file"
    )
    many = "".join(f"{s} -> {s} [label=a];\n" for s in range(2000))
    assert "1,415 states and 1 symbol make 2,002,225 transitions" in refusal(tmp_path / "model.dot", "digraph {" + many)
    many = "@type: MDP\n@model\n" + "".join(
        f"state {s}{' init' * (s == 0)}\n\taction x{s}\n\t\t0 : 1\n" for s in range(20_000)
    )
    before = memory.reset_peak()
    assert refusal(tmp_path / "model.drn", many) == "row of symbol 'x0', state 1 must sum to 1; got 0."
    assert memory.peak() - before < 200_000  # not a table of 20,000 × 20,000 rows


def test_fractions_that_take_too_long_to_add_are_refused(tmp_path: Path) -> None:
    primes = [p for p in range(10_000, 17_500) if all(p % d for d in range(2, 133))]
    n = 700
    row = ["1/" + str(p**25) for p in primes[: n - 1]] + [1]
    content = json.loads(JSON) | {"states": list(range(n)), "initial": [1] + [0] * (n - 1), "final": []}
    content["transitions"] = {"x": [row] * 10 + [[1] + [0] * (n - 1)] * (n - 10)}
    assert refusal(tmp_path / "model.json", json.dumps(content)) == (
        "the fractions of its rows have common denominators too long to add them up."
    )


# -- NPZ ---------------------------------------------------------------------------------------------------------


def archive(change: dict[str, Any], kind: int = zipfile.ZIP_STORED, extra: str = "") -> bytes:
    """The golden file with some members changed: bytes, or arrays."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(FOLDER / "floats.npz") as old, zipfile.ZipFile(buffer, "w", kind) as new:
        for name in old.namelist():
            content = change.get(name.removesuffix(".npy"), old.read(name))
            if isinstance(content, np.ndarray):
                stored = io.BytesIO()
                np.save(stored, content, allow_pickle=True)
                content = stored.getvalue()
            if content is not None:
                new.writestr(name, content)
        if extra:
            new.writestr(extra, b"")
    return buffer.getvalue()


def shaped(shape: str, descr: str = "<f8", body: bytes = b"") -> bytes:
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}".encode()
    header += b" " * (63 - (len(header) + 10) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + body


def header_of(text: str) -> Any:
    return np.frombuffer(text.encode(), dtype=np.uint8)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "the arrays cannot be read (File is not a zip file). Use another copy."),
        (archive({}, extra="x.npy"), "'x': expected no array of this name."),
        (archive({"final": None}), "final: expected an array of '|b1' of shape (any,); there is none."),
        (archive({}, kind=zipfile.ZIP_DEFLATED), "header: expected an array that is stored as it is, not compressed."),
        (archive({"final": np.array([None, 1, 2])}), "final: expected an array of '|b1' of shape (any,); got '|O' of shape (3,)."),
        (archive({"final": np.array([1.0, 0.0, 0.0])}), "final: expected an array of '|b1' of shape (any,); got '<f8' of shape (3,)."),
        (archive({"final": shaped("(3,)", "|b1", b"\0\1\7")}), "final: expected zeros and ones."),
        (archive({"final": np.array([True])}), "final: expected an array of shape (3,); got (1,)."),
        (archive({"initial": np.array([0.5, 0.5, np.nan])}), "initial must have entries that are finite; got nan for state 7."),
        (archive({"initial": np.array([0.5, 0.25, 0.5])}), "initial must sum to 1; got 1.25."),
        (archive({"initial": np.array([0.25, 0.25, 0.5])}), "digest: the file is damaged"),
        (archive({"initial": np.array([1, 0, 0])}), "initial: expected an array of '<f8' of shape (any,); got '<i8' of shape (3,)."),
        (archive({"transitions": shaped("(1000000000, 1000000000, 2)")}),
         "transitions: expected the bytes of an array of shape (1000000000, 1000000000, 2); got 0 bytes."),
        (archive({"transitions": shaped("(-1, -8)", body=b"12345678" * 8)}), "transitions: expected an array by rows in version 1.0 of NumPy's format."),
        (archive({"transitions": shaped("(" * 500)}), "transitions: expected an array by rows in version"),
        (archive({"transitions": shaped("('a',)")}), "transitions: expected an array by rows in version"),
        (archive({"transitions": shaped("(1,)", "|O", b"12345678")}), "transitions: expected an array of '<f8' of shape (any, any, any); got '|O'"),
        (archive({"transitions": b"\x93NUMPY\x02\x00"}), "transitions: expected an array by rows in version 1.0 of NumPy's format."),
        (archive({"transitions": np.asfortranarray(np.eye(3))}), "transitions: expected an array by rows in version 1.0 of NumPy's format."),
        (archive({"header": header_of("{}")}), 'expected the key "cutpoint": this is not a model of cutpoint.'),
        (archive({"header": header_of("[" * 50_000)}), "the lists are nested too deeply."),
        (archive({"header": np.array([255, 255], dtype=np.uint8)}), "header: expected text in UTF-8; got bytes that are not."),
    ],
)  # fmt: skip
def test_hostile_npz_is_refused_with_the_place(content: bytes, sentence: str, tmp_path: Path) -> None:
    assert refusal(tmp_path / "model.npz", content).startswith(sentence)


# -- Lines -------------------------------------------------------------------------------------------------------

ATT = "s\ta\t<eps>\t0.5\ns\tb\t<eps>\t0.5\na\ta\tx\t1\nb\tb\tx\t1\nb\t1\n"
DRN = """@type: MDP
@nr_states
2
@model
state 0 init
	action x
		0 : 0.5
		1 : 0.5
state 1 accept
	action x
		1 : 1
"""
TRA = "2 2 3\n0 0 0 0.5 x\n0 0 1 0.5 x\n1 0 1 1 x\n"
LAB = '0="init" 1="deadlock" 2="accept"\n0: 0\n1: 2\n'


def test_the_small_files_are_right(tmp_path: Path) -> None:
    for suffix, text in (("att", ATT), ("drn", DRN), ("tra", TRA), ("lab", LAB)):
        (tmp_path / f"model.{suffix}").write_text(text)
    expected = cp.Acceptor(2, "x", [[[0.5, 0.5], [0, 1]]], 0, {1})
    assert cp.load(tmp_path / "model.drn") == cp.load(tmp_path / "model.tra") == expected
    found = cp.load(tmp_path / "model.att", weights="probability")
    assert found == cp.Acceptor("ab", "x", [np.eye(2)], [0.5, 0.5], "b")


@pytest.mark.parametrize(
    ("suffix", "old", "new", "sentence"),
    [
        ("att", "a\ta\tx\t1\n", "a\ta\tx\tx\t1\n", "line 3: expected at most 4 columns, those of an acceptor; got 5."),
        ("att", "a\ta\tx\t1", "a\ta\tx\ty", "line 3: expected a weight, a probability; got 'y'."),
        ("att", "a\ta\tx\t1", "a\ta\tx\tnan", "line 3: expected a weight, a probability; got 'nan'."),
        ("att", "a\ta\tx\t1", "a\ta\tx\t1e999", "line 3: expected a weight, a probability; got '1e999'."),
        ("att", "a\ta\tx\t1", "a\ta\tx\t-1", "line 3: expected a weight, a probability; got '-1'."),
        ("att", "a\ta\tx\t1", "a\ta\tx\t1/0", "line 3: expected a weight, a probability; got '1/0'."),
        ("att", "a\ta\tx\t1", "a\ta\tx\t" + "1" * 5000, "line 3: expected a weight, a probability; got '1111"),
        ("att", "a\ta\tx\t1", "a\ta\tx\t1\na\ta\tx\t1", "line 4: this arc occurs twice."),
        ("att", "a\ta\tx\t1", "a\ta\t<eps>\t1", "line 3: <eps> can only begin a run: expected it on all arcs of the first"),
        ("att", "s\ta\t<eps>", "s\ta\tx", "line 1: <eps> can only begin a run"),
        ("att", "a\ta\tx", "a\ts\tx", "line 3: <eps> can only begin a run"),
        ("att", "s\ta\t", "s\tb\t", "line 2: this arc occurs twice."),
        ("att", "b\t1\n", "s\t1\n", "line 5: a state whose arcs read nothing cannot be final."),
        ("att", "b\t1\n", "b\t0.5\n", "line 5: an acceptor's states are final or not; got a weight between, 0.5."),
        ("att", "b\t1\n", "b\nb\n", "line 6: the state 'b' is final twice."),
        ("att", "a\ta\tx\t1\n", "", "row of symbol 'x', state 'a' must sum to 1; got 0."),
        ("att", "a\ta\tx", "a\ta\t%=x", "'%=x' cannot be read as a name."),
        ("att", "a\ta\tx", "a\ta\t%FF", "'%FF' cannot be read as a name."),
        ("att", "a\ta\tx", "a\ta\t%=" + "[" * 5000, "'%=[[[["),
        ("att", "a\ta\tx", "a\ta\t%=null", "symbols must not be None"),
        ("att", ATT, "\n \n", "expected an arc or a final state; the file is empty."),
        ("drn", "MDP", "DTMC", "line 1: @type: must be MDP for an acceptor; got 'DTMC'."),
        ("drn", "@type: MDP\n", "", "line 3: expected @type: MDP before the model."),
        ("drn", "@type: MDP\n", "@type: MDP\n@type: MDP\n", "line 2: '@type:' occurs twice."),
        ("drn", "@type: MDP\n", "@type: MDP\n@value_type: float-interval\n", "line 2: @value_type: must be double or rational for an acceptor; got"),
        ("drn", "@model", "@parameters\nx\n@model", "line 5: @parameters must be empty for an acceptor; got 'x'."),
        ("drn", "@model", "@reward_models\ncost\n@model", "line 5: @reward_models must be empty for an acceptor; got 'cost'."),
        ("drn", "@model", "@observations\n1\n@model", "line 4: expected a line of the head of a DRN file; got '@observations'."),
        ("drn", "@model", "", "line 5: expected a line of the head of a DRN file; got 'state 0 init'."),
        ("drn", "@nr_states\n2", "@nr_choices\n5", "@nr_choices claims '5'; the file has 2."),
        ("drn", "state 0 init", "state 0 [1] init", "line 5: expected a state, an action or a next state, without rewards"),
        ("drn", "state 0 init", "state 0", "expected the label init on exactly one state; got it on 0 states."),
        ("drn", "1 accept", "1 init accept", "expected the label init on exactly one state; got it on 2 states."),
        ("drn", "state 0 init", "state 0 init goal", "state 1: beside init, accept, start, deadlock, a state can have one label"),
        ("drn", "0 init", "0 init start", "state 0: expected states to go to other than itself."),
        ("drn", "1 accept", "1 accept start", "a state labelled start must be the initial one"),
        ("drn", "0 : 0.5\n", "1 : 0.5\n", "line 8: this transition occurs twice."),
        ("drn", "0 : 0.5\n", "0 : half\n", "line 7: expected a probability; got 'half'."),
        ("drn", "0 : 0.5\n", "0 : 1e400\n", "line 7: expected a probability; got '1e400'."),
        ("drn", "0 : 0.5\n", "5 : 0.5\n", "state 0, action 'x': 5 is not a state to go to."),
        ("drn", "\taction x\n\t\t0", "\taction x\n\taction x\n\t\t0", "line 7: the action 'x' occurs twice."),
        ("drn", "\taction x\n\t\t1", "\taction y\n\t\t1", "row of symbol 'x', state 1 must sum to 1; got 0."),
        ("drn", "\taction x\n\t\t0", "\t\t0", "line 6: expected an action before this line."),
        ("drn", "state 0 init\n", "", "line 5: expected a state before this line."),
        ("drn", "state 0 init\n\taction x\n", "", "line 5: expected an action before this line."),
        ("drn", "state 1", "state 01", "line 9: expected state 1; got '01'."),
        ("drn", "1 : 1\n", "1 : nan\n", "line 11: expected a probability; got 'nan'."),
        ("drn", "1 : 1\n", "1 : 1_0\n", "line 11: expected a probability; got '1_0'."),
        ("drn", "1 : 1\n", "1 : 1 0\n", "line 11: expected a state, an action or a next state, without rewards"),
        ("drn", DRN[DRN.index("@model") + 6 :], "", "@nr_states claims '2'; the file has 0."),
        ("drn", DRN[11:], "@model", "expected the label init on exactly one state; got it on 0 states."),
        ("tra", "2 2 3", "2 3", "line 1: expected the numbers of states, choices and transitions; got '2 3'."),
        ("tra", "2 2 3", "3 2 3", "line 1: expected the numbers of states, choices and transitions, 2 2 3."),
        ("tra", "2 2 3", "2 2 4", "line 1: expected the numbers of states, choices and transitions, 2 2 3."),
        ("tra", "0 0 0 0.5 x", "0 0 0 0.5", "line 2: expected state, choice, next state, probability and action; got"),
        ("tra", "0 0 0 0.5 x", "0 0 0 x x", "line 2: expected a probability; got 'x'."),
        ("tra", "0 0 1 0.5 x", "0 0 1 0.5 y", "line 3: expected the action 'x' of this choice; got 'y'."),
        ("tra", "0 0 1", "0 0 0", "line 3: this transition occurs twice."),
        ("tra", "1 0 1", "1 1 1", "state 1: expected choice 0; got 1."),
        ("tra", "1 0 1 1 x", "1 0 1 1 x\n1 1 1 1 x", "line 5: the action 'x' of this state occurs twice."),
        ("tra", "1 0 1 1 x", "1 0 1 1/0 x", "line 4: expected a probability; got '1/0'."),
        ("tra", "1 0 1 1 x", "1 0 1 1e999 x", "line 4: expected a probability; got '1e999'."),
        ("tra", "1 0 1 1 x", "1 0 -1 1 x", "line 4: expected state, choice, next state, probability and action; got"),
        ("lab", '1="deadlock"', '1="init"', 'line 1: expected numbered labels such as 0="init" 1="deadlock", each once.'),
        ("lab", '1="deadlock"', '0="deadlock"', "line 1: expected numbered labels"),
        ("lab", '1="deadlock"', "deadlock", "line 1: expected numbered labels"),
        ("lab", "1: 2", "1: 3", "line 3: expected a state once, with labels of the first line, each once."),
        ("lab", "1: 2", "0: 2", "line 3: expected a state once"),
        ("lab", "1: 2", "1: 2 2", "line 3: expected a state once"),
        ("lab", "1: 2", "one", "line 3: expected a state and its labels such as 3: 0 2; got 'one'."),
        ("lab", "1: 2", "9: 2", "line 3: expected a state below 2; got 9."),
    ],
)  # fmt: skip
@pytest.mark.parametrize("block", [streams.BLOCK, 5])
def test_wrong_lines_are_refused_with_the_place(
    block: int, suffix: str, old: str, new: str, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "BLOCK", block)
    text = {"att": ATT, "drn": DRN, "tra": TRA, "lab": LAB}[suffix]
    assert old in text
    (tmp_path / "model.lab").write_text(LAB)
    (tmp_path / "model.tra").write_text(TRA)
    changed = text.replace(old, new, 1)
    if suffix == "lab":
        (tmp_path / "model.lab").write_text(changed)
        suffix, changed = "tra", TRA
    options = {"weights": "probability"} if suffix == "att" else {}
    assert refusal(tmp_path / f"model.{suffix}", changed, **options).startswith(sentence)


@pytest.mark.parametrize("suffix", ["drn", "tra"])
@pytest.mark.parametrize("exact", [True, False])
def test_lines_in_blocks_of_any_size_and_in_any_dress_are_the_same(
    suffix: str, exact: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Blocks of the usual shape are read at once, others line by line."""
    rng = np.random.default_rng(5)
    weights = rng.integers(1, 6, size=(2, 9, 9)) * (rng.random((2, 9, 9)) < 0.4)
    weights[:, :, 0] += 1
    names = ["é", "b", "c", "d", "e", "f", "g", "h", "i"]
    acceptor = cp.Acceptor.normalized(names, "xy", weights if exact else weights / 1.0, [1, 2] + [0] * 7, "b")
    path, mark = tmp_path / f"model.{suffix}", "//" if suffix == "drn" else "#"
    cp.save(acceptor, path, rounded=exact)
    expected = cp.load(path)
    assert expected == (acceptor if suffix == "drn" else cp.load(path))
    text = path.read_text().partition("\n")[2] if suffix == "drn" else path.read_text()
    for block in (streams.BLOCK, 100, 7):
        monkeypatch.setattr(streams, "BLOCK", block)
        for lines in ("\n", "\r\n", " \n", "\n\n", f"\n{mark} a remark\n"):
            path.write_bytes(text.replace("\n", lines).encode())
            assert cp.load(path) == expected, (block, lines)
            assert cp.load(path).is_exact == (exact and suffix == "drn")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_file_is_read_in_one_pass(tmp_path: Path) -> None:
    """A pipe can be read once."""
    cp.save(FLOATS, tmp_path / "whole.drn")
    os.mkfifo(tmp_path / "model.drn")
    writer = Thread(target=(tmp_path / "model.drn").write_bytes, args=[(tmp_path / "whole.drn").read_bytes()])
    writer.start()
    assert cp.load(tmp_path / "model.drn") == FLOATS
    writer.join()


@pytest.mark.parametrize("weight", ["-2", "x", "nan", "1e9999", "1" * 60, "--1", "1/2"])
def test_wrong_logarithms_are_refused(weight: str, tmp_path: Path) -> None:
    text = f"0\t0\tx\t{weight}\n0\n"
    sentence = f"line 1: expected a weight, minus the logarithm of a probability; got '{weight[:40]}"
    assert refusal(tmp_path / "model.att", text).startswith(sentence)


# -- Fuzzing: 7,500 files -----------------------------------------------------------------------------------------

GOLDEN = golden()
SEEDS = {
    name: (FOLDER / name).read_bytes()
    for name in ("exact.json", "floats.json", "floats.npz", "log.att", "exact.att", "exact.drn", "floats.tra", "floats.lab",
                 "even.jff", "exact.dot", "floats.dot")
}  # fmt: skip
WORDS = [
    b"0",
    b"1",
    b"-1",
    b"1/0",
    b"NaN",
    b"1e999",
    b"1e-400",
    b"null",
    b"[]",
    b"{}",
    b'"',
    b"[",
    b"<eps>",
    b"init",
    b"start",
]
WORDS += [
    b"\n",
    b"\t",
    b" ",
    b"%",
    b"%=",
    b"\xff",
    b"\0",
    b"9" * 50,
    b"999999999",
    b"true",
    b"state 1",
    b"<state/>",
    b"&a;",
    b"->",
    b"/*",
    b"\\",
    b"$",
    b"a, b: 1/2",
    b"label=x",
]


def outcome(path: Path, **options: Any) -> cp.files.Model | str:
    """Model of a file, or the sentence that refuses it; any other error is a failure."""
    try:
        return cp.read_model(path, **options)
    except cp.errors.FormatError as wrong:
        return str(wrong)


def mutated(content: bytes, rng: random.Random) -> bytes:
    """Bytes flipped, cut, doubled, moved, or replaced by words that hurt."""
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        i = rng.randrange(len(content) + 1)
        j = min(len(content), i + rng.choice([0, 1, 1, 2, 5, 30]))
        piece = content[i:j]
        if rng.random() < 0.3 and piece:
            piece = bytes([piece[0] ^ (1 << rng.randrange(8))]) + piece[1:]
        else:
            piece = rng.choice([b"", piece * 2, piece[::-1], *rng.sample(WORDS, 4)])
        content = content[:i] + piece + content[j:]
        if rng.random() < 0.02:
            content = content[:i]
    return content


@pytest.mark.parametrize("name", SEEDS)
@settings(max_examples=500)
@given(seed=st.integers(0, 2**40))
def test_changed_bytes_are_refused_or_do_no_harm(
    name: str, seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.getbasetemp() / f"fuzz-{name}"
    folder.mkdir(exist_ok=True)
    content = mutated(SEEDS[name], random.Random(seed))
    suffix = name.split(".")[1]
    for side in ("tra", "lab"):
        (folder / f"model.{side}").write_bytes(SEEDS[f"floats.{side}"])
    (folder / f"model.{suffix}").write_bytes(content)
    model, _, options = GOLDEN.get(name, (None, {}, {}))
    found = outcome(folder / f"model.{'tra' if suffix == 'lab' else suffix}", **options)
    if isinstance(found, str):
        assert found.startswith(f"{folder}/model.")
        return
    assert np.abs(found.acceptor.transitions.sum(axis=2) - 1).max() <= 1e-9
    if suffix in ("json", "npz"):  # the digest notices every change of a value
        assert found == model


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.sampled_from([0.5, 1e300, 10**30, "1/2", "1/3", "-1", "", "a", "b", "x", "acceptor", "1e-400", "9" * 5000]),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["a", "x", "format"]), inner, max_size=2)
    ),
    max_leaves=4,
)


@settings(max_examples=1000)
@given(data=st.data())
def test_changed_structures_are_refused_or_are_models(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Values of a document replaced, removed, doubled or added anywhere; no digest to hide behind."""
    path = tmp_path_factory.getbasetemp() / "structure.json"
    root = json.loads(JSON)
    for _ in range(data.draw(st.integers(1, 2))):
        node: Any = root
        while True:
            keys = list(node) if isinstance(node, dict) else list(range(len(node)))
            if not keys:
                break
            key = data.draw(st.sampled_from(keys))
            if isinstance(node[key], dict | list) and node[key] and data.draw(st.integers(0, 3)):
                node = node[key]
                continue
            change = data.draw(st.integers(0, 3))
            if change == 0:
                del node[key]
            elif change == 1 and isinstance(node, list):
                node.append(node[key])
            else:
                node[key] = data.draw(values)
            break
    path.write_text(json.dumps(root))
    model = outcome(path)
    if isinstance(model, str):
        assert model.startswith(f"{path}: ")
        return
    cp.save(model, path)
    assert cp.read_model(path) == model
