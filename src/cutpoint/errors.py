"""Errors: each says what must hold, what was found and where, and what to do.

Every kind also inherits the built-in exception a caller would expect, so ``except ValueError`` works.

The parts of the sentence are fields, so that the command line can write it with its own options. ``argument`` is the
argument at fault; the sentence begins with it. ``advice`` refers to arguments in braces: ``"Choose one with {id}."``
reads ``id=…`` in Python and ``--id`` on the command line; ``{rounded=True}`` reads ``rounded=True`` and ``--rounded``.
Only ``advice`` is searched for braces: what a user gave (names of files, symbols, numbers as text) belongs to ``what``
and ``where``, which are printed as they are, but for control characters, which are escaped.
"""

import re
from collections.abc import Mapping
from typing import Self

from cutpoint.wording import printable

LONGEST = 2_000  # characters of a sentence; a file of long names could make a longer one, whose middle is left out
_REFERENCE = re.compile(r"\{([a-z_]+)(?:=([^{}]*))?\}")


class CutpointError(Exception):
    """Any error that cutpoint raises on purpose.

    Parameters
    ----------
    what : what must hold, and what was found; a whole sentence where nothing else is given.
    where : the place, such as a file and a line.
    argument : name of the argument at fault.
    advice : what to do, with arguments in braces.

    Examples
    --------
    >>> error = InvalidArgument("must be at least 2; got 1.", argument="n_states", advice="Or pass {start}.")
    >>> print(error)
    n_states must be at least 2; got 1. Or pass start=….
    >>> error.sentence({"n_states": "--states"})
    '--states must be at least 2; got 1.'
    """

    def __init__(self, what: str = "", *, where: str = "", argument: str = "", advice: str = "") -> None:
        self.what, self.where, self.argument, self.advice = what, where, argument, advice
        super().__init__(self.sentence())

    def __str__(self) -> str:
        return self.sentence()

    def sentence(self, options: Mapping[str, str] | None = None) -> str:
        """The whole sentence, with an option of the command line in place of each argument if these are given."""
        name = self.argument if options is None else options.get(self.argument, self.argument)
        parts = [f"{self.where}:" * bool(self.where), name, self.what, _advice(self.advice, options)]
        text = printable(" ".join(part for part in parts if part))
        return text if len(text) <= LONGEST else f"{text[: LONGEST - 500]} … {text[-400:]}"

    def at(self, where: str) -> Self:
        """The same error, met at a place: a file, say, in front of the line that is known already."""
        place = f"{where}: {self.where}" if self.where else where
        return type(self)(self.what, where=place, argument=self.argument, advice=self.advice)


def _advice(text: str, options: Mapping[str, str] | None) -> str:
    """Advice with its references written out; sentences about arguments that have no option are left out."""
    if options is None:
        return _REFERENCE.sub(lambda found: f"{found[1]}={found[2] or '…'}", text)
    sentences = re.split(r"(?<=[.?]) ", text)
    fitting = [each for each in sentences if all(found[1] in options for found in _REFERENCE.finditer(each))]

    def option(found: re.Match[str]) -> str:
        value = "" if found[2] in (None, "True") else f" {found[2]}"
        return f"{options[found[1]]}{value}"

    return _REFERENCE.sub(option, " ".join(fitting))


class InvalidAcceptor(CutpointError, ValueError):
    """The parts of an acceptor or a generator do not fit together."""


class InvalidSample(CutpointError, ValueError):
    """The observations of a sample do not fit together."""


class InvalidArgument(CutpointError, ValueError):
    """An argument lies outside of what a function can take."""


class DivisionByZero(CutpointError, ZeroDivisionError):
    """An exact number or function is divided by 0."""


class InvalidProof(CutpointError, ValueError):
    """A certificate does not prove what it is said to prove; the message names the step that fails."""


class UnknownSymbol(CutpointError, KeyError):
    """A symbol is not in the alphabet."""


class UnknownState(CutpointError, KeyError):
    """A state is not among the states."""


class ImpossibleObservation(CutpointError, ValueError):
    """An observation has probability 0 under the model."""


class TooLarge(CutpointError, ValueError):
    """A result would be too large to hold; the message estimates its size."""


class KernelsUnavailable(CutpointError, ImportError):
    """The kernels asked for are not installed."""


class MissingExtra(CutpointError, ImportError):
    """An optional dependency is needed; the message names the extra."""


class InvalidFile(CutpointError, ValueError):
    """A file does not hold what it should."""


class FormatError(InvalidFile):
    """The content of a file breaks the rules of its format; the message begins with the file and names the place."""


class EngineLost(CutpointError, ConnectionError):
    """The machines that hold the shards of a sample cannot be reached any more."""


class CharactersWarning(CutpointError, UserWarning):
    """Texts are read as words of characters, though they look like names or like words with blanks between them."""


class UnusedStatesWarning(UserWarning):
    """A learned acceptor has states that no run visits."""
