"""Names: distinct and numbered; and how messages speak of them."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from difflib import get_close_matches
from itertools import islice
from typing import Any, Self

from cutpoint.errors import CutpointError


class Names(tuple[Hashable, ...]):
    """Distinct hashable names in a fixed order; name number k has code k."""

    _codes: dict[Hashable, int]

    @classmethod
    def numbered(cls, names: Iterable[Any]) -> Self:
        """Names with their codes; what cannot be hashed or occurs twice is left to the caller to refuse."""
        self = super().__new__(cls, names)
        self._codes = {name: code for code, name in enumerate(self) if _is_hashable(name)}
        return self

    @property
    def unhashable(self) -> list[object]:
        """Names that cannot be names."""
        return [name for name in self if not _is_hashable(name)]

    @property
    def repeated(self) -> list[Hashable]:
        """Names that occur more than once, each once, in order."""
        return [name for name, times in Counter(self).items() if times > 1]

    def __contains__(self, name: object) -> bool:
        return _is_hashable(name) and name in self._codes

    def code(self, name: Any, where: str = "") -> int:
        """Number of a name; an unknown one is refused with a sentence that begins with where it was met."""
        if name not in self:
            raise self.unknown(name, where)
        return self._codes[name]

    def unknown(self, name: object, where: str) -> CutpointError:
        """Error for a name that is not among these."""
        raise NotImplementedError

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (list(self),)


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


def _is_hashable(name: object) -> bool:
    """Whether a value can be a name; a tuple that holds a list, say, cannot."""
    try:
        hash(name)
    except TypeError:
        return False
    return True


def _article(value: object) -> str:
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"
