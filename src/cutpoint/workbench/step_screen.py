"""A word read step by step: the tables of the paper's section 3."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.data import Alphabet, PlainWord
from cutpoint.errors import ImpossibleObservation, InvalidArgument, TooLarge
from cutpoint.files.tokens import numeral
from cutpoint.model import Acceptor, Generator
from cutpoint.workbench import drafts
from cutpoint.workbench.messages import ExactTables, StepRequest, Steps

LONGEST = 2_000  # most symbols of a word that is followed
MOST_NUMBERS = 400_000  # most numbers of a table
MOST_EXACT = 20_000  # most fractions of one


def step(request: StepRequest) -> Steps:
    """All that happens while a word is read."""
    machine = drafts.model_of(request.machine).machine
    return steps(machine, word_of(request.word, machine.alphabet), request.accepted, request.exact)


def word_of(codes: Iterable[int], alphabet: Alphabet) -> PlainWord:
    """Word of the codes of its symbols."""
    given = list(codes)
    for code in given:
        if not 0 <= code < len(alphabet):
            raise InvalidArgument(f"must have codes from 0 to {len(alphabet) - 1}; got {code}.", argument="word")
    return alphabet.decode(given)


def steps(machine: Acceptor | Generator, word: PlainWord, accepted: bool | None = None, exact: bool = False) -> Steps:
    """The tables of a word, in floats and if asked for in fractions.

    ``accepted`` None: the backward table is that of acceptance, the path and the occupancy are of all runs.
    """
    size, most = (len(word) + 1) * machine.n_states, MOST_EXACT if exact else MOST_NUMBERS
    if len(word) > LONGEST or size > most:
        limit = f"{LONGEST:,} symbols and {most:,} numbers in a table"
        raise TooLarge(f"the limit of a step-by-step run is {limit}; this one has {len(word):,} and {size:,}.")
    prefixes = [word[:i] for i in range(len(word) + 1)]
    forward = machine.distributions(prefixes) if isinstance(machine, Generator) else machine.forward(word)
    codes = machine.alphabet.encode_word(word).tolist()
    run = _possible(lambda: machine.most_likely_path(word, accepted))
    path = None if run is None else machine.path_codes(run, len(word))
    occupancy = _possible(lambda: machine.occupancy(word, accepted))
    ends = True if accepted is None else accepted
    return Steps(
        forward=forward.tolist(),
        backward=machine.backward(word, ends).tolist() if isinstance(machine, Acceptor) else [],
        occupancy=None if occupancy is None else occupancy.tolist(),
        acceptances=_acceptances(machine, prefixes),
        path=path,
        path_probability=None if path is None else float(_path_probability(machine, codes, path)),
        probability=machine.probability(word) if isinstance(machine, Generator) else 1.0,
        next_symbols=list(machine.next_symbols(word).values()) if isinstance(machine, Generator) else None,
        exact=_exact(machine, word, prefixes, accepted, path) if exact else None,
    )


def _exact(
    machine: Acceptor | Generator,
    word: PlainWord,
    prefixes: list[PlainWord],
    accepted: bool | None,
    path: list[int] | None,
) -> ExactTables:
    if isinstance(machine, Acceptor):
        ends, probability = True if accepted is None else accepted, "1"
        forward = machine.forward(word, exact=True)
        acceptances = [numeral(sum(row[machine.final].tolist(), start=row[0] * 0)) for row in forward]
        backward = texts(machine.backward(word, ends, exact=True))
    else:
        forward = np.array([machine.distribution(prefix, exact=True) for prefix in prefixes])
        acceptances = [_possible(lambda p=p: numeral(machine.exact_acceptance(p))) or "" for p in prefixes]  # type: ignore[misc]
        backward, probability = [], numeral(machine.exact_probability(word))
    occupancy = _possible(lambda: machine.occupancy(word, accepted, exact=True))
    codes = machine.alphabet.encode_word(word).tolist()
    return ExactTables(
        forward=texts(forward),
        backward=backward,
        occupancy=None if occupancy is None else texts(occupancy),
        acceptances=acceptances,
        probability=probability,
        path_probability=None if path is None else numeral(_path_probability(machine, codes, path, exact=True)),
    )


def texts(table: NDArray[Any]) -> list[list[str]]:
    """A table of fractions as text."""
    return [[numeral(value) for value in row] for row in table]


def _possible(answer: Callable[[], Any]) -> Any:
    """An answer, or None where what it is about has probability 0."""
    try:
        return answer()
    except ImpossibleObservation:
        return None


def _acceptances(machine: Acceptor | Generator, prefixes: list[PlainWord]) -> list[float | None]:
    if isinstance(machine, Acceptor):
        return [float(value) for value in machine.acceptances(prefixes)]
    return [_possible(lambda p=p: machine.acceptance(p)) for p in prefixes]  # type: ignore[misc]


def _path_probability(machine: Acceptor | Generator, codes: list[int], path: list[int], exact: bool = False) -> Any:
    """Probability of a path: of its first state and of its moves."""
    numbers = machine.numbers(exact)
    return numbers["initial"][path[0]] * numbers["transitions"][codes, path[:-1], path[1:]].prod()
