"""An acceptor as a Markov decision process: one action per symbol, final states labelled ``accept``.

Where the initial distribution is not all on one state, an extra state labelled ``start`` is the initial one, and its
only action, ``start``, leads on with the initial probabilities. States whose names are not 0 … n-1 carry their name
as a label.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from cutpoint.files.model import Options
from cutpoint.files.source import Source
from cutpoint.files.transitions import Number, assembled, check_room
from cutpoint.files.typed_names import name_of_token, token
from cutpoint.model import Acceptor
from cutpoint.wording import counted, shown

INIT, ACCEPT, START, DEADLOCK = "init", "accept", "start", "deadlock"
RESERVED = (INIT, ACCEPT, START, DEADLOCK)

Choice = tuple[str, dict[int, Number]]
"""Action and the probabilities of the next states."""


@dataclass(frozen=True, slots=True)
class State:
    """Labels of a state, and its choices."""

    labels: list[str]
    choices: list[Choice]


def process(acceptor: Acceptor) -> list[State]:
    """States of the decision process of an acceptor."""
    steps = acceptor.exact_transitions if acceptor.is_exact else acceptor.transitions
    start = _row(acceptor.exact_initial if acceptor.is_exact else acceptor.initial)
    actions = [token(symbol) for symbol in acceptor.alphabet]
    numbered = [_is_number(name, s) for s, name in enumerate(acceptor.states)]
    single = len(start) == 1 and set(start.values()) == {1}
    states = []
    for s, name in enumerate(acceptor.states):
        labels = [INIT] * (single and s in start) + [ACCEPT] * bool(acceptor.final[s])
        labels += [] if all(numbered) else [token(name, digits=int, reserved=RESERVED)]
        states.append(State(labels, [(actions[a], _row(steps[a, s])) for a in range(acceptor.n_symbols)]))
    return states if single else [*states, State([INIT, START], [(START, start)])]


def acceptor_of(source: Source, options: Options, states: list[State]) -> Acceptor:
    """Acceptor of a decision process that is one."""
    initial, code, kept = _beginning(source, states)
    check_room(source, len(kept), len({action for s in kept for action, _ in states[s].choices}), exact=False)
    symbols: dict[str, int] = {}
    steps: dict[tuple[int, int, int], Number] = {}
    for s in kept:
        seen = set()
        for action, row in states[s].choices:
            if action in seen:
                raise source.refused(f"state {s}: the action {shown(action)} occurs twice.")
            seen.add(action)
            a = symbols.setdefault(action, len(symbols))
            for t, value in row.items():
                if t not in code:
                    raise source.refused(f"state {s}, action {shown(action)}: {t} is not a state to go to.")
                steps[a, code[s], code[t]] = value
    return assembled(
        source,
        options,
        _names(source, [states[s].labels for s in kept]),
        [_name(source, action, digits=str) for action in symbols],
        {place: value for place, value in steps.items() if value != 0},
        {code[s]: value for s, value in initial.items()},
        [ACCEPT in states[s].labels for s in kept],
    )


def _beginning(source: Source, states: list[State]) -> tuple[dict[int, Number], dict[int, int], list[int]]:
    """Initial distribution, numbers of the acceptor's states, and these states; the extra state is left out."""
    first = [s for s, state in enumerate(states) if INIT in state.labels]
    if len(first) != 1:
        raise source.refused(f"expected the label init on exactly one state; got it on {counted(len(first), 'state')}.")
    extra = [s for s, state in enumerate(states) if START in state.labels]
    kept = [s for s, state in enumerate(states) if START not in state.labels]
    code = {s: k for k, s in enumerate(kept)}
    if not extra:
        return {first[0]: Fraction(1)}, code, kept
    if extra != first or len(states[first[0]].choices) != 1 or ACCEPT in states[first[0]].labels:
        raise source.refused("a state labelled start must be the initial one, have one action and not be final.")
    ((_, initial),) = states[first[0]].choices
    if not initial.keys() <= code.keys():
        raise source.refused(f"state {first[0]}: expected states to go to other than itself.")
    return initial, code, kept


def _names(source: Source, labels: list[list[str]]) -> list[Hashable]:
    """Names of states: their one label beside those of the process, or their numbers where there is none."""
    own = [[label for label in found if label not in RESERVED] for found in labels]
    if not any(own):
        return list(range(len(own)))
    for s, found in enumerate(own):
        if len(found) != 1:
            raise source.refused(
                f"state {s}: beside {', '.join(RESERVED)}, a state can have one label, its name, and then all states "
                f"have one; got {counted(len(found), 'label')}."
            )
    return [_name(source, label, digits=int) for (label,) in own]


def _name(source: Source, word: str, digits: type) -> Hashable:
    try:
        return name_of_token(word, digits)
    except ValueError:
        raise source.refused(f"{shown(word)} cannot be read as a name.") from None


def _row(values: Iterable[Number]) -> dict[int, Number]:
    return {t: value for t, value in enumerate(values) if value != 0}


def _is_number(name: object, s: int) -> bool:
    return type(name) is int and name == s


def n_choices(states: list[State]) -> int:
    """Number of choices of all states."""
    return sum(len(state.choices) for state in states)


def each_choice(states: list[State]) -> Iterator[tuple[int, int, str, dict[int, Number]]]:
    """State, number of the choice there, action, and probabilities of the next states."""
    for s, state in enumerate(states):
        for k, (action, row) in enumerate(state.choices):
            yield s, k, action, row
