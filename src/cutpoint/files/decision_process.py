"""An acceptor as a Markov decision process, in Storm's DRN and in PRISM's explicit files.

One action per symbol, final states labelled ``accept``. Where the initial distribution is not all on one state, an
extra state labelled ``start`` is the initial one, and its only action, ``start``, leads on with the initial
probabilities. States whose names are not 0 … n-1 carry their name as a label.
"""

import re
from array import array
from collections.abc import Hashable, Iterator, Sequence
from fractions import Fraction
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.files.contents import Options, Places, assembled_columns, check_states, fitting, in_floats
from cutpoint.files.streams import Block, Source
from cutpoint.files.tokens import Number, NumberColumn, numeral, token
from cutpoint.kernels.sparse_matrices import SparseMatrices
from cutpoint.model import Acceptor
from cutpoint.model.prediction import Model
from cutpoint.wording import counted, shown

Column = NDArray[np.int64]
SplitLines = tuple[Column, Column, list[str], list[str], list[str]]
"""Kinds and numbers of lines, and the texts in lines of each kind: numbers and labels, actions, targets and values."""

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
# Lines as they may be, and whole blocks as they mostly are: in these every line has as many tabs as its place below.
_DRN_LINES = tuple(
    map(re.compile, (r"state ([0-9]+)((?: [^\s\[\]{}!]+)*)", r"action ([^\s\[\]]+)", r"([0-9]{1,18}) ?: ?(\S+)"))
)
_DRN_BLOCKS = tuple(
    map(
        re.compile,
        (
            r"(?:state [0-9]++(?: [^\s\[\]{}!]++)*+\n)*+",
            r"(?:\taction [^\s\[\]]++\n)*+",
            r"(?:\t\t[0-9]{1,18}+ : \S++\n)*+",
        ),
    )
)
STATE, ACTION, MOVE = range(3)  # kinds of lines of a DRN file, from the outside in
TAB, NEWLINE = b"\t\n"

_LABEL = re.compile(r'([0-9]{1,18})="([^"]*)"')
_LABELLED = re.compile(r"([0-9]{1,18}):((?: +[0-9]{1,18})*)")
_SIZES = re.compile(r"([0-9]{1,18}) ([0-9]{1,18}) ([0-9]{1,18})")
_STEP = re.compile(r"([0-9]{1,18}) ([0-9]{1,18}) ([0-9]{1,18}) (\S+) (\S+)")
_STEPS = re.compile(r"(?:[0-9]{1,18}+ [0-9]{1,18}+ [0-9]{1,18}+ \S++ \S++\n)*+")


class ProcessMoves:
    """Moves of a decision process in columns, as they are read: a million states take some tens of megabytes.

    Attributes
    ----------
    labels : of the states that have some.
    actions : their numbers, in the order in which they occur.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.n_states = 0
        self.labels: dict[int, list[str]] = {}
        self.actions: dict[str, int] = {}
        self._columns = tuple(array("q") for _ in range(4))
        self._numbers = NumberColumn(source)

    def codes(self, actions: Sequence[str]) -> Column:
        """Numbers of some actions."""
        for action in dict.fromkeys(actions):
            self.actions.setdefault(action, len(self.actions))
        return np.fromiter(map(self.actions.__getitem__, actions), np.int64, len(actions))

    def extend(self, sources: Column, actions: Column, targets: Column, lines: Column, texts: Sequence[str]) -> None:
        """Some more moves: states before, actions, states after, lines, and probabilities as texts."""
        for column, more in zip(self._columns, (sources, actions, targets, lines), strict=True):
            column.frombytes(more.tobytes())
        self._numbers.extend(texts, lines)  # type: ignore[arg-type]

    def columns(self) -> tuple[Column, Column, Column, Column]:
        """States before, actions, states after and lines of all moves."""
        return tuple(np.frombuffer(part, dtype=np.int64) for part in self._columns)  # type: ignore[return-value]

    def values(self) -> NDArray[Any]:
        """Probabilities of all moves: exact if all are."""
        return self._numbers.values()

    def check_distinct(self, sentence: str, lines: Column, *parts: Column) -> None:
        """Refuse the first row of some columns that is equal to one before."""
        is_after = np.zeros(max(len(lines) - 1, 0), dtype=np.bool_)
        for part in parts[::-1]:
            is_after = (part[1:] > part[:-1]) | ((part[1:] == part[:-1]) & is_after)
        if is_after.all():  # in order, as most files are
            return
        order = np.lexsort(parts[::-1])
        same = np.ones(max(len(order) - 1, 0), dtype=np.bool_)
        for part in parts:
            same &= part[order[1:]] == part[order[:-1]]
        if same.any():
            k = order[1:][same].min()
            action = [*self.actions][parts[1][k]]
            raise self.source.refused(sentence.format(action=shown(action)), f"line {lines[k]}")


def _whole_numbers(texts: Sequence[str]) -> Column:
    """Whole numbers of texts of some digits."""
    return np.fromstring(" ".join(texts), dtype=np.int64, sep=" ") if texts else np.zeros(0, dtype=np.int64)


def acceptor_of(moves: ProcessMoves, options: Options) -> Acceptor:
    """Acceptor of a decision process that is one; the extra state, if there is one, has the initial distribution."""
    source, n = moves.source, moves.n_states
    first, extra, final = (
        [s for s, found in moves.labels.items() if label in found] for label in (INIT, START, ACCEPT)
    )
    if len(first) != 1:
        raise source.refused(f"expected the label init on exactly one state; got it on {counted(len(first), 'state')}.")
    sources, choices, targets, lines = moves.columns()
    moves.check_distinct("this transition occurs twice.", lines, sources, choices, targets)
    words, values = list(moves.actions), moves.values()
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
    blocks = source.streamed()
    claimed, first = _drn_head(source, blocks)
    body = DrnBody(source)
    for block in chain([first], blocks):
        body.read(block)
    moves, n_choices = body.moves, len(body.choices[0])
    for key, count in (("@nr_states", moves.n_states), ("@nr_choices", n_choices)):
        if claimed.get(key, str(count)) != str(count):
            raise source.refused(f"{key} claims {shown(claimed[key])}; the file has {count}.")
    states, actions, lines = (np.frombuffer(part, dtype=np.int64) for part in body.choices)
    moves.check_distinct("the action {action} occurs twice.", lines, states, actions)
    return Model(acceptor_of(moves, options))


class DrnBody:
    """Lines of a DRN file behind its head: states, their actions, and the moves of these.

    Attributes
    ----------
    choices : state, action and line of every choice.
    """

    def __init__(self, source: Source) -> None:
        self.moves = ProcessMoves(source)
        self.choices = array("q"), array("q"), array("q")
        self._last = STATE - 1  # kind of the last line, and number of the last action
        self._action = -1

    def read(self, block: Block) -> None:
        """Some more lines."""
        kinds, lines, states, actions, moves = self._split_quickly(block) or self._split(block)
        skipped = np.flatnonzero(np.diff(kinds, prepend=self._last) > 1)
        if len(skipped):
            wanted = ("a state", "an action")[kinds[skipped[0]] - 1]
            raise self.moves.source.refused(f"expected {wanted} before this line.", f"line {lines[skipped[0]]}")
        self._add_states(states, lines[kinds == STATE])
        at_state = self.moves.n_states - len(states) // 2 + np.cumsum(kinds == STATE) - 1
        is_action, is_move = kinds == ACTION, kinds == MOVE
        codes = np.append(self._action, self.moves.codes(actions))
        for column, more in zip(self.choices, (at_state[is_action], codes[1:], lines[is_action]), strict=True):
            column.frombytes(more.tobytes())
        used = codes[np.cumsum(is_action)[is_move]]
        self.moves.extend(at_state[is_move], used, _whole_numbers(moves[::2]), lines[is_move], moves[1::2])
        self._last, self._action = int([self._last, *kinds[-1:]][-1]), int(codes[-1])

    def _add_states(self, states: Sequence[str], lines: Column) -> None:
        """Some more states: their numbers and labels, as texts."""
        moves, first = self.moves, self.moves.n_states
        for s, (number, labels) in enumerate(zip(states[::2], states[1::2], strict=True), first):
            if number != str(s):
                raise moves.source.refused(f"expected state {s}; got {shown(number)}.", f"line {lines[s - first]}")
            if labels:
                moves.labels[s] = labels.split()
        moves.n_states += len(lines)

    def _split_quickly(self, block: Block) -> SplitLines | None:
        """The same of a block whose lines begin with as many tabs as their kind says and have no spaces to spare."""
        data = np.frombuffer(block.text.encode(), dtype=np.uint8)
        ends = np.flatnonzero(data == NEWLINE) + 1
        begins = np.append(0, ends)[:-1]
        is_inner = data[begins] == TAB
        kinds = is_inner.astype(np.int64) + (is_inner & (data[begins + is_inner] == TAB))
        parts = [data[np.repeat(kinds == kind, ends - begins)].tobytes().decode() for kind in range(3)]
        if not all(shape.fullmatch(part) for shape, part in zip(_DRN_BLOCKS, parts, strict=True)):
            return None
        states = [text for line in parts[STATE].splitlines() for text in f"{line} ".split(" ", 2)[1:]]
        moves = parts[MOVE].split()
        del moves[1::3]  # the colons
        return kinds, np.arange(block.line, block.line + len(kinds)), states, parts[ACTION].split()[1::2], moves

    def _split(self, block: Block) -> SplitLines:
        """Kinds and numbers of the lines of a block, and the texts in those of each kind: any file, line by line."""
        kinds, lines, texts = list[int](), list[int](), (list[str](), list[str](), list[str]())
        for place, line in block.lines():
            if line.startswith("//"):
                continue
            for kind, shape in enumerate(_DRN_LINES):
                if found := shape.fullmatch(line):
                    kinds.append(kind)
                    lines.append(place)
                    texts[kind].extend(found.groups())
                    break
            else:
                expected = "a state, an action or a next state, without rewards"
                raise self.moves.source.refused(f"expected {expected}; got {shown(line)}.", f"line {place}")
        return np.array(kinds, dtype=np.int64), np.array(lines, dtype=np.int64), *texts


def _drn_head(source: Source, blocks: Iterator[Block]) -> tuple[dict[str, str], Block]:
    """What the head says, each key once, and the lines of its last block that follow it."""
    found: dict[str, str] = {}
    key = ""
    for block in blocks:
        for place, line in block.lines():
            if line.startswith("//"):
                continue
            if line == "@model":
                if "@type:" not in found:
                    raise source.refused("expected @type: MDP before the model.", f"line {place}")
                return found, block.after(place)
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
    blocks = source.streamed()
    head, first, rest = _prism_head(blocks)
    sizes = _SIZES.fullmatch(first)
    if not sizes:
        sentence = f"expected the numbers of states, choices and transitions; got {shown(first)}."
        raise source.refused(sentence, f"line {head}")
    moves, numbers = ProcessMoves(source), array("q")
    moves.n_states = check_states(source, int(sizes[1]))
    for block in chain([rest], blocks):
        words, lines = _prism_steps(source, block)
        s, k, t = (_whole_numbers(words[part::5]) for part in range(3))
        for wrong in np.flatnonzero(s >= moves.n_states):
            raise source.refused(f"expected a state below {moves.n_states}; got {s[wrong]}.", f"line {lines[wrong]}")
        moves.extend(s, moves.codes(words[4::5]), t, lines, words[3::5])
        numbers.frombytes(k.tobytes())
    found = _check_choices(moves, np.frombuffer(numbers, dtype=np.int64))
    if tuple(map(int, sizes.groups())) != found:
        text = " ".join(map(str, found))
        raise source.refused(f"expected the numbers of states, choices and transitions, {text}.", f"line {head}")
    moves.labels = _prism_labels(source.beside(".lab"), moves.n_states)
    return Model(acceptor_of(moves, options))


def _prism_head(blocks: Iterator[Block]) -> tuple[int, str, Block]:
    """Number and text of the first line that is no heading, and the lines of its block that follow it.

    Newer versions of PRISM write headings such as ``# Transitions (MDP)``.
    """
    for block in blocks:
        for place, line in block.lines():
            if not line.startswith("#"):
                return place, line, block.after(place)
    return 1, "", Block("", 1)


def _prism_steps(source: Source, block: Block) -> tuple[list[str], Column]:
    """The five words of every line of a block, and the numbers of the lines."""
    if _STEPS.fullmatch(block.text):
        words = block.text.split()
        return words, np.arange(block.line, block.line + len(words) // 5)
    words, places = [], list[int]()
    for place, line in block.lines():
        if line.startswith("#"):
            continue
        step = _STEP.fullmatch(line)
        if not step:
            sentence = f"expected state, choice, next state, probability and action; got {shown(line)}."
            raise source.refused(sentence, f"line {place}")
        words += step.groups()
        places.append(place)
    return words, np.array(places, dtype=np.int64)


def _check_choices(moves: ProcessMoves, numbers: Column) -> tuple[int, int, int]:
    """Numbers of states with moves, choices and moves; choices that do not fit together are refused."""
    source, words = moves.source, list(moves.actions)
    sources, actions, _, lines = moves.columns()
    order = np.lexsort((numbers, sources))  # within a choice in the order of the file
    s, k, a = sources[order], numbers[order], actions[order]
    begins = np.append(True, (s[1:] != s[:-1]) | (k[1:] != k[:-1]))[: len(s)]
    heads = np.flatnonzero(begins)
    first = np.repeat(heads, np.diff(heads, append=len(s)))  # of the choice of each move
    wrong = np.flatnonzero(a != a[first])
    if len(wrong):
        move = wrong[order[wrong].argmin()]
        expected, found = (shown(words[a[at]]) for at in (first[move], move))
        sentence = f"expected the action {expected} of this choice; got {found}."
        raise source.refused(sentence, f"line {lines[order[move]]}")
    state_begins = np.append(True, s[heads][1:] != s[heads][:-1])[: len(heads)]
    expected_numbers = np.arange(len(heads)) - np.flatnonzero(state_begins)[np.cumsum(state_begins) - 1]
    for at in np.flatnonzero(k[heads] != expected_numbers):
        expected, found = expected_numbers[at], k[heads][at]
        raise source.refused(f"state {s[heads][at]}: expected choice {expected}; got {found}.")
    moves.check_distinct("the action {action} of this state occurs twice.", lines[order[heads]], s[heads], a[heads])
    return int(state_begins.sum()), len(heads), len(s)


def _prism_labels(source: Source, n_states: int) -> dict[int, list[str]]:
    """Labels of states."""
    blocks = source.streamed()
    head, first, rest = _prism_head(blocks)
    words = first.split()
    code = {found[1]: found[2] for word in words if (found := _LABEL.fullmatch(word))}
    if len(set(code.values())) < len(words):
        raise source.refused('expected numbered labels such as 0="init" 1="deadlock", each once.', f"line {head}")
    labels: dict[int, list[str]] = {}
    for place, line in chain.from_iterable(block.lines() for block in chain([rest], blocks)):
        if line.startswith("#"):
            continue
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
