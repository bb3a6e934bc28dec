"""An acceptor as a Markov decision process, in Storm's DRN and in PRISM's explicit files.

One action per symbol, final states labelled ``accept``. Where the initial distribution is not all on one state, an
extra state labelled ``start`` is the initial one, and its only action, ``start``, leads on with the initial
probabilities. States whose names are not 0 … n-1 carry their name as a label.
"""

import re
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from cutpoint.files.contents import Options, assembled, check_room, fitting, in_floats
from cutpoint.files.streams import Source
from cutpoint.files.tokens import Number, numeral, token
from cutpoint.model import Acceptor
from cutpoint.model.prediction import Model
from cutpoint.wording import counted, shown

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


@dataclass(frozen=True, slots=True)
class ProcessState:
    """Labels of a state, and for each action the probabilities of the next states."""

    labels: list[str]
    choices: dict[str, dict[int, Number]] = field(default_factory=dict)


def process(acceptor: Acceptor) -> list[ProcessState]:
    """States of the decision process of an acceptor."""
    steps, initial = acceptor.numbers().values()
    start = _row(initial)
    actions = [token(symbol) for symbol in acceptor.alphabet]
    numbered = all(type(name) is int and name == s for s, name in enumerate(acceptor.states))
    single = list(start.values()) == [1]
    states = []
    for s, name in enumerate(acceptor.states):
        labels = [INIT] * (single and s in start) + [ACCEPT] * bool(acceptor.final[s])
        labels += [] if numbered else [token(name, digits=int, reserved=RESERVED)]
        states.append(ProcessState(labels, {action: _row(steps[a, s]) for a, action in enumerate(actions)}))
    return states if single else [*states, ProcessState([INIT, START], {START: start})]


def acceptor_of(source: Source, options: Options, states: list[ProcessState]) -> Acceptor:
    """Acceptor of a decision process that is one; the extra state, if there is one, has the initial distribution."""
    first = [s for s, state in enumerate(states) if INIT in state.labels]
    if len(first) != 1:
        raise source.refused(f"expected the label init on exactly one state; got it on {counted(len(first), 'state')}.")
    extra = [s for s, state in enumerate(states) if START in state.labels]
    inner = {s: state for s, state in enumerate(states) if s not in extra}
    initial: dict[int, Number] = {first[0]: Fraction(1)}
    if extra:
        if extra != first or len(states[first[0]].choices) != 1 or ACCEPT in states[first[0]].labels:
            raise source.refused("a state labelled start must be the initial one, have one action and not be final.")
        (initial,) = states[first[0]].choices.values()
        if not initial.keys() <= inner.keys():
            raise source.refused(f"state {first[0]}: expected states to go to other than itself.")
    steps = {
        (s, action, t): value
        for s, state in inner.items()
        for action, row in state.choices.items()
        for t, value in row.items()
    }
    for s, action, t in steps:
        if t not in inner:
            raise source.refused(f"state {s}, action {shown(action)}: {t} is not a state to go to.")
    symbols = {action: source.name(action) for state in inner.values() for action in state.choices}
    final = {s for s, state in inner.items() if ACCEPT in state.labels}
    return assembled(source, options, _names(source, inner), symbols, steps, initial, final)


def _names(source: Source, states: dict[int, ProcessState]) -> dict[int, Hashable]:
    """Names of states: their one label beside those of the process, or their numbers where there is none."""
    own = {s: [label for label in state.labels if label not in RESERVED] for s, state in states.items()}
    if not any(own.values()):
        return dict(zip(states, range(len(states)), strict=True))
    for s, found in own.items():
        if len(found) != 1:
            raise source.refused(
                f"state {s}: beside {', '.join(RESERVED)}, a state can have one label, its name, and then all states "
                f"have one; got {counted(len(found), 'label')}."
            )
    return {s: source.name(label, digits=int) for s, (label,) in own.items()}


def _row(values: Iterable[Number]) -> dict[int, Number]:
    return {t: value for t, value in enumerate(values) if value != 0}


def _n_choices(states: list[ProcessState]) -> int:
    return sum(len(state.choices) for state in states)


def write_drn(model: Model, _: Options) -> dict[str, bytes]:
    """Decision process of an acceptor, fractions included."""
    states = process(fitting(model, "DRN"))
    lines = []
    for s, state in enumerate(states):
        lines.append(f"{' '.join(['state', str(s), *state.labels])}\n")
        for action, row in state.choices.items():
            lines.append(f"\taction {action}\n")
            lines += [f"\t\t{t} : {numeral(value)}\n" for t, value in row.items()]
    return {"": (DRN_HEAD.format(states=len(states), choices=_n_choices(states)) + "".join(lines)).encode()}


def read_drn(source: Source, options: Options) -> Model:
    """Acceptor of a decision process with one action per symbol; the head must claim the numbers of the lines."""
    lines = ((place, line) for place, line in source.lines() if not line.startswith("//"))
    claimed = _drn_head(source, lines)
    states: list[ProcessState] = []
    row: dict[int, Number] | None = None
    for place, line in lines:
        if found := _STATE.fullmatch(line):
            if found[1] != str(len(states)):
                raise source.refused(f"expected state {len(states)}; got {shown(found[1])}.", place)
            states.append(ProcessState(found[2].split()))
            row = None
            check_room(source, len(states), 1)
        elif states and (found := _ACTION.fullmatch(line)):
            if found[1] in states[-1].choices:
                raise source.refused(f"the action {shown(found[1])} occurs twice.", place)
            row = states[-1].choices[found[1]] = {}
        elif row is not None and (found := _NEXT.fullmatch(line)):
            if int(found[1]) in row:
                raise source.refused(f"the next state {int(found[1])} occurs twice.", place)
            row[int(found[1])] = source.probability(found[2], place)
        else:
            expected = "a state, an action or a next state, without rewards"
            raise source.refused(f"expected {expected}; got {shown(line)}.", place)
    for key, count in (("@nr_states", len(states)), ("@nr_choices", _n_choices(states))):
        if claimed.get(key, str(count)) != str(count):
            raise source.refused(f"{key} claims {shown(claimed[key])}; the file has {count}.")
    return Model(acceptor_of(source, options, states))


def _drn_head(source: Source, lines: Iterator[tuple[str, str]]) -> dict[str, str]:
    """What the head says, each key once."""
    found: dict[str, str] = {}
    key = ""
    for place, line in lines:
        if line == "@model":
            if "@type:" not in found:
                raise source.refused("expected @type: MDP before the model.", place)
            return found
        if line.startswith("@"):
            key, _, value = line.partition(" ")
            if key in found:
                raise source.refused(f"{shown(key)} occurs twice.", place)
        elif key and not key.endswith(":") and not found[key]:
            value = line
        else:
            key, value = line, ""
        if key not in _DRN_KEYS:
            raise source.refused(f"expected a line of the head of a DRN file; got {shown(key)}.", place)
        if value not in (_DRN_KEYS[key] or (value,)):
            expected = " or ".join(_DRN_KEYS[key]) or "empty"
            raise source.refused(f"{key} must be {expected} for an acceptor; got {shown(value)}.", place)
        found[key] = value
    raise source.refused("expected @model; the file ends before. Is it whole?")


def write_prism(model: Model, options: Options) -> dict[str, bytes]:
    """Decision process of an acceptor, in three files."""
    states = process(in_floats(fitting(model, "PRISM"), options, "PRISM"))
    steps = [
        f"{s} {k} {t} {numeral(value)} {action}"
        for s, state in enumerate(states)
        for k, (action, row) in enumerate(state.choices.items())
        for t, value in row.items()
    ]
    used = dict.fromkeys([INIT, DEADLOCK, ACCEPT, *(label for state in states for label in state.labels)])
    code = {label: k for k, label in enumerate(used)}  # PRISM wants init and deadlock to come first
    labels = [f"{s}: {' '.join(str(code[k]) for k in state.labels)}" for s, state in enumerate(states) if state.labels]
    files = {
        "": [f"{len(states)} {_n_choices(states)} {len(steps)}", *steps],
        ".lab": [" ".join(f'{k}="{label}"' for label, k in code.items()), *labels],
        ".sta": ["(s)", *(f"{s}:({s})" for s in range(len(states)))],
    }
    return {suffix: ("\n".join(lines) + "\n").encode() for suffix, lines in files.items()}


def read_prism(source: Source, options: Options) -> Model:
    """Acceptor of a decision process with one action per symbol; the file of labels must be beside it."""
    lines = source.lines()
    first = next(lines, ("", ""))[1]
    sizes = _SIZES.fullmatch(first)
    if not sizes:
        raise source.refused(f"expected the numbers of states, choices and transitions; got {shown(first)}.", "line 1")
    n_states = int(sizes[1])
    check_room(source, n_states, 1)
    actions: dict[tuple[int, int], str] = {}
    rows: dict[tuple[int, int], dict[int, Number]] = {}
    for place, line in lines:
        step = _STEP.fullmatch(line)
        if not step:
            sentence = f"expected state, choice, next state, probability and action; got {shown(line)}."
            raise source.refused(sentence, place)
        choice, t = (int(step[1]), int(step[2])), int(step[3])
        if choice[0] >= n_states:
            raise source.refused(f"expected a state below {n_states}; got {step[1]}.", place)
        if step[5] != actions.setdefault(choice, step[5]):
            sentence = f"expected the action {shown(actions[choice])} of this choice; got {shown(step[5])}."
            raise source.refused(sentence, place)
        row = rows.setdefault(choice, {})
        if t in row:
            raise source.refused("this transition occurs twice.", place)
        row[t] = source.probability(step[4], place)
    labels = _prism_labels(source.beside(".lab"), n_states)
    states = [ProcessState(labels.get(s, [])) for s in range(n_states)]
    for s, k in sorted(rows):
        choices, action = states[s].choices, actions[s, k]
        if k != len(choices):
            raise source.refused(f"state {s}: expected choice {len(choices)}; got {k}.")
        if action in choices:
            raise source.refused(f"state {s}: the action {shown(action)} occurs twice.")
        choices[action] = rows[s, k]
    found = len({s for s, _ in rows}), len(rows), sum(map(len, rows.values()))
    if tuple(map(int, sizes.groups())) != found:
        text = " ".join(map(str, found))
        raise source.refused(f"expected the numbers of states, choices and transitions, {text}.", "line 1")
    return Model(acceptor_of(source, options, states))


def _prism_labels(source: Source, n_states: int) -> dict[int, list[str]]:
    """Labels of states."""
    lines = source.lines()
    words = next(lines, ("", ""))[1].split()
    code = {found[1]: found[2] for word in words if (found := _LABEL.fullmatch(word))}
    if len(set(code.values())) < len(words):
        raise source.refused('expected numbered labels such as 0="init" 1="deadlock", each once.', "line 1")
    labels: dict[int, list[str]] = {}
    for place, line in lines:
        found = _LABELLED.fullmatch(line)
        if not found:
            raise source.refused(f"expected a state and its labels such as 3: 0 2; got {shown(line)}.", place)
        s, codes = int(found[1]), found[2].split()
        if s >= n_states:
            raise source.refused(f"expected a state below {n_states}; got {s}.", place)
        if s in labels or len(set(codes)) < len(codes) or not set(codes) <= code.keys():
            raise source.refused("expected a state once, with labels of the first line, each once.", place)
        labels[s] = [code[k] for k in codes]
    return labels
