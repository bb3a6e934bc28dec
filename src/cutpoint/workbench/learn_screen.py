"""Learning from a file of cases: the tournament as it goes, what it found, how good that is; and the report."""

import hashlib
import time
import warnings
from dataclasses import asdict
from typing import Any

import msgspec
import numpy as np

from cutpoint.assess.evaluation import CutPointChoice, Evaluation, chosen_cut_point, evaluate
from cutpoint.cases.credits import credit_or_reason
from cutpoint.data import Sample
from cutpoint.drawing.report import evaluation_report
from cutpoint.em.observations import check_evidence
from cutpoint.errors import UnusedStatesWarning
from cutpoint.model.prediction import Model
from cutpoint.search.folds import held_out
from cutpoint.search.generators import law_of_inputs, learn_generator
from cutpoint.search.learn import learn
from cutpoint.search.learned import Learned, SearchProgress
from cutpoint.workbench import drafts
from cutpoint.workbench.machine_screen import file_of, folder
from cutpoint.workbench.messages import (
    CalibrationBin,
    Curve,
    Files,
    Judgement,
    LearnProgress,
    LearnRequest,
    LearnResult,
    ReportRequest,
    SizeLoss,
)
from cutpoint.workbench.uploads import OUTCOMES, Folder, NamedSample, Report, sample_of

MOST_CREDITED = 20  # most events whose credit is listed
COLUMNS = 5  # columns of the credit that are listed


def learn_machine(request: LearnRequest, report: Report) -> LearnResult:
    """Learn a machine; a search that is ended early, or was interrupted before, keeps the best so far."""
    began, given = time.monotonic(), sample_of(request.sample)
    if not request.generator:
        check_evidence(given.sample)
    training, fresh = _split(given.sample, request)
    checkpoint = Folder.file(hashlib.sha256(msgspec.json.encode(request)).hexdigest()).with_suffix(".checkpoint")
    ended = False

    def follow(progress: SearchProgress) -> bool:
        nonlocal ended
        facts = asdict(progress) | {"sizes": {str(size): loss for size, loss in progress.sizes.items()}}
        ended = report(LearnProgress(**facts))
        return ended

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnusedStatesWarning)  # the result says so itself
        learned = (learn_generator if request.generator else learn)(
            training,
            request.n_states,
            request.team,
            time_limit=request.time_limit,
            callback=follow,
            checkpoint=checkpoint,
            rng=request.seed,
        )
    checkpoint.unlink(missing_ok=True)
    predicts = not request.generator or (training.marks is None and {1, 2} <= set(training.ends.tolist()))
    choice = chosen_cut_point(learned) if predicts else None
    model = _model(learned, given, choice, training, request)
    judged = judgement(evaluate(model.machine, fresh, baseline=training)) if predicts and fresh is not None else None
    credit = credit_or_reason(model.machine, training, model.inputs, given.names[0]) if predicts else "words alone."
    return LearnResult(
        draft=drafts.draft_of(model),
        summary=repr(model.machine),
        stop=str(learned.stop),
        detail=learned.detail,
        best_so_far=ended or not learned.converged,
        cut_point=None if choice is None else choice.cut_point,
        cut_point_reason="" if choice is None else choice.reason,
        sizes=[SizeLoss(s.n_states, s.loss, _finite(s.standard_error)) for s in learned.sizes],
        curves=_curves(learned),
        judgement=judged,
        credit=[] if isinstance(credit, str) else [row[:COLUMNS] for row in credit.rows(MOST_CREDITED)],
        credit_reason=credit if isinstance(credit, str) else "",
        seconds=time.monotonic() - began,
    )


def judgement(evaluation: Evaluation) -> Judgement:
    """How well cases are predicted, for the page."""
    return Judgement(
        what=evaluation.what,
        table=evaluation.rows(),
        calibration=[
            CalibrationBin(each.probability, each.accepted, each.low, each.high, each.count)
            for each in evaluation.calibration()
        ],
    )


def report_of(request: ReportRequest) -> Files:
    """The report about a machine, judged by all cases of a file."""
    model, given = drafts.model_of(request.machine), sample_of(request.sample)
    with folder() as place:
        path = place / "report.html"
        evaluation = evaluate(model.machine, given.sample)
        about = {"judged by": request.sample.name}
        evaluation_report(
            evaluation, model.machine, given.sample, path, request.title, given.names, None, about, model.inputs
        )
        return Files([file_of(path, path.name)])


def _split(sample: Sample, request: LearnRequest) -> tuple[Sample, Sample | None]:
    if not request.holdout:
        return sample, None
    return held_out(sample, request.holdout, np.random.default_rng(request.seed))


def _model(
    learned: Learned, given: NamedSample, choice: CutPointChoice | None, training: Sample, request: LearnRequest
) -> Model:
    notes = {"data": request.sample.name, "seed": request.seed, "stop": learned.stop.name.lower()}
    beside: dict[str, Any] = {"metadata": notes}
    if not request.generator:
        beside["inputs"] = law_of_inputs(training, rng=request.seed)
    if choice is not None:
        beside["cut_point"] = choice.cut_point
        beside["classes"] = given.names[::-1] if given.names != OUTCOMES else None
    return Model(learned.model, **beside)


def _curves(learned: Learned) -> list[Curve]:
    """The climb of each member, as far as it is known."""
    found = []
    for member in learned.members:
        steps, _, training, judged = zip(*member.curve, strict=True) if member.curve else ((),) * 4
        found.append(Curve(member.start, list(steps), list(training), list(judged)))
    return found


def _finite(value: float | None) -> float | None:
    return value if value is not None and np.isfinite(value) else None
