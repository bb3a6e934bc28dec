"""Models and solutions of the competition PAutomaC; its samples are in ``abbadingo.py``.

A model has four parts, which list their positive entries: I, the initial distribution; F, the probability to stop in a
state; S, that of a symbol in a state that does not stop; T, that of the next state after a state and a symbol. A step
has the probability (1 - F) S T. States and symbols are numbered from 0; symbols are texts, as in samples.
"""

import os
import re
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Words
from cutpoint.data.storage import write_whole
from cutpoint.errors import InvalidArgument
from cutpoint.files.contents import Options, built, check_bare, check_room, check_size, in_floats
from cutpoint.files.streams import InputFile, Source, blocks, name_of, refusal
from cutpoint.files.tokens import Number, number_of, numeral
from cutpoint.model import Generator
from cutpoint.model.prediction import Model
from cutpoint.wording import counted, listed, shown

HEADS = {"I": "(state)", "F": "(state)", "S": "(state,symbol)", "T": "(state,symbol,state)"}

_HEAD = re.compile(r"([IFST])\s*:\s*(\([a-z, ]*\))?")
_ENTRY = re.compile(r"\(([0-9]{1,18}(?:\s*,\s*[0-9]{1,18})*)\)\s*(\S+)")


def read(source: Source, options: Options) -> Model:
    """Generator of a file; exact if all its numbers are."""
    tables: dict[str, dict[tuple[int, ...], Number]] = {}
    part = ""
    for place, line in source.lines():
        if head := _HEAD.fullmatch(line):
            part = head[1]
            if part in tables:
                raise source.refused(f"the part {part} occurs twice.", place)
            tables[part] = {}
            continue
        if not part:
            raise source.refused(f"expected the head of a part, such as I: (state); got {shown(line)}.", place)
        found, expected = _ENTRY.fullmatch(line), HEADS[part]
        key = tuple(map(int, found[1].split(","))) if found else ()
        if found is None or len(key) != expected.count(",") + 1:
            raise source.refused(f"expected {expected} and a probability; got {shown(line)}.", place)
        if key in tables[part]:
            raise source.refused(f"the entry {found[0].partition(')')[0]}) occurs twice.", place)
        tables[part][key] = source.probability(found[2], place)
    if missing := HEADS.keys() - tables.keys():
        raise source.refused(f"expected the parts I, F, S and T; {', '.join(sorted(missing))} is missing.")
    n_states = 1 + max((max(key[::2]) for table in tables.values() for key in table), default=-1)
    n_symbols = 1 + max((key[1] for part in "ST" for key in tables[part]), default=-1)
    check_room(source, n_states, n_symbols)
    exact = all(isinstance(value, Fraction) for table in tables.values() for value in table.values())
    shapes = {"I": (n_states,), "F": (n_states,), "S": (n_states, n_symbols), "T": (n_states, n_symbols, n_states)}
    arrays = {part: np.full(shape, Fraction(0) if exact else 0.0) for part, shape in shapes.items()}
    for part, table in tables.items():
        for key, value in table.items():
            arrays[part][key] = value
    steps = (((1 - arrays["F"])[:, None] * arrays["S"])[:, :, None] * arrays["T"]).transpose(1, 0, 2)
    names = range(n_states), [str(code) for code in range(n_symbols)]
    return Model(built(source, options, Generator, *names, steps, arrays["I"], arrays["F"], None))


def write(model: Model, options: Options) -> dict[str, bytes]:
    """File of a generator; a last symbol that is never emitted is listed with 0, so that it is not lost."""
    kind = "PAutomaC"
    check_bare(model, kind)
    if not isinstance(model.machine, Generator):
        raise InvalidArgument(f"{kind} holds generators; got an acceptor. Save it as .json.")
    generator = in_floats(model.machine, options, kind)
    check_size(generator, kind)
    if not options.bare:
        _check_names(generator)
    moves = generator.transitions.sum(axis=2).T
    with np.errstate(invalid="ignore", divide="ignore"):
        tables = {
            "I": generator.initial,
            "F": generator.stop,
            "S": np.nan_to_num(moves / (1.0 - generator.stop)[:, None], posinf=0.0),
            "T": np.nan_to_num(generator.transitions.transpose(1, 0, 2) / moves[:, :, None]),
        }
    lines = []
    for part, table in tables.items():
        lines.append(f"{part}: {HEADS[part]}")
        lines += [_entry(key, table[key]) for key in zip(*(axis.tolist() for axis in table.nonzero()), strict=True)]
        if part == "S" and not moves[:, -1].any():
            lines.append(_entry((0, generator.n_symbols - 1), 0.0))
    return {"": ("\n".join(lines) + "\n").encode()}


def read_solution(path: InputFile) -> NDArray[np.float64]:
    r"""Probabilities of the words of a test set, in their order: a file with their number, then one on each line.

    Examples
    --------
    >>> import io
    >>> read_solution(io.StringIO("2\n0.75\n0.25\n"))
    array([0.75, 0.25])
    """
    name, cells = name_of(path), list[tuple[int, str]]()
    for block in blocks(path):
        cells += [(line, text.strip()) for line, text in enumerate(block.text.split("\n"), block.line) if text.strip()]
    if not cells:
        raise refusal(name, "the file is empty.")
    (line, first), *rest = cells
    if not re.fullmatch("[0-9]{1,15}", first) or int(first) != len(rest):
        found = f"got {shown(first)} and {counted(len(rest), 'line')}"
        raise refusal(name, f"expected the number of probabilities, then one on each line; {found}.", line)
    values = []
    for line, text in rest:
        try:
            values.append(float(number_of(text)))
        except ValueError:
            raise refusal(name, f"expected a probability; got {shown(text)}.", line) from None
    return np.array(values)


def write_solution(probabilities: Iterable[float], path: str | os.PathLike[str]) -> None:
    """Write the probabilities of a test set's words, as :func:`read_solution` reads them."""
    values = [float(value) for value in probabilities]
    if not all(0.0 <= value < np.inf for value in values):
        raise InvalidArgument("probabilities must be finite numbers that are not negative.")
    write_whole(path, "".join(f"{each}\n" for each in (len(values), *map(repr, values))).encode())


def competition_score(generator: Generator, words: Words, solution: Iterable[float]) -> float:
    r"""Score of the competition: perplexity of the true law on a test set, both laws rescaled to sum to 1 on it.

    .. math:: 2^{-\sum_x p(x) \log_2 q(x)}

    with p the solution and q the generator's probabilities; the least that can be is the score of p itself. Infinite if
    the generator gives probability 0 to a word that has a positive one.

    Parameters
    ----------
    words : the test set, in the order of the solution, none of them twice.
    solution : see :func:`read_solution`.

    Examples
    --------
    >>> G = cp.Generator(1, "ab", {"a": [[0.5]], "b": [[0.25]]}, 0, [0.25])
    >>> competition_score(G, ["a", "b"], [2 / 3, 1 / 3])  # doctest: +ELLIPSIS
    1.88988...
    """
    true, logs = np.array([*map(float, solution)]), generator.log_probabilities(words)
    if true.shape != logs.shape or not (true >= 0).all() or not 0 < true.sum() < np.inf:
        what = f"must have one probability per word, {len(logs)}, and a positive sum"
        raise InvalidArgument(f"{what}; got {counted(len(true), 'number')}.", argument="solution")
    shares = true / true.sum()
    seen = shares > 0
    loss = -(shares[seen] * (logs[seen] - np.logaddexp.reduce(logs))).sum()
    return float(np.exp(loss)) if not np.isnan(loss) else np.inf


def _check_names(generator: Generator) -> None:
    """Refuse what has no place in the file: names, and states that are not final."""
    is_numbered = [str(symbol) for symbol in generator.alphabet] == [str(code) for code in range(generator.n_symbols)]
    what = ""
    if not generator.final.all():
        what = f"cannot hold final states, {listed(generator.final_states)}."
    elif not is_numbered:
        what = f"has the symbols 0, 1, 2, …; got {listed(generator.alphabet)}."
    elif generator.states != tuple(range(generator.n_states)):
        what = f"numbers states and cannot hold their names; got {listed(generator.states)}."
    if what:
        advice = "Leave them out with {bare=True}, which numbers states and symbols, or save as .json."
        raise InvalidArgument(f"PAutomaC {what}", advice=advice)


def _entry(key: tuple[int, ...], value: Any) -> str:
    return f"\t({','.join(map(str, key))}) {numeral(float(value))}"
