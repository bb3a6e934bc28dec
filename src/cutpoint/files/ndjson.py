"""NDJSON: one JSON object per line, its keys are the columns."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from cutpoint.data import Sample
from cutpoint.errors import InvalidArgument
from cutpoint.files.streams import Block, Rows, refusal
from cutpoint.files.tokens import distinct_keys
from cutpoint.wording import shown


def rows_of(blocks: Iterable[Block], name: str) -> Iterator[Rows]:
    """Rows of a text, block by block; a key that an object does not have is missing there. Empty lines are left out."""
    for block in blocks:
        lines = enumerate(block.text.split("\n")[:-1], block.line)
        objects = {line: _object(text, name, line) for line, text in lines if text and not text.isspace()}
        names = dict.fromkeys(key for found in objects.values() for key in found)
        if objects:
            yield Rows({key: [found.get(key) for found in objects.values()] for key in names}, list(objects))


def written(sample: Sample) -> str:
    """A sample as NDJSON: objects with all that is known of the observations."""
    names = {state for mark in sample.mark_table for state in mark.states or ()}
    for value in (*sample.alphabet, *names):
        if not isinstance(value, str | int | float) or value != value or value in (float("inf"), -float("inf")):  # noqa: PLR0124
            raise InvalidArgument(f"NDJSON holds symbols and states that are texts or numbers; got {shown(value)}.")
    is_text, lines = sample.alphabet.is_text and " " not in sample.alphabet, []
    for seen in sample:
        word = seen.word if is_text else list(seen.word)
        row: dict[str, Any] = {"word": word, "accepted": seen.accepted, "count": seen.count}
        if sample.marks is not None:
            row["verdicts"] = seen.verdicts
            row["states"] = [list(state) if isinstance(state, set) else state for state in seen.states or ()] or None
        lines.append(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n")
    return "".join(lines)


def _object(text: str, name: str, line: int) -> dict[str, Any]:
    try:
        found = _DECODER.decode(text)
    except json.JSONDecodeError as problem:
        raise refusal(name, f"column {problem.colno}: the JSON is not valid ({problem.msg}).", line) from None
    except KeyError as repeated:
        raise refusal(name, f"the key {shown(repeated.args[0])} occurs twice in an object.", line) from None
    except RecursionError:
        raise refusal(name, "the lists are nested too deeply.", line) from None
    except ValueError as problem:  # NaN, or an integer of thousands of digits
        raise refusal(name, f"the JSON cannot be read ({str(problem).split(';')[0]}).", line) from None
    if not isinstance(found, dict):
        raise refusal(name, f'each line must be an object such as {{"word": "ab"}}; got {shown(found)}.', line)
    return found


def _no_constant(text: str) -> None:
    raise ValueError(f"{text} is not JSON")


_DECODER = json.JSONDecoder(object_pairs_hook=distinct_keys, parse_constant=_no_constant)
