"""How messages, tables and displays speak of values: shown, counted and listed alike wherever they occur."""

import math
from collections.abc import Hashable, Iterable, Sequence
from difflib import get_close_matches
from itertools import islice


def shown(value: object, room: int = 60) -> str:
    """Repr of any value, shortened; numbers too long to print are described by their size.

    Examples
    --------
    >>> shown("a" * 100, room=8)
    "'aaaaaa…"
    >>> shown(10**6000)
    'an int of about 6001 digits'
    """
    try:
        text = repr(value)
    except RecursionError:
        return f"a {type(value).__name__} nested too deeply to print"
    except ValueError:  # Python refuses to print integers of more than 4,300 digits
        if isinstance(value, int):
            return f"an int of about {round(value.bit_length() * math.log10(2)) + 1} digits"
        return f"a {type(value).__name__} too long to print"
    return text if len(text) <= room else text[: room - 1] + "…"


def plain(name: object) -> str:
    r"""A name as it is; in quotes if it is empty, has blanks at an end or holds a line feed.

    Examples
    --------
    >>> plain("warm"), plain((1, 2)), plain(" "), plain("a\nb")
    ('warm', '(1, 2)', "' '", "'a\\nb'")
    """
    try:
        text = str(name)
    except ValueError:  # Python refuses to print integers of more than 4,300 digits
        return shown(name)
    return text if text and text.isprintable() and text == text.strip() else repr(text)


def printable(text: str, keep: str = "") -> str:
    r"""Text that a terminal or a page shows and does not obey: whatever is not printable is escaped, but for ``keep``.

    A control character would move the cursor, clear the screen or make an SVG invalid; a mark of direction would
    rearrange what comes after it; half of a surrogate pair could not be written at all.

    Examples
    --------
    >>> printable("bell\a\n"), printable("two\nlines\x1b[2J", keep="\n")
    ('bell\\x07\\n', 'two\nlines\\x1b[2J')
    """
    text = str(text)  # the name of an outcome may be a number
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in keep else c.encode("unicode_escape").decode("ascii") for c in text)


def word_text(word: Sequence[object]) -> str:
    """A word in quotes as it is typed: symbols that are texts have blanks between them; other words as they are.

    Examples
    --------
    >>> word_text("011"), word_text(("ad", "visit")), word_text((0, 1))
    ("'011'", "'ad visit'", '(0, 1)')
    """
    typed = all(isinstance(symbol, str) and symbol.split() == [symbol] for symbol in word)
    return shown(" ".join(map(str, word)) if typed and not isinstance(word, str) else word)


def counted(number: float, noun: str) -> str:
    """A number and its noun, which gets an s unless the number is 1; huge numbers as a power of ten.

    Examples
    --------
    >>> counted(1, "word"), counted(20000, "word"), counted(10**30, "entry")
    ('1 word', '20,000 words', 'about 10^30 entries')
    """
    if isinstance(number, int) and number >= 10**15:
        text = f"about 10^{round((number.bit_length() - 1) * math.log10(2))}"
    else:
        text = f"{number:,}" if isinstance(number, int) else f"{number:g}"
    if number == 1:
        return f"{text} {noun}"
    return f"{text} {noun[:-1] + 'ies' if noun.endswith('y') else noun + 's'}"


def signed_sum(terms: Iterable[tuple[bool, str]]) -> str:
    """Terms as one sum, each of them whether it is subtracted and its size as text.

    Examples
    --------
    >>> signed_sum([(True, "1"), (False, "2x"), (True, "x^2")]), signed_sum([])
    ('-1 + 2x - x^2', '0')
    """
    text = "".join(f" {'-' if minus else '+'} {size}" for minus, size in terms)
    return f"{'-' if text.startswith(' -') else ''}{text[3:]}" or "0"


def integer_if_whole(number: float) -> float:
    """A number as an int if it is whole up to rounding, as counts and sums of weights usually are.

    Examples
    --------
    >>> integer_if_whole(2.0), integer_if_whole(243.99999999999994), integer_if_whole(0.5)
    (2, 244, 0.5)
    """
    if math.isfinite(number) and math.isclose(number, round(number), rel_tol=1e-12):
        return round(number)
    return float(number)


def rounded_count(number: float) -> str:
    """A count as text, with one decimal if it is a sum of weights that is not whole.

    Examples
    --------
    >>> rounded_count(1301.0), rounded_count(2.0625)
    ('1,301', '2.1')
    """
    return f"{number:,.1f}".removesuffix(".0")


def listed(names: Iterable[object], limit: int = 8) -> str:
    """Names in braces, shortened.

    Examples
    --------
    >>> listed("abc"), listed(range(100), limit=3)
    ("{'a', 'b', 'c'}", '{0, 1, 2, …}')
    """
    first = list(islice(names, limit + 1))
    texts = [shown(name) for name in first[:limit]] + ["…"] * (len(first) > limit)
    return "{" + ", ".join(texts) + "}"


def suggestion(name: object, known: Sequence[Hashable]) -> str:
    """Sentence that names the nearest known name, or nothing.

    Examples
    --------
    >>> suggestion("Quit", ["quit", "buy"])
    " Did you mean 'quit'?"
    >>> suggestion(1, ["0", "1"])
    " Did you mean '1' (a str, not an int)?"
    """
    by_text: dict[str, Hashable] = {_plain_text(candidate): candidate for candidate in reversed(known)}
    nearest = get_close_matches(_plain_text(name), by_text, n=1, cutoff=0.6)
    if not nearest:
        return ""
    match = by_text[nearest[0]]
    if _plain_text(match) == _plain_text(name) and type(match) is not type(name):
        return f" Did you mean {match!r} ({_article(match)}, not {_article(name)})?"
    return f" Did you mean {match!r}?"


def _plain_text(name: object) -> str:
    return (name if isinstance(name, str) else shown(name)).casefold()


def _article(value: object) -> str:
    name = type(value).__name__
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name}"
