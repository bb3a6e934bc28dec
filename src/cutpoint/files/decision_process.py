"""An acceptor as a Markov decision process, in Storm's DRN and in PRISM's explicit files.

One action per symbol, final states labelled ``accept``. Where the initial distribution is not all on one state, an
extra state labelled ``start`` is the initial one, and its only action, ``start``, leads on with the initial
probabilities. States whose names are not 0 … n-1 carry their name as a label.
"""

import re
from array import array
from collections.abc import Hashable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.files.contents import Options, Places, assembled_columns, check_states, fitting, in_floats
from cutpoint.files.streams import Source
from cutpoint.files.tokens import Number, NumberColumn, numeral, token
from cutpoint.kernels.sparse_matrices import SparseMatrices
from cutpoint.model import Acceptor
from cutpoint.model.prediction import Model
from cutpoint.wording import counted, shown

Column = NDArray[np.int64]

RESERVED = INIT, ACCEPT, START, DEADLOCK = "init", "accept", "start", "deadlock"

DRN_HEAD = """// one action per symbol; final states are labelled accept
@type: MDP
@parameters

@reward_models

@nr_states
{states}
@nr_choices
{choices}
@model
"""
_DRN_KEYS: dict[str, tuple[str, ...]] = {
    "@type:": ("MDP",),
    "@value_type:": ("double", "rational"),
    "@parameters": ("",),
    "@reward_models": ("",),
    "@nr_states": (),
    "@nr_choices": (),
}
"""Keys of the head of a DRN file with the values that an acceptor can have; without a colon it is on the line below."""
_STATE = re.compile(r"state ([0-9]+)((?: [^\s\[\]{}!]+)*)")
_ACTION = re.compile(r"action ([^\s\[\]]+)")
_NEXT = re.compile(r"([0-9]{1,18}) ?: ?(\S+)")

_LABEL = re.compile(r'([0-9]{1,18})="([^"]*)"')
_LABELLED = re.compile(r"([0-9]{1,18}):((?: +[0-9]{1,18})*)")
_SIZES = re.compile(r"([0-9]{1,18}) ([0-9]{1,18}) ([0-9]{1,18})")
_STEP = re.compile(r"([0-9]{1,18}) ([0-9]{1,18}) ([0-9]{1,18}) (\S+) (\S+)")


class ProcessMoves:
    """Moves of a decision process in columns, as they are read: a million states take some tens of megabytes.

    Attributes
    ----------
    labels : of the states that have some.
    sources, choices, targets : states before and after, and the number of each move's action.
    places : line of each move.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.n_states = self.n_choices = 0
        self.labels: dict[int, list[str]] = {}
        self.actions: dict[str, int] = {}
        self.sources, self.choices, self.targets, self.places = array("q"), array("q"), array("q"), array("q")
        self._numbers = NumberColumn(source)

    def add(self, s: int, action: str, t: int, text: str, line: int) -> None:
        """One more move, with its probability as text."""
        self._numbers.add(text, line)
        self.sources.append(s)
        self.choices.append(self.actions.setdefault(action, len(self.actions)))
        self.targets.append(t)
        self.places.append(line)

    def columns(self) -> tuple[Column, Column, Column, NDArray[Any]]:
        """States before, actions, states after and probabilities: exact if all are."""
        found = (np.frombuffer(part, dtype=np.int64) for part in (self.sources, self.choices, self.targets))
        return (*found, self._numbers.values())  # type: ignore[return-value]


def acceptor_of(moves: ProcessMoves, options: Options) -> Acceptor:
    """Acceptor of a decision process that is one; the extra state, if there is one, has the initial distribution."""
    source, n = moves.source, moves.n_states
    first, extra, final = (
        [s for s, found in moves.labels.items() if label in found] for label in (INIT, START, ACCEPT)
    )
    if len(first) != 1:
        raise source.refused(f"expected the label init on exactly one state; got it on {counted(len(first), 'state')}.")
    sources, choices, targets, values = moves.columns()
    words = list(moves.actions)
    initial: dict[int, Number] = {first[0]: Fraction(1)}
    kept = np.ones(len(sources), dtype=np.bool_)
    if extra:
        kept = sources != first[0]
        if extra != first or len(set(choices[~kept].tolist())) != 1 or first[0] in final:
            raise source.refused("a state labelled start must be the initial one, have one action and not be final.")
        initial = dict(zip(targets[~kept].tolist(), values[~kept].tolist(), strict=True))
        if not all(t < n and t != first[0] for t in initial):
            raise source.refused(f"state {first[0]}: expected states to go to other than itself.")
        sources, choices, targets, values = (part[kept] for part in (sources, choices, targets, values))
    for k in np.flatnonzero((targets >= n) | np.isin(targets, extra)):
        where = f"state {sources[k]}, action {shown(words[choices[k]])}"
        raise source.refused(f"{where}: {targets[k]} is not a state to go to.")
    names = _names(moves, set(extra))
    order = np.argsort(sources, kind="stable")
    used, firsts = np.unique(choices[order], return_index=True)
    symbols = {int(code): source.name(words[code]) for code in used[np.argsort(firsts)]}
    places = Places(names, symbols, sources, choices, targets)
    return assembled_columns(source, options, places, values, initial, set(final))


def _names(moves: ProcessMoves, left_out: set[int]) -> dict[int, Hashable]:
    """Names of states: their one label beside those of the process, or their numbers where there is none."""
    states = [s for s in range(moves.n_states) if s not in left_out]
    own = {s: [label for label in found if label not in RESERVED] for s, found in moves.labels.items()}
    if not any(own[s] for s in own.keys() - left_out):
        return dict(zip(states, range(len(states)), strict=True))
    for s in states:
        if (found := len(own.get(s, ()))) != 1:
            raise moves.source.refused(
                f"state {s}: beside {', '.join(RESERVED)}, a state can have one label, its name, and then all states "
                f"have one; got {counted(found, 'label')}."
            )
    return {s: moves.source.name(own[s][0], digits=int) for s in states}


def _process(acceptor: Acceptor) -> Iterator[tuple[list[str], list[tuple[str, dict[int, Number]]]]]:
    """Labels of each state of the decision process of an acceptor, and its actions with their next states."""
    matrices, initial = acceptor.stored_numbers().values()
    moves = matrices if isinstance(matrices, SparseMatrices) else SparseMatrices.from_dense(matrices)
    start = {int(t): initial[t] for t in np.flatnonzero(acceptor.initial)}
    actions = [token(symbol) for symbol in acceptor.alphabet]
    numbered = all(type(name) is int and name == s for s, name in enumerate(acceptor.states))
    single = list(start.values()) == [1]
    starts, columns, values = moves.starts.tolist(), moves.pattern.columns.tolist(), moves.values.tolist()
    for s, name in enumerate(acceptor.states):
        labels = [INIT] * (single and s in start) + [ACCEPT] * bool(acceptor.final[s])
        labels += [] if numbered else [token(name, digits=int, reserved=RESERVED)]
        rows = [slice(starts[r], starts[r + 1]) for r in range(s, len(starts) - 1, acceptor.n_states)]
        found = (dict(zip(columns[row], values[row], strict=True)) for row in rows)
        yield labels, list(zip(actions, found, strict=True))
    if not single:
        yield [INIT, START], [(START, start)]


def write_drn(model: Model, _: Options) -> dict[str, bytes]:
    """Decision process of an acceptor, fractions included."""
    lines, n_states, n_choices = list[str](), 0, 0
    for s, (labels, choices) in enumerate(_process(fitting(model, "DRN"))):
        lines.append(f"{' '.join(['state', str(s), *labels])}\n")
        for action, row in choices:
            lines.append(f"\taction {action}\n")
            lines += [f"\t\t{t} : {numeral(value)}\n" for t, value in row.items()]
        n_states, n_choices = s + 1, n_choices + len(choices)
    return {"": (DRN_HEAD.format(states=n_states, choices=n_choices) + "".join(lines)).encode()}


def read_drn(source: Source, options: Options) -> Model:
    """Acceptor of a decision process with one action per symbol; the head must claim the numbers of the lines."""
    lines = ((place, line) for place, line in source.streamed() if not line.startswith("//"))
    claimed = _drn_head(source, lines)
    moves, s = ProcessMoves(source), -1
    actions, reached, action = set[str](), set[int](), ""
    for place, line in lines:
        if action and (found := _NEXT.fullmatch(line)):
            if (t := int(found[1])) in reached:
                raise source.refused(f"the next state {t} occurs twice.", f"line {place}")
            reached.add(t)
            moves.add(s, action, t, found[2], place)
        elif found := _STATE.fullmatch(line):
            s += 1
            if found[1] != str(s):
                raise source.refused(f"expected state {s}; got {shown(found[1])}.", f"line {place}")
            if labels := found[2].split():
                moves.labels[s] = labels
            actions, action = set(), ""
        elif s >= 0 and (found := _ACTION.fullmatch(line)):
            if found[1] in actions:
                raise source.refused(f"the action {shown(found[1])} occurs twice.", f"line {place}")
            action = found[1]
            actions.add(action)
            reached = set()
            moves.n_choices += 1
        else:
            expected = "a state, an action or a next state, without rewards"
            raise source.refused(f"expected {expected}; got {shown(line)}.", f"line {place}")
    moves.n_states = s + 1
    for key, count in (("@nr_states", moves.n_states), ("@nr_choices", moves.n_choices)):
        if claimed.get(key, str(count)) != str(count):
            raise source.refused(f"{key} claims {shown(claimed[key])}; the file has {count}.")
    return Model(acceptor_of(moves, options))


def _drn_head(source: Source, lines: Iterator[tuple[int, str]]) -> dict[str, str]:
    """What the head says, each key once."""
    found: dict[str, str] = {}
    key = ""
    for place, line in lines:
        if line == "@model":
            if "@type:" not in found:
                raise source.refused("expected @type: MDP before the model.", f"line {place}")
            return found
        if line.startswith("@"):
            key, _, value = line.partition(" ")
            if key in found:
                raise source.refused(f"{shown(key)} occurs twice.", f"line {place}")
        elif key and not key.endswith(":") and not found[key]:
            value = line
        else:
            key, value = line, ""
        if key not in _DRN_KEYS:
            raise source.refused(f"expected a line of the head of a DRN file; got {shown(key)}.", f"line {place}")
        if value not in (_DRN_KEYS[key] or (value,)):
            expected = " or ".join(_DRN_KEYS[key]) or "empty"
            raise source.refused(f"{key} must be {expected} for an acceptor; got {shown(value)}.", f"line {place}")
        found[key] = value
    raise source.refused("expected @model; the file ends before. Is it whole?")


def write_prism(model: Model, options: Options) -> dict[str, bytes]:
    """Decision process of an acceptor, in three files."""
    states = list(_process(in_floats(fitting(model, "PRISM"), options, "PRISM")))
    steps = [
        f"{s} {k} {t} {numeral(value)} {action}"
        for s, (_, choices) in enumerate(states)
        for k, (action, row) in enumerate(choices)
        for t, value in row.items()
    ]
    used = dict.fromkeys([INIT, DEADLOCK, ACCEPT, *(label for labels, _ in states for label in labels)])
    code = {label: k for k, label in enumerate(used)}  # PRISM wants init and deadlock to come first
    labels = [f"{s}: {' '.join(str(code[k]) for k in found)}" for s, (found, _) in enumerate(states) if found]
    n_choices = sum(len(choices) for _, choices in states)
    files = {
        "": [f"{len(states)} {n_choices} {len(steps)}", *steps],
        ".lab": [" ".join(f'{k}="{label}"' for label, k in code.items()), *labels],
        ".sta": ["(s)", *(f"{s}:({s})" for s in range(len(states)))],
    }
    return {suffix: ("\n".join(lines) + "\n").encode() for suffix, lines in files.items()}


def read_prism(source: Source, options: Options) -> Model:
    """Acceptor of a decision process with one action per symbol; the file of labels must be beside it."""
    lines = _without_headings(source)
    head, first = next(lines, (1, ""))
    sizes = _SIZES.fullmatch(first)
    if not sizes:
        sentence = f"expected the numbers of states, choices and transitions; got {shown(first)}."
        raise source.refused(sentence, f"line {head}")
    moves, numbers = ProcessMoves(source), array("q")
    moves.n_states = check_states(source, int(sizes[1]))
    for place, line in lines:
        step = _STEP.fullmatch(line)
        if not step:
            sentence = f"expected state, choice, next state, probability and action; got {shown(line)}."
            raise source.refused(sentence, f"line {place}")
        s, k, t, text, action = step.groups()
        if int(s) >= moves.n_states:
            raise source.refused(f"expected a state below {moves.n_states}; got {s}.", f"line {place}")
        moves.add(int(s), action, int(t), text, place)
        numbers.append(int(k))
    found = _check_choices(moves, np.frombuffer(numbers, dtype=np.int64))
    if tuple(map(int, sizes.groups())) != found:
        text = " ".join(map(str, found))
        raise source.refused(f"expected the numbers of states, choices and transitions, {text}.", f"line {head}")
    moves.labels = _prism_labels(source.beside(".lab"), moves.n_states)
    return Model(acceptor_of(moves, options))


def _without_headings(source: Source) -> Iterator[tuple[int, str]]:
    """Lines of a file of PRISM; newer versions begin with headings such as ``# Transitions (MDP)``."""
    return ((place, line) for place, line in source.streamed() if not line.startswith("#"))


def _check_choices(moves: ProcessMoves, numbers: Column) -> tuple[int, int, int]:
    """Numbers of states with moves, choices and moves; choices that do not fit together are refused."""
    source, words = moves.source, list(moves.actions)
    sources, actions, targets, _ = moves.columns()
    order = np.lexsort((targets, numbers, sources))
    s, k, t, a = sources[order], numbers[order], targets[order], actions[order]
    begins = np.append(True, (s[1:] != s[:-1]) | (k[1:] != k[:-1])) if len(s) else np.zeros(0, dtype=np.bool_)
    choice = np.cumsum(begins) - 1
    by_line = np.lexsort((order, choice))  # within a choice in the order of the file
    firsts = a[by_line][np.flatnonzero(begins)][choice] if len(s) else a
    for wrong in sorted(np.flatnonzero(a != firsts).tolist(), key=order.__getitem__):
        sentence = f"expected the action {shown(words[firsts[wrong]])} of this choice; got {shown(words[a[wrong]])}."
        raise source.refused(sentence, f"line {moves.places[order[wrong]]}")
    for wrong in sorted(order[1:][~begins[1:] & (t[1:] == t[:-1])].tolist()):
        raise source.refused("this transition occurs twice.", f"line {moves.places[wrong]}")
    heads = np.flatnonzero(begins)
    state_begins = np.append(True, s[heads][1:] != s[heads][:-1]) if len(heads) else begins
    expected = np.arange(len(heads)) - np.flatnonzero(state_begins)[np.cumsum(state_begins) - 1]
    for wrong in np.flatnonzero(k[heads] != expected).tolist():
        raise source.refused(f"state {s[heads][wrong]}: expected choice {expected[wrong]}; got {k[heads][wrong]}.")
    pairs = np.sort(s[heads] * len(words) + a[heads])
    for pair in pairs[1:][pairs[1:] == pairs[:-1]]:
        state, action = divmod(int(pair), len(words))
        raise source.refused(f"state {state}: the action {shown(words[action])} occurs twice.")
    moves.n_choices = len(heads)
    return int(state_begins.sum()), len(heads), len(s)


def _prism_labels(source: Source, n_states: int) -> dict[int, list[str]]:
    """Labels of states."""
    lines = _without_headings(source)
    head, first = next(lines, (1, ""))
    words = first.split()
    code = {found[1]: found[2] for word in words if (found := _LABEL.fullmatch(word))}
    if len(set(code.values())) < len(words):
        raise source.refused('expected numbered labels such as 0="init" 1="deadlock", each once.', f"line {head}")
    labels: dict[int, list[str]] = {}
    for place, line in lines:
        found = _LABELLED.fullmatch(line)
        if not found:
            raise source.refused(f"expected a state and its labels such as 3: 0 2; got {shown(line)}.", f"line {place}")
        s, codes = int(found[1]), found[2].split()
        if s >= n_states:
            raise source.refused(f"expected a state below {n_states}; got {s}.", f"line {place}")
        if s in labels or len(set(codes)) < len(codes) or not set(codes) <= code.keys():
            raise source.refused("expected a state once, with labels of the first line, each once.", f"line {place}")
        labels[s] = [code[k] for k in codes]
    return labels
