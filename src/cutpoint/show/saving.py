"""Files that pictures and plots are written to: whole or not at all, and a sentence where that cannot be."""

from __future__ import annotations

import os
from pathlib import Path

from cutpoint.data.names import shown
from cutpoint.data.storage import write_whole
from cutpoint.errors import InvalidArgument, InvalidFile


def extension_of(path: object, known: tuple[str, ...]) -> str:
    """Extension of a path in small letters, one of those known."""
    extension = Path(path).suffix.lower() if isinstance(path, str | os.PathLike) else ""
    if extension not in known:
        endings = f"{', '.join(known[:-1])} or {known[-1]}"
        raise InvalidArgument(f"a picture is saved to a path that ends in {endings}; got {shown(path)}.")
    return extension


def save(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file; where that cannot be, say why."""
    try:
        write_whole(path, content)
    except (OSError, ValueError) as problem:  # ValueError: a null character in the path
        reason = getattr(problem, "strerror", None) or problem
        raise InvalidFile(f"{os.fspath(path)}: cannot be written ({reason}).") from None
