"""Abbadingo and PAutomaC: a line with the numbers of words and symbols, then a word per line, its length first.

In Abbadingo a label comes before the length: 1 accepted, 0 rejected, -1 not known.
"""

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

from cutpoint.data import Sample
from cutpoint.errors import InvalidArgument
from cutpoint.files.streams import Block, Rows, check_plain, refusal
from cutpoint.wording import counted, listed, shown

LARGEST_ALPHABET = 100_000  # symbols that a header may claim
LABELS = {"1": True, "0": False, "-1": None}


def rows_of(blocks: Iterable[Block], name: str, labeled: bool) -> Iterator[Rows]:
    """Rows of a file; its symbols are texts, such as '0' and '1', and so are those that the header declares."""
    header, total = None, 0
    seen: set[str] = set()
    for block in blocks:
        lines = enumerate(map(str.split, block.text.split("\n")), block.line)
        filled = {line: cells for line, cells in lines if cells}
        if header is None and filled:
            line = next(iter(filled))
            header = n_words, n_symbols = _header(line, filled.pop(line), name)
        if header is None or not filled:
            continue
        total += len(filled)
        if total > n_words:
            line = list(filled)[n_words - total]
            raise refusal(name, f"the header says {counted(n_words, 'word')}; there are more.", line)
        words = [_symbols(line, cells, name, labeled) for line, cells in filled.items()]
        seen.update(chain.from_iterable(words))
        if len(seen) > n_symbols:
            raise refusal(name, f"the header says {counted(n_symbols, 'symbol')}; there are {listed(sorted(seen))}.")
        columns: dict[str | int, list[Any]] = {"word": words}
        if labeled:
            columns["accepted"] = [_label(line, cells[0], name) for line, cells in filled.items()]
        symbols = [str(code) for code in range(n_symbols)]
        yield Rows(columns, list(filled), symbols=symbols if seen <= {*symbols} else None)
    if header is None:
        raise refusal(name, "the file is empty.")
    if total != n_words or not total:
        what = f"the header says {counted(n_words, 'word')}; got {total}."
        raise refusal(name, what, advice="Is the file complete?")


def written(sample: Sample, labeled: bool = True) -> str:
    """Text of a sample in Abbadingo's format, or without labels in PAutomaC's; what it cannot hold is refused."""
    kind = "Abbadingo" if labeled else "PAutomaC"
    check_plain(sample, kind, lambda symbol: symbol.split() == [symbol] and "\0" not in symbol)
    if not (sample.counts % 1 == 0).all():
        raise InvalidArgument(f"{kind} repeats an observation as often as it was seen; counts must be whole numbers.")
    if not labeled and sample.ends.any():
        raise InvalidArgument("PAutomaC cannot hold outcomes. Write Abbadingo, or a sample of the words alone.")
    label = {outcome: [text] if labeled else [] for text, outcome in LABELS.items()}
    lines = [f"{int(sample.total)} {len(sample.alphabet)}"]
    for seen in sample:
        word = " ".join((*label[seen.accepted], str(len(seen.word)), *map(str, seen.word)))
        lines += [word] * int(seen.count)
    return "\n".join(lines) + "\n"


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
    length, symbols = "".join(cells[first - 1 : first]) or "nothing", cells[first:]
    if length != str(len(symbols)):
        what = f"column {first}: the length must be the number of symbols that follow"
        raise refusal(name, f"{what}; got {shown(length)} and {counted(len(symbols), 'symbol')}.", line)
    return symbols


def _label(line: int, label: str, name: str) -> str:
    """Label of a line as an outcome in text, so that ``positive`` may name it."""
    if label not in LABELS:
        raise refusal(name, f"column 1: a label must be 1, 0, or -1 for not known; got {shown(label)}.", line)
    return label if label != "-1" else ""
