"""How well generators are learned, how fast, and what they are good for: beside the truth, n-grams, ALERGIA, hmmlearn.

    python benchmarks/generators.py recovery                       # ten machines in the manner of PAutomaC
    python benchmarks/generators.py recovery --machine 3 --no-peers
    python benchmarks/generators.py recovery --seed 17             # another machine, drawn by its seed

Every part prints its rows as they come. Nothing here is tuned on the test words: defaults only.
"""

import argparse
import json
import math
import os
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from typing import Any

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np
from numpy.typing import NDArray

import cutpoint as cp

Row = dict[str, Any]
START = -1  # before the first symbol of a word, where n-grams look back
# Kind, states, symbols, share of symbols each state can emit, share of states each move can lead to.
MACHINES = (
    ("DPFA", 6, 5, 0.8, 0.0),
    ("HMM", 8, 8, 0.5, 0.3),
    ("PFA", 10, 4, 0.6, 0.2),
    ("DPFA", 20, 10, 0.4, 0.0),
    ("HMM", 20, 12, 0.3, 0.15),
    ("PFA", 15, 12, 0.4, 0.1),
    ("DPFA", 40, 6, 0.6, 0.0),
    ("HMM", 40, 20, 0.2, 0.08),
    ("PFA", 30, 8, 0.5, 0.1),
    ("DPFA", 70, 18, 0.3, 0.0),
)
TRAINING, TEST = 20_000, 1_000


# -- Machines in the manner of PAutomaC -----------------------------------------------------------------------------


def some(size: int, share: float, rng: np.random.Generator) -> NDArray[np.float64]:
    """Random distribution on about a share of ``size`` places, at least one: flat Dirichlet, the others 0."""
    chosen = rng.permutation(size)[: max(1, round(share * size))]
    values = np.zeros(size)
    values[chosen] = rng.dirichlet(np.ones(len(chosen)))
    return values


def drawn(kind: str, n: int, m: int, symbol_share: float, move_share: float, rng: np.random.Generator) -> Any:
    """Moves, initial distribution and stop of one random machine, some states of which may be useless.

    A state emits a share of the symbols; a share of the states can stop, which is drawn together with their symbols.
    After a symbol an HMM moves by a law of the state, a PFA by one of state and symbol, a DPFA to one state.
    """
    emitted = np.array([some(m, symbol_share, rng) for _ in range(n)])
    stops = rng.permutation(n)[: max(1, round(symbol_share * n))]
    stop = np.zeros(n)
    for s in stops:
        law = rng.dirichlet(np.ones((emitted[s] > 0).sum() + 1))
        stop[s], emitted[s, emitted[s] > 0] = law[0], law[1:]
    if kind == "HMM":
        moves = np.broadcast_to([some(n, move_share, rng) for _ in range(n)], (m, n, n))
    else:
        moves = np.array([[some(n, move_share, rng) for _ in range(n)] for _ in range(m)])
    initial = some(n, move_share, rng)
    return emitted.T[:, :, None] * moves, initial, stop


def machine(kind: str, n: int, m: int, symbol_share: float, move_share: float, seed: int) -> cp.Generator:
    """Random machine without useless states whose words have 5 to 50 symbols on average; redrawn until it is one."""
    rng = np.random.default_rng([seed, n, m])
    for _ in range(1000):
        moves, initial, stop = drawn(kind, n, m, symbol_share, move_share, rng)
        reached = closure(initial > 0, moves.sum(axis=0).T > 0)
        if reached.sum() < 0.8 * n or not closure(stop > 0, moves.sum(axis=0) > 0)[reached].all():
            continue
        within = np.ix_(range(m), reached, reached)
        made = cp.Generator.normalized(int(reached.sum()), range(m), moves[within], initial[reached], stop[reached])
        if 5 <= made.expected_length() <= 50:
            return made
    sys.exit(f"no {kind} of {n} states and {m} symbols has words of 5 to 50 symbols; try other shares.")


def closure(states: NDArray[np.bool_], leads: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """States from which ``leads[s, t]`` comes to one of the given, these included."""
    while (more := states | (leads & states).any(axis=1)).sum() > states.sum():
        states = more
    return states


def numbered(number: int) -> tuple[str, cp.Generator]:
    """Machine of the fixed list."""
    return f"{number}: {MACHINES[number][0]}", machine(*MACHINES[number], seed=number)


def seeded(seed: int) -> tuple[str, cp.Generator]:
    """Machine whose kind, size and sparsity are drawn, too."""
    rng = np.random.default_rng(seed)
    kind, n, m = str(rng.choice(["HMM", "PFA", "DPFA"])), int(rng.integers(5, 71)), int(rng.integers(4, 21))
    symbol_share, moves = rng.uniform(0.2, 0.8), 0.0 if kind == "DPFA" else rng.uniform(1.5, 6.0) / n
    return f"seed {seed}: {kind}", machine(kind, n, m, max(symbol_share, 1.5 / m), moves, seed)


# -- Learners: each makes a generator from a sample of words --------------------------------------------------------


def three_gram(sample: cp.Sample) -> cp.Generator:
    """Three-gram with back-off: absolute discounting, each order interpolated with the next lower, down to uniform."""
    end = len(sample.alphabet)
    counts: dict[tuple[int, ...], Counter[int]] = defaultdict(Counter)
    for word, weight in coded(sample):
        padded = (START, *word, end)
        for i in range(1, len(padded)):
            for order in range(min(i, 2) + 1):
                counts[padded[i - order : i]][padded[i]] += weight
    discounts = []
    for order in range(3):
        times = Counter(n for context, seen in counts.items() if len(context) == order for n in seen.values())
        discounts.append(times[1] / (times[1] + 2 * times[2]) if times[1] else 0.5)

    def law(context: tuple[int, ...]) -> NDArray[np.float64]:
        lower = law(context[1:]) if context else np.full(end + 1, 1.0 / (end + 1))
        if context not in counts:
            return lower
        seen = np.array([counts[context][a] for a in range(end + 1)], dtype=np.float64)
        less = np.minimum(seen, discounts[len(context)])
        return np.asarray((seen - less + less.sum() * lower) / seen.sum())

    states: list[tuple[int, ...]] = [(START,), *((START, a) for a in range(end))]
    states += [(a, b) for a in range(end) for b in range(end)]
    index, moves, stop = {c: k for k, c in enumerate(states)}, np.zeros((end, len(states), len(states))), []
    for k, context in enumerate(states):
        values = law(context)
        stop.append(values[end])
        for a in range(end):
            moves[a, k, index[(*context, a)[-2:]]] = values[a]
    return cp.Generator.normalized(len(states), sample.alphabet, moves, 0, stop)


def alergia(sample: cp.Sample, eps: float | str = 0.05, pseudo: float = 1.0) -> cp.Generator:
    """ALERGIA of AALpy; its states' laws smoothed by the frequencies of symbols, so that no word is impossible.

    The end of a word is a symbol of its own. Unseen moves lead to a state that emits by these frequencies.
    """
    from aalpy.learning_algs import run_Alergia

    end, words = len(sample.alphabet), list(coded(sample))
    traces = [[("", a) for a in (*word, end)] for word, weight in words for _ in range(weight)]
    learned = run_Alergia(traces, "smm", eps=eps)
    index = {state.state_id: k for k, state in enumerate(learned.states)}
    to = {(index[s.state_id], a): index[t.state_id] for s in learned.states for t, a, _ in s.transitions[""]}
    lost, seen = len(index), np.zeros((len(index) + 1, end + 1))
    for word, weight in words:
        state = index[learned.initial_state.state_id]
        for a in (*word, end):
            seen[state, a] += weight
            state = to[state, a]
    usual = (seen.sum(axis=0) + 1.0) / (seen.sum() + end + 1)
    laws = seen + pseudo * usual
    moves = np.zeros((end, lost + 1, lost + 1))
    for s in range(lost + 1):
        for a in range(end):
            moves[a, s, to.get((s, a), lost)] = laws[s, a]
    return cp.Generator.normalized(
        lost + 1, sample.alphabet, moves, index[learned.initial_state.state_id], laws[:, end]
    )


def climbed(sample: cp.Sample, n_states: int) -> cp.Generator:
    """Baum-Welch from one random start."""
    rng, n, m = np.random.default_rng(0), n_states, len(sample.alphabet)
    rows = rng.dirichlet(np.ones(m * n + 1), n)
    moves = rows[:, :-1].reshape(n, m, n).transpose(1, 0, 2)
    start = cp.Generator.normalized(n, sample.alphabet, moves, rng.dirichlet(np.ones(n)), rows[:, -1])
    fit = cp.baum_welch(start, sample, learn_initial=True, accelerate=True, prior=0.01, max_steps=300)
    return fit.generator


def coded(sample: cp.Sample) -> Iterator[tuple[tuple[int, ...], int]]:
    """Distinct words as tuples of codes, with how often they were seen."""
    encoded = sample.encoded
    for k, weight in enumerate(sample.counts):
        yield tuple(encoded.symbols[encoded.offsets[k] : encoded.offsets[k + 1]].tolist()), int(weight)


LEARNERS: dict[str, Callable[[cp.Sample, argparse.Namespace], cp.Generator]] = {
    "learn_generator": lambda sample, options: cp.learn_generator(sample, options.states, rng=0).generator,
    "baum_welch": lambda sample, options: climbed(sample, options.states or 16),
    "3-gram": lambda sample, options: three_gram(sample),
    "ALERGIA": lambda sample, options: alergia(sample),
}
OURS = "learn_generator" if hasattr(cp, "learn_generator") else "baum_welch"


# -- Recovery -------------------------------------------------------------------------------------------------------


def score(logs: NDArray[np.float64], true: NDArray[np.float64]) -> float:
    """PAutomaC's score of the test words: 2 to the cross-entropy of the two laws, both made to sum to 1 over them."""
    p, q = (values - np.logaddexp.reduce(values) for values in (true, logs))
    return math.exp(-float((np.exp(p) * q).sum()))


def recovery(options: argparse.Namespace) -> Iterator[Row]:
    """Perplexity of unseen words under the machine that made them, and under what was learned from 20,000 others."""
    if options.seed:
        made = map(seeded, options.seed)
    else:
        made = map(numbered, range(len(MACHINES)) if options.machine is None else options.machine)
    for name, truth in made:
        sample, test = truth.simulate(TRAINING, rng=1), truth.simulate(TEST, rng=2)
        true = truth.log_probabilities(test)
        size = f"{truth.n_states} states, {truth.n_symbols} symbols, length {truth.expected_length():.1f}"
        yield {"machine": f"{name}, {size}, {len(test)} distinct test words"}
        learners = [options.learner] if options.no_peers else ["3-gram", "ALERGIA", options.learner]
        for learner in (None, *learners):
            began = time.perf_counter()
            model = truth if learner is None else LEARNERS[learner](sample, options)
            spent = time.perf_counter() - began
            row: Row = {"model": learner or "truth", "states": model.n_states, "seconds": round(spent, 1)}
            row |= {f"per {per}": model.perplexity(test, per=per) for per in ("word", "symbol")}
            row["score"] = score(model.log_probabilities(test), true)
            if learner is None:
                best = row
            for kind in ("per symbol", "score"):
                row[f"{kind}, above truth"] = f"{row[kind] / best[kind] - 1:.2%}"
            assert row["score"] >= best["score"] * (1 - 1e-9), "nothing scores better than the truth"
            yield row


def main() -> None:
    """Run one part and print its rows as they come."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--machine", type=int, nargs="+", help=f"of the fixed list, 0 to {len(MACHINES) - 1}")
    parser.add_argument("--seed", type=int, nargs="+", help="other machines, drawn by their seeds")
    parser.add_argument("--learner", choices=LEARNERS, default=OURS)
    parser.add_argument("--states", type=int, help="number of states given to the learner")
    parser.add_argument("--no-peers", action="store_true")
    options = parser.parse_args()
    for row in PARTS[options.part](options):
        shown = {name: float(f"{value:.6g}") if isinstance(value, float) else value for name, value in row.items()}
        print(json.dumps(shown), flush=True)


PARTS: dict[str, Callable[[argparse.Namespace], Iterator[Row]]] = {"recovery": recovery}

if __name__ == "__main__":
    main()
