"""What the package answers about the models of a seed, in this process or in another one with its own environment.

``python -m torture.answers`` reads seeds, one per line, and writes the answers to each as one line; with a folder as
its argument it writes files there instead, and their digests.
"""

import base64
import hashlib
import io
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

import cutpoint as cp
from torture import machines

Answers = dict[str, Any]


def models(seed: int) -> tuple[cp.Acceptor, cp.Generator, cp.Sample, list[str]]:
    """An acceptor, a generator, a sample of both that has verdicts, and words over their symbols."""
    rng = np.random.default_rng(seed)
    law = machines.generator(rng, int(rng.choice([2, 6, 20])))
    model = machines.acceptor(rng, int(rng.choice([2, 6, 20, 40])), symbols=len(law.alphabet))
    words = machines.words(rng, law.alphabet, 60, 40)
    possible = np.isfinite(law.log_probabilities(words))
    words = [word for word, fits in zip(words, possible, strict=True) if fits] or [""]
    seen: Any = rng.choice(["accepted", "verdicts", "states"])
    sample = cp.simulate(model, words, rng=seed, seen=seen)
    return model, law, sample, words


def answers(seed: int, threads: int | None = None, sparse: bool = False) -> Answers:
    """Scores, tables, counts and fits, by name; those of models stored entry by entry if asked."""
    model, law, sample, words = models(seed)
    if sparse:
        model, law = model.to_sparse(), law.to_sparse()
    counts, moves = cp.expected_counts(model, sample, threads), cp.expected_counts(law, cp.Sample(words), threads)
    fit = cp.baum_welch(model, sample, max_steps=3, tolerance=0.0, prior=0.01, threads=threads)
    learned = cp.baum_welch(law, cp.Sample(words), max_steps=3, tolerance=0.0, prior=0.01, threads=threads)
    first = max(words, key=len)[:12]
    found = {
        "acceptances": model.acceptances(words, threads),
        "log-acceptances": model.log_acceptances(words, threads),
        "log-probabilities": law.log_probabilities(words, threads),
        "forward": model.forward(first),
        "backward": model.backward(first),
        "occupancy": model.occupancy(first),
        "transitions": counts.transitions,
        "initial": counts.initial,
        "log-likelihood": np.array([counts.log_likelihood]),
        "moves": moves.transitions,
        "stops": np.asarray(moves.stop),
        "fit": fit.acceptor.transitions,
        "history": np.array(fit.history),
        "generator": learned.generator.transitions,
    }
    return {
        name: np.asarray(value.to_dense() if hasattr(value, "to_dense") else value) for name, value in found.items()
    }


def files(seed: int, folder: Path) -> dict[str, str]:
    """Digests of what a seed makes: models, a report (but its date), scores, a sample."""
    rng = np.random.default_rng(seed)
    truth = cp.random_acceptor(2, "ab", rng=seed)
    sample = cp.simulate(truth, cp.random_words("ab", 60, (0, 5), rng=seed), rng=seed)
    fit = cp.learn(sample, n_states=2, folds=2, rng=int(rng.integers(100)))
    law = cp.Generator.from_ngrams(sample, 2)
    cp.save(fit.acceptor, folder / "model.json", cut_point=0.5, metadata={"b": "ü", "a": 1}, inputs=law)
    cp.save(fit.acceptor, folder / "model.npz")
    cp.save(fit.acceptor, folder / "model.dot")
    cp.write_sample(sample, folder / "sample.ndjson")
    cp.report(fit, sample, folder / "report.html", inputs=law)
    (folder / "scores").write_bytes(cp.load(folder / "model.json").acceptances(sample.words).tobytes())
    (folder / "names").write_text(repr(cp.Sample([("b", 1), ("a", 2), ("b", 1)], states=[[{"p", "q"}] * 3] * 3)))
    page = folder / "report.html"
    page.write_text(re.sub(r"\d{4}-\d\d-\d\d", "", page.read_text(encoding="utf-8")), encoding="utf-8")
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}


class Elsewhere:
    """A process with other variables that answers seeds until it is let go."""

    def __init__(self, variables: dict[str, str], *arguments: str, cwd: str | None = None) -> None:
        root = str(Path(__file__).parents[1])
        environment = {**os.environ, "PYTHONPATH": root, **variables}
        command = [sys.executable, "-m", "torture.answers", *arguments]
        pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self.process = subprocess.Popen(command, env=environment, cwd=cwd, **pipes)

    def line(self, seed: int) -> bytes:
        """The line that it writes about a seed."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(b"%d\n" % seed)
        self.process.stdin.flush()
        found: bytes = self.process.stdout.readline()
        assert found, "the process ended"
        return found.strip()

    def answers(self, seed: int) -> Answers:
        """Its answers to a seed."""
        with np.load(io.BytesIO(base64.b64decode(self.line(seed)))) as arrays:
            return dict(arrays)

    def end(self) -> None:
        """Let it go."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


def _serve() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    for line in sys.stdin:
        if folder is None:
            packed = io.BytesIO()
            np.savez(packed, **answers(int(line)))
            text = base64.b64encode(packed.getvalue()).decode()
        else:
            text = repr(files(int(line), folder))
        print(text, flush=True)  # noqa: T201


if __name__ == "__main__":
    _serve()
