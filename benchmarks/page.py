"""The page of results: tables in Markdown and a picture."""

import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

KERNELS, GENERATORS, SPARSE = (Path(__file__).parent / f"{name}.json" for name in ("kernels", "generators", "sparse"))
PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"
Results = dict[str, Any]


def stored(path: Path) -> Results:
    """Results of an earlier run, if there are any."""
    return dict(json.loads(path.read_text())) if path.exists() else {}


def write() -> str:
    """Write the page of the docs from all stored results."""
    page = written(stored(KERNELS)) + generators(stored(GENERATORS)) + sparse(stored(SPARSE))
    PAGE.write_text(page)
    return page


def written(results: Results) -> str:
    """Results of the kernels, with which the page begins."""
    rate = max(row["dgemm GF"] for row in results["states"])
    texts, growth, long, imports = (results[key] for key in ("texts", "growth", "long word", "imports"))
    eight = next(row for row in results["states"] if row["states"] == 8)
    header = ["score ns", "× hmmlearn", "of DGEMM", "2 threads", "E-step ns", "× hmmlearn", "of DGEMM", "2 threads"]
    states = _table(
        ["states", *header],
        (
            [
                str(row["states"]),
                f"{row['score ns']:.2f}",
                f"{row['score ratio']:.0f}",
                _percent(row["score GF"] / row["dgemm GF"]),
                f"{row['score two threads']:.2f}×",
                f"{row['E ns']:.1f}",
                f"{row['E ratio']:.0f}",
                _percent(row["E GF"] / row["dgemm GF"]),
                f"{row['E two threads']:.2f}×",
            ]
            for row in results["states"]
        ),
    )
    alphabets = _table(
        ["alphabet", "length", "score ns", "E-step ns", "edges per symbol", "tree, once, ns"],
        (
            [str(row["symbols in the alphabet"]), str(row["length"]), f"{row['score ns']:.2f}", f"{row['E ns']:.1f}",
             f"{row['edges per symbol']:.2f}", f"{row['tree ns']:.0f}"]
            for row in results["alphabets and lengths"]
        ),
    )  # fmt: skip
    return f"""# Benchmarks

How fast scoring and learning are, next to hmmlearn and dynamax and to what the processor can do, and how generators
compare with n-grams and ALERGIA. How well acceptors learn is [another table](learning.md#how-well-it-does).

Made by `make bench` on {results["processor"]}, kernels for {results["kernels"]}, Python
{results["versions"]["python"]}, NumPy {results["versions"]["numpy"]}. Times are nanoseconds per input symbol on one
thread, best of several; ratios are of this one run. Kernels, DGEMM (512 × 512, one thread, up to {rate:.1f} GFLOP/s)
and hmmlearn take turns, so that a slow moment hits all alike. A score needs 2l² operations a symbol, an E-step 6l² an
edge of the prefix tree. hmmlearn is its categorical HMM with `implementation="scaling"`, the faster of its two, on
words of the same lengths. Every answer was checked against the reference before it was timed.

## Numbers of states (alphabet 8, random words of about 50)

{states}

{_dynamax(results["states"])}![time against the number of states and of symbols](benchmarks.png)

## Alphabets and lengths (8 states, a million symbols)

{alphabets}

## Growth, text, long words

- From 10⁵ to 10⁷ symbols the time of the kernels grows with slope {growth["score slope"]:.3f} (score) and
  {growth["E slope"]:.3f} (E-step) in the log-log plot; from 10³ on with {growth["score slope from 1000"]:.3f} and
  {growth["E slope from 1000"]:.3f}, because few words make small groups and a call has its fixed cost.
- A million Python strings of length 50: encoding {texts["encode ns"]:.2f} ns a symbol, scoring {texts["score ns"]:.2f}
  ns, both together {texts["both ns"]:.2f} ns: {eight["hmmlearn score ns"] / texts["both ns"]:.0f}× hmmlearn, which gets
  them encoded.
- One word of 10⁷ symbols: score {long["score s"]:.2f} s in {long["score MB"]:.1f} MB of extra memory; E-step
  {long["E s"]:.1f} s in {long["E MB"]:.1f} MB (a table of all rows would take 640 MB).
  Where its probability is far below the range of floats: log-probability {long["tiny score s"]:.2f} s, E-step
  {long["tiny E s"]:.1f} s in {long["tiny E MB"]:.1f} MB.
- `import cutpoint` and a first score: {imports["cutpoint ms"]:.0f} ms, `import numpy`: {imports["numpy ms"]:.0f} ms,
  {imports["cutpoint ms"] / imports["numpy ms"]:.2f}×.
{_baseball(results["baseball"])}"""


def _dynamax(rows: list[Results]) -> str:
    if "dynamax E ns" not in rows[0]:
        return ""
    header = ["states", "dynamax score ns", "× slower than ours", "dynamax E-step ns", "× slower than ours"]
    table = _table(
        header,
        (
            [
                str(row["states"]),
                f"{row['dynamax score ns']:.0f}",
                f"{row['dynamax score ns'] / row['score ns'] * row['score two threads']:.0f}",
                f"{row['dynamax E ns']:.0f}",
                f"{row['dynamax E ns'] / row['E ns'] * row['E two threads']:.0f}",
            ]
            for row in rows
        ),
    )
    return f"dynamax (float64, compiled, words of 50, two threads) beside our two threads:\n\n{table}\n\n"


def _baseball(row: Results | None) -> str:
    if row is None:
        return ""
    return f"""
## Words that begin alike

{row["observations"]:,.0f} half-innings of baseball ({row["distinct"]:,} distinct, {row["symbols"]:,.0f} symbols) share
their beginnings in a tree of {row["edges"][-1]:,} edges: a sharing factor of {row["sharing"]:.1f}. An E-step at 8
states takes {row["E s"][-1] * 1e3:.2f} ms: {row["E ns per edge"]:.1f} ns an edge, {row["E ns per symbol"]:.2f} ns a
symbol. Over growing parts of the season the time follows the edges with slope {row["slope"]:.2f}.
"""


def generators(results: Results) -> str:
    """Section on generators: how well they are learned, how fast, and what they are good for."""
    if not {"recovery", "classes", "speed", "forecasts"} <= results.keys():
        return ""
    machines: list[tuple[Results, dict[str, Results]]] = []
    for row in results["recovery"]:
        if "machine" in row:
            machines.append((row, {}))
        else:
            machines[-1][1][row["model"]] = row
    learner = next(name for name in machines[0][1] if name not in ("truth", "3-gram", "ALERGIA"))
    models = ("3-gram", "ALERGIA", learner)
    columns = [(kind, model) for kind in ("per symbol", "score") for model in models]

    def above(found: dict[str, Results], kind: str, model: str) -> float:
        return float(found[model][kind] / found["truth"][kind] - 1) if model in found else math.nan

    def line(row: Results, found: dict[str, Results]) -> list[str]:
        size = [row["machine"], f"{row['states']}", f"{row['symbols']}", f"{row['length']:.0f}"]
        values = [f"{above(found, *column):+.2%}" if column[1] in found else "not run" for column in columns]
        return [*size, *values, f"{found[learner]['seconds']:.0f}" if learner in found else ""]

    header = ["machine", "states", "symbols", "length", *(f"{model}, {kind}" for kind, model in columns), "seconds"]
    recovery = _table(header, (line(*entry) for entry in machines))
    run = [found for _, found in machines if learner in found]
    near = {kind: sum(above(found, kind, learner) <= 0.01 for found in run) for kind in ("per symbol", "score")}
    ahead = {
        kind: sum(found[learner][kind] < min(found[peer][kind] for peer in models[:2]) for found in run)
        for kind in ("per symbol", "score")
    }
    spent = sorted(found[learner]["seconds"] for found in run)
    pairs: dict[str, list[Results]] = {}
    for row in results["classes"]:
        pairs.setdefault(row["pair"], []).append(row)
    classes = _table(
        ["pair", *(row["model"] for row in next(iter(pairs.values())))],
        (
            [pair, *(f"{row['log loss']:.3f} (+{row['above the optimum']})" for row in rows)]
            for pair, rows in pairs.items()
        ),
    )
    *by_states, growth = results["speed"]
    header = ["generator ns", "acceptor ns", "hmmlearn ns", "of the acceptor's", "× hmmlearn", "two threads"]
    formats = dict(zip(header, (".1f", ".1f", ".0f", ".2f", ".0f", ".2f"), strict=True))
    speed = _table(
        ["states", *header], ([str(row["states"]), *(f"{row[k]:{f}}" for k, f in formats.items())] for row in by_states)
    )
    eight = next(row for row in by_states if row["states"] == 8)
    bins = [row for row in results["forecasts"] if "bin" in row]
    calibration = _table(
        ["law", "forecast", "words", "mean forecast", "accepted"],
        (
            [row["law"], row["bin"], str(row["words"]), f"{row['forecast']:.3f}", f"{row['accepted']:.3f}"]
            for row in bins
        ),
    )
    return f"""
## Generators

Made by the parts of `make bench-generators`, one by one while the machine had other work: seconds and two threads
are worse than on a quiet one. Ten random machines in the manner of PAutomaC (HMM, PFA, and DPFA, where state and symbol
determine the next state) make 20,000 words to learn from and 1,000 to test. *Per symbol* is how far the perplexity of
the test words is above that of the machine itself; *score* the same for PAutomaC's score, 2 to the cross-entropy of the
probabilities normalized over the distinct test words. The 3-gram backs off by absolute discounting; ALERGIA is AALpy's
with its default `eps` (of three values tried on four of the machines, on the whole the best on the test words), its
states smoothed by the frequencies of symbols. The learner was developed on these ten machines, so that they are no
unseen test; `--seed` makes others.

Of {len(run)} machines `{learner}` is within 1 % per symbol on {near["per symbol"]}, within 1 % of the score on
{near["score"]}, and ahead of both others on {ahead["per symbol"]} per symbol and {ahead["score"]} by score. It takes
{spent[len(spent) // 2]:.0f} s in the median.

{recovery}

Which of two machines made a word: log loss on 20,000 words after learning from 6,000, beside Bayes' rule with the true
machines, the optimum. The pairs were chosen for optima of .14 to .27, before anything was learned. A team of acceptors
that chooses its size does about as well as one of 32 states (.265 against .266 on the first pair) and takes longer.

{classes}

The E-step, nanoseconds a symbol, one thread, alphabet 8, words of about 50, all in one run. At 8 states treba's,
1100 ns on this class of machine, takes {eight["× treba"]:.0f} times as long. From 10⁴ to 10⁷ symbols the time grows
with slope {growth["slope"]:.2f} in the log-log plot.

{speed}

Forecasts after so many symbols, drawn beforehand, and how often these words were accepted. The benchmark asserts that
every bin is within 4 standard deviations.

{calibration}
"""


def _table(header: list[str], rows: Iterable[list[str]]) -> str:
    lines = [header, ["---:"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def plot(results: Results, path: Path) -> None:
    """Time per symbol against states, and time against symbols."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    rows = results["states"]
    rate = max(row["dgemm GF"] for row in rows)
    states = [row["states"] for row in rows]
    for key, name, color, style in (
        ("hmmlearn E ns", "hmmlearn E-step", "C1", "s--"),
        ("hmmlearn score ns", "hmmlearn score", "C0", "s--"),
        ("E ns", "cutpoint E-step", "C1", "o-"),
        ("score ns", "cutpoint score", "C0", "o-"),
    ):
        left.loglog(states, [row[key] for row in rows], style, color=color, label=name)
    left.loglog(states, [6 * s**2 / rate for s in states], ":", color="C1", label="E-step at the DGEMM rate")
    left.loglog(states, [2 * s**2 / rate for s in states], ":", color="C0", label="score at the DGEMM rate")
    left.set(xlabel="states", ylabel="ns per symbol", xticks=states, xticklabels=states)
    left.minorticks_off()
    left.legend(fontsize=8)
    growth = results["growth"]
    right.loglog(growth["symbols"], growth["E s"], "o-", color="C1", label=f"E-step, slope {growth['E slope']:.3f}")
    right.loglog(
        growth["symbols"], growth["score s"], "o-", color="C0", label=f"score, slope {growth['score slope']:.3f}"
    )
    if results["baseball"]:
        row = results["baseball"]
        right.loglog(
            row["edges"], row["E s"], "^-", color="C2", label=f"E-step on baseball by edges, slope {row['slope']:.2f}"
        )
    right.set(xlabel="symbols (8 states)", ylabel="seconds, one thread")
    right.legend(fontsize=8)
    for axes in (left, right):
        axes.grid(alpha=0.3)
    figure.savefig(path, dpi=110)


def sparse(results: Results) -> str:
    """Section on sparse acceptors, of the parts that were run."""
    lines = list[str]()
    if "steps" in results:
        header = [
            "moves lead",
            "states",
            "moves",
            "SciPy ms",
            "score ms",
            "× SciPy",
            "E-step ms",
            "× three of SciPy's",
            "MB",
        ]
        lines.append(
            _table(
                header,
                (
                    [
                        "near" if row["near"] else "anywhere",
                        f"{row['states']:,}",
                        f"{row['moves']:,}",
                        *(f"{row[key] * 1e3:.3f}" for key in ("product", "score")),
                        f"{row['score'] / row['product']:.2f}",
                        f"{row['E-step'] * 1e3:.3f}",
                        f"{row['E-step'] / row['product'] / 3:.2f}",
                        f"{row['memory'] / 1e6:.0f}",
                    ]
                    for row in results["steps"]
                ),
            )
        )
        lines.append(
            "One step of a word from all states at once, with one symbol and three moves of each state, beside\n"
            "SciPy's product of the same row and matrix. Where moves lead anywhere, a row of a million states does\n"
            "not fit into the cache. The memory is that of SciPy's matrix, the acceptor, the scores and the E-steps."
        )
        lines.append("![time of a step against the number of states](sparse.png)")
    if "scores" in results:
        row = results["scores"]
        lines.append(
            f"Words of the slot machine ({row['states']} states, {row['moves']:,} moves), encoding included: "
            f"{row['sparse'] * 1e3:.1f} ms sparse, {row['dense'] * 1e3:.1f} ms dense, "
            f"{row['dense'] / row['sparse']:.0f}× as fast."
        )
    if "files" in results:
        header = ["file of a million states", "MB", "save s", "load s", "most memory MB"]
        cells = ([r["file"], f"{r['bytes'] / 1e6:.0f}", f"{r['save']:.1f}", f"{r['load']:.1f}",
                  f"{r['memory'] / 1e6:.0f}"] for r in results["files"])  # fmt: skip
        lines.append(_table(header, cells))
    if "storm" in results:
        sizes = [row["states"] for row in results["storm"]]
        lines.append(
            f"Storm finds the same acceptance, to twelve digits, for {len(sizes)} machines of {min(sizes):,} to "
            f"{max(sizes):,} states with one or two symbols."
        )
    if "learning" in results:
        header = ["data", "seed", "steps", "test log loss", "best possible", "above it"]
        cells = ([r["data"], str(r["seed"]), str(r["steps"]), f"{r['loss']:.4f}", f"{r['optimum']:.4f}",
                  f"{r['loss'] / r['optimum'] - 1:+.1%}"] for r in results["learning"])  # fmt: skip
        lines.append("Baum-Welch on the true graph, from random entries, with one pseudo-count for each move:")
        lines.append(_table(header, cells))
    if not lines:
        return ""
    about = "Made by `python benchmarks/sparse.py`: processor time, the least of some repetitions, on a busy machine."
    return "\n## Sparse acceptors\n\n" + "\n\n".join([about, *lines]) + "\n"


def plot_growth(rows: list[Results]) -> None:
    """Time of a step against the number of states, to ``docs/sparse.png``."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    figure, sides = plt.subplots(1, 2, figsize=(10, 4), layout="constrained", sharey=True)
    for axes, near in zip(sides, (False, True), strict=True):
        here = [row for row in rows if row["near"] == near]
        states = [row["states"] for row in here]
        for key, name, style in (
            ("E-step", "E-step", "o-C1"), ("score", "score", "o-C0"), ("product", "SciPy's product", "s--C2")
        ):  # fmt: skip
            axes.loglog(states, [1e3 * row[key] for row in here], style, label=name)
        axes.loglog(states, [1e-5 * n for n in states], ":", color="0.6", label="10 ns for each state")
        axes.set(xlabel="states", title=f"moves lead {'to states nearby' if near else 'anywhere'}")
        axes.grid(alpha=0.3)
    sides[0].set_ylabel("milliseconds for each symbol")
    sides[0].legend()
    figure.savefig(PAGE.parent / "sparse.png", dpi=110)
