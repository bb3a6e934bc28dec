"""Smoothed n-grams of a sample as a deterministic generator: its states are what the last n - 1 symbols can be."""

from collections.abc import Iterator

import numpy as np

from cutpoint.data import Sample
from cutpoint.errors import TooLarge
from cutpoint.kernels.words import Floats, offsets_of
from cutpoint.wording import counted

MOST_ENTRIES = 5 * 10**7  # most entries of the transitions of an n-gram model

Context = tuple[int, ...]  # codes of the last symbols; the number of symbols stands for the beginning of the word


def ngram_chain(
    sample: Sample, n: int, most_entries: int | None = None
) -> tuple[list[str | tuple[object, ...]], Floats, Floats]:
    """Names of states, the first one initial, transitions ``[a, s, t]`` and stop of the n-gram model of a sample."""
    size = len(sample.alphabet)
    n = min(n, int(sample.lengths.max()) + 2)  # a whole word, and what follows it: no context is longer
    rows = {
        context: row for contexts, table in _levels(sample, n) for context, row in zip(contexts, table, strict=True)
    }

    def known(context: Context) -> Context:
        """The longest end of a context, of at most n - 1 symbols, that occurs."""
        start = max(len(context) - n + 1, 0)
        return next(end for end in (context[i:] for i in range(start, len(context) + 1)) if end in rows)

    states = {known((size,)): 0}
    edges = []
    for context in (waiting := list(states)):
        for symbol in range(size):
            after = known((*context, symbol))
            if after not in states:
                states[after] = len(states)
                waiting.append(after)
                if size * len(states) ** 2 > (most_entries or MOST_ENTRIES):
                    what = f"the {n}-grams of this sample have more than {counted(len(states) - 1, 'context')}"
                    raise TooLarge(f"{what} over {counted(size, 'symbol')}: too many states. Lower n.")
            edges.append((symbol, states[context], states[after]))
    table = np.array([rows[context] for context in states])
    steps = np.zeros((size, len(states), len(states)))
    emitted, before, following = np.array(edges, dtype=np.int64).reshape(-1, 3).T
    steps[emitted, before, following] = table[before, emitted]
    return _names(states, sample), steps, table[:, size]


def _levels(sample: Sample, n: int) -> Iterator[tuple[list[Context], Floats]]:
    r"""Contexts of 0, 1, … n - 1 symbols that occur, and what follows each, the end of the word last: ``[c, a]``.

    Interpolation of Witten and Bell: with c(ha) occurrences of a after h and t(h) different symbols after h,

    .. math:: P(a \mid h) = \frac{c(ha) + t(h)\, P(a \mid h')}{c(h) + t(h)}

    where h' is h without its first symbol. Below the empty context all symbols are equally probable.
    """
    words, size = sample.decoded, len(sample.alphabet)
    begins = offsets_of((words.lengths + 1).tolist())  # of words with a mark in front
    is_mark = np.zeros(begins[-1], dtype=np.bool_)
    is_mark[begins[:-1]] = True
    before = np.full(begins[-1], size, dtype=np.int64)
    before[~is_mark] = words.symbols
    after = np.append(before[1:], size)  # a mark ends the word before it
    weights, first_places = (np.repeat(values, words.lengths + 1) for values in (sample.counts, begins[:-1]))
    depths = np.arange(begins[-1]) - first_places
    contexts: list[Context] = [()]
    places, ids = np.arange(begins[-1]), np.zeros(begins[-1], dtype=np.int64)
    shorter = np.full((1, size + 1), 1.0 / (size + 1))
    for length in range(n):
        if length:
            kept = depths[places] >= length - 1
            places, ids = places[kept], ids[kept]
            keys, ids = np.unique(ids * (size + 1) + before[places - length + 1], return_inverse=True)
            parents, first = np.divmod(keys, size + 1)
            contexts = [(int(a), *contexts[parent]) for a, parent in zip(first, parents, strict=True)]
            shorter = shorter[parents]
        counts = np.zeros((len(contexts), size + 1))
        np.add.at(counts, (ids, after[places]), weights[places])
        different = (counts > 0).sum(axis=1, keepdims=True)
        shorter = (counts + different * shorter) / (counts.sum(axis=1, keepdims=True) + different)
        yield contexts, shorter


def _names(states: dict[Context, int], sample: Sample) -> list[str | tuple[object, ...]]:
    """Contexts as texts, such as ``^a`` after a first symbol a; as tuples if two would look alike."""
    parts = [*sample.alphabet, "^"]
    single = all(isinstance(symbol, str) and len(symbol) == 1 for symbol in sample.alphabet)
    texts = [("" if single else " ").join(str(parts[code]) for code in context) for context in states]
    if len(set(texts)) == len(texts):
        return list(texts)
    size = len(sample.alphabet)
    return [(context[:1] == (size,), *(parts[code] for code in context if code < size)) for context in states]
