"""Rows about fits: the laws of EM, and learning from samples of every shape."""

import contextlib
import tempfile
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

import cutpoint as cp
from torture import machines
from torture.invalid import check_sentence
from torture.scoreboard import Row

TOLERANCE = 1e-7


def em_laws(seed: int) -> int:
    """Fits of an acceptor or a generator to a random sample, by every law."""
    rng = np.random.default_rng(seed)
    law = machines.generator(rng, 4, "even")
    truth = machines.acceptor(rng, 4, "even", symbols=len(law.alphabet))
    seen: Any = rng.choice(["accepted", "verdicts"])
    sample = cp.simulate(truth, machines.words(rng, law.alphabet, 40, 12), rng=seed, seen=seen)
    start: Any = law if seed % 3 == 0 else machines.acceptor(rng, 4, str(rng.choice(["even", "sparse"])), law.n_symbols)
    if not np.isfinite(cp.log_likelihood(start, sample)):
        start = truth
    options: dict[str, Any] = {
        "prior": float(rng.choice([0.0, 0.1])),
        "learn_initial": bool(rng.random() < 0.5),
        "accelerate": bool(rng.random() < 0.5),
    }
    fit = cp.baum_welch(start, sample, TOLERANCE, 60, **options)
    _climbs(start, sample, fit, options)
    _splits(start, sample, rng)
    _relabels(start, sample, rng, options)
    _keeps(start, sample, rng, options)
    _resumes(start, sample, options)
    _complete(truth, law.alphabet, rng)
    return 7


def _numbers(model: cp.Acceptor | cp.Generator) -> dict[str, Any]:
    found = {"transitions": model.transitions, "initial": model.initial}
    return found | ({"stop": model.stop} if isinstance(model, cp.Generator) else {})


def _climbs(start: Any, sample: cp.Sample, fit: cp.Fit, options: dict[str, Any]) -> None:
    """Every step gains; the figures are those of the model; a plain step from the end gains little."""
    assert (np.diff(fit.history) >= 0.0).all(), fit.history
    assert fit.history[-1] >= fit.history[0]
    np.testing.assert_allclose(fit.log_likelihood, cp.log_likelihood(fit.model, sample), rtol=1e-9, atol=1e-9)
    for name, value in _numbers(fit.model).items():
        assert (value[_numbers(start)[name] == 0.0] == 0.0).all(), "structural zeros stay"
    if fit.stop.name == "CONVERGED":
        again = cp.baum_welch(fit.model, sample, 0.0, 1, **{**options, "accelerate": False})
        gain = again.history[-1] - again.history[0]
        assert 0.0 <= gain <= 100 * TOLERANCE * sample.total, gain


def _splits(start: Any, sample: cp.Sample, rng: np.random.Generator) -> None:
    whole, parts = cp.expected_counts(start, sample), rng.integers(0, 3, len(sample))
    rows = [np.flatnonzero(parts == k) for k in range(3)]
    pieces = [cp.expected_counts(start, sample.take(each)) for each in rows if len(each)]
    added = sum(pieces[1:], start=pieces[0])
    np.testing.assert_allclose(added.transitions, whole.transitions, rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(added.initial, whole.initial, rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(added.log_likelihood, whole.log_likelihood, rtol=1e-12, atol=0)


def _relabels(start: Any, sample: cp.Sample, rng: np.random.Generator, options: dict[str, Any]) -> None:
    """The states in another order: the same fit in that order, as far as rounding lets steps be the same."""
    order = rng.permutation(start.n_states)
    numbers = {name: value[..., order] for name, value in _numbers(start).items()}
    numbers["transitions"] = numbers["transitions"][:, order]
    twin = type(start)(start.n_states, start.alphabet, final=start.final[order], **numbers)
    few = {**options, "accelerate": False}
    one, two = (cp.baum_welch(model, sample, 0.0, 4, **few) for model in (start, twin))
    for name, value in _numbers(one.model).items():
        moved = value[..., order] if name != "transitions" else value[:, order][..., order]
        np.testing.assert_allclose(_numbers(two.model)[name], moved, rtol=1e-7, atol=1e-10)
    both = min(len(one.history), len(two.history))  # whether the last gain is 0 is up to rounding
    np.testing.assert_allclose(two.history[:both], one.history[:both], rtol=1e-9, atol=1e-9)


def _keeps(start: Any, sample: cp.Sample, rng: np.random.Generator, options: dict[str, Any]) -> None:
    """Fixed entries keep their values, tied rows stay the same."""
    fixed = rng.random(start.transitions.shape) < 0.3
    held = cp.baum_welch(start, sample, 0.0, 5, fixed=fixed, **options)
    np.testing.assert_allclose(held.model.transitions[fixed], start.transitions[fixed], rtol=1e-15, atol=0)
    assert (np.diff(held.history) >= 0.0).all(), held.history
    if start.n_states > 1 and isinstance(start, cp.Acceptor):
        tied = cp.baum_welch(start, sample, 0.0, 5, tied_states=[(0, 1)], **options)
        rows = tied.model.transitions
        np.testing.assert_allclose(rows[:, 0], rows[:, 1], rtol=1e-14, atol=0)
        assert (np.diff(tied.history) >= 0.0).all(), tied.history
    if start.n_symbols > 1 and isinstance(start, cp.Acceptor):
        alike = cp.baum_welch(start, sample, 0.0, 5, tied_symbols=["ab"], **options).model.transitions
        np.testing.assert_allclose(alike[0], alike[1], rtol=1e-14, atol=0)


def _resumes(start: Any, sample: cp.Sample, options: dict[str, Any]) -> None:
    """Stopped after a few steps and taken up again: the same bytes as without a stop."""
    whole = cp.baum_welch(start, sample, TOLERANCE, 12, **options)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "climb"
        cp.baum_welch(start, sample, TOLERANCE, 12, checkpoint=path, callback=lambda now: now.steps >= 4, **options)
        again = cp.baum_welch(start, sample, TOLERANCE, 12, checkpoint=path, **options)
    assert again.history == whole.history
    assert again.stop == whole.stop
    for name, value in _numbers(whole.model).items():
        assert _numbers(again.model)[name].tobytes() == value.tobytes(), name


def _complete(truth: cp.Acceptor, alphabet: Any, rng: np.random.Generator) -> None:
    """All states seen: the estimate is the share of each move, accelerated or not."""
    sample = cp.simulate(truth, machines.words(rng, alphabet, 30, 8), rng=rng, seen="states")
    moves: defaultdict[Any, float] = defaultdict(float)
    for each in sample:
        assert each.states is not None
        for symbol, before, after in zip(each.word, each.states, each.states[1:], strict=False):
            moves[symbol, before, after] += each.count
    for accelerate in (False, True):
        found = cp.baum_welch(truth, sample, 1e-12, 50, accelerate=accelerate).acceptor
        for (a, s, t), count in moves.items():
            out = sum(moves.get((a, s, u), 0.0) for u in truth.states)
            np.testing.assert_allclose(found.transition(a, s, t), count / out, rtol=1e-12, atol=0)


# -- Learning ----------------------------------------------------------------------------------------------------------


def _sample(words: Any, rng: np.random.Generator, **options: Any) -> cp.Sample:
    accepted = rng.choice([True, False], len(words)).tolist()
    return cp.Sample(words, accepted, **options)


def _tiny_words(rng: np.random.Generator) -> list[str]:
    return machines.words(rng, "ab", 12, 6)


SHAPES: dict[str, Callable[[np.random.Generator], cp.Sample]] = {
    "one word": lambda rng: _sample(["ab"], rng),
    "one empty word": lambda rng: _sample([""], rng),
    "empty words": lambda rng: _sample([""] * 6, rng, alphabet="ab"),
    "one class": lambda rng: cp.Sample(_tiny_words(rng), [bool(rng.random() < 0.5)] * 12),
    "unlabelled": lambda rng: cp.Sample(_tiny_words(rng)),
    "half labelled": lambda rng: cp.Sample(_tiny_words(rng), [(True, False, None)[k] for k in rng.integers(0, 3, 12)]),
    "both labels": lambda rng: cp.Sample(["ab", "ab", "b", "b"], [True, False, True, False]),
    "weights": lambda rng: _sample(_tiny_words(rng), rng, counts=10.0 ** rng.uniform(-200, 200, 12)),
    "small weights": lambda rng: _sample(_tiny_words(rng), rng, counts=10.0 ** rng.uniform(-299, -280, 12)),
    "large weights": lambda rng: _sample(_tiny_words(rng), rng, counts=10.0 ** rng.uniform(280, 297, 12)),
    "long words": lambda rng: _sample(["".join(rng.choice(["a", "b"], 3000)) for _ in range(3)], rng),
    "many symbols": lambda rng: _sample([rng.integers(0, 400, 6).tolist() for _ in range(30)], rng),
    "one symbol": lambda rng: _sample(["a" * int(k) for k in rng.integers(0, 9, 20)], rng),
    "verdicts": lambda rng: cp.simulate(machines.acceptor(rng, 3, "even"), _one_symbol(rng), rng, "verdicts"),
    "states": lambda rng: cp.simulate(machines.acceptor(rng, 3, "even"), _one_symbol(rng), rng, "states"),
    "odd symbols": lambda rng: _sample([(1, "a"), ((), "a", -0.5), (None.__class__, 1)], rng),
}


def _one_symbol(rng: np.random.Generator) -> list[str]:
    return ["a" * int(k) for k in rng.integers(0, 6, 15)]


def learning(seed: int) -> int:
    """One shape of sample, learned twice: by an acceptor, or a generator."""
    rng = np.random.default_rng(seed)
    shape = list(SHAPES)[seed % len(SHAPES)]
    sample = SHAPES[shape](rng)
    learn = cp.learn_generator if (seed // len(SHAPES)) % 2 else cp.learn
    options: dict[str, Any] = {"n_states": [2, 1, 3][seed % 3], "rng": int(rng.integers(1000))}
    if shape == "states":
        del options["n_states"]
    one, two = _outcome(learn, sample, options), _outcome(learn, sample, {**options, "threads": 1})
    assert one == two, (shape, options, one, two)
    return 1


def _outcome(learn: Callable[..., Any], sample: cp.Sample, options: dict[str, Any]) -> tuple[Any, ...]:
    """Bytes and figures of what was learned, all of them finite, or the sentence of the refusal."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            fit = learn(sample, **options)
    except cp.CutpointError as error:
        check_sentence(error)
        return (str(error),)
    numbers = [value for _, value in sorted(_numbers(fit.model).items())]
    assert all(np.isfinite(value).all() for value in numbers)
    assert np.isfinite(fit.log_likelihood), fit
    assert np.isfinite(fit.history).all(), fit
    assert "nan" not in repr(fit), fit
    return (*(value.tobytes() for value in numbers), fit.log_likelihood, fit.history)


# -- Planted errors ----------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def overlong_steps() -> Iterator[None]:
    """The M-step goes one part in a hundred too far, and every step is kept."""
    from cutpoint.em.climb import Climb

    right = Climb.step

    def wrong(self: Any) -> None:
        right(self)
        self.history[-1] -= 1e-3

    with patch.object(Climb, "step", wrong):
        yield


@contextlib.contextmanager
def seeds_forgotten() -> Iterator[None]:
    """Learning draws its starts from the system instead of its seed."""
    with patch("cutpoint.search.learn.random_generator", lambda _: np.random.default_rng()):
        yield


ROWS = [
    Row(
        "em-laws",
        "The likelihood never decreases; counts add in any split; the order of states means nothing; zeros, fixed and "
        "tied entries stay so; accelerated and plain fits of complete data end at the shares of moves; a fit taken up "
        "again from its checkpoint ends with the same bytes.",
        em_laws,
        overlong_steps,
    ),
    Row(
        "learning",
        "`learn` and `learn_generator` end with finite figures, or a sentence, for samples of every shape (one word, "
        "one class, no labels, weights from 1e-200 to 1e200, long words, many symbols), and depend on the seed alone.",
        learning,
        seeds_forgotten,
        tries=32,
    ),
]
