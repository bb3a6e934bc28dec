"""What a terminal gets: no name, whoever has chosen it, moves the cursor, sets a title or makes a line of its own."""

import io
import json
import re
import sys
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cutpoint as cp
from cutpoint.cli.app import VERBS, _exit_code
from cutpoint.cli.output import progress
from cutpoint.wording import printable

QUIET = "\x1b]0;x\x07\x1b[2J\u202e\r[red]\x7f\x9b\u2066"  # a title, a clear screen, backwards, overwritten, C1 and DEL
EVIL = f"{QUIET}\nFORGED"
SYMBOLS = [f"a{EVIL}", f"b{EVIL}"]
STATES = [f"s{EVIL}", f"t{EVIL}"]
OUTCOMES = [f"no{EVIL}", f"yes{EVIL}"]
MODEL, OTHER, GENERATOR = (f"{kind}{EVIL}.json" for kind in ("model", "other", "generator"))
WORDS, EVENTS, SHARDS = f"words{EVIL}.ndjson", f"events{EVIL}.ndjson", f"shards{EVIL}"
WORD = ",".join(SYMBOLS)
NEW = f"new{EVIL}"

COMMANDS: dict[str, list[list[str]]] = {
    "demo": [["-o", f"folder{EVIL}/demo.html"], ["-o", f"demo{EVIL}"]],
    "shard": [[WORDS, "-o", NEW], [WORDS, "-o", SHARDS], [EVENTS, "-o", NEW, "--id", EVIL]],
    "fit": [
        [WORDS, "-o", f"{NEW}.json", "--states", "2", "--report", f"{NEW}.html"],
        [EVENTS, "-o", f"{NEW}.json", "--states", "2", "--positive", OUTCOMES[1], "--along"],
        [WORDS, "-o", f"{NEW}.json", "--states", "2", "--generator"],
        [EVENTS, "-o", f"{NEW}.json", "--positive", EVIL],
        [WORDS, "-o", f"{NEW}.json", "--states", EVIL],
        [WORDS, "-o", WORDS],
    ],
    "score": [[MODEL, WORDS], [MODEL, WORDS, "--only"], [MODEL, EVENTS], [MODEL, SHARDS, "--format", EVIL]],
    "evaluate": [
        [MODEL, WORDS, "--report", f"{NEW}.html"],
        [MODEL, EVENTS, "--positive", OUTCOMES[1], "--by", "event"],
        [MODEL, EVENTS, "--positive", OUTCOMES[1], "--by", EVIL],
        [MODEL, SHARDS, "--baseline", EVIL],
    ],
    "explain": [[MODEL, WORD, "--separator", ","], [MODEL, EVIL], [MODEL, WORD, "--separator", ",", "--plot", EVIL]],
    "credit": [[MODEL, WORDS], [MODEL, EVENTS, "--positive", OUTCOMES[1]]],
    "advise": [[MODEL, WORD, "--separator", ","], [MODEL, WORD, "--separator", ",", "--cost", EVIL]],
    "watch": [[MODEL], [MODEL, "--strict"], [MODEL, "--state", NEW, "--close", SYMBOLS[0]]],
    "accepts": [[MODEL, WORD, "--separator", ","], [MODEL, EVIL]],
    "words": [[MODEL, "--max-length", "1"], [MODEL, "--max-length", EVIL], [MODEL, "--cut-point", EVIL]],
    "count": [[MODEL, "3"], [MODEL, EVIL]],
    "dfa": [[MODEL, "--cut-point", "0"], [MODEL, "--cut-point", "0", "-o", EVIL]],
    "isolation": [[MODEL, "--max-length", "2"], [EVIL]],
    "value": [[MODEL, "--max-length", "2"], [MODEL, "--limit", EVIL]],
    "table": [[MODEL], [MODEL, WORD, "--separator", ","], [GENERATOR]],
    "draw": [
        [MODEL],
        [MODEL, "--format", "tikz"],
        [MODEL, "--format", "svg"],
        [MODEL, "-o", f"{NEW}.svg"],
        [GENERATOR],
    ],
    "simulate": [[MODEL], [MODEL, "-o", f"{NEW}.ndjson"], [MODEL, "--length", EVIL]],
    "generate": [[GENERATOR], [GENERATOR, "-o", f"{NEW}.ndjson"]],
    "perplexity": [[GENERATOR, WORDS], [GENERATOR, WORDS, "--training", WORDS], [MODEL, WORDS]],
    "compare": [[MODEL, OTHER, "--max-length", "2"], [MODEL, MODEL], [MODEL, EVIL]],
    "minimize": [[MODEL], [MODEL, "-o", f"{NEW}.json"]],
    "convert": [[MODEL, f"{NEW}.json"], [MODEL, f"{NEW}.dot"], [MODEL, f"{NEW}.dot", "--bare"], [MODEL, EVIL]],
    "export": [[MODEL, "-o", f"{NEW}.js"], [MODEL, "-o", f"{NEW}.sql"], [MODEL, "-o", EVIL]],
    "info": [[MODEL], [GENERATOR], [WORDS], [EVENTS], [SHARDS], [EVIL], [f"gallery:{EVIL}"], [f"{EVIL}.json"]],
    "workbench": [[EVIL], [f"gallery:{EVIL}"], ["--static", f"folder{EVIL}/page"]],
}
LINES = "".join(
    f"{json.dumps(line)}\n"
    for line in (
        *({"id": f"1{EVIL}", "event": symbol} for symbol in SYMBOLS),
        {"id": f"1{EVIL}", "event": EVIL},
        {EVIL: 1},
    )
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files whose names and contents are hostile."""
    folder = tmp_path_factory.mktemp("evil")
    steps = np.array([[[0.9, 0.1], [0.5, 0.5]], [[0.2, 0.8], [0.4, 0.6]]])
    acceptor = cp.Acceptor(STATES, SYMBOLS, steps, STATES[0], {STATES[1]})
    sample = cp.simulate(acceptor, cp.random_words(SYMBOLS, 60, (1, 4), rng=1), rng=2)
    law = cp.Generator.from_ngrams(sample, n=2)
    cp.save(acceptor, folder / MODEL, cut_point="1/2", classes=OUTCOMES, metadata={EVIL: EVIL}, inputs=law)
    cp.save(cp.Acceptor(STATES, SYMBOLS, steps[::-1], STATES[0], {STATES[1]}), folder / OTHER)
    cp.save(law, folder / GENERATOR)
    cp.write_sample(sample, folder / WORDS)
    rows = [
        {"id": f"{r} {EVIL}", "order": k, "event": event, "outcome": OUTCOMES[bool(seen.accepted)]}
        for r, seen in enumerate(sample)
        for k, event in enumerate(seen.word)
    ]
    (folder / EVENTS).write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    cp.write_shards(sample, folder / SHARDS)
    return folder


Typed = Callable[[list[str], bool], tuple[int, str, str]]


@pytest.fixture
def typed(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Typed:
    """The program in a terminal, or in a pipe; new files go to a folder of the test."""
    monkeypatch.chdir(tmp_path)
    for path in folder.iterdir():
        (tmp_path / path.name).symlink_to(path)

    def typed(arguments: list[str], terminal: bool) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(LINES.encode()))))
        monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)
        code = _exit_code(arguments)
        return code, *capsys.readouterr()

    return typed


def check_harmless(text: str) -> None:
    assert all(character.isprintable() or character in "\n\t" for character in text), repr(text)
    assert not re.search(r"^\W*FORGED", text, re.M), text


def test_all_verbs_are_tried() -> None:
    assert list(COMMANDS) == list(VERBS)


@pytest.mark.parametrize(
    "arguments", [[verb, *given] for verb, each in COMMANDS.items() for given in each], ids=lambda given: given[0]
)
def test_a_terminal_shows_names_and_does_not_obey_them(arguments: list[str], typed: Typed) -> None:
    code, out, err = typed(arguments, True)
    check_harmless(out)
    check_harmless(err)
    assert "Traceback" not in err
    assert (code != 0) <= bool(err)
    if arguments in (["info", MODEL], ["table", MODEL]):
        assert "[red]" in out


WITH_JSON = [
    ["fit", WORDS, "-o", f"{NEW}.json", "--states", "2"],
    ["shard", WORDS, "-o", NEW],
    ["score", MODEL, WORDS],
    ["score", MODEL, EVENTS],
    ["watch", MODEL],
    *([verb, *COMMANDS[verb][0]] for verb in ("evaluate", "explain", "credit", "advise", "accepts", "words", "table")),
    *(
        [verb, *COMMANDS[verb][0]]
        for verb in ("simulate", "generate", "perplexity", "compare", "minimize", "info", "dfa", "isolation", "value")
    ),
]


@pytest.mark.parametrize("terminal", [True, False], ids=["terminal", "pipe"])
@pytest.mark.parametrize("arguments", WITH_JSON, ids=lambda given: given[0])
def test_json_says_names_exactly_and_shows_them_harmlessly(
    arguments: list[str], terminal: bool, typed: Typed, tmp_path: Path
) -> None:
    command = arguments if arguments[0] == "watch" else [*arguments, "--json"]
    code, out, err = typed(command, terminal)
    assert not code, err
    if terminal or arguments[0] not in ("score", "watch"):
        check_harmless(out)
    try:
        values = [json.loads(out)]
    except json.JSONDecodeError:
        values = [json.loads(line) for line in out.split("\n")[:-1]]
    texts = {text for value in values for text in texts_of(value)}
    assert any(EVIL in text for text in texts) or arguments[0] in ("minimize", "watch")


def texts_of(value: Any) -> Iterator[str]:
    """All texts in a value of JSON, names among them."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for each in chain(value, value.values()) if isinstance(value, dict) else value:
            yield from texts_of(each)


@pytest.mark.parametrize(
    ("verb", "arguments"),
    [("score", ["words.ndjson"]), ("accepts", [f"a{QUIET},b", "--separator", ","]), ("simulate", [])],
)
def test_rows_for_programs_are_exact(verb: str, arguments: list[str], typed: Typed) -> None:
    """A pipe gets names as they are, one row per line; a terminal gets them escaped."""
    acceptor = cp.gallery.parity()
    named = cp.Acceptor(acceptor.states, [f"a{QUIET}", "b"], acceptor.transitions, acceptor.initial, acceptor.final)
    cp.save(named, "named.json", cut_point="1/2")
    cp.write_sample(cp.Sample([[f"a{QUIET}", "b"]]), "words.ndjson")
    code, out, _ = typed([verb, "named.json", *arguments], False)
    assert code == 0
    assert QUIET in out
    assert out.count("\n") == len(out.split("\n")) - 1
    code, shown, _ = typed([verb, "named.json", *arguments], True)
    check_harmless(shown)
    assert shown == printable(out, keep="\n\t")


@pytest.mark.parametrize("arguments", [["accepts", MODEL, WORD, "--separator", ","], ["simulate", MODEL]])
def test_rows_that_would_not_stay_rows_are_refused(arguments: list[str], typed: Typed) -> None:
    code, out, err = typed(arguments, False)
    assert (code, out, err) == (3, "", "cutpoint: a word holds a tab or a line feed. Use --json.\n")


def test_a_progress_bar_shows_text_and_no_markup(monkeypatch: pytest.MonkeyPatch) -> None:
    screen = io.StringIO()
    screen.isatty = lambda: True  # type: ignore[method-assign]
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "200")
    with progress("", lambda text: {"description": text}) as callback:
        assert callback is not None
        callback(f"[bold]x[/bold] {EVIL}")
    assert "[bold]x[/bold] " + printable(EVIL) in screen.getvalue()
    assert "\x1b]0;x" not in screen.getvalue()


def test_text_leaves_through_one_module() -> None:
    folder = Path(str(VERBS and sys.modules["cutpoint.cli"].__file__)).parent
    writes = re.compile(r"click\.echo|click\.secho|\bprint\(|std(?:out|err)\.write|\.show\(")
    found = {path.name for path in folder.glob("*.py") if writes.search(path.read_text())}
    assert found == {"output.py"}
