"""Speed of the kernels, beside hmmlearn and the machine's own matrix product, all in one run.

    make bench            # writes docs/benchmarks.md, docs/benchmarks.png and benchmarks/kernels.json

Every speed is the best of several repetitions; ratios are of numbers from this run alone. Every kernel's answer is
checked against the reference on the same data before it is timed.
"""

import importlib.util
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np

import cutpoint as cp
from cutpoint.kernels import native, reference
from cutpoint.kernels.words import EncodedWords, offsets_of

ROOT = Path(__file__).parents[1]
BASEBALL = ROOT.parent / "shared" / "data" / "baseball" / "train.tsv"
SYMBOLS = "abcdefgh"
Results = dict[str, Any]


def seconds(action: Callable[[], object], repetitions: int = 5) -> float:
    """Best time of several."""
    best = float("inf")
    for _ in range(repetitions):
        start = time.perf_counter()
        action()
        best = min(best, time.perf_counter() - start)
    return best


def interleaved(actions: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Best time of each action over rounds that run them in turn, so that a slow moment hits all alike."""
    best = dict.fromkeys(actions, float("inf"))
    for _ in range(rounds):
        for name, action in actions.items():
            best[name] = min(best[name], seconds(action, 1))
    return best


def dgemm() -> Callable[[], object]:
    """The matrix product of NumPy, 512 × 512: 2 · 512³ operations."""
    a, b = np.random.default_rng(0).random((2, 512, 512))
    return lambda: a @ b


def labelled(acceptor: cp.Acceptor, count: int, lengths: tuple[int, int]) -> cp.Sample:
    """Random words with random labels, encoded."""
    rng = np.random.default_rng(1)
    sizes = rng.integers(*lengths, size=count, endpoint=True)
    codes = rng.integers(acceptor.n_symbols, size=sizes.sum()).astype(np.int32)
    words = EncodedWords(codes, offsets_of(sizes), rng.integers(1, 3, size=count).astype(np.int32))
    return cp.Sample.from_encoded(words, np.ones(count), acceptor.alphabet, merge=True)


def check(acceptor: cp.Acceptor, sample: cp.Sample) -> None:
    """Refuse to time a wrong answer: the first observations against the reference."""
    part = cp.Sample([o.word for o in sample[:50]], [o.accepted for o in sample[:50]], alphabet=acceptor.alphabet)
    masks = np.stack([np.ones_like(acceptor.final), acceptor.final, ~acceptor.final])
    arguments = acceptor.transitions, acceptor.initial, masks, part.encoded, part.counts
    for mine, theirs in zip(native.expected_counts(*arguments), reference.expected_counts(*arguments), strict=True):
        if mine is not None:
            np.testing.assert_allclose(mine, theirs, rtol=1e-9)
    column = acceptor.final.astype(np.float64)
    words = acceptor.transitions, acceptor.initial, column, part.decoded
    np.testing.assert_allclose(native.acceptances(*words), reference.acceptances(*words), rtol=1e-9)


def ours(acceptor: cp.Acceptor, sample: cp.Sample, rounds: int = 5, peers: Results | None = None) -> Results:
    """Nanoseconds per symbol of scoring and of an E-step, one thread and two, with the machine's DGEMM rate beside."""
    check(acceptor, sample)
    symbols = len(sample.symbols)
    made = seconds(lambda: native.prefix_tree(replace(sample.decoded)), 1)
    edges = len(native.prefix_tree(sample.encoded)[1])
    actions: dict[str, Callable[[], object]] = {
        "dgemm": dgemm(),
        "score": lambda: acceptor.acceptances(sample, threads=1),
        "E": lambda: cp.expected_counts(acceptor, sample, threads=1),
        "score 2": lambda: acceptor.acceptances(sample, threads=2),
        "E 2": lambda: cp.expected_counts(acceptor, sample, threads=2),
    }
    best = interleaved(actions | (peers or {}), rounds)
    flops = 2e-9 * acceptor.n_states**2
    return {
        "states": acceptor.n_states,
        "symbols in the alphabet": acceptor.n_symbols,
        "words": len(sample),
        "symbols": symbols,
        "edges per symbol": edges / symbols,
        "dgemm GF": 2 * 512**3 / best["dgemm"] / 1e9,
        "score ns": best["score"] * 1e9 / symbols,
        "score GF": flops * symbols / best["score"],
        "score two threads": best["score"] / best["score 2"],
        "E ns": best["E"] * 1e9 / symbols,
        "E GF": 3 * flops * edges / best["E"],
        "E two threads": best["E"] / best["E 2"],
        "tree ns": made * 1e9 / symbols,
        **{name: best[name] for name in peers or {}},
    }


def hmmlearn_actions(n_states: int, n_symbols: int) -> tuple[int, dict[str, Callable[[], object]]]:
    """Hmmlearn's categorical HMM, its faster implementation, on words of about 50: symbols, and what to time."""
    from hmmlearn.hmm import CategoricalHMM

    rng = np.random.default_rng(0)
    lengths = rng.integers(40, 61, size=200)
    data = rng.integers(n_symbols, size=(lengths.sum(), 1))
    model = CategoricalHMM(n_states, implementation="scaling", n_features=n_symbols)
    model.startprob_ = np.full(n_states, 1 / n_states)
    model.transmat_ = rng.dirichlet(np.ones(n_states), n_states)
    model.emissionprob_ = rng.dirichlet(np.ones(n_symbols), n_states)
    return len(data), {
        "hmmlearn score": lambda: model.score(data, lengths),
        "hmmlearn E": lambda: model._do_estep(data, lengths),
    }


def dynamax_actions(n_states: int, n_symbols: int) -> tuple[int, dict[str, Callable[[], object]]]:
    """Dynamax's categorical HMM in float64, compiled beforehand, on all cores; nothing where it is not installed."""
    if importlib.util.find_spec("dynamax") is None:
        return 1, {}
    import jax
    from dynamax.hidden_markov_model import CategoricalHMM

    jax.config.update("jax_enable_x64", True)
    data = jax.numpy.array(np.random.default_rng(0).integers(n_symbols, size=(400, 50, 1)))
    model = CategoricalHMM(n_states, 1, n_symbols)
    parameters, _ = model.initialize(jax.random.PRNGKey(0))
    score = jax.jit(jax.vmap(lambda word: model.marginal_log_prob(parameters, word)))
    expect = jax.jit(jax.vmap(lambda word: model.e_step(parameters, word)))
    jax.block_until_ready((score(data), expect(data)))
    return 400 * 50, {
        "dynamax score": lambda: jax.block_until_ready(score(data)),
        "dynamax E": lambda: jax.block_until_ready(expect(data)),
    }


def by_states() -> list[Results]:
    """Numbers of states, alphabet 8, words of about 50; hmmlearn and DGEMM take turns with the kernels."""
    rows = []
    for n_states, words in ((2, 20000), (4, 20000), (8, 20000), (16, 10000), (32, 8000), (64, 4000), (128, 2000)):
        acceptor = cp.random_acceptor(n_states, SYMBOLS, rng=0)
        symbols, peers = hmmlearn_actions(n_states, 8)
        more_symbols, more = dynamax_actions(n_states, 8)
        row = ours(acceptor, labelled(acceptor, words, (40, 60)), 20 if n_states <= 32 else 4, peers | more)
        for kind in ("score", "E"):
            row[f"hmmlearn {kind} ns"] = row[f"hmmlearn {kind}"] * 1e9 / symbols
            row[f"{kind} ratio"] = row[f"hmmlearn {kind} ns"] / row[f"{kind} ns"]
            if more:
                row[f"dynamax {kind} ns"] = row[f"dynamax {kind}"] * 1e9 / more_symbols
        rows.append(row)
    return rows


def by_alphabet_and_length() -> list[Results]:
    """Alphabets and lengths of words, 8 states, about a million symbols."""
    rows = []
    for n_symbols in (2, 8, 26, 200):
        for length in (5, 50, 5000):
            if n_symbols**length < 10**4:
                continue  # too few distinct words to fill a sample
            acceptor = cp.random_acceptor(8, range(n_symbols), rng=0)
            rows.append({"length": length} | ours(acceptor, labelled(acceptor, 10**6 // length, (length, length)), 3))
    return rows


def growth() -> Results:
    """Time of the kernels against symbols from 10³ to 10⁷, 8 states, one thread; slopes of the log-log lines."""
    acceptor = cp.random_acceptor(8, SYMBOLS, rng=0)
    masks = np.stack([np.ones_like(acceptor.final), acceptor.final, ~acceptor.final])
    column = acceptor.final.astype(np.float64)
    sizes, score, expect = [10**k for k in range(3, 8)], [], []
    for size in sizes:
        sample = labelled(acceptor, size // 50, (50, 50))
        words = sample.decoded
        machine = acceptor.transitions, acceptor.initial
        tries = max(5, 10**6 // size)  # a call of microseconds needs more of them to meet a quiet moment
        score.append(seconds(lambda m=machine, w=words: native.acceptances(*m, column, w, 1), tries))  # type: ignore[misc]
        arrays = (*machine, masks, words, sample.counts, 1)
        expect.append(seconds(lambda a=arrays: native.expected_counts(*a), tries))  # type: ignore[misc]

    def slope(times: list[float], first: int) -> float:
        return float(np.polyfit(np.log(sizes[first:]), np.log(times[first:]), 1)[0])

    slopes = {f"{kind} slope": slope(times, 2) for kind, times in (("score", score), ("E", expect))}
    whole = {f"{kind} slope from 1000": slope(times, 0) for kind, times in (("score", score), ("E", expect))}
    return {"symbols": sizes, "score s": score, "E s": expect} | slopes | whole


def texts() -> Results:
    """A million Python strings of length 50: encoding beside scoring at 8 states, and both beside hmmlearn."""
    acceptor = cp.random_acceptor(8, SYMBOLS, rng=0)
    rng = np.random.default_rng(2)
    letters = np.frombuffer(SYMBOLS.encode(), dtype=np.uint8)
    words = letters[rng.integers(8, size=(10**6, 50))].tobytes().decode()
    listed = [words[i : i + 50] for i in range(0, len(words), 50)]
    sample = acceptor.alphabet.encode(listed)
    column = acceptor.final.astype(np.float64)
    score = seconds(lambda: native.acceptances(acceptor.transitions, acceptor.initial, column, sample, 1), 3)
    return {
        "encode ns": seconds(lambda: acceptor.alphabet.encode(listed), 3) * 1e9 / 5e7,
        "score ns": score * 1e9 / 5e7,
        "both ns": seconds(lambda: acceptor.acceptances(listed, threads=1), 3) * 1e9 / 5e7,
    }


def baseball() -> Results | None:
    """The E-step on real words that begin alike: half-innings of a season, 8 states; whole, and in growing parts."""
    if not BASEBALL.exists():
        return None
    rows = [line.split("\t") for line in BASEBALL.read_text().splitlines()]
    words, accepted = [row[1].split() for row in rows], [row[0] == "1" for row in rows]
    sample = cp.Sample(words, accepted=accepted)
    acceptor = cp.random_acceptor(8, sample.alphabet, rng=0)
    check(acceptor, sample)
    edges, times = [], []
    for count in (1000, 2000, 4000, 8000, 16000, len(words)):
        part = cp.Sample(words[:count], accepted=accepted[:count], alphabet=sample.alphabet)
        edges.append(len(native.prefix_tree(part.encoded)[1]))
        times.append(seconds(lambda p=part: cp.expected_counts(acceptor, p, threads=1), 20))  # type: ignore[misc]
    total = float((sample.counts * sample.lengths).sum())
    return {
        "observations": sample.total,
        "distinct": len(sample),
        "symbols": total,
        "edges": edges,
        "E s": times,
        "slope": float(np.polyfit(np.log(edges), np.log(times), 1)[0]),
        "sharing": total / edges[-1],
        "E ns per edge": times[-1] * 1e9 / edges[-1],
        "E ns per symbol": times[-1] * 1e9 / total,
    }


def long_word() -> Results:
    """One word of ten million symbols, 8 states: seconds and extra memory, in a process of its own.

    The same word once more where each step loses a share of what accepts: a probability far below the range of floats.
    """
    code = """if True:
        import json, time, numpy as np, cutpoint as cp
        from cutpoint.kernels import native
        from cutpoint.kernels.words import EncodedWords
        n, final = 10_000_000, np.arange(8) < 6
        symbols, at = np.random.default_rng(0).integers(2, size=n).astype(np.int32), np.array([0, n])
        words = EncodedWords(symbols, at, np.ones(1, dtype=np.int32))
        usual = cp.random_acceptor(8, "ab", rng=1)
        leaking = usual.transitions.copy()
        leaking[:, 6:, :6] = 0.0
        leaking /= leaking.sum(axis=-1, keepdims=True)
        masks = np.stack([np.ones(8, dtype=bool), final])
        def peak():  # since the last reset; that of getrusage is never less than the parent's
            return int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0])
        def measured(action):
            with open("/proc/self/clear_refs", "w") as reset:
                reset.write("5")
            before = peak()
            start = time.perf_counter()
            action()
            return time.perf_counter() - start, (peak() - before) / 1024
        machine, tiny, results = (usual.transitions, usual.initial), (leaking, usual.initial), {}
        for name, action in {
            "score": lambda: native.acceptances(*machine, 1.0 * final, words, 1),
            "E": lambda: native.expected_counts(*machine, masks, words, np.ones(1), 1),
            "tiny score": lambda: native.log_acceptances(*tiny, final, words, 1),
            "tiny E": lambda: native.expected_counts(*tiny, masks, words, np.ones(1), 1),
        }.items():
            results[name + " s"], results[name + " MB"] = measured(action)
        print(json.dumps(results))
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


def imports() -> Results:
    """Milliseconds until numpy is imported, and until cutpoint is and has scored a first word.

    Best of nine each, from a byte-compiled copy as pip makes it. The import alone loads nothing.
    """

    def milliseconds(first: str, folder: str) -> float:
        code = f"import sys; sys.path.insert(0, {folder!r}); import time; t = time.perf_counter(); {first}"
        command = [sys.executable, "-S", "-c", f"{code}; print(time.perf_counter() - t)"]
        environment = os.environ | {"PYTHONPATH": str(Path(np.__file__).parents[1])}
        runs = [subprocess.run(command, capture_output=True, text=True, check=True, env=environment) for _ in range(9)]
        return min(float(run.stdout) for run in runs) * 1e3

    with tempfile.TemporaryDirectory() as folder:
        copied = Path(folder) / "cutpoint"
        shutil.copytree(Path(cp.__file__).parent, copied, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(str(native._native.__file__), copied / "kernels")
        subprocess.run([sys.executable, "-m", "compileall", "-q", folder], check=True)
        first = "import cutpoint as cp; cp.p_adic(2).acceptance('01')"
        return {"numpy ms": milliseconds("import numpy", folder), "cutpoint ms": milliseconds(first, folder)}


def processor() -> str:
    """Name of the processor, as far as the system tells."""
    info = Path("/proc/cpuinfo")
    names = [line.split(":")[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")]
    return f"{names[0] if names else platform.processor()}, {os.cpu_count()} cores"


def main() -> None:
    """Measure everything, print the page, write it with its figures."""
    from page import KERNELS, plot, write

    results = {
        "processor": processor(),
        "kernels": cp.kernel_info()["instruction_set"],
        "versions": {"cutpoint": cp.__version__, "numpy": np.__version__, "python": platform.python_version()},
        "states": by_states(),
        "alphabets and lengths": by_alphabet_and_length(),
        "growth": growth(),
        "texts": texts(),
        "baseball": baseball(),
        "long word": long_word(),
        "imports": imports(),
    }
    KERNELS.write_text(json.dumps(results, indent=1) + "\n")
    print(write())
    plot(results, ROOT / "docs" / "benchmarks.png")


if __name__ == "__main__":
    main()
