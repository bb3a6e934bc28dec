"""Sparse acceptors: steps beside SciPy's product, growth to a million states, files, Storm, learning on a known graph.

    python benchmarks/sparse.py steps scores files storm learning

does all parts, or those that are named; the results are in ``sparse.json``, the page is written anew. Every part
asserts its answers. Times are processor time, the least of some repetitions; ratios are those of one run.
"""

import json
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import page
from scipy.sparse import block_array, coo_array, csr_array, diags_array, eye_array

import cutpoint as cp

RESULTS = page.SPARSE
MODELS = Path(__file__).parents[2] / "shared" / "data" / "mdp_models"
SIZES = (1_000, 10_000, 100_000, 1_000_000)
MOVES = 3  # of each state
LENGTH = 10  # of the word that is read
OPTIMA = {"slot_machine": 0.1240, "first_grid": 0.0778}  # best possible test log loss, in nats


def seconds(call: Callable[[], Any], repetitions: int = 3) -> float:
    """Processor time of a call, the least of some."""
    found = []
    for _ in range(repetitions):
        start = time.process_time()
        call()
        found.append(time.process_time() - start)
    return min(found)


def peak() -> int:
    """Most memory of this process so far, in bytes; ``getrusage`` would count that of the one which started it."""
    return int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) * 1024


def matrix(n: int, near: bool, seed: int = 0) -> csr_array:
    """Three moves of each state, to random states or to some within fifty."""
    rng = np.random.default_rng([seed, n])
    sources = np.repeat(np.arange(n), MOVES)
    targets = (sources + rng.integers(-50, 51, len(sources))) % n if near else rng.integers(0, n, len(sources))
    weights = coo_array((rng.random(len(sources)) + 0.1, (sources, targets)), shape=(n, n)).tocsr()
    return csr_array(diags_array(1.0 / weights.sum(axis=1)) @ weights)


def step(near: bool, n: int) -> dict[str, Any]:
    """Scores of a word from all states at once, and an E-step, beside as many of SciPy's products."""
    before, moves = peak(), matrix(n, near)
    start, final = np.full(n, 1.0 / n), np.arange(n) % 7 == 0
    acceptor = cp.Acceptor(n, "a", [moves], start, final)
    word, sample = "a" * LENGTH, cp.Sample(["a" * LENGTH], accepted=[True])

    def products() -> Any:
        row = start
        for _ in range(LENGTH):
            row = row @ moves
        return row

    assert np.isclose(acceptor.acceptance(word), products()[final].sum(), rtol=1e-12, atol=0)
    assert np.isclose(cp.expected_counts(acceptor, sample).transitions.sum(), LENGTH, rtol=1e-9, atol=0)
    repeat = 5 if n > 10**5 else 20
    return {
        "near": near,
        "states": n,
        "moves": acceptor.stored.n_entries,
        "product": seconds(products, repeat) / LENGTH,
        "score": seconds(lambda: acceptor.acceptance(word), repeat) / LENGTH,
        "E-step": seconds(lambda: cp.expected_counts(acceptor, sample, threads=1), repeat) / LENGTH,
        "memory": peak() - before,
    }


def steps() -> list[dict[str, Any]]:
    """Each size in a process of its own, whose memory counts."""
    rows = []
    for near in (False, True):
        for n in SIZES:
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as worker:
                rows.append(worker.submit(step, near, n).result())
            print(rows[-1], flush=True)
    return rows


def machine(name: str) -> cp.Acceptor:
    """One of the shared machines, as it is, by its moves."""
    model = json.loads((MODELS / name / "model.json").read_text())
    n, moves = len(model["states"]), [[], [], [], []]
    for edge in model["edges"]:
        for column, value in zip(moves, edge, strict=True):
            column.append(value)
    sources, symbols, targets, values = map(np.array, moves)
    matrices = [
        coo_array((values[here], (sources[here], targets[here])), shape=(n, n))
        for here in (symbols == a for a in range(len(model["inputs"])))
    ]
    accepting = np.array(model["accept"]) > 0
    return cp.Acceptor.normalized(n, model["inputs"], matrices, np.array(model["initial"]), accepting).to_sparse()


def scores() -> dict[str, Any]:
    """Words of the slot machine, by its stored moves and by dense matrices."""
    sparse = machine("slot_machine")
    dense = sparse.to_dense()
    sample = cp.read_sample(MODELS / "slot_machine" / "test.tsv")
    np.testing.assert_allclose(sparse.acceptances(sample), dense.acceptances(sample), rtol=1e-12, atol=1e-15)
    words = [sparse.alphabet.decode(sample.encoded_in(sparse.alphabet).word(r)) for r in range(len(sample))]
    slow = seconds(lambda: dense.encoded_acceptances(dense.encode(words), threads=1))
    quick = seconds(lambda: sparse.encoded_acceptances(sparse.encode(words), threads=1), 10)
    return {"states": sparse.n_states, "moves": sparse.stored.n_entries, "dense": slow, "sparse": quick}


def reading(path: Path) -> tuple[float, int]:
    """Processor time of reading a file, and most memory of this process."""
    return seconds(lambda: cp.load(path), 1), peak()


def files() -> list[dict[str, Any]]:
    """A million states written and read; each file is read by a process of its own, whose memory counts."""
    acceptor = cp.Acceptor(SIZES[-1], "a", [matrix(SIZES[-1], near=True)], 0, np.arange(SIZES[-1]) % 7 == 0)
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("npz", "drn", "tra"):
            path = Path(folder) / f"model.{kind}"
            save = seconds(lambda p=path: cp.save(acceptor, p), 1)
            with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as worker:
                load, memory = worker.submit(reading, path).result()
            assert cp.load(path) == acceptor, kind
            rows.append({"file": kind, "bytes": path.stat().st_size, "save": save, "load": load, "memory": memory})
            print(rows[-1], flush=True)
    return rows


def storm() -> list[dict[str, Any]]:
    """Acceptance of a word by Storm's model checker, of ten machines, half of which have two symbols.

    Storm knows no words. With one symbol there is nothing to choose; with two it gets a chain, whose states say
    where the acceptor is and how much of the word was read.
    """
    import stormpy

    rows = []
    for seed, n in enumerate(np.geomspace(1e4, 1e5, 10).astype(int).tolist()):
        alphabet, word = ("a", "a" * LENGTH) if seed % 2 == 0 else ("ab", "abba")
        matrices = [matrix(n, near=seed % 4 < 2, seed=2 * seed + k) for k in range(len(alphabet))]
        final = np.arange(n) % 7 == 3
        acceptor = checked = cp.Acceptor(n, alphabet, matrices, 0, final)
        if len(alphabet) > 1:
            blocks = [[None] * (len(word) + 1) for _ in range(len(word) + 1)]
            for i, symbol in enumerate(word):
                blocks[i][i + 1] = matrices[alphabet.index(symbol)]
            blocks[-1][-1], blocks[-1][0] = eye_array(n), csr_array((n, n))
            last = np.append(np.zeros(n * len(word), dtype=bool), final)
            checked = cp.Acceptor(n * (len(word) + 1), "a", [block_array(blocks)], 0, last)
        with tempfile.TemporaryDirectory() as folder:
            cp.save(checked, Path(folder) / "model.drn")
            model = stormpy.build_model_from_drn(f"{folder}/model.drn")
        (formula,) = stormpy.parse_properties(f'Pmax=? [ true U[{len(word)},{len(word)}] "accept" ]')
        found = stormpy.model_checking(model, formula).get_value(model.initial_states[0])
        ours = acceptor.acceptance(word)
        assert abs(found - ours) <= 1e-12 * ours, (n, found, ours)
        rows.append({"states": n, "symbols": len(alphabet), "storm": found, "cutpoint": ours})
        print(rows[-1], flush=True)
    return rows


def learning(seeds: int = 3) -> list[dict[str, Any]]:
    """Baum-Welch on the true graph from random entries, with one pseudo-count for each move."""
    rows = []
    for name, optimum in OPTIMA.items():
        truth = machine(name)
        train, test = (cp.read_sample(MODELS / name / f"{part}.tsv") for part in ("train", "test"))
        for seed in range(seeds):
            rng = np.random.default_rng(seed)
            weights = truth.stored.like(rng.random(truth.stored.n_entries))
            start = cp.Acceptor.normalized(truth.states, truth.alphabet, weights, truth.initial, truth.final)
            fit = cp.baum_welch(start, train, max_steps=300, prior=1)
            loss = cp.evaluate(fit.acceptor, test).log_loss
            rows.append({"data": name, "seed": seed, "optimum": optimum, "truth": cp.evaluate(truth, test).log_loss,
                         "loss": loss, "steps": fit.steps})  # fmt: skip
            print(rows[-1], flush=True)
    return rows


def main() -> None:
    """Do the parts that are named, or all."""
    parts: dict[str, Callable[[], Any]] = {
        "steps": steps, "scores": scores, "files": files, "storm": storm, "learning": learning
    }  # fmt: skip
    for name in sys.argv[1:] or parts:
        print(name, flush=True)
        results = page.stored(RESULTS) | {name: parts[name]()}
        RESULTS.write_text(json.dumps(results, indent=1) + "\n")
    page.write()
    page.plot_growth(page.stored(RESULTS)["steps"])


if __name__ == "__main__":
    main()
