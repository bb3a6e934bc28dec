"""Cut points: words above, at and below one, the staircase of acceptances, what is decided for all words; equality."""

from collections import Counter
from fractions import Fraction
from itertools import chain, product
from typing import Any

from cutpoint.decision import Unknown
from cutpoint.decision.equivalence import Equal, equivalence
from cutpoint.decision.language import Language
from cutpoint.diagrams.picture import draw
from cutpoint.errors import CutpointError, InvalidArgument
from cutpoint.files.tokens import Number, numeral
from cutpoint.model import Generator
from cutpoint.model.prediction import Model
from cutpoint.model.text import number
from cutpoint.workbench import drafts
from cutpoint.workbench.messages import (
    Compared,
    CompareRequest,
    CutPointWords,
    Decided,
    DecideRequest,
    Level,
    WordAcceptance,
    WordsRequest,
)
from cutpoint.workbench.step_screen import steps

MOST_WORDS = 5_000  # most words of a list
MOST_DRAWN = 60  # most states of a DFA that is drawn


def words(request: WordsRequest) -> CutPointWords:
    """Words up to a length, at a cut point; of the last length all or none, as there is room."""
    language = Language(drafts.acceptor_of(request.machine), request.cut_point, request.inclusive)
    acceptor, most = language.acceptor, min(max(request.most, 1), MOST_WORDS)
    k, longest, count = acceptor.n_symbols, 0, 1
    while longest < request.max_length and count + k ** (longest + 1) <= most:
        longest += 1
        count += k**longest
    codes = list(chain.from_iterable(product(range(k), repeat=n) for n in range(longest + 1)))
    listed = [acceptor.alphabet.decode(word) for word in codes]
    above = Language(acceptor, language.cut_point).contains(listed)
    reached = Language(acceptor, language.cut_point, inclusive=True).contains(listed)
    values: list[Number] = (
        [acceptor.exact_acceptance(word) for word in listed]
        if acceptor.is_exact
        else acceptor.acceptances(listed).tolist()
    )
    sides = ["above" if up else "tie" if at else "below" for up, at in zip(above, reached, strict=True)]
    sizes = Counter(sides)
    return CutPointWords(
        cut_point=_text(language.cut_point),
        value=float(language.cut_point),
        words=[
            WordAcceptance(list(word), float(value), _exact(value), side)
            for word, value, side in zip(codes, values, sides, strict=True)
        ],
        staircase=_staircase(values),
        max_length=longest,
        above=sizes["above"],
        ties=sizes["tie"],
        below=sizes["below"],
    )


def decide(request: DecideRequest) -> Decided:
    """What holds for all words at a cut point: isolation, and the DFA, or why there is none."""
    language = Language(drafts.acceptor_of(request.machine), request.cut_point, request.inclusive)
    acceptor = language.acceptor
    isolation = language.isolation()
    at_cut_point = isolation.distance == 0
    try:
        dfa = language.to_dfa(request.max_states, isolation if isolation.proven else None)
        unknown = str(dfa) if isinstance(dfa, Unknown) else None
    except CutpointError as error:
        dfa, unknown = Unknown(0), str(error)
    found = dict[str, Any]()
    if not isinstance(dfa, Unknown):
        found = {"dfa_states": dfa.n_states, "empty": dfa.shortest_word() is None}
        found["universal"] = (~dfa).shortest_word() is None
        if dfa.n_states <= MOST_DRAWN:
            found |= {"dot": draw(dfa).dot, "dfa": drafts.draft_of(Model(dfa.to_acceptor()))}
    return Decided(
        isolated=True if isolation.proven else False if at_cut_point else None,
        sentence=_isolation_sentence(isolation.proven, at_cut_point, number(isolation.distance)),
        nearest=acceptor.alphabet.encode_word(isolation.word).tolist(),
        acceptance=_shown(isolation.acceptance, acceptor.is_exact),
        distance=_shown(isolation.distance, acceptor.is_exact),
        proven=None if isolation.proven is None else numeral(isolation.proven),
        max_length=isolation.max_length,
        unknown=unknown,
        **found,
    )


def compare(request: CompareRequest) -> Compared:
    """Whether two machines are equal; if not, the word that shows it, with both tables."""
    left, right = (drafts.model_of(machine).machine for machine in (request.left, request.right))
    if type(left) is not type(right):
        raise InvalidArgument("two acceptors are compared, or two generators; got one of each.")
    of_words = isinstance(left, Generator)
    verdict = equivalence(left.to_weighted(), right.to_weighted())
    what = "give every word the same probability" if of_words else "accept every word with the same probability"
    if isinstance(verdict, Equal):
        return Compared(equal=True, sentence=f"The two {what}. This is proven.")
    exact = [Fraction(value) for value in (verdict.left, verdict.right)]  # type: ignore[arg-type]  # no parameters
    as_floats = float(exact[0]) != float(exact[1])  # if these do not differ, the fractions are needed to see it
    values = [_shown(value, m.is_exact or not as_floats) for value, m in zip(exact, (left, right), strict=True)]
    tables = [steps(machine, verdict.word) for machine in (left, right)] if not of_words else [None, None]
    return Compared(
        equal=False,
        sentence=f"The two do not {what}; no shorter word shows it.",
        word=left.alphabet.encode_word(verdict.word).tolist(),
        left=values[0],
        right=values[1],
        left_steps=tables[0],
        right_steps=tables[1],
    )


def _staircase(values: list[Number]) -> list[Level]:
    """Acceptances that occur, the largest first, with the number of words of larger ones."""
    levels, above = [], 0
    for value, count in sorted(Counter(values).items(), reverse=True):
        levels.append(Level(float(value), _exact(value), count, above))
        above += count
    return levels


def _isolation_sentence(proven: Fraction | None, at_cut_point: bool, distance: str) -> str:
    if proven is not None:
        return f"Isolated: it is proven that no word comes nearer to the cut point than {number(proven)}."
    if at_cut_point:
        return "Not isolated: a word has exactly this acceptance."
    return (
        f"Open: the nearest word is {distance} away, and longer words may come nearer. No proof of isolation was "
        "found; whether there is one is undecidable in general."
    )


def _shown(value: Number, exact: bool) -> str:
    """A number as text: a fraction, or of a machine of floats a decimal, as the fraction has hundreds of digits."""
    return numeral(value if exact else float(value))


def _exact(value: Number) -> str | None:
    return numeral(value) if isinstance(value, Fraction) else None


def _text(cut_point: Any) -> str:
    return numeral(cut_point) if isinstance(cut_point, Fraction | float) else str(cut_point)
