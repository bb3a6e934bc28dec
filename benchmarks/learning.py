"""How well learning learns: every goal in one table, beside a 4-gram logistic regression and a class-conditional HMM.

    make bench-learning            # prints every result and writes benchmarks/learning.json
    python benchmarks/learning.py --part losses --seeds 4
    python benchmarks/learning.py --part earlier --seeds 4 --earlier OLD/.venv/bin/python

Data are read from the shared data folder beside the project. Nothing here is tuned on the test files: defaults only.
"""

import argparse
import json
import math
import subprocess
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import cutpoint as cp

ROOT = Path(__file__).parents[1]
DATA = ROOT.parent / "shared" / "data"
SETS = {
    "baseball": "baseball",
    "first_grid": "mdp_models/first_grid",
    "faulty_car_alarm": "mdp_models/faulty_car_alarm",
    "slot_machine": "mdp_models/slot_machine",
    "names_gender": "names_gender",
}
SMALLEST = 1e-12
Words = list[tuple[str, ...]]
Labels = list[bool]


def read(path: Path) -> tuple[Words, Labels]:
    """Words and labels of a file: label, tab, symbols separated by blanks."""
    rows = [line.rstrip("\n").split("\t") for line in path.read_text().splitlines()]
    return [tuple(row[1].split()) for row in rows], [row[0] == "1" for row in rows]


def log_loss(probabilities: Any, labels: Labels) -> float:
    """Mean of -log of the probability of what happened, in nats."""
    p = np.where(labels, probabilities, 1.0 - np.asarray(probabilities))
    return -float(np.mean(np.log(np.clip(p, SMALLEST, 1.0))))


def n_gram_regression(train: tuple[Words, Labels], test: tuple[Words, Labels]) -> float:
    """Logistic regression on counts of 1- to 4-grams, with marks at both ends."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression

    def grams(word: tuple[str, ...]) -> list[str]:
        marked = ("<", *word, ">")
        return [" ".join(marked[i : i + n]) for n in range(1, 5) for i in range(len(marked) - n + 1)]

    table = CountVectorizer(analyzer=grams)
    rows = table.fit_transform(train[0])
    model = LogisticRegression(C=1.0, solver="liblinear", max_iter=1000).fit(rows, train[1])
    return log_loss(model.predict_proba(table.transform(test[0]))[:, 1], test[1])


def class_conditional_hmm(train: tuple[Words, Labels], test: tuple[Words, Labels], n_states: int = 8) -> float:
    """One hidden Markov model per label, compared by Bayes' rule."""
    from hmmlearn.hmm import CategoricalHMM

    symbols = sorted({symbol for word in (*train[0], *test[0]) for symbol in word})
    codes = {symbol: k for k, symbol in enumerate(symbols)}
    scores = []
    for label in (False, True):
        words = [word for word, seen in zip(*train, strict=True) if seen is label and word]
        model = CategoricalHMM(n_states, n_iter=50, random_state=0, n_features=len(symbols), emissionprob_prior=1.01)
        model.fit(np.concatenate([[codes[a] for a in word] for word in words])[:, None], [len(word) for word in words])
        share = math.log(np.mean(np.array(train[1]) == label))
        scores.append(
            [share + (model.score(np.array([[codes[a]] for a in word])) if word else 0.0) for word in test[0]]
        )
    rejected, accepted = np.array(scores)
    return log_loss(1.0 / (1.0 + np.exp(np.clip(rejected - accepted, -700, 700))), test[1])


VARIANTS: dict[str, tuple[list[str], dict[str, Any]]] = {
    "single": (list(SETS), {"team": 1}),
    "team": (list(SETS), {"team": 5}),
    "team, either direction": (["names_gender"], {"team": 5, "direction": "auto"}),
}


def fitted(name: str, seed: int, options: dict[str, Any]) -> dict[str, Any]:
    """Test log loss, states and processor seconds of one fit."""
    folder = DATA / SETS[name]
    train, test = read(folder / "train.tsv"), read(folder / "test.tsv")
    sample = cp.Sample(train[0], accepted=train[1])
    began = time.process_time()
    fit = cp.learn(sample, rng=seed, **options)
    spent = time.process_time() - began
    values = fit.automaton.values(test[0]) if "direction" in options else fit.acceptor.acceptances(test[0])
    return {"loss": log_loss(values, test[1]), "states": fit.members[0].model.n_states, "seconds": spent}


def stacked(name: str, seed: int) -> dict[str, Any]:
    """The classifier with 1- to 4-grams beside a team of five."""
    folder = DATA / SETS[name]
    train, test = read(folder / "train.tsv"), read(folder / "test.tsv")
    began = time.process_time()
    model = cp.AcceptorClassifier(team=5, ngrams=4, unknown="skip", random_state=seed).fit(*train)
    spent = time.process_time() - began
    return {"loss": log_loss(model.predict_proba(test[0])[:, 1], test[1]), "seconds": spent}


def summary(data: str, method: str, found: list[dict[str, Any]]) -> dict[str, Any]:
    """Median and all losses, states, and the median of processor seconds."""
    values = [round(each["loss"], 4) for each in found]
    row = {"data": data, "method": method, "median": round(float(np.median(values)), 4), "losses": values}
    row["states"] = [each["states"] for each in found if "states" in each]
    return row | {"cpu seconds": round(float(np.median([each["seconds"] for each in found])), 1)}


def losses(seeds: int, peers: bool) -> Iterator[dict[str, Any]]:
    """Test log loss of each data set, ``n_states=None``."""
    for name in reversed(SETS):
        for method, (names, options) in VARIANTS.items():
            if name in names:
                yield summary(name, method, [fitted(name, seed, options) for seed in range(seeds)])
    yield summary("names_gender", "classifier with 4-grams", [stacked("names_gender", seed) for seed in range(seeds)])
    for name, folder in SETS.items() if peers else ():
        train, test = read(DATA / folder / "train.tsv"), read(DATA / folder / "test.tsv")
        yield {"data": name, "method": "4-gram regression", "median": n_gram_regression(train, test)}
        yield {"data": name, "method": "HMM per label", "median": class_conditional_hmm(train, test)}


def earlier(python: str, seeds: int) -> Iterator[dict[str, Any]]:
    """Teams of five by another version of cutpoint, that of another interpreter."""
    program = (
        f"import sys, json, pathlib; sys.path.insert(0, {str(Path(__file__).parent)!r}); import learning; "
        f"learning.DATA = pathlib.Path({str(DATA)!r}); "
        "print(json.dumps(learning.fitted(sys.argv[1], int(sys.argv[2]), {'team': 5})))"
    )
    for name in SETS:
        runs = [
            subprocess.run([python, "-c", program, name, str(seed)], capture_output=True, text=True, check=True)
            for seed in range(seeds)
        ]
        yield summary(name, "team, earlier version", [json.loads(run.stdout) for run in runs])


def table(rows: list[dict[str, Any]]) -> str:
    """The one table, in Markdown."""
    lines = ["| data | method | median | all seeds | states | cpu s |", "|---|---|---:|---|---|---:|"]
    for row in sorted(rows, key=lambda row: list(SETS).index(row["data"])):
        cells = (
            ", ".join(f"{value:.4f}" for value in row.get("losses", ())),
            ", ".join(map(str, row.get("states", ()))),
        )
        seconds = row.get("cpu seconds", "")
        lines.append(f"| {row['data']} | {row['method']} | {row['median']:.4f} | {cells[0]} | {cells[1]} | {seconds} |")
    return "\n".join(lines)


def tomita(seeds: int, flipped: float) -> Iterator[dict[str, Any]]:
    """Seven languages from 600 labelled words each; solved: right on 99.9 % of the long test words."""
    for number in range(1, 8):
        machine = json.loads((DATA / "tomita" / f"tomita{number}.json").read_text())
        long_words, verdicts = read(DATA / "tomita" / f"{number}_long_test.tsv")
        solved, slowest = 0, 0.0
        for seed in range(seeds):
            words, labels = labelled_words(machine, np.random.default_rng([number, seed]), flipped)
            began = time.perf_counter()
            fit = cp.learn(cp.Sample(words, accepted=labels, alphabet="01"), 8, rng=seed)
            slowest = max(slowest, time.perf_counter() - began)
            right = np.mean((fit.acceptor.acceptances(long_words) > 0.5) == np.array(verdicts))
            solved += int(right >= 0.999)
        yield {"language": number, "flipped": flipped, "solved": solved, "of": seeds, "slowest": round(slowest, 1)}


def labelled_words(machine: dict[str, Any], rng: np.random.Generator, flipped: float) -> tuple[list[str], list[bool]]:
    """600 different random words of up to 12 symbols, 300 of each label where there are so many."""
    moves = {(source, symbol): target for source, symbol, target in machine["transitions"]}

    def accepted(word: str) -> bool:
        state = machine["initial"]
        for symbol in word:
            state = moves[state, symbol]
        return state in machine["accepting"]

    found: dict[bool, dict[str, None]] = {True: {}, False: {}}
    for _ in range(200_000):
        word = "".join("01"[bit] for bit in rng.integers(0, 2, int(rng.integers(0, 13))))
        found[accepted(word)][word] = None
        if min(map(len, found.values())) >= 300:
            break
    few = min(300, *map(len, found.values()))
    rarer = min(found, key=lambda label: len(found[label]))
    chosen = {rarer: list(found[rarer])[:few], not rarer: list(found[not rarer])[: 600 - few]}
    words = chosen[True] + chosen[False]
    labels = [True] * len(chosen[True]) + [False] * len(chosen[False])
    for k in rng.choice(len(words), round(flipped * len(words)), replace=False):
        labels[k] = not labels[k]
    return words, labels


def baseball_states() -> Iterator[dict[str, Any]]:
    """Baseball with all states seen, and with half of them hidden at random."""
    words, labels = read(DATA / "baseball" / "train.tsv")
    runs = [line.split("\t")[1].split() for line in (DATA / "baseball" / "train_states.tsv").read_text().splitlines()]
    test = read(DATA / "baseball" / "test.tsv")
    rng = np.random.default_rng(0)
    for name, share in (("complete", 0.0), ("half hidden", 0.5)):
        states = [[None if rng.random() < share else state for state in run] for run in runs]
        began = time.perf_counter()
        sample = cp.Sample(words, accepted=labels, states=states)
        final = {state for run in runs for state in run if state.endswith("+")}
        fit = cp.learn(sample, final=final, folds=2)
        spent = time.perf_counter() - began
        loss = log_loss(fit.acceptor.acceptances(test[0]), test[1])
        yield {"data": f"baseball, {name}", "states": fit.acceptor.n_states, "loss": loss, "seconds": round(spent, 1)}


def recovery(cases: int) -> dict[str, Any]:
    """Random acceptors of three states from 20,000 labelled words each."""
    apart = []
    for seed in range(cases):
        truth = cp.random_acceptor(3, "ab", rng=seed)
        words = cp.random_words("ab", 20_000, (1, 12), rng=1000 + seed)
        fit = cp.learn(cp.simulate(truth, words, rng=2000 + seed), 3, rng=seed)
        test = cp.random_words("ab", 1000, (1, 12), rng=3000 + seed)
        apart.append(float(np.abs(fit.acceptor.acceptances(test) - truth.acceptances(test)).mean()))
    return {"cases": cases, "within 0.02": sum(d <= 0.02 for d in apart), "median": float(np.median(apart))}


def acceleration() -> Iterator[dict[str, Any]]:
    """E-steps of SQUAREM to the log-likelihood that plain EM has after some hundred, from random starts."""
    for name, folder in SETS.items():
        sample = cp.Sample(*read(DATA / folder / "train.tsv"))
        for size in (4, 8):
            ratios = []
            for seed in range(3):
                start = cp.random_acceptor(size, sample.alphabet, rng=seed)
                plain = cp.baum_welch(start, sample, learn_initial=True, prior=0.01, max_steps=400, tolerance=1e-7)
                goal = plain.history[-1]
                fast = cp.baum_welch(
                    start, sample, learn_initial=True, prior=0.01, max_steps=400, tolerance=0, accelerate=True
                )
                reached = next((k for k, value in enumerate(fast.history) if value >= goal), None)
                ratios.append(math.inf if reached is None else reached / plain.steps)
            yield {"data": name, "states": size, "part of plain EM's E-steps": [round(ratio, 3) for ratio in ratios]}


def same_bytes() -> bool:
    """Whether two runs with one thread and two with two give the same bytes."""
    sample = cp.Sample(*read(DATA / SETS["first_grid"] / "train.tsv"))
    fits = [cp.learn(sample, 8, team=2, rng=7, threads=threads) for threads in (1, 2, 1, 2)]
    return len({fit.acceptor.transitions.tobytes() + fit.acceptor.initial.tobytes() for fit in fits}) == 1


def main() -> None:
    """Run the parts asked for, print as they come, and store what was found."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--part", choices=[*PARTS, "all"], default="all")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--earlier", metavar="PYTHON", help="interpreter with another version, to compare with")
    options = parser.parse_args()
    warnings.simplefilter("ignore", cp.errors.UnusedStatesWarning)
    target = Path(__file__).with_suffix(".json")
    results = json.loads(target.read_text()) if target.exists() else {}
    for part in PARTS if options.part == "all" else [options.part]:
        rows = []
        for row in PARTS[part](options):
            rows.append(row)
            print(part, json.dumps(row), flush=True)
        results[part] = rows
        target.write_text(json.dumps(results, indent=1) + "\n")
    print(table([*results.get("losses", ()), *results.get("earlier", ())]))


PARTS: dict[str, Callable[[argparse.Namespace], Iterator[Any]]] = {
    "tomita": lambda options: tomita(options.seeds, 0.0),
    "tomita-flipped": lambda options: tomita(options.seeds, 0.05),
    "losses": lambda options: losses(options.seeds, not options.no_peers),
    "earlier": lambda options: earlier(options.earlier, options.seeds) if options.earlier else iter(()),
    "states": lambda options: baseball_states(),
    "recovery": lambda options: iter([recovery(10 * options.seeds)]),
    "acceleration": lambda options: acceleration(),
    "bytes": lambda options: iter([{"same bytes": same_bytes()}]),
}

if __name__ == "__main__":
    main()
