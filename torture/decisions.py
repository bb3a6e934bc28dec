"""Row about decisions: what is decided or reduced, against brute force over all short words in rational numbers."""

import contextlib
import importlib
from collections.abc import Iterator
from fractions import Fraction
from typing import Any
from unittest.mock import patch

import numpy as np

import cutpoint as cp
from torture import machines
from torture.scoreboard import Row

LONGEST = 5


def decisions(seed: int) -> int:
    """Two small rational acceptors: equivalence, reductions, languages, distance."""
    rng = np.random.default_rng(seed)
    left = machines.rational_acceptor(rng, 3, symbols=2)
    right = _disguised(left, rng) if seed % 3 else machines.rational_acceptor(rng, 3, symbols=2)
    words = machines.all_words(left.alphabet, max(LONGEST, left.n_states + right.n_states - 1))
    ours, theirs = ([machines.exact_value(model, word, model.final) for word in words] for model in (left, right))
    _equivalence(left, right, words, ours, theirs)
    _reductions(left, words, ours)
    _operators(left, right, words, ours, theirs)
    short = machines.all_words(left.alphabet, LONGEST)
    cuts = {Fraction(0), Fraction(1, 2), ours[int(rng.integers(len(short)))], Fraction(int(rng.integers(8)), 7)}
    for cut in sorted(cuts):
        _language(left, cut, short, dict(zip(words, ours, strict=True)))
    return 2 * len(words) + 8 * len(short) * len(cuts)


def _disguised(model: cp.Acceptor, rng: np.random.Generator) -> cp.Acceptor:
    """The states in another order; and a copy of one, where half of its visits go; or that with one move changed."""
    order = rng.permutation(model.n_states)
    steps, start = model.exact_transitions[:, order][:, :, order], model.exact_initial[order]
    steps = np.concatenate((steps, steps[:, :1]), axis=1)
    half = np.concatenate((steps, steps[:, :, :1] / 2), axis=2)
    half[:, :, 0] /= 2
    begin = np.append(start, start[0] / 2)
    begin[0] /= 2
    final = np.append(model.final[order], model.final[order[0]])
    if rng.random() < 0.3:
        final[-1] = not final[-1]
    return cp.Acceptor(len(begin), model.alphabet, half, begin, final)


def _equivalence(
    left: cp.Acceptor, right: cp.Acceptor, words: list[str], ours: list[Fraction], theirs: list[Fraction]
) -> None:
    """Acceptors of l and m states that agree on all words shorter than l + m agree on all."""
    found = cp.equivalence(left, right)
    first = next((k for k in range(len(words)) if ours[k] != theirs[k]), None)
    expected = cp.Equal() if first is None else cp.Different(words[first], ours[first], theirs[first])
    assert found == expected, (left, right, found, expected)
    if isinstance(found, cp.Equal):
        cp.decision.check(found)
    gaps = [abs(a - b) for a, b in zip(ours, theirs, strict=True)]
    largest = cp.distance(left, right, max_length=len(words[-1]))
    assert largest.value == max(gaps), (left, right, largest)
    assert largest.word == words[gaps.index(max(gaps))], (left, right, largest)


def _reductions(model: cp.Acceptor, words: list[str], values: list[Fraction]) -> None:
    small, lumped, trimmed = cp.minimize(model), cp.quotient(model), cp.trim(model)
    cp.decision.check(small)
    assert [machines.exact_value(small, word, small.exact_final) for word in words] == values, (model, small)
    assert small.dimension == _rank(model), (model, small)
    for smaller in (lumped, trimmed):
        assert [machines.exact_value(smaller, word, smaller.final) for word in words] == values, (model, smaller)
    assert lumped.n_states == _fewest_classes(model), (model, lumped)


def _rank(model: cp.Acceptor) -> int:
    """Rank of the values of all words x y, x and y shorter than the number of states."""
    parts = machines.all_words(model.alphabet, model.n_states - 1)
    rows = [[machines.exact_value(model, x + y, model.final) for y in parts] for x in parts]
    rank = 0
    for column in range(len(parts)):
        pivot = next((k for k in range(rank, len(rows)) if rows[k][column]), None)
        if pivot is None:
            continue
        rows[rank], rows[pivot] = rows[pivot], rows[rank]
        for k in range(rank + 1, len(rows)):
            factor = rows[k][column] / rows[rank][column]
            rows[k] = [a - factor * b for a, b in zip(rows[k], rows[rank], strict=True)] if factor else rows[k]
        rank += 1
    return rank


def _fewest_classes(model: cp.Acceptor) -> int:
    """Fewest classes of states such that those of one class enter each class alike: all partitions are tried."""
    n, P = model.n_states, model.exact_transitions
    best = n
    for labels in np.ndindex(*(n,) * n):
        classes = [[s for s in range(n) if labels[s] == c] for c in set(labels)]
        alike = all(
            model.final[s] == model.final[own[0]]
            and all(P[a, s, c].sum() == P[a, own[0], c].sum() for a in range(model.n_symbols) for c in classes)
            for own in classes
            for s in own
        )
        best = min(best, len(classes)) if alike else best
    return best


def _operators(
    left: cp.Acceptor, right: cp.Acceptor, words: list[str], ours: list[Fraction], theirs: list[Fraction]
) -> None:
    for found, expected in (
        (~left, [1 - p for p in ours]),
        (left & right, [p * q for p, q in zip(ours, theirs, strict=True)]),
        (left | right, [p + q - p * q for p, q in zip(ours, theirs, strict=True)]),
        (cp.mixture([left, right], ["1/3", "2/3"]), [(p + 2 * q) / 3 for p, q in zip(ours, theirs, strict=True)]),
    ):
        short = range(0, len(words), 7)
        values = [machines.exact_value(found, words[k], found.final) for k in short]
        assert values == [expected[k] for k in short], (left, right, found)


def _language(model: cp.Acceptor, cut: Fraction, words: list[str], values: dict[str, Fraction]) -> None:
    for inclusive in (False, True):
        language = cp.Language(model, cut, inclusive)
        members = [word for word in words if values[word] > cut or (inclusive and values[word] == cut)]
        assert list(language.words(LONGEST)) == members, (language, members)
        assert [language.count(n) for n in range(LONGEST + 1)] == [
            sum(len(word) == n for word in members) for n in range(LONGEST + 1)
        ], language
        found = language.find_word(LONGEST)
        assert found in members if members else found is None, (language, found)
        ranked = sorted(members, key=lambda word: (-values[word], words.index(word)))[:3]
        assert [word for word, _ in language.most_accepted(3, LONGEST)] == ranked, (language, ranked)
        dfa = language.to_dfa(max_states=300)
        if isinstance(dfa, cp.DFA):
            cp.decision.check(dfa)
            assert dfa.contains(words).tolist() == [word in members for word in words], (language, dfa)
            assert list(dfa.words(LONGEST)) == members, (language, dfa)
            assert [dfa.count(n) for n in range(4)] == [sum(len(w) == n for w in members) for n in range(4)], dfa
            assert not (~dfa).contains(members).any(), dfa
            assert dfa.minimize().n_states == dfa.n_states, "to_dfa gives a minimal machine"
    nearest = cp.Language(model, cut).isolation(LONGEST)
    assert nearest.distance == min(abs(values[word] - cut) for word in words), (model, cut, nearest)
    if nearest.certificate is not None:
        cp.decision.check(nearest)


@contextlib.contextmanager
def late_witnesses() -> Iterator[None]:
    """Words that show a difference are one symbol too long."""
    module = importlib.import_module("cutpoint.decision.equivalence")
    right = module.first_nonzero

    def wrong(integers: Any) -> Any:
        codes = right(integers)
        return codes if codes is None else (*codes, 0)

    with patch.object(module, "first_nonzero", wrong):
        yield


ROWS = [
    Row(
        "decisions",
        "Equivalence with its shortest witness, distance, minimize, quotient, trim, operators, words, counts, searches "
        "and DFAs of languages are those that brute force finds in rational numbers; their certificates are accepted.",
        decisions,
        late_witnesses,
    )
]
