"""DRN, the explicit format of the model checker Storm: a Markov decision process, fractions included."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cutpoint.errors import FormatError
from cutpoint.files.mdp import State, acceptor_of, n_choices, process
from cutpoint.files.model import Model, Options, only_acceptor
from cutpoint.files.numerals import number_of, numeral
from cutpoint.files.source import Source
from cutpoint.files.transitions import check_room
from cutpoint.wording import shown

_HEAD = """// one action per symbol; final states are labelled accept
@type: MDP
@parameters

@reward_models

@nr_states
{states}
@nr_choices
{choices}
@model
"""
_STATE = re.compile(r"state ([0-9]+)((?: [^\s\[\]{}!]+)*)")
_ACTION = re.compile(r"action ([^\s\[\]]+)")
_NEXT = re.compile(r"([0-9]{1,18}) ?: ?(\S+)")
_VALUES = ("double", "rational")
_BELOW = ("@nr_states", "@nr_choices", "@parameters", "@reward_models")
"""Keys of the head whose value stands on the line below."""


def write(model: Model, _: Options) -> dict[str, bytes]:
    """Decision process of an acceptor."""
    states = process(only_acceptor(model, "DRN"))
    text = _HEAD.format(states=len(states), choices=n_choices(states)) + "".join(_lines(states))
    return {"": text.encode()}


def read(source: Source, options: Options) -> Model:
    """Acceptor of a decision process with one action per symbol."""
    return Model(acceptor_of(source, options, _Parser(source).states()))


def _lines(states: list[State]) -> Iterator[str]:
    for s, state in enumerate(states):
        yield f"{' '.join(['state', str(s), *state.labels])}\n"
        for action, row in state.choices:
            yield f"\taction {action}\n"
            for t, value in row.items():
                yield f"\t\t{t} : {numeral(value)}\n"


class _Parser:
    """Lines of a file, one after the other."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.lines = ((n, line) for n, line in source.lines() if not line.startswith("//"))
        self.n = 0

    def states(self) -> list[State]:
        """States of the model; the numbers that the head claims must be those of the lines."""
        claimed = self._head()
        states: list[State] = []
        for line in self._rest():
            if found := _STATE.fullmatch(line):
                if found[1] != str(len(states)):
                    raise self.refused(f"expected state {len(states)}; got {shown(found[1])}.")
                states.append(State(found[2].split(), []))
                check_room(self.source, len(states), 1, exact=False)
            elif states and (found := _ACTION.fullmatch(line)):
                states[-1].choices.append((found[1], {}))
            elif states and states[-1].choices and (found := _NEXT.fullmatch(line)):
                self._next(states[-1], int(found[1]), found[2])
            else:
                raise self.refused(f"expected a state, an action or a next state, without rewards; got {shown(line)}.")
        for key, count in (("@nr_states", len(states)), ("@nr_choices", n_choices(states))):
            if claimed.get(key, str(count)) != str(count):
                raise self.source.refused(f"{key} claims {shown(claimed[key])}; the file has {count}.")
        return states

    def refused(self, sentence: str) -> FormatError:
        """Error at the current line."""
        return self.source.refused(sentence, f"line {self.n}")

    def _head(self) -> dict[str, str]:
        """What the head says, each key once."""
        found: dict[str, str] = {}
        key = ""
        for line in self._rest():
            if line == "@model":
                if found.get("@type:") != "MDP":
                    raise self.refused("expected @type: MDP before the model.")
                return found
            if line.startswith("@"):
                key, _, value = line.partition(" ")
                if key in found:
                    raise self.refused(f"{shown(key)} occurs twice.")
            elif key in _BELOW and not found[key]:
                value = line
            else:
                raise self.refused(f"expected a line of the head of a DRN file; got {shown(line)}.")
            self._check(key, value)
            found[key] = value
        raise self.source.refused("expected @model; the file ends before. Is it whole?")

    def _check(self, key: str, value: str) -> None:
        if key == "@type:" and value != "MDP":
            raise self.refused(f"expected a Markov decision process, MDP; got {shown(value)}.")
        if key in ("@parameters", "@reward_models") and value:
            raise self.refused(f"an acceptor has no {key[1:].replace('_', ' ')}; got {shown(value)}.")
        if key == "@value_type:" and value not in _VALUES:
            raise self.refused(f"expected a value type out of {', '.join(_VALUES)}; got {shown(value)}.")
        if key not in ("@type:", "@value_type:", *_BELOW):
            raise self.refused(f"expected a line of the head of a DRN file; got {shown(key)}.")

    def _rest(self) -> Iterator[str]:
        for n, line in self.lines:
            self.n = n
            yield line

    def _next(self, state: State, target: int, text: str) -> None:
        row = state.choices[-1][1]
        if target in row:
            raise self.refused(f"the next state {target} occurs twice.")
        try:
            row[target] = number_of(text)
        except ValueError:
            raise self.refused(f"expected a probability; got {shown(text)}.") from None
