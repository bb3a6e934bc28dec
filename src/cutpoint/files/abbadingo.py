"""Abbadingo and PAutomaC: a line with the numbers of words and symbols, then a word per line, its length first.

In Abbadingo a label comes before the length: 1 accepted, 0 rejected, -1 not known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from cutpoint.data import Sample
from cutpoint.errors import InvalidArgument
from cutpoint.files.streams import Block, Rows, refusal
from cutpoint.wording import counted, listed, shown

LARGEST_ALPHABET = 100_000
"""Symbols that a header may claim."""
LABELS = {"1": True, "0": False, "-1": None}


def rows_of(blocks: Iterable[Block], name: str, labeled: bool) -> Iterator[Rows]:
    """Rows of a file; its symbols are texts, such as '0' and '1', and so are those that the header declares."""
    header, total = None, 0
    seen: set[str] = set()
    for block in blocks:
        lines = [(number, text.split()) for number, text in enumerate(block.text.split("\n"), block.line)]
        filled = [(number, cells) for number, cells in lines if cells]
        if header is None and filled:
            header = _header(*filled.pop(0), name)
        if header is None or not filled:
            continue
        n_words, n_symbols = header
        total += len(filled)
        if total > n_words:
            line = filled[n_words - total][0]
            raise refusal(name, f"the header says {counted(n_words, 'word')}; there are more.", line)
        words = [_symbols(number, cells, name, labeled) for number, cells in filled]
        seen.update(chain.from_iterable(words))
        if len(seen) > n_symbols:
            raise refusal(name, f"the header says {counted(n_symbols, 'symbol')}; there are {listed(sorted(seen))}.")
        symbols = [str(code) for code in range(n_symbols)]
        labels = [_label(number, cells, name) for number, cells in filled] if labeled else []
        columns: dict[str | int, list[Any]] = {"word": words, "accepted": labels} if labeled else {"word": words}
        declared = symbols if seen <= {*symbols} else None
        yield Rows(columns, [number for number, _ in filled], symbols=declared)
    if header is None:
        raise refusal(name, "the file is empty.")
    if total != header[0] or not total:
        what = f"the header says {counted(header[0], 'word')}; got {total}."
        raise refusal(name, what, advice="Is the file complete?")


def written(sample: Sample) -> str:
    """Text of a sample in Abbadingo's format; what it cannot hold is refused."""
    if sample.marks is not None:
        raise InvalidArgument("Abbadingo cannot hold what was seen along the words. Write NDJSON.")
    for symbol in sample.alphabet:
        if not isinstance(symbol, str) or symbol.split() != [symbol]:
            raise InvalidArgument(f"Abbadingo holds symbols that are texts without blanks; got {shown(symbol)}.")
    if not (sample.counts % 1 == 0).all():
        raise InvalidArgument("Abbadingo repeats an observation as often as it was seen; counts must be whole numbers.")
    label = {outcome: text for text, outcome in LABELS.items()}
    lines = [f"{int(sample.total)} {len(sample.alphabet)}\n"]
    for seen in sample:
        word = " ".join((label[seen.accepted], str(len(seen.word)), *map(str, seen.word)))
        lines.extend([word + "\n"] * int(seen.count))
    return "".join(lines)


def _header(line: int, cells: list[str], name: str) -> tuple[int, int]:
    if len(cells) != 2 or not all(cell.isascii() and cell.isdigit() and len(cell) < 16 for cell in cells):
        what = f"expected the numbers of words and symbols, such as 20 2; got {shown(' '.join(cells))}."
        raise refusal(name, what, line)
    n_words, n_symbols = map(int, cells)
    if n_symbols > LARGEST_ALPHABET:
        what = f"the header claims {n_symbols:,} symbols; the limit is {counted(LARGEST_ALPHABET, 'symbol')}."
        raise refusal(name, what, line)
    return n_words, n_symbols


def _symbols(line: int, cells: list[str], name: str, labeled: bool) -> list[str]:
    """Symbols of a line, after its label and length."""
    first = 2 if labeled else 1
    if len(cells) < first or cells[first - 1] != str(len(cells) - first):
        claimed = cells[first - 1] if len(cells) >= first else "nothing"
        raise refusal(
            name,
            f"column {first}: the length must be the number of symbols that follow; "
            f"got {shown(claimed)} and {counted(max(len(cells) - first, 0), 'symbol')}.",
            line,
        )
    return cells[first:]


def _label(line: int, cells: list[str], name: str) -> str:
    """Label of a line as an outcome in text."""
    if cells[0] not in LABELS:
        raise refusal(name, f"column 1: a label must be 1, 0, or -1 for not known; got {shown(cells[0])}.", line)
    return cells[0] if cells[0] != "-1" else ""
