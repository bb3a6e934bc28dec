"""Checkpoints of long runs: the whole state after each step, for the same problem only."""

import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cutpoint.data.array_files import Arrays, Expected, Schema, packed, unpacked
from cutpoint.data.storage import explained, write_whole
from cutpoint.errors import InvalidArgument, InvalidFile
from cutpoint.model.digests import digest_of

MAGIC = b"cutpoint checkpoint 2\n"
DELETE = "Name another file, or delete this one to start again."


class Checkpoint:
    """A file with the state of a run, and the digest of the problem it belongs to.

    Parameters
    ----------
    problem : all that decides the result of the run: see :func:`digest_of`.
    expected : what must hold of the arrays of a state; no file is trusted.
    """

    def __init__(self, path: str | os.PathLike[str], problem: object, expected: Schema) -> None:
        try:
            self.path = Path(path)
        except TypeError:
            raise InvalidArgument(f"must be the path of a file; got {path!r}.", argument="checkpoint") from None
        if "\0" in str(self.path) or (self.path.exists() and not self.path.is_file()):
            raise InvalidArgument(f"must be the path of a file; got {str(self.path)!r}.", argument="checkpoint")
        if not self.path.parent.is_dir():
            raise InvalidArgument(f"checkpoint: the folder {str(self.path.parent)!r} does not exist. Make it first.")
        self._problem = np.frombuffer(digest_of(problem).encode(), dtype=np.uint8)
        self._expected = {"problem": Expected(np.uint8, self._problem.shape, holds=self._check_problem), **expected}

    def load(self) -> Arrays | None:
        """State saved for this problem, or None if there is no file yet."""
        if not self.path.exists():
            return None
        where = f"checkpoint {self.path}"
        with explained("cannot be read", where, OSError):
            content = self.path.read_bytes()
        arrays = unpacked(MAGIC, content, where, self._expected, DELETE)
        del arrays["problem"]
        return arrays

    def save(self, arrays: Arrays) -> None:
        """Replace the file by this state."""
        write_whole(self.path, packed(MAGIC, {"problem": self._problem, **arrays}))

    def refused(self, what: str) -> InvalidFile:
        """Error about a state whose arrays do not fit together."""
        return InvalidFile(what, where=f"checkpoint {self.path}", advice=DELETE)

    def _check_problem(self, problem: NDArray[np.uint8]) -> bool:
        if not np.array_equal(problem, self._problem):
            what = "belongs to another problem: the sample, the start or an option differs."
            raise InvalidArgument(f"checkpoint {self.path} {what}", advice=DELETE)
        return True
