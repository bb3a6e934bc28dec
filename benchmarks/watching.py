"""Running cases from the shell: events per second and memory of ``cutpoint watch``, with and without ``--state``.

    python benchmarks/watching.py

docs/cli.md has the table that it prints. A model of 8 states and 29 symbols, lines of about 60 bytes.
"""

import json
import sys
import tempfile
from pathlib import Path

import numpy as np
from scoring import PROGRAM, cost

import cutpoint as cp

MODEL = cp.random_acceptor(8, [f"event{a}" for a in range(29)], rng=0)
LOADS = {  # number of events, and the case of each
    "10,000 cases": lambda rng: rng.integers(0, 10_000, 1_000_000),
    "1,000,000 cases, all open": lambda rng: np.append(np.arange(10**6), rng.integers(0, 10**6, 10**6)),
    "one case": lambda rng: np.zeros(1_000_000, dtype=np.int64),
}


def write_events(path: Path, cases: np.ndarray, rng: np.random.Generator) -> None:
    """A file of events, one per case given."""
    with path.open("w") as file:
        for case, a in zip(cases, rng.integers(0, 29, len(cases)), strict=True):
            file.write(f'{{"who": "case {case}", "what": "event{a}", "when": "2024-05-01T10:00:00"}}\n')


def check(events: Path, answers: Path) -> None:
    """There is an answer to each event, and the last ones of some cases are right."""
    words, last, count = {}, {}, 0
    with events.open() as file, answers.open() as answered:
        for count, (line, answer) in enumerate(zip(file, answered, strict=True), 1):
            if '"case 0"' in line or '"case 99"' in line:
                event, told = json.loads(line), json.loads(answer)
                assert (told["line"], told["id"]) == (count, event["who"])
                words.setdefault(event["who"], []).append(event["what"])
                last[event["who"]] = told
    for who, word in words.items():
        assert last[who]["events"] == len(word)
        assert np.isclose(last[who]["acceptance"], MODEL.acceptance(word), rtol=1e-12, atol=0)


def main() -> None:
    """Measure and print a table."""
    print("| | events | processor seconds | events per second | peak memory |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        model, events, out = (str(Path(folder) / name) for name in ("model.json", "events.ndjson", "answers.ndjson"))
        cp.save(MODEL, model, cut_point="1/2")
        for name, load in LOADS.items():
            rng = np.random.default_rng(1)
            cases = load(rng)
            write_events(Path(events), cases, rng)
            for kept in (False, True):
                options = f"--id who --event what {f'--state {folder}/cases' if kept else ''}"
                call = f"exec {sys.executable} -c '{PROGRAM}' watch {model} {options} < {events}"
                used = cost(["sh", "-c", f"rm -f {folder}/cases*; {call}"], Path(out))
                check(Path(events), Path(out))
                speed, memory = f"{len(cases) / used.seconds:,.0f}", f"{used.megabytes:.0f} MB"
                print(f"| {name}{', `--state`' * kept} | {len(cases):,} | {used.seconds:.1f} | {speed} | {memory} |")


if __name__ == "__main__":
    main()
