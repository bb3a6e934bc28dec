"""Errors: each says what must hold, what was found and where, and what to do.

Every kind also inherits the built-in exception a caller would expect, so ``except ValueError`` works.
"""


class CutpointError(Exception):
    """Any error that cutpoint raises on purpose."""

    # KeyError would show the repr of its argument; a sentence is to be read as it is.
    __str__ = Exception.__str__


class InvalidAcceptor(CutpointError, ValueError):
    """The parts of an acceptor do not fit together."""


class InvalidSample(CutpointError, ValueError):
    """The observations of a sample do not fit together."""


class InvalidArgument(CutpointError, ValueError):
    """An argument lies outside of what a function can take."""


class UnknownSymbol(CutpointError, KeyError):
    """A symbol is not in the alphabet."""


class UnknownState(CutpointError, KeyError):
    """A state is not among the states."""


class ImpossibleObservation(CutpointError, ValueError):
    """An observation has probability 0 under the acceptor."""


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


class UnusedStatesWarning(UserWarning):
    """A learned acceptor has states that no run visits."""
