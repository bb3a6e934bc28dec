"""Names: distinct and numbered."""

from collections import Counter
from collections.abc import Hashable, Iterable
from typing import Any, Self

from cutpoint.errors import CutpointError
from cutpoint.wording import listed, shown

HASHABLE = "hashable, such as strings or numbers"


class Names(tuple[Hashable, ...]):
    """Distinct hashable names in a fixed order; name number k has code k."""

    _codes: dict[Hashable, int]

    @classmethod
    def numbered(cls, names: Iterable[Any], noun: str, error: type[CutpointError]) -> Self:
        """Names with their codes; what cannot be a name or occurs twice is refused."""
        self = super().__new__(cls, names)
        for name in self:
            if not is_hashable(name):
                raise error(f"{noun} must be {HASHABLE}; got {shown(name)}.")
        self._codes = {name: code for code, name in enumerate(self)}
        if None in self:
            raise error(f"{noun} must not be None, which stands for what was not seen.")
        if len(self._codes) < len(self):
            repeated = [name for name, times in Counter(self).items() if times > 1]
            raise error(f"{noun} must be distinct; repeated: {listed(repeated)}.")
        return self

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
