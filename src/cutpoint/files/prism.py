"""PRISM's explicit files: transitions (``.tra``), labels (``.lab``) and states (``.sta``) of a decision process."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cutpoint.files.mdp import ACCEPT, DEADLOCK, INIT, State, acceptor_of, each_choice, n_choices, process
from cutpoint.files.model import Model, Options, in_floats, only_acceptor
from cutpoint.files.numerals import number_of, numeral
from cutpoint.files.source import Source
from cutpoint.files.transitions import Number, check_room
from cutpoint.wording import shown

_LABEL = re.compile(r'([0-9]{1,18})="([^"]*)"')
_LABELLED = re.compile(r"([0-9]{1,18}):((?: +[0-9]{1,18})*)")
_SIZES = re.compile(r"([0-9]{1,18}) ([0-9]{1,18}) ([0-9]{1,18})")
_STEP = re.compile(r"([0-9]{1,18}) ([0-9]{1,18}) ([0-9]{1,18}) (\S+) (\S+)")


def write(model: Model, options: Options) -> dict[str, bytes]:
    """Decision process of an acceptor, in three files."""
    states = process(in_floats(only_acceptor(model, "PRISM"), options, "PRISM"))
    steps = [
        f"{s} {k} {t} {numeral(value)} {action}"
        for s, k, action, row in each_choice(states)
        for t, value in row.items()
    ]
    files = {
        "": [f"{len(states)} {n_choices(states)} {len(steps)}", *steps],
        ".lab": list(_label_lines(states)),
        ".sta": ["(s)", *(f"{s}:({s})" for s in range(len(states)))],
    }
    return {suffix: ("\n".join(lines) + "\n").encode() for suffix, lines in files.items()}


def read(source: Source, options: Options) -> Model:
    """Acceptor of a decision process with one action per symbol; the file of labels must be beside it."""
    choices, claimed = _choices(source)
    labels = _labels(source.beside(".lab"))
    n_states = claimed[0]
    if not labels.keys() <= set(range(n_states)):
        raise source.beside(".lab").refused(f"expected labels of the states 0 to {n_states - 1} only.")
    states = [State(labels.get(s, []), []) for s in range(n_states)]
    for (s, k), (action, row) in sorted(choices.items()):
        if k != len(states[s].choices):
            raise source.refused(f"state {s}: expected choice {len(states[s].choices)}; got {k}.")
        states[s].choices.append((action, row))
    found = len({s for s, _ in choices}), len(choices), sum(len(row) for _, row in choices.values())
    if claimed != found:
        text = " ".join(map(str, found))
        raise source.refused(f"expected the numbers of states, choices and transitions, {text}.", "line 1")
    return Model(acceptor_of(source, options, states))


def _label_lines(states: list[State]) -> Iterator[str]:
    """Numbers of the labels, then the labels of each state; PRISM wants init and deadlock to come first."""
    used = dict.fromkeys([INIT, DEADLOCK, ACCEPT, *(label for state in states for label in state.labels)])
    code = {label: k for k, label in enumerate(used)}
    yield " ".join(f'{k}="{label}"' for label, k in code.items())
    for s, state in enumerate(states):
        if state.labels:
            yield f"{s}: {' '.join(str(code[label]) for label in state.labels)}"


def _sizes(source: Source, line: str) -> tuple[int, int, int]:
    """Numbers of states, choices and transitions; more states than an acceptor can have are refused at once."""
    found = _SIZES.fullmatch(line)
    if not found:
        raise source.refused(f"expected the numbers of states, choices and transitions; got {shown(line)}.", "line 1")
    check_room(source, int(found[1]), 1, exact=False)
    return int(found[1]), int(found[2]), int(found[3])


def _choices(source: Source) -> tuple[dict[tuple[int, int], tuple[str, dict[int, Number]]], tuple[int, int, int]]:
    """Action and next states by state and choice; and the numbers that the first line claims."""
    lines = source.lines()
    claimed = _sizes(source, next(lines, (1, ""))[1])
    found: dict[tuple[int, int], tuple[str, dict[int, Number]]] = {}
    for n, line in lines:
        step = _STEP.fullmatch(line)
        if not step:
            expected = "state, choice, next state, probability and action"
            raise source.refused(f"expected {expected}; got {shown(line)}.", f"line {n}")
        if int(step[1]) >= claimed[0]:
            raise source.refused(f"expected a state below {claimed[0]}; got {step[1]}.", f"line {n}")
        action, row = found.setdefault((int(step[1]), int(step[2])), (step[5], {}))
        if step[5] != action:
            raise source.refused(
                f"expected the action {shown(action)} of this choice; got {shown(step[5])}.", f"line {n}"
            )
        if int(step[3]) in row:
            raise source.refused("this transition occurs twice.", f"line {n}")
        try:
            row[int(step[3])] = number_of(step[4])
        except ValueError:
            raise source.refused(f"expected a probability; got {shown(step[4])}.", f"line {n}") from None
    return found, claimed


def _labels(source: Source) -> dict[int, list[str]]:
    """Labels of states."""
    lines = source.lines()
    _, head = next(lines, (1, ""))
    words = [_LABEL.fullmatch(word) for word in head.split()]
    pairs = [(word[1], word[2]) for word in words if word]
    code = dict(pairs)
    if len(pairs) < len(words) or len(code) < len(pairs) or len(set(code.values())) < len(pairs):
        raise source.refused('expected numbered labels such as 0="init" 1="deadlock", each once.', "line 1")
    found: dict[int, list[str]] = {}
    for n, line in lines:
        match = _LABELLED.fullmatch(line)
        if not match:
            raise source.refused(f"expected a state and its labels such as 3: 0 2; got {shown(line)}.", f"line {n}")
        codes = match[2].split()
        if int(match[1]) in found or len(set(codes)) < len(codes) or not set(codes) <= code.keys():
            raise source.refused("expected a state once, with labels of the first line, each once.", f"line {n}")
        found[int(match[1])] = [code[k] for k in codes]
    return found
