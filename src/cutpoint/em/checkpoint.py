"""Checkpoints of long runs: the whole state after each step, for the same problem only."""

import hashlib
import os
from pathlib import Path

import numpy as np

from cutpoint.data import Sample
from cutpoint.data.storage import Arrays, explained, packed, unpacked, write_whole
from cutpoint.em.observations import AnySample
from cutpoint.errors import InvalidArgument

MAGIC = b"cutpoint checkpoint 1\n"


class Checkpoint:
    """A file with the state of a run, and the digest of the problem it belongs to."""

    def __init__(self, path: str | os.PathLike[str], problem: str) -> None:
        try:
            self.path = Path(path)
        except TypeError:
            raise InvalidArgument(f"must be the path of a file; got {path!r}.", argument="checkpoint") from None
        if "\0" in str(self.path) or (self.path.exists() and not self.path.is_file()):
            raise InvalidArgument(f"must be the path of a file; got {str(self.path)!r}.", argument="checkpoint")
        if not self.path.parent.is_dir():
            raise InvalidArgument(f"checkpoint: the folder {str(self.path.parent)!r} does not exist. Make it first.")
        self._problem = np.frombuffer(problem.encode(), dtype=np.uint8)

    def load(self) -> Arrays | None:
        """State saved for this problem, or None if there is no file yet."""
        if not self.path.exists():
            return None
        with explained("cannot be read", f"checkpoint {self.path}", OSError):
            content = self.path.read_bytes()
        arrays = unpacked(MAGIC, content, f"checkpoint {self.path}")
        if not np.array_equal(arrays.pop("problem", np.empty(0)), self._problem):
            raise InvalidArgument(
                f"checkpoint {self.path} belongs to another problem: the sample, the start or an option differs. "
                "Name another file, or delete this one to start again."
            )
        return arrays

    def save(self, arrays: Arrays) -> None:
        """Replace the file by this state."""
        write_whole(self.path, packed(MAGIC, {"problem": self._problem, **arrays}))


def digest(sample: AnySample, *parts: object) -> str:
    """Digest of a sample and of everything else that decides the result of a run.

    Names are left out: the text of a set of them is another in each process. Codes and masks say what they mean.
    """
    found = hashlib.sha256()
    if isinstance(sample, Sample):
        parts = sample.symbols, sample.offsets, sample.ends, sample.counts, sample.marks, *parts
        if sample.cases is not None and sample.cases.groups is not None:
            parts = sample.cases.observations, sample.cases.groups, *parts
    else:
        parts = sample.digest, *parts
    for part in parts:
        kind = f"{part.dtype} {part.shape}" if isinstance(part, np.ndarray) else repr(part)
        found.update(kind.encode() + b"\n" + (part.tobytes() if isinstance(part, np.ndarray) else b""))
    return found.hexdigest()
