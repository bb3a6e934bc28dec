"""Naming things in messages: short lists, and the nearest known name to an unknown one."""

from collections.abc import Container, Hashable, Iterable, Sequence
from difflib import get_close_matches
from itertools import islice


def listed(names: Iterable[object], limit: int = 8) -> str:
    """Names in braces, shortened.

    Examples
    --------
    >>> listed("abc"), listed(range(100), limit=3)
    ("{'a', 'b', 'c'}", '{0, 1, 2, …}')
    """
    first = list(islice(names, limit + 1))
    shown = [repr(name) for name in first[:limit]] + ["…"] * (len(first) > limit)
    return "{" + ", ".join(shown) + "}"


def suggestion(name: object, known: Sequence[Hashable]) -> str:
    """Sentence that names the nearest known name, or nothing.

    Examples
    --------
    >>> suggestion("Quit", ["quit", "buy"])
    " Did you mean 'quit'?"
    >>> suggestion(1, ["0", "1"])
    " Did you mean '1' (a str, not an int)?"
    """
    by_text: dict[str, Hashable] = {str(candidate).casefold(): candidate for candidate in reversed(known)}
    nearest = get_close_matches(str(name).casefold(), by_text, n=1, cutoff=0.6)
    if not nearest:
        return ""
    match = by_text[nearest[0]]
    if str(match) == str(name):
        return f" Did you mean {match!r} ({_article(match)}, not {_article(name)})?"
    return f" Did you mean {match!r}?"


def known(name: object, names: Container[Hashable]) -> bool:
    """Whether a name is among names; what cannot be hashed is not."""
    try:
        return name in names
    except TypeError:
        return False


def duplicates(names: Sequence[Hashable]) -> list[Hashable]:
    """Names that occur more than once, each once, in order."""
    seen: set[Hashable] = set()
    twice: dict[Hashable, None] = {}
    for name in names:
        if name in seen:
            twice[name] = None
        seen.add(name)
    return list(twice)


def _article(value: object) -> str:
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"
