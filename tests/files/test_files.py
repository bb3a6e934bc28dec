"""Models in files: what is read is what was written, and what cannot be written is said."""

import gzip
import json
import os
import re
import stat
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

import cutpoint as cp
from cutpoint.files import json as json_file
from tests.golden.generate import FOLDER, golden
from tests.strategies import acceptors

COIN = cp.p_adic(3)
WAYS: list[tuple[str, dict[str, Any], bool]] = [
    (".json", {}, True),
    (".json.gz", {}, True),
    (".npz", {}, False),
    (".att", {}, False),
    (".fst.txt.gz", {"weights": "probability"}, True),
    (".drn", {}, True),
    (".drn.gz", {}, True),
    (".tra", {}, False),
    (".tra.gz", {}, False),
    (".dot", {}, True),
    (".gv.gz", {}, True),
]
"""Extension, options, whether fractions are kept."""


@pytest.fixture(autouse=True, scope="module")
def _no_waiting_for_the_disk() -> Iterator[None]:
    """What a power cut would leave is not tested here, so nothing is forced to the disk."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield


def as_floats(acceptor: cp.Acceptor) -> cp.Acceptor:
    return acceptor.replace(transitions=acceptor.transitions, initial=acceptor.initial)


def texts(names: Any) -> list[str]:
    """Names with their types: 1, 1.0 and True are equal but not the same."""
    return [repr(name) for name in names]


def assert_same(found: cp.Acceptor | cp.Generator, expected: cp.Acceptor | cp.Generator) -> None:
    assert found == expected
    assert found.is_exact == expected.is_exact
    assert texts(found.states) == texts(expected.states)
    assert texts(found.alphabet) == texts(expected.alphabet)


scalars = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
    st.sampled_from(
        [
            "init",
            "accept",
            "start",
            "deadlock",
            "<eps>",
            "%=1",
            "%41",
            "0",
            "12",
            "",
            "a b",
            "#",
            "//",
            "é²",
            "s1",
            "s₁",
        ]
    ),
    st.integers(-(10**20), 10**20),
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
)
names = st.recursive(scalars, lambda inner: st.lists(inner | st.none(), max_size=3).map(tuple), max_leaves=5)


@st.composite
def named_acceptors(draw: st.DrawFn) -> cp.Acceptor:
    """Acceptors of many names, exact or with floats of all sizes, that start in one state or in several."""
    plain = draw(acceptors(max_states=3, max_symbols=2, exact=draw(st.booleans())))
    n, m = plain.n_states, plain.n_symbols
    if not plain.is_exact:
        rng = np.random.default_rng(draw(st.integers(0, 2**32)))
        steps = rng.dirichlet(np.full(n, draw(st.sampled_from([0.01, 1.0]))), size=(m, n))
        plain = cp.Acceptor.normalized(n, plain.alphabet, steps, plain.initial, plain.final)
    if draw(st.booleans()):
        plain = plain.replace(initial={plain.states[draw(st.integers(0, n - 1))]: 1})
    states = draw(st.just(list(range(n))) | st.lists(names, min_size=n, max_size=n, unique=True))
    return plain.replace(states=states, alphabet=draw(st.lists(names, min_size=m, max_size=m, unique=True)))


@pytest.mark.parametrize(("suffix", "options", "fractions"), WAYS, ids=[way[0] for way in WAYS])
@given(acceptor=named_acceptors())
def test_what_is_read_is_what_was_written(
    suffix: str,
    options: dict[str, Any],
    fractions: bool,
    acceptor: cp.Acceptor,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    path = tmp_path_factory.getbasetemp() / f"model{suffix}"
    cp.save(acceptor, path, rounded=not fractions, **options)
    assert_same(cp.load(path, **options), acceptor if fractions else as_floats(acceptor))


@pytest.mark.parametrize(("suffix", "options", "fractions"), WAYS, ids=[way[0] for way in WAYS])
def test_the_words_of_a_format_can_be_names(
    suffix: str, options: dict[str, Any], fractions: bool, tmp_path: Path
) -> None:
    states: list[Any] = ["init", "accept", "start", "deadlock", "7", 7]
    alphabet = ["start", "<eps>", "action", "%=1", "@model", ":", "0"]
    plain = cp.random_acceptor(6, alphabet, rng=0).replace(states=states, final=np.arange(6) == 0)
    for acceptor in (plain, plain.replace(initial={"start": 1}), plain.rationalized(100)):
        cp.save(acceptor, tmp_path / f"model{suffix}", rounded=not fractions, **options)
        expected = acceptor if fractions else as_floats(acceptor)
        assert_same(cp.load(tmp_path / f"model{suffix}", **options), expected)


@given(
    acceptor=named_acceptors(),
    cut_point=st.none() | st.floats(0, 1) | st.fractions(0, 1),
    metadata=st.dictionaries(
        st.text(st.characters(exclude_categories=["Cs"]), max_size=4), scalars | st.none(), max_size=3
    ),
)
def test_json_and_npz_keep_the_cut_point_and_notes(
    acceptor: cp.Acceptor, cut_point: Any, metadata: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    for suffix in (".json", ".npz"):
        path = tmp_path_factory.getbasetemp() / f"notes{suffix}"
        written = acceptor if suffix == ".json" else as_floats(acceptor)
        cp.save(written, path, cut_point=cut_point, metadata=metadata)
        model = cp.read_model(path)
        assert_same(model.acceptor, written)
        assert (model.cut_point, type(model.cut_point)) == (cut_point, type(cut_point))
        assert texts(sorted(model.metadata.items())) == texts(sorted(metadata.items()))
        cp.save(model, path)
        assert cp.read_model(path) == model


def test_numbers_of_a_file_are_kept_to_the_last_bit(tmp_path: Path) -> None:
    values = [5e-324, 2.2250738585072014e-308, 1e-300, 0.1, 1 / 3, 1 - 2**-53, 1.0, 1 + 2**-52]
    values += np.random.default_rng(0).random(100).tolist()
    for value in values:
        acceptor = cp.Acceptor(2, "a", [[[value, max(0.0, 1 - value)], [0.0, 1.0]]], [0.5, 0.5], {1})
        for suffix in (".json", ".npz", ".att", ".drn", ".tra", ".dot"):
            cp.save(acceptor, tmp_path / f"model{suffix}")
            assert cp.load(tmp_path / f"model{suffix}").transitions.tobytes() == acceptor.transitions.tobytes()


# -- Golden files ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", golden())
def test_golden_files_of_version_1_are_read(name: str) -> None:
    model, _, options = golden()[name]
    found = cp.read_model(FOLDER / name, **options)
    assert_same(found.machine, model.machine)
    assert found.machine.alphabet.on_unknown == model.machine.alphabet.on_unknown
    assert found == model


@pytest.mark.parametrize("name", [name for name in golden() if name.endswith(".json")])
def test_golden_files_fit_the_schema(name: str) -> None:
    assert list(schema().iter_errors(json.loads((FOLDER / name).read_text()))) == []


@pytest.mark.parametrize("name", golden())
def test_version_1_is_still_written_in_the_same_way(name: str, tmp_path: Path) -> None:
    model, options, _ = golden()[name]
    cp.save(model, tmp_path / name, **options)
    for path in tmp_path.iterdir():
        assert without_digest(path.read_bytes()) == (FOLDER / path.name).read_bytes(), path.name


def without_digest(content: bytes) -> bytes:
    """The content of a DRN or DOT file without the digest, which the first files of version 1 do not have."""
    return re.sub(rb"\A// digest of what follows: sha256:[0-9a-f]{64}\n", b"", content)


@pytest.mark.parametrize("name", ["exact.drn", "floats.drn", "exact.dot", "first.gv", "floats.dot.gz"])
def test_a_flipped_bit_of_a_text_is_noticed_and_an_edit_can_be_accepted(name: str, tmp_path: Path) -> None:
    model, path = golden()[name.removesuffix(".gz")][0], tmp_path / name
    pack, unpack = (gzip.compress, gzip.decompress) if name.endswith(".gz") else (bytes, bytes)
    cp.save(model, path)
    content = unpack(path.read_bytes())
    start = content.index(b"\n") + 1
    for place in range(start, len(content)):
        damaged = bytearray(content)
        damaged[place] ^= 1 << place % 8
        path.write_bytes(pack(bytes(damaged)))
        with pytest.raises(cp.errors.FormatError, match=r"the file is damaged, or was edited .* delete that line\.$"):
            cp.read_model(path)
    for place in range(start):  # of the digest itself: noticed, or else nothing is lost
        damaged = bytearray(content)
        damaged[place] ^= 1 << place % 8
        path.write_bytes(pack(bytes(damaged)))
        try:
            assert cp.read_model(path) == model
        except cp.errors.FormatError:
            continue
    edited = content.replace(b"\n", b"\n\n")
    path.write_bytes(pack(edited))
    with pytest.raises(cp.errors.FormatError, match="was edited"):
        cp.read_model(path)
    for accepted in (content, content.replace(b"\n", b"\r\n"), without_digest(edited), b"\xef\xbb\xbf" + content):
        path.write_bytes(pack(accepted))
        assert cp.read_model(path) == model


def test_every_golden_file_is_tested() -> None:
    tables = {".syms", ".ssyms", ".lab", ".sta"}
    assert {path.name for path in FOLDER.iterdir() if path.suffix not in tables} == {*golden(), "even.jff"}


# -- JSON --------------------------------------------------------------------------------------------------------


def test_a_file_written_by_hand_is_read(tmp_path: Path) -> None:
    (tmp_path / "model.json").write_text(
        """{"cutpoint": {"format": "acceptor", "version": 1},
            "states": ["fair", "loaded"], "alphabet": ["roll"],
            "initial": [1, 0], "final": ["loaded"],
            "transitions": {"roll": [["0.95", "1/20"], [0, 1]]}}"""
    )
    acceptor = cp.load(tmp_path / "model.json")
    assert acceptor.is_exact
    assert acceptor.exact_acceptance(["roll", "roll"]) == Fraction(39, 400)


@given(acceptor=named_acceptors(), cut_point=st.none() | st.floats(0, 1) | st.fractions(0, 1))
def test_what_is_written_fits_the_schema(acceptor: cp.Acceptor, cut_point: Any) -> None:
    written = json_file.write(cp.files.Model(acceptor, cut_point, {"a": 1}), None)  # type: ignore[arg-type]
    assert list(schema().iter_errors(json.loads(written[""]))) == []


@cache
def schema() -> Any:
    jsonschema = pytest.importorskip("jsonschema")
    content = json.loads((resources.files("cutpoint.files") / "acceptor.schema.json").read_text())
    jsonschema.Draft202012Validator.check_schema(content)
    return jsonschema.Draft202012Validator(content)


Change = Callable[[Any], object]
CHANGES: dict[str, tuple[Change, str]] = {
    "row too long": (lambda d: d["transitions"]["1"][0].append(0), "transitions.1[0]: expected 2 numbers; got 3."),
    "no symbol": (lambda d: d["transitions"].pop("1"), "transitions: expected the key '1', which is missing."),
    "extra symbol": (
        lambda d: d["transitions"].update(x=[]),
        "transitions: expected keys out of {'0', '1', '2'}; got 'x'.",
    ),
    "matrix": (lambda d: d["transitions"].update({"1": 3}), "transitions.1: expected a list; got a whole number."),
    "no states": (lambda d: d.pop("states"), "expected the key 'states', which is missing."),
    "states": (lambda d: d.update(states=10**9), "states: expected a list; got a whole number."),
    "an object for a name": (lambda d: d["states"].append({}), "states[2]: expected a name"),
    "twice the same": (lambda d: d.update(states=["s1", "s1"]), "state names must be distinct; repeated: {'s1'}."),
    "null": (lambda d: d["alphabet"].append(None), "alphabet: symbols must not be None"),
    "unknown key": (lambda d: d.update(finals=[]), "got 'finals'."),
    "final": (lambda d: d.update(final=["s3"]), "final: 's3' is not a state; the states are {'s1', 's2'}."),
    "final twice": (lambda d: d.update(final=["s2", "s2"]), "final: expected every state at most once."),
    "final word": (lambda d: d.update(final="s2"), "final: expected a list; got a string."),
    "negative": (lambda d: d.update(initial=[2, -1]), "initial must have entries that are not negative; got -1"),
    "sum": (lambda d: d.update(initial=["1/2", "1/3"]), "initial must sum to 1; got 5/6."),
    "words": (lambda d: d.update(initial=["x", 1]), "initial[0]: expected a finite number or a string such as"),
    "bool": (lambda d: d.update(initial=[True, 0]), "initial[0]: expected a finite number"),
    "division": (lambda d: d.update(initial=["1/0", 1]), "initial[0]: expected a finite number"),
    "tiny": (lambda d: d.update(initial=["1e-9999", 1]), "initial[0]: expected a finite number"),
    "huge": (lambda d: d.update(initial=["1e9999", 1]), "initial[0]: expected a finite number"),
    "exponent": (lambda d: d.update(initial=["1e-99999999", 1]), "initial[0]: expected a finite number"),
    "cut point": (
        lambda d: d.update(cut_point=2),
        "cut_point: a cut point must be a number between 0 and 1; got Fraction",
    ),
    "cut text": (lambda d: d.update(cut_point="high"), "cut_point: expected a finite number"),
    "notes": (
        lambda d: d.update(metadata={"a b": []}),
        "metadata: metadata['a b'] must be text, a finite number, a bool or None",
    ),
    "notes list": (lambda d: d.update(metadata=[]), "metadata: expected an object; got a list."),
    "version": (
        lambda d: d["cutpoint"].update(version=2),
        "cutpoint: expected 'acceptor' or 'generator' of version 1, all that this cutpoint reads (install a newer one); got 'acceptor' of",
    ),
    "version 0": (
        lambda d: d["cutpoint"].update(version=0),
        "cutpoint: expected 'acceptor' or 'generator' of version 1, all that",
    ),
    "kind": (
        lambda d: d["cutpoint"].update(format="linear"),
        "cutpoint: expected 'acceptor' or 'generator' of version 1",
    ),
    "no kind": (lambda d: d.pop("cutpoint"), 'expected the key "cutpoint": this is not a model of cutpoint.'),
    "edited": (lambda d: d.update(initial=[0, 1]), "digest: the file is damaged (its content does not match"),
    "digest": (lambda d: d.update(digest=3), "digest: expected a string; got a whole number."),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_wrong_file_is_refused_with_the_place(name: str, tmp_path: Path) -> None:
    change, sentence = CHANGES[name]
    path = tmp_path / "model.json"
    cp.save(COIN, path)
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))
    with pytest.raises(cp.errors.FormatError) as refused:
        cp.load(path)
    assert sentence in str(refused.value)
    assert str(refused.value).startswith(f"{path}: ")


def test_the_schema_refuses_wrong_files(tmp_path: Path) -> None:
    cp.save(COIN, tmp_path / "model.json")
    seen = 0
    wrong = "no states,states,an object for a name,unknown key,final twice,negative,words,bool,notes,version,kind,null"
    for name in wrong.split(","):
        content = json.loads((tmp_path / "model.json").read_text())
        assert schema().is_valid(content)
        CHANGES[name][0](content)
        assert not schema().is_valid(content), name
        seen += 1
    assert seen == 12


def test_one_flipped_bit_is_noticed_anywhere_in_the_values(tmp_path: Path) -> None:
    for suffix in (".json", ".npz"):
        path = tmp_path / f"model{suffix}"
        written = cp.files.Model(as_floats(COIN), 0.25, {"note": "x"})
        cp.save(written, path)
        content = path.read_bytes()
        accepted = 0
        for i in range(len(content)):
            path.write_bytes(content[:i] + bytes([content[i] ^ 1]) + content[i + 1 :])
            try:
                found = cp.read_model(path)
            except cp.errors.FormatError:
                continue
            accepted += 1
            assert found == written, i
        assert accepted < len(content) / 2


# -- What a format cannot hold -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("suffix", "options", "sentence"),
    [
        (".npz", {}, "NPZ holds floats, and this acceptor is exact. Pass rounded=True"),
        (".att", {}, "AT&T text with logarithms for weights holds floats, and this acceptor is exact."),
        (".tra", {}, "PRISM holds floats, and this acceptor is exact."),
        (".drn", {"cut_point": 0.5}, "DRN cannot hold a cut point; .json and .npz can."),
        (".att", {"metadata": {"a": 1}}, "AT&T text cannot hold metadata; .json and .npz can."),
        (".tra", {"cut_point": 0, "rounded": True}, "PRISM cannot hold a cut point"),
        (".dot", {"cut_point": "1/3"}, "DOT cannot hold a cut point; .json and .npz can."),
        (".tikz", {}, "model.tikz: TikZ is a picture, which draw writes and nothing reads. Keep the model as"),
        (".tex.gz", {}, "model.tex.gz: TikZ is a picture, which draw writes and nothing reads."),
        (".jff", {}, "JFLAP files are only read, not written"),
        (".json", {"cut_point": 2}, "a cut point must be a number between 0 and 1; got 2."),
        (
            ".json",
            {"cut_point": cp.AlgebraicNumber.sqrt("1/2")},
            "a file can keep a cut point that is rational or a float; got <AlgebraicNumber of -1 + 2x^2",
        ),
        (".json", {"metadata": {"a": []}}, "metadata['a'] must be text, a finite number, a bool or None; got []."),
        (".json", {"metadata": {"a": float("nan")}}, "metadata['a'] must be text, a finite number"),
        (".json", {"metadata": {1: 1}}, "metadata must have keys that are text; got 1."),
        (".json", {"metadata": [1]}, "metadata must be a dictionary; got [1]."),
        (".json", {"weights": "log"}, "weights is an option of AT&T text alone; the format is json."),
        (".att", {"weights": "ln"}, "weights must be 'log' or 'probability'; got 'ln'."),
        (".txt", {}, "expected an extension out of .json, .npz, .att, .fst.txt, .drn, .tra, .dot, .gv, .jff"),
        ("", {}, "expected an extension out of"),
        (".npz.gz", {}, "the format npz is not packed with gzip. Leave out the .gz."),
        (
            ".json",
            {"format": "yaml"},
            "format must be one of json, npz, att, drn, prism, dot, jflap, pautomac; got 'yaml'.",
        ),
    ],
)
def test_what_cannot_be_written_is_said_and_nothing_is_written(
    suffix: str, options: dict[str, Any], sentence: str, tmp_path: Path
) -> None:
    with pytest.raises(cp.errors.InvalidArgument) as refused:
        cp.save(COIN, tmp_path / f"model{suffix}", **options)
    assert sentence in str(refused.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "name",
    [frozenset("a"), Fraction(1, 3), float("inf"), "\ud800", b"x", 10**5000],
    ids=lambda name: type(name).__name__,
)
def test_names_that_a_file_cannot_keep_are_refused(name: Any, tmp_path: Path) -> None:
    for changed in (COIN.replace(states=[name, "s2"]), COIN.replace(alphabet=["0", (1, name), "2"])):
        for suffix in (".json", ".drn", ".att", ".dot"):
            with pytest.raises(
                cp.errors.InvalidArgument, match="a file can keep names that are text, numbers of at most 4,300"
            ):
                cp.save(changed, tmp_path / f"model{suffix}", weights="probability" if suffix == ".att" else None)
    assert not list(tmp_path.iterdir())


def test_deep_names_and_long_fractions_are_refused(tmp_path: Path) -> None:
    deep: Any = "a"
    for _ in range(101):
        deep = (deep,)
    with pytest.raises(cp.errors.InvalidArgument, match="a file can keep names"):
        cp.save(COIN.replace(states=[deep, "s2"]), tmp_path / "model.json")
    cp.save(COIN.replace(states=[deep[0], "s2"]), tmp_path / "model.json")
    assert cp.load(tmp_path / "model.json").states == (deep[0], "s2")
    small = Fraction(1, 3**20000)
    with pytest.raises(cp.errors.InvalidAcceptor, match="in the range of floats"):
        COIN.replace(initial=[small, 1 - small])
    long = Fraction(3**20000 - 1, 3**20000)
    split = cp.Acceptor(2, "a", [[[long / 2, 1 - long / 2], [0, 1]]], 0, {1})
    for suffix in (".json", ".drn", ".dot"):
        with pytest.raises(cp.errors.InvalidArgument, match="a file can keep fractions of at most 4,300 digits"):
            cp.save(split, tmp_path / f"model{suffix}")


def test_numpy_names_become_the_python_names_they_equal(tmp_path: Path) -> None:
    acceptor = COIN.replace(states=[np.int64(3), np.str_("b")], alphabet=[np.bool_(True), np.float64(0.5), "x"])
    cp.save(acceptor, tmp_path / "model.json")
    found = cp.load(tmp_path / "model.json")
    assert found == acceptor
    assert texts(found.states) == ["3", "'b'"]
    assert texts(found.alphabet) == ["True", "0.5", "'x'"]


def test_symbols_whose_texts_agree_get_numbers_for_keys(tmp_path: Path) -> None:
    acceptor = COIN.replace(alphabet=["1", 1, "a"])
    cp.save(acceptor, tmp_path / "model.json")
    assert list(json.loads((tmp_path / "model.json").read_text())["transitions"]) == ["0", "1", "2"]
    assert_same(cp.load(tmp_path / "model.json"), acceptor)


def test_too_large_for_text_is_refused_before_it_is_written(tmp_path: Path) -> None:
    large = cp.Acceptor(1415, "a", np.eye(1415)[None], 0, {1})
    with pytest.raises(
        cp.errors.InvalidArgument, match="1,415 states and 1 symbol make 2,002,225 transitions, more than the 2,000"
    ):
        cp.save(large, tmp_path / "model.json")
    cp.save(large, tmp_path / "model.npz")
    assert cp.load(tmp_path / "model.npz") == large


def test_what_would_not_be_read_again_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cutpoint.files.json.MOST_VALUES", 20)
    monkeypatch.setattr("cutpoint.files.models.MOST_LINES", 10)
    for suffix, sentence in (
        (".json", "a file can keep a model of .* values in JSON, names included; it has more."),
        (".att", "the file would have .* lines, more than the 10 of a text file. Save as .npz."),
    ):
        with pytest.raises(cp.errors.InvalidArgument, match=sentence):
            cp.save(COIN, tmp_path / f"model{suffix}", rounded=True)
    assert not list(tmp_path.iterdir())


# -- Files as such -----------------------------------------------------------------------------------------------


def test_the_format_can_be_named_and_extensions_are_read_in_any_case(tmp_path: Path) -> None:
    cp.save(COIN, tmp_path / "model", format="json")
    assert cp.load(tmp_path / "model", format="json") == COIN
    cp.save(COIN, tmp_path / "MODEL.JSON.GZ")
    assert gzip.decompress((tmp_path / "MODEL.JSON.GZ").read_bytes()) == (tmp_path / "model").read_bytes()
    cp.save(as_floats(COIN), tmp_path / "m.txt", format="prism")
    assert sorted(path.name for path in tmp_path.glob("m.*")) == ["m.lab", "m.sta", "m.txt"]
    assert cp.load(tmp_path / "m.txt", format="prism") == as_floats(COIN)
    for name, heading in {"m.txt": "# Transitions (MDP)", "m.lab": "# Labels"}.items():
        (tmp_path / name).write_text(f"{heading}\n{(tmp_path / name).read_text()}")
    assert cp.load(tmp_path / "m.txt", format="prism") == as_floats(COIN)  # as newer versions of PRISM write them
    cp.save(COIN, str(tmp_path / "model.json"))
    assert cp.load(str(tmp_path / "model.json")) == COIN


def test_a_failed_write_leaves_the_old_files_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    new = cp.random_acceptor(3, "ab", rng=0)
    for suffix in (".json", ".tra"):
        folder = tmp_path / suffix
        folder.mkdir()
        cp.save(as_floats(COIN), folder / f"model{suffix}")
        before = {path.name: path.read_bytes() for path in folder.iterdir()}
        for room in range(len(before)):  # the disk is full after so many files
            left = iter(range(room))

            def forced(handle: int, left: Iterator[int] = left) -> None:
                if next(left, None) is None:
                    raise OSError(28, "No space left on device")

            monkeypatch.setattr(os, "fsync", forced)
            with pytest.raises(
                cp.errors.InvalidFile, match=r"model\.\w+: cannot be written \(No space left on device\)\.$"
            ):
                cp.save(new, folder / f"model{suffix}")
            monkeypatch.undo()
            assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_files_can_be_read_as_the_mask_allows_and_links_stay(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "model.json").symlink_to(tmp_path / "real" / "model.json")
    before = os.umask(0o027)
    try:
        cp.save(COIN, tmp_path / "model.json")
    finally:
        os.umask(before)
    assert (tmp_path / "model.json").is_symlink()
    assert stat.S_IMODE((tmp_path / "real" / "model.json").stat().st_mode) == 0o640


def test_paths_that_cannot_be_are_refused(tmp_path: Path) -> None:
    with pytest.raises(cp.errors.InvalidFile, match=r"none\.json: cannot be read \(No such file or directory\)\.$"):
        cp.load(tmp_path / "none.json")
    with pytest.raises(cp.errors.InvalidFile, match=r"cannot be written \(No such file or directory\)\.$"):
        cp.save(COIN, tmp_path / "none" / "model.json")
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(cp.errors.InvalidFile, match=r"folder\.json: cannot be read \(Is a directory\)\.$"):
        cp.load(tmp_path / "folder.json")
    with pytest.raises(cp.errors.InvalidFile, match=r"cannot be written \(it is a folder\)\.$"):
        cp.save(COIN, tmp_path / "folder.json")
    for call in (lambda: cp.load("a\0.json"), lambda: cp.save(COIN, "a\0.json")):
        with pytest.raises(cp.errors.InvalidFile, match="embedded null byte"):
            call()
    for path in (3, None, COIN):
        with pytest.raises(cp.errors.InvalidArgument, match="expected the path of a file; got "):
            cp.load(path)  # type: ignore[arg-type]
    with pytest.raises(cp.errors.InvalidArgument, match=r"^expected an Acceptor or a Generator; got 3\.$"):
        cp.save(3, tmp_path / "model.json")  # type: ignore[arg-type]
    cp.save(as_floats(COIN), tmp_path / "model.tra")
    (tmp_path / "model.lab").unlink()
    with pytest.raises(cp.errors.InvalidFile, match=r"model\.lab: cannot be read"):
        cp.load(tmp_path / "model.tra")


def test_a_model_is_a_value() -> None:
    model = cp.files.Model(COIN, "1/3", {"a": 1})
    assert model == cp.files.Model(cp.p_adic(3), Fraction(1, 3), {"a": 1})
    assert model != cp.files.Model(COIN, "1/3")
    assert len({model, cp.files.Model(cp.p_adic(3), Fraction(1, 3), {"a": 1})}) == 1
    with pytest.raises(TypeError):
        model.metadata["b"] = 2  # type: ignore[index]


def test_rows_printed_with_few_digits_can_be_rescaled(tmp_path: Path) -> None:
    (tmp_path / "model.att").write_text("0 0 a 0.693147\n0 1 a 0.693147\n1 1 a\n1\n")
    with pytest.raises(cp.errors.FormatError, match=r"row of symbol 'a', state 0 must sum to 1; got 1\.00000018"):
        cp.load(tmp_path / "model.att")
    found = cp.load(tmp_path / "model.att", normalized=True)
    assert found.transitions.tolist() == [[[0.5, 0.5], [0.0, 1.0]]]


# -- JFLAP -------------------------------------------------------------------------------------------------------


def test_jflap_automata_are_completed_by_a_sink() -> None:
    found = cp.load(FOLDER / "even.jff")
    steps = {"a": {"q0": "q1", "q1": "q0", "sink": "sink"}, "b": {"q0": "sink", "q1": "q1", "sink": "sink"}}
    assert_same(found, cp.Acceptor(["q0", "q1", "sink"], "ab", steps, "q0", {"q0"}))
    assert [found.acceptance(word) for word in ("", "a", "aba", "ab", "b", "ba", "aa")] == [1, 0, 1, 0, 0, 0, 1]


JFF = (FOLDER / "even.jff").read_text()


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("<from>1</from>\n\t\t\t<to>1</to>\n\t\t\t<read>b", "<from>1</from>\n\t\t\t<to>1</to>\n\t\t\t<read>a",
         "line 30: the automaton is not deterministic: a second step of state '1' reads 'a'."),
        ("<read>b</read>", "<read/>", "line 30: a deterministic automaton reads one character in each step; got one"),
        ("<read>b</read>", "<read>ab</read>",
         "line 30: a deterministic automaton reads one character in each step; got 'ab'"),
        ("<to>1</to>\n\t\t\t<read>b", "<to>7</to>\n\t\t\t<read>b", "line 30: the state '7' is not declared."),
        ("<initial/>", "", "expected one initial state; got 0."),
        ('id="1"', 'id="0"', "line 11: every state needs an id of its own."),
        ('name="q1"', 'name="q0"', "state names must be distinct; repeated: {'q0'}."),
        ("<type>fa", "<type>pda", "expected an automaton of type fa, a finite one; got 'pda'."),
        ("</automaton>", "", "this is not XML (mismatched tag). Is the file whole?"),
        ("<from>0</from>", "", "line 20: a transition needs <from>, <to> and <read>."),
        ("<from>0</from>", "<from>0</from><from>1</from>", "line 17: <from> occurs twice in a transition."),
        ("<x>85.0</x>", "<x>" + "8" * 20_000 + "</x>", "line 6: expected at most 10,000 characters in an element."),
        ("<x>85.0</x>", "<x>" * 20 + "</x>" * 20, "line 6: the elements are nested too deeply."),
        ("<structure>", '<!DOCTYPE s [<!ENTITY a "b">]><structure>', "line 1: a document type is not read; delete it."),
        ('encoding="UTF-8"', 'encoding="martian"', "this is not XML (unknown encoding: martian)."),
    ],
)  # fmt: skip
def test_wrong_jflap_files_are_refused_with_the_line(old: str, new: str, sentence: str, tmp_path: Path) -> None:
    assert old in JFF
    (tmp_path / "model.jff").write_text(JFF.replace(old, new))
    with pytest.raises(cp.errors.FormatError) as refused:
        cp.load(tmp_path / "model.jff")
    assert sentence in str(refused.value)
