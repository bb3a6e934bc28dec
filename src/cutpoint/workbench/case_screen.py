"""Cases of a file with their scores, and one case explained, as it was or with other events."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from cutpoint.cases.explanation import explain
from cutpoint.data import Sample
from cutpoint.errors import InvalidArgument
from cutpoint.files.tokens import json_value, name_of, numeral
from cutpoint.model import Acceptor
from cutpoint.wording import shown
from cutpoint.workbench import drafts
from cutpoint.workbench.messages import Bar, Case, CaseExplained, CaseRequest, Cases, CasesRequest
from cutpoint.workbench.uploads import sample_of

MOST_CASES = 500  # most cases of one answer
MOST_BARS = 30  # most bars of a waterfall, about
LONGEST = 2_000  # most events of a case that is explained
OUTCOME = (None, True, False)  # by the code of a sample's ends


def cases(request: CasesRequest) -> Cases:
    """Some of the cases that were asked for, with their probabilities."""
    model, given = drafts.model_of(request.machine), sample_of(request.sample)
    sample, cut_point = given.sample, float(model.used_cut_point)
    values, ends = sample.per_case(model.machine.acceptances(sample)), sample.per_case(sample.ends)
    predicted = values > cut_point
    wrong = np.where(ends == 0, False, predicted != (ends == 1))
    kept = np.ones(len(values), dtype=np.bool_)
    if request.outcome is not None:
        kept &= ends == (1 if request.outcome else 2)
    if request.wrong is not None:
        kept &= (wrong == request.wrong) & (ends != 0)
    if request.text:
        kept &= _with_text(sample, request.text)
    rows = np.flatnonzero(kept)
    rows = rows[np.argsort(_keys(request, sample, values, ends)[rows], kind="stable")]
    shown_rows = rows[request.offset : request.offset + min(max(request.limit, 1), MOST_CASES)].tolist()
    ids, places, *_ = sample.known_cases
    found = [
        Case(
            row=r,
            id=str(ids[r]),
            word=[json_value(symbol) for symbol in sample[int(places[r])].word],
            accepted=OUTCOME[ends[r]],
            probability=float(values[r]),
            predicted=bool(predicted[r]),
            wrong=None if ends[r] == 0 else bool(wrong[r]),
        )
        for r in shown_rows
    ]
    return Cases(found, len(rows), len(values), cut_point, given.names)


def case(request: CaseRequest) -> CaseExplained:
    """Why a case has its probability."""
    model = drafts.model_of(request.machine)
    if len(request.word) > LONGEST:
        raise InvalidArgument(f"must have at most {LONGEST:,} events; got {len(request.word):,}.", argument="word")
    try:
        word = [name_of(symbol) for symbol in request.word]
    except ValueError:
        raise InvalidArgument(f"must be names of events; got {shown(request.word)}.", argument="word") from None
    found = explain(model.machine, word, outcome=request.outcome, exact=request.exact)
    has_shapley = isinstance(model.machine, Acceptor)
    return CaseExplained(
        acceptance=float(found.acceptance),
        exact=numeral(found.acceptance) if request.exact else None,
        predicted=bool(found.acceptance > model.used_cut_point),
        baseline=float(found.baseline),
        forecasts=None if found.forecasts is None else [float(value) for value in found.forecasts],
        bars=_bars(found, shapley=False),
        shapley_bars=_bars(found, shapley=True) if has_shapley else [],
        warning=found.warning,
        sentence=str(found).partition("\n")[0],
    )


def _keys(request: CasesRequest, sample: Sample, values: NDArray[Any], ends: NDArray[Any]) -> NDArray[Any]:
    """What cases are sorted by, smallest first."""
    keys: dict[str, NDArray[Any]] = {
        "row": np.arange(len(values)),
        "probability": values,
        "surprise": np.where(ends == 0, -1.0, np.abs(values - (ends == 1))),
        "length": sample.per_case(sample.lengths),
    }
    if request.sort not in keys:
        raise InvalidArgument(f"must be one of {', '.join(keys)}; got {shown(request.sort)}.", argument="sort")
    return -keys[request.sort] if request.descending else keys[request.sort]


def _with_text(sample: Sample, text: str) -> NDArray[np.bool_]:
    """Whether the id or an event of each case contains a text, in any case of letters."""
    sought = text.casefold()
    codes = [code for code, symbol in enumerate(sample.alphabet) if sought in str(symbol).casefold()]
    before = np.concatenate([[0], np.cumsum(np.isin(sample.symbols, codes))])
    in_word = before[sample.offsets[1:]] > before[sample.offsets[:-1]]
    in_id = np.array([sought in str(name).casefold() for name in sample.known_cases.ids], dtype=np.bool_)
    return np.asarray(in_id | sample.per_case(in_word))


def _bars(found: Any, shapley: bool) -> list[Bar]:
    return [Bar(step.label, float(step.before), float(step.after)) for step in found.steps(MOST_BARS, shapley)]
