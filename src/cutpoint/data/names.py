"""Names: distinct and numbered."""

from collections import Counter
from collections.abc import Hashable, Iterable
from typing import Any, Self

from cutpoint.errors import CutpointError


class Names(tuple[Hashable, ...]):
    """Distinct hashable names in a fixed order; name number k has code k."""

    _codes: dict[Hashable, int]

    @classmethod
    def numbered(cls, names: Iterable[Any]) -> Self:
        """Names with their codes; what cannot be hashed or occurs twice is left to the caller to refuse."""
        self = super().__new__(cls, names)
        self._codes = {name: code for code, name in enumerate(self) if is_hashable(name)}
        return self

    @property
    def unhashable(self) -> list[object]:
        """Names that cannot be names."""
        return [name for name in self if not is_hashable(name)]

    @property
    def repeated(self) -> list[Hashable]:
        """Names that occur more than once, each once, in order."""
        return [name for name, times in Counter(self).items() if times > 1]

    def __contains__(self, name: object) -> bool:
        return is_hashable(name) and name in self._codes

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


def is_hashable(name: object) -> bool:
    """Whether a value can be a name; a tuple that holds a list, say, cannot."""
    try:
        hash(name)
    except TypeError:
        return False
    return True
