"""Copy as Python: scripts that print what is on a screen."""

from typing import Any, TypeVar

import msgspec

from cutpoint.errors import InvalidArgument
from cutpoint.files.tokens import name_of
from cutpoint.model import Acceptor, Generator
from cutpoint.wording import shown
from cutpoint.workbench import messages
from cutpoint.workbench.drafts import draft_of, model_of
from cutpoint.workbench.machine_screen import download
from cutpoint.workbench.messages import File, Machine, Script, ScriptRequest
from cutpoint.workbench.step_screen import word_of

MOST_INLINE = 200  # most numbers of a machine that is written into a script; a larger one is a file beside it
SORT_KEYS = {  # of a case: its id, word, probability and end
    "probability": "case[2]",
    "surprise": "abs(case[2] - (case[3] == 1)) if case[3] else -1.0",
    "length": "len(case[1])",
}
AnyRequest = TypeVar("AnyRequest", bound=messages.Message)


def script(request: ScriptRequest) -> Script:
    """A script for what a screen shows, and the files that it reads."""
    writers = {
        "machine": _machine,
        "step": _step,
        "cut_point": _cut_point,
        "compare": _compare,
        "learn": _learn,
        "cases": _cases,
    }
    if request.screen not in writers:
        raise InvalidArgument(f"must be one of {', '.join(writers)}; got {shown(request.screen)}.", argument="screen")
    files: list[File] = []
    lines = writers[request.screen](request, files)
    return Script("\n".join(["import cutpoint as cp", "", *lines, ""]), files)


def _machine(request: ScriptRequest, files: list[File]) -> list[str]:
    given = _asked(request, messages.DiagramRequest)
    look = f", min_probability={given.min_probability!r}" if given.min_probability else ""
    return [*_defined("A", given.machine, files), "print(A)", f"print(cp.drawing.to_dot(A{look}))"]


def _step(request: ScriptRequest, files: list[File]) -> list[str]:
    given = _asked(request, messages.StepRequest)
    machine = model_of(given.machine).machine
    exact = ", exact=True" if given.exact else ""
    lines = [*_defined("A", given.machine, files), f"word = {word_of(given.word, machine.alphabet)!r}"]
    if isinstance(machine, Acceptor):
        lines += [f"print(A.forward(word{exact}))", f"print(A.backward(word, {given.accepted is not False!r}{exact}))"]
    else:
        lines += [f"print(A.distribution(word{exact}), A.next_symbols(word{exact}))"]
    lines += ["print(A.exact_acceptance(word))" if given.exact else "print(A.acceptance(word))"]
    ends = "" if given.accepted is None else f", accepted={given.accepted!r}"
    return [*lines, f"print(A.most_likely_path(word{ends}))", f"print(A.occupancy(word{ends}{exact}))"]


def _cut_point(request: ScriptRequest, files: list[File]) -> list[str]:
    given = _asked(request, messages.WordsRequest)
    inclusive = ", inclusive=True" if given.inclusive else ""
    acceptance = "A.exact_acceptance(word)" if model_of(given.machine).machine.is_exact else "A.acceptance(word)"
    return [
        *_defined("A", given.machine, files),
        f"L = cp.Language(A, {given.cut_point!r}{inclusive})",
        f"for word in L.words(max_length={given.max_length}):",
        f"    print(word, {acceptance})",
        "isolation = L.isolation()",
        "print(isolation)",
        "print(L.to_dfa(500, isolation if isolation.proven else None))",
    ]


def _compare(request: ScriptRequest, files: list[File]) -> list[str]:
    given = _asked(request, messages.CompareRequest)
    left, right = _defined("A", given.left, files, "left.json"), _defined("B", given.right, files, "right.json")
    kind = ".to_weighted()" if isinstance(model_of(given.left).machine, Generator) else ""
    return [*left, *right, f"print(cp.equivalence(A{kind}, B{kind}))"]


def _learn(request: ScriptRequest, files: list[File]) -> list[str]:
    given = _asked(request, messages.LearnRequest)
    learner = "learn_generator" if given.generator else "learn"
    options: dict[str, Any] = {"n_states": given.n_states, "team": given.team if given.team > 1 else None}
    options |= {"time_limit": given.time_limit, "rng": given.seed}
    lines = ["import numpy as np", *_sample(given.sample), "training = sample"]
    if given.holdout:
        split = f"cp.search.held_out(sample, {given.holdout!r}, np.random.default_rng({given.seed!r}))"
        lines[-1] = f"training, fresh = {split}"
    lines += [f"fit = cp.{learner}(training{_named(options)})", "print(fit)"]
    if given.generator:
        return [*lines, *["print(fit.generator.perplexity(fresh))"] * bool(given.holdout)]
    lines += ["cut_point = cp.assess.chosen_cut_point(fit).cut_point"]
    if given.holdout:
        lines += ["print(cp.evaluate(fit.acceptor, fresh, cut_point, baseline=training).table())"]
    law = f"cp.search.law_of_inputs(training, rng={given.seed!r})"
    return [*lines, f'cp.save(fit.acceptor, "model.json", cut_point=cut_point, inputs={law})']


def _cases(request: ScriptRequest, files: list[File]) -> list[str]:
    given = _asked(request, messages.CasesShown)
    cases, case = given.cases, given.case
    right = f"(probability > {model_of(cases.machine).used_cut_point!r}) == (end == 1)"
    wanted = [] if cases.outcome is None else [f"end == {1 if cases.outcome else 2}"]
    wanted += [] if cases.wrong is None else [f"end and {'not ' * cases.wrong}({right})"]
    if cases.text:
        wanted += [f"any({cases.text.casefold()!r} in str(text).casefold() for text in (name, *word))"]
    listed = "zip(sample.ids, words, probabilities, ends)"
    if cases.sort != "row":
        listed = f"sorted({listed}, key=lambda case: {SORT_KEYS[cases.sort]}{', reverse=True' * cases.descending})"
    elif cases.descending:
        listed = f"reversed([*{listed}])"
    lines = [
        *_defined("A", cases.machine, files),
        *_sample(cases.sample),
        "probabilities = sample.per_case(A.acceptances(sample))",
        "ends = sample.per_case(sample.ends)  # 1: accepted, 2: rejected, 0: not known",
        "words = [sample[int(k)].word for k in sample.per_case(range(len(sample)))]",
        f"for name, word, probability, end in {listed}:",
        *(
            [f"    if {' and '.join(wanted)}:", "        print(name, probability)"]
            if wanted
            else ["    print(name, probability)"]
        ),
    ]
    if case is None:
        return lines
    word, exact = [name_of(symbol) for symbol in case.word], ", exact=True" if case.exact else ""
    return [*lines, f"print(cp.explain(A, {word!r}, outcome={case.outcome!r}{exact}))"]


def _asked(request: ScriptRequest, kind: type[AnyRequest]) -> AnyRequest:
    """The request that a screen has sent."""
    try:
        return msgspec.convert(request.request, kind)
    except msgspec.ValidationError as wrong:
        raise InvalidArgument(f"must be that of the screen {request.screen!r} ({wrong}).", argument="request") from None


def _sample(file: messages.SampleFile) -> list[str]:
    """Lines that read a sample; its file must be in the folder of the script."""
    reading = file.reading
    plain = {name: getattr(reading, name) for name in ("format", "header", "delimiter", "separator", "positive")}
    return [f"sample = cp.files.read_cases({file.name!r}{_named(plain | reading.columns)})"]


def _named(options: dict[str, Any]) -> str:
    return "".join(f", {name}={value!r}" for name, value in options.items() if value is not None)


def _defined(name: str, machine: Machine, files: list[File], file: str = "machine.json") -> list[str]:
    """Lines that define a machine: its parts, or where these are many, or there is more beside them, from a file."""
    model = model_of(machine)
    found = model.machine
    if found.transitions.size > MOST_INLINE or draft_of(model).beside:
        (written,) = download(messages.DownloadRequest(machine, ".json")).files
        files.append(msgspec.structs.replace(written, name=file))
        return [f"{name} = cp.load({file!r})"]
    draft = draft_of(model)
    rows = zip(found.alphabet, draft.transitions, strict=True)
    return [
        f"{name} = cp.{type(found).__name__}(",
        f"    {list(found.states)!r},",
        f"    {list(found.alphabet)!r},",
        "    {",
        *[f"        {symbol!r}: {matrix!r}," for symbol, matrix in rows],
        "    },",
        f"    initial={draft.initial!r},",
        *([f"    stop={draft.stop!r},"] if draft.stop is not None else []),
        f"    final={dict(zip(found.states, draft.final, strict=True))!r},",
        ")",
    ]
