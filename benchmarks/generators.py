"""How well generators are learned, how fast, and what they are good for: beside the truth, n-grams, ALERGIA, hmmlearn.

    python benchmarks/generators.py recovery                       # ten machines in the manner of PAutomaC
    python benchmarks/generators.py recovery --machine 3 --no-peers
    python benchmarks/generators.py recovery --seed 17             # another machine, drawn by its seed
    python benchmarks/generators.py classes                        # which of two machines made a word
    python benchmarks/generators.py speed                          # the E-step beside the acceptor's and hmmlearn's
    python benchmarks/generators.py forecasts                      # are they calibrated
    make bench-generators                                          # all, stored and written to docs/benchmarks.md

Every part prints its rows as they come. Nothing here is tuned on the test words: defaults only.
"""

import argparse
import itertools
import json
import math
import os
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

os.environ["OPENBLAS_NUM_THREADS"] = os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np
from numpy.typing import NDArray

import cutpoint as cp
from cutpoint.kernels import native, reference

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
PAIRS = (
    ("DPFA", 10, 4, 1.0, 0.0, 4),
    ("DPFA", 10, 4, 1.0, 0.0, 6),
    ("HMM", 8, 6, 1.0, 0.3, 4),
    ("PFA", 6, 4, 1.0, 0.34, 0),
)
TREBA = 1100  # ns a symbol of its E-step at 8 states on this class of machine


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
        made = cp.Generator.normalized(
            int(reached.sum()), map(str, range(m)), moves[within], initial[reached], stop[reached]
        )
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


def dense(n: int, alphabet: Any, final: Any = None, stop: float | None = None) -> cp.Generator:
    """Random generator without zeros."""
    rng, m = np.random.default_rng(0), len(alphabet)
    rows = rng.dirichlet(np.ones(m * n + 1), n)
    moves = rows[:, :-1].reshape(n, m, n).transpose(1, 0, 2)
    ends = rows[:, -1] if stop is None else stop / (1 - stop) * moves.sum(axis=(0, 2))
    return cp.Generator.normalized(n, alphabet, moves, rng.dirichlet(np.ones(n)), ends, final)


def climbed(sample: cp.Sample, n: int) -> cp.Generator:
    """Baum-Welch from one random start; with outcomes, half of the states are final."""
    start = dense(n, sample.alphabet, range(n // 2) if sample[0].accepted is not None else None)
    options: dict[str, Any] = {"learn_initial": True, "accelerate": True, "prior": 0.01, "max_steps": 300}
    return cp.baum_welch(start, sample, **options).generator


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
        size = {"states": truth.n_states, "symbols": truth.n_symbols, "length": truth.expected_length()}
        yield {"machine": name, **size, "distinct test words": len(test)}
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


# -- Which of two machines made a word ------------------------------------------------------------------------------


def classes(options: argparse.Namespace) -> Iterator[Row]:
    """Log loss of telling apart the words of two machines: 6,000 words to learn from, 20,000 to test."""
    for number in options.machine or range(len(PAIRS)):
        best = 0.0
        for name, action in pair_losses(number, options).items():
            began = time.perf_counter()
            loss = action()
            spent, best = time.perf_counter() - began, best or loss
            assert loss >= best - 0.005, "nothing does better than the truth, but for chance"
            row = {"pair": f"{number}: {PAIRS[number][0]}", "model": name, "log loss": loss}
            yield row | {"above the optimum": f"{loss / best - 1:.1%}", "seconds": round(spent, 1)}


def pair_losses(number: int, options: argparse.Namespace) -> dict[str, Callable[[], float]]:
    """What to compare on one pair of machines, the optimum first."""
    from learning import log_loss, n_gram_regression

    *shape, seed = PAIRS[number]
    pair = [machine(*shape, seed=seed + k) for k in range(2)]  # type: ignore[arg-type]
    train, test = both(pair, 3_000, rng=10), both(pair, 10_000, rng=20)
    sample = cp.Sample(train[0], accepted=train[1], alphabet=pair[0].alphabet)
    first, second = (truth.log_probabilities(test[0]) for truth in pair)
    models: dict[str, Callable[[], Any]] = {
        "truth": lambda: np.exp(-np.logaddexp(0.0, first - second)),
        options.learner: lambda: LEARNERS[options.learner](sample, options).acceptances(test[0]),
        "five acceptors of 32 states": lambda: cp.learn(sample, 32, team=5, rng=0).acceptor.acceptances(test[0]),
    }
    losses: dict[str, Callable[[], float]] = {
        name: lambda model=model: log_loss(model(), test[1])  # type: ignore[misc]
        for name, model in itertools.islice(models.items(), 2 if options.no_peers else None)
    }
    peer = {"4-gram logistic regression": partial(n_gram_regression, train, test)}
    return losses if options.no_peers else losses | peer


def both(pair: list[cp.Generator], number: int, rng: int) -> tuple[list[tuple[str, ...]], list[bool]]:
    """So many words of each machine, and whether the second made it."""
    words, labels = [], []
    for second, truth in enumerate(pair):
        sample = truth.simulate(number, rng=rng + second)
        for observation, weight in zip(sample, sample.counts, strict=True):
            words += [tuple(observation.word)] * int(weight)
        labels += [bool(second)] * number
    return words, labels


# -- Speed ----------------------------------------------------------------------------------------------------------


def speed(options: argparse.Namespace) -> Iterator[Row]:
    """E-step in nanoseconds a symbol, one thread and two, in turn with the acceptor's and hmmlearn's."""
    from kernels import SYMBOLS, hmmlearn_actions, interleaved, labelled, seconds

    for n, count in ((2, 20000), (4, 20000), (8, 20000), (16, 10000), (32, 8000), (64, 4000)):
        final = range(n // 2)
        generator = dense(n, SYMBOLS, final, stop=0.02)
        acceptor = cp.random_acceptor(n, SYMBOLS, rng=0, final=final)
        sample, few = labelled(acceptor, count, (40, 60)), labelled(acceptor, 50, (40, 60))
        masks = np.stack([np.ones_like(generator.final), generator.final, ~generator.final])
        arrays = generator.transitions, generator.initial, masks, few.encoded, few.counts, None, generator.stop
        for mine, theirs in zip(native.expected_counts(*arrays), reference.expected_counts(*arrays), strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-9, atol=0)
        actions: dict[str, Callable[[], object]] = {
            "generator": lambda g=generator, s=sample: cp.expected_counts(g, s, threads=1),  # type: ignore[misc]
            "generator 2": lambda g=generator, s=sample: cp.expected_counts(g, s, threads=2),  # type: ignore[misc]
            "acceptor": lambda a=acceptor, s=sample: cp.expected_counts(a, s, threads=1),  # type: ignore[misc]
        }
        symbols, peers = hmmlearn_actions(n, len(SYMBOLS))
        best = interleaved(actions | {"hmmlearn": peers["hmmlearn E"]}, 20 if n <= 32 else 5)
        ns = {name: best[name] * 1e9 / (symbols if name == "hmmlearn" else len(sample.symbols)) for name in best}
        row = {"states": n} | {f"{name} ns": ns[name] for name in ("generator", "acceptor", "hmmlearn")}
        row |= {"of the acceptor's": ns["generator"] / ns["acceptor"], "× hmmlearn": ns["hmmlearn"] / ns["generator"]}
        row |= {"× treba": TREBA / ns["generator"]} if n == 8 else {}
        yield row | {"two threads": ns["generator"] / ns["generator 2"]}
    generator, sizes, times = dense(8, SYMBOLS, range(4), stop=0.02), [10**k for k in range(4, 8)], []
    for size in sizes:
        part = labelled(cp.random_acceptor(8, SYMBOLS, rng=0), size // 50, (50, 50))
        action = partial(cp.expected_counts, generator, part, threads=1)
        times.append(seconds(action, max(5, 10**6 // size)))
    yield {"symbols": sizes, "seconds": times, "slope": float(np.polyfit(np.log(sizes), np.log(times), 1)[0])}


# -- Forecasts ------------------------------------------------------------------------------------------------------


def forecasts(options: argparse.Namespace) -> Iterator[Row]:
    """Forecasts after so many symbols, drawn beforehand, in ten bins, beside how often these words were accepted."""
    small = cp.Generator(
        2, "ab", {"a": [[0.02, 0.03], [0.05, 0.0]], "b": [[0.01, 0.04], [0.02, 0.06]]}, 0, [0.9, 0.87], {1}
    )
    for prefix in ("", "a", "abba"):
        words = [prefix + "".join(rest) for n in range(14) for rest in itertools.product("ab", repeat=n)]
        hoped = np.exp(small.log_probabilities(words)) @ small.acceptances(words)
        np.testing.assert_allclose(small.forecast(prefix), hoped / small.prefix_probability(prefix), rtol=1e-10, atol=0)
    rng = np.random.default_rng(0)
    first, second = (machine(*PAIRS[3][:-1], seed=k) for k in range(2))
    acceptor = cp.random_acceptor(8, first.alphabet, rng=3, concentration=0.02)
    for name, law in (
        ("which of two machines", cp.mixture([with_final(first, ()), second])),
        ("accepted by an acceptor", second.product(acceptor)),
    ):
        sample, cases = law.simulate(20_000, rng=7), []
        for observation, weight in zip(sample, sample.counts, strict=True):
            for cut in rng.geometric(0.2, int(weight)) - 1:  # a place that does not depend on the word
                if cut <= len(observation.word):
                    cases.append((law.forecast(observation.word[:cut]), bool(observation.accepted)))
        values, accepted = np.array([case[0] for case in cases]), np.array([case[1] for case in cases])
        bins, squares = np.minimum((10 * values).astype(int), 9), 0.0
        for k in np.unique(bins):
            here = bins == k
            deviation = float((accepted - values)[here].sum() / np.sqrt((values * (1 - values))[here].sum()))
            squares += deviation**2
            row = {"law": name, "bin": f"{k / 10:.1f} to {(k + 1) / 10:.1f}", "words": int(here.sum())}
            row |= {"forecast": float(values[here].mean()), "accepted": float(accepted[here].mean())}
            yield row | {"standard deviations apart": deviation}
            assert abs(deviation) < 4 or here.sum() < 30, "the forecasts are not calibrated"
        yield {"law": name, "squared deviations, on average": squares / len(np.unique(bins))}


def with_final(generator: cp.Generator, final: Any) -> cp.Generator:
    """The same generator with other final states."""
    arrays = generator.transitions, generator.initial, generator.stop
    return cp.Generator(generator.states, generator.alphabet, *arrays, final)


def main() -> None:
    """Run the parts asked for and print their rows as they come."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("part", choices=[*PARTS, "all"])
    parser.add_argument(
        "--machine", type=int, nargs="+", help=f"of the fixed list, 0 to {len(MACHINES) - 1}; or pairs of classes"
    )
    parser.add_argument("--seed", type=int, nargs="+", help="other machines, drawn by their seeds")
    parser.add_argument("--learner", choices=LEARNERS, default=OURS)
    parser.add_argument("--states", type=int, help="number of states given to the learner")
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--store", action="store_true", help="write benchmarks/generators.json and docs/benchmarks.md")
    options = parser.parse_args()
    results: dict[str, list[Row]] = {}
    for part in PARTS if options.part == "all" else [options.part]:
        results[part] = []
        for row in PARTS[part](options):
            results[part].append(row)
            shown = {name: float(f"{value:.6g}") if isinstance(value, float) else value for name, value in row.items()}
            print(json.dumps(shown), flush=True)
    if options.store:
        from page import GENERATORS, stored, write

        GENERATORS.write_text(json.dumps(stored(GENERATORS) | results, indent=1) + "\n")
        write()


PARTS: dict[str, Callable[[argparse.Namespace], Iterator[Row]]] = {
    "recovery": recovery,
    "classes": classes,
    "speed": speed,
    "forecasts": forecasts,
}

if __name__ == "__main__":
    main()
