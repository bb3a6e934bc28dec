"""What the page of the workbench asks and is answered: every message as a typed record.

Numbers that must stay exact travel as text such as ``"1/3"``; JSON numbers are floats. States and symbols are named by
JSON values, and within a message by their codes, places in ``states`` and ``symbols``, counted from 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec

LONGEST_SENTENCE = 1500  # characters
JOBS = ("read", "learn")  # routes that take long: they report progress, and can be stopped

Entry = int | float | str  # a float, or text as typed: "1/3", "0.25", which is exact
Name = Any  # a JSON value: text, a number, true, false, or a list of them
Codes = list[int]  # a word by the codes of its symbols


class Message(msgspec.Struct, forbid_unknown_fields=True):
    """A request or an answer."""


# -- Machines ---------------------------------------------------------------------------------------------------------


class Draft(Message):
    """An acceptor or a generator as it is typed, right or wrong.

    ``beside`` is what its file keeps beside it, in the words of the JSON format: ``cut_point``, ``classes``,
    ``labels``, ``metadata``, ``inputs``, ``unknown``. The page hands it back as it got it.
    """

    states: list[Name]
    symbols: list[Name]
    transitions: list[list[list[Entry]]]
    initial: list[Entry]
    final: list[bool]
    kind: str = "acceptor"
    stop: list[Entry] | None = None
    beside: dict[str, Any] = {}


Machine = Draft | str
"""A draft; or the digest that ``check`` has given to it, as long as it is known (error kind ``UnknownDigest``)."""


class Problem(Message):
    """Why a draft is no machine: the part of it, the place in that part as far as it has one, and the sentence."""

    part: str
    sentence: str
    symbol: int | None = None
    state: int | None = None
    column: int | None = None


class Checked(Message):
    """A draft looked through. With problems there is nothing else; ``draft`` has numbers as the package writes them.

    ``transitions``, ``initial`` and ``stop`` are floats. ``labels`` are names as the package shows them.
    """

    problems: list[Problem] = []
    digest: str = ""
    draft: Draft | None = None
    exact: bool = False
    summary: str = ""
    state_labels: list[str] = []
    symbol_labels: list[str] = []
    transitions: list[list[list[float]]] = []
    initial: list[float] = []
    stop: list[float] | None = None
    cut_point: str | None = None


class CheckRequest(Message):
    """Look through a draft; ``normalized`` divides rows by their sums, ``rationalized`` makes fractions of decimals."""

    machine: Machine
    normalized: bool = False
    rationalized: bool = False


class GalleryEntry(Message):
    """A machine of the gallery, and how it is made in Python."""

    name: str
    sentence: str
    python: str
    draft: Draft


class Gallery(Message):
    """The gallery."""

    entries: list[GalleryEntry]


class File(Message):
    """A file by its name, which has no folder, and its content in base64."""

    name: str
    content: str
    media_type: str = "application/octet-stream"


class Files(Message):
    """Files to keep."""

    files: list[File]


class OpenRequest(Message):
    """Read a machine from a file of any format; PRISM has more than one file."""

    files: list[File]
    normalized: bool = False


class DownloadRequest(Message):
    """Write a machine: ``format`` is an extension of a model, a picture or an export, such as ``.json`` or ``.svg``."""

    machine: Machine
    format: str
    name: str = "machine"
    rounded: bool = False
    bare: bool = False
    min_probability: float = 0.0


class DiagramRequest(Message):
    """Draw a machine: moves of at least a probability; to the right or down."""

    machine: Machine
    min_probability: float = 0.0
    orientation: str = "right"
    digits: int = 4


class Edge(Message):
    """An arrow of a diagram: from state to state, the lines of its label and its largest probability."""

    source: int
    target: int
    lines: list[str]
    strength: float


class DiagramText(Message):
    """A diagram in DOT, whose nodes are called by the codes of states (``start`` is no state), and its arrows."""

    dot: str
    edges: list[Edge]


# -- Step -------------------------------------------------------------------------------------------------------------


class StepRequest(Message):
    """Read a word; ``accepted`` is what is known of its end, for the backward table, the path and the occupancy."""

    machine: Machine
    word: Codes
    exact: bool = False
    accepted: bool | None = None


class ExactTables(Message):
    """The tables in fractions."""

    forward: list[list[str]]
    backward: list[list[str]]
    occupancy: list[list[str]] | None
    acceptances: list[str]
    probability: str
    path_probability: str | None


class Steps(Message):
    """All that happens while a word of n symbols is read.

    ``forward``, ``backward`` and ``occupancy`` have n + 1 rows, one number for each state; ``acceptances`` are those of
    the n + 1 prefixes, None where one is impossible. ``path`` is the most likely path by codes of states, of the
    probability given; it, the occupancy and what depends on them are None
    where no run ends as asked. ``probability`` is that of the word under a generator, 1 for an acceptor.
    """

    forward: list[list[float]]
    backward: list[list[float]]
    occupancy: list[list[float]] | None
    acceptances: list[float | None]
    path: list[int] | None
    path_probability: float | None
    probability: float
    next_symbols: list[float] | None = None
    exact: ExactTables | None = None


# -- Cut point --------------------------------------------------------------------------------------------------------


class WordsRequest(Message):
    """Words up to a length, shortest first, as many as are asked for at most, with their place at a cut point."""

    machine: Machine
    cut_point: str = "1/2"
    inclusive: bool = False
    max_length: int = 8
    most: int = 500


class WordAcceptance(Message):
    """A word, its acceptance, and where it is: ``above``, ``tie`` (exactly at the cut point) or ``below``.

    ``exact`` is text; of a machine of floats it is their exact binary value in short: None.
    """

    word: Codes
    acceptance: float
    exact: str | None
    side: str


class Level(Message):
    """A step of the staircase: an acceptance that words have, and how many words have a larger one."""

    acceptance: float
    exact: str | None
    count: int
    above: int


class CutPointWords(Message):
    """Words at a cut point. ``max_length`` is the length up to which all words are listed; the staircase is theirs."""

    cut_point: str
    value: float
    words: list[WordAcceptance]
    staircase: list[Level]
    max_length: int
    above: int
    ties: int
    below: int


class DecideRequest(Message):
    """What holds for all words at a cut point."""

    machine: Machine
    cut_point: str = "1/2"
    inclusive: bool = False
    max_states: int = 500


class Decided(Message):
    """Isolation and DFA at a cut point.

    ``isolated``: True if it is proven, False if a word is at the cut point, None if that is open. ``sentence`` says so.
    ``nearest`` is the word that comes nearest among those up to ``max_length``. Without a DFA, ``unknown`` says why.
    """

    isolated: bool | None
    sentence: str
    nearest: Codes
    acceptance: str
    distance: str
    proven: str | None
    max_length: int
    dfa_states: int | None = None
    dot: str | None = None
    dfa: Draft | None = None
    unknown: str | None = None
    empty: bool | None = None
    universal: bool | None = None


# -- Compare ----------------------------------------------------------------------------------------------------------


class CompareRequest(Message):
    """Whether two machines are equal; words are in the codes of the left one."""

    left: Machine
    right: Machine


class Compared(Message):
    """The verdict; if they differ, a shortest word, its two values, and the two tables step by step."""

    equal: bool
    sentence: str
    word: Codes | None = None
    left: str | None = None
    right: str | None = None
    left_steps: Steps | None = None
    right_steps: Steps | None = None


# -- Samples ----------------------------------------------------------------------------------------------------------


class Uploaded(Message):
    """A file that was uploaded (as bytes, not JSON): its digest, by which it is known while the server runs."""

    upload: str
    size: int


class Reading(Message):
    """How a file of cases is read: what ``cp.read_sample`` takes, columns by name or by number from 1."""

    format: str | None = None
    header: bool | None = None
    delimiter: str | None = None
    separator: str | None = None
    positive: str | None = None
    columns: dict[str, str | int] = {}


class SampleFile(Message):
    """A sample: an upload, the name of its file, and how it is read."""

    upload: str
    name: str
    reading: Reading = msgspec.field(default_factory=Reading)


class ReadProgress(Message):
    """How far a file is read, in bytes, and the cases found so far."""

    done: int
    total: int
    cases: int


class ReadRequest(Message):
    """Read a sample."""

    sample: SampleFile


class SampleRead(Message):
    """What a file holds. With a ``problem`` the columns and first rows are there so that the reading can be corrected.

    ``roles``: which column (by its place in ``columns``) is which. ``possible``: the roles that there are in a table of
    words, and in one of events. ``reading`` is how it was read, with the delimiter that was found. ``outcomes``: values
    of the outcome column, the most usual first.
    """

    reading: Reading
    problem: str | None = None
    format: str = ""
    events: bool = False
    columns: list[str] = []
    header: bool = True
    rows: list[list[str]] = []
    roles: dict[str, int] = {}
    possible: tuple[list[str], list[str]] = ([], [])
    outcomes: list[str] = []
    cases: int = 0
    distinct: int = 0
    n_symbols: int = 0
    lengths: tuple[int, int] = (0, 0)
    accepted: int = 0
    rejected: int = 0
    unjudged: int = 0
    names: tuple[str, str] = ("accepted", "rejected")
    warnings: list[str] = []


# -- Learn ------------------------------------------------------------------------------------------------------------


class LearnRequest(Message):
    """Learn a machine from a sample; ``generator``: of the words themselves. ``holdout``: share kept to judge by."""

    sample: SampleFile
    n_states: int | None = None
    team: int = 1
    generator: bool = False
    holdout: float = 0.2
    time_limit: float | None = None
    seed: int = 0


class LearnProgress(Message):
    """Where the search is: see ``cutpoint.search.SearchProgress``. ``sizes`` are losses by number of states."""

    n_states: int
    fold: int
    folds: int
    round: int
    rounds: int
    loss: float
    e_steps: int
    seconds: float
    seconds_left: float | None
    sizes: dict[str, float]


class Curve(Message):
    """The climb of a fold's winner: E-steps, training loss, held-out loss."""

    start: str
    e_steps: list[int]
    training: list[float]
    held_out: list[float]


class SizeLoss(Message):
    """A number of states, its mean held-out loss, and the standard error of that."""

    n_states: int
    loss: float
    standard_error: float | None


class CalibrationBin(Message):
    """Cases of about the same predicted probability: its mean, the share accepted with its interval, how many."""

    predicted: float
    observed: float
    low: float
    high: float
    count: float


class Judgement(Message):
    """How well cases that were not learned from are predicted; ``table`` is as the package prints it."""

    what: str
    table: list[list[str]]
    calibration: list[CalibrationBin]


class LearnResult(Message):
    """The result of learning; the draft carries its cut point and its law of inputs."""

    draft: Draft
    summary: str
    stop: str
    detail: str
    best_so_far: bool
    cut_point: float | None
    cut_point_reason: str
    sizes: list[SizeLoss]
    curves: list[Curve]
    judgement: Judgement | None
    credit: list[list[str]]
    credit_reason: str
    seconds: float


# -- Cases ------------------------------------------------------------------------------------------------------------


class CasesRequest(Message):
    """Cases of a sample with their scores; ``outcome`` and ``wrong`` filter, ``text`` is looked for in ids and events.

    ``sort``: ``row``, ``probability``, ``surprise`` (how far the probability is from the outcome) or ``length``.
    """

    machine: Machine
    sample: SampleFile
    outcome: bool | None = None
    wrong: bool | None = None
    text: str = ""
    sort: str = "row"
    descending: bool = False
    offset: int = 0
    limit: int = 100


class Case(Message):
    """A case: its row in the sample, id, events, outcome, probability and whether the cut point gets it wrong."""

    row: int
    id: str
    word: list[Name]
    accepted: bool | None
    probability: float
    predicted: bool
    wrong: bool | None


class Cases(Message):
    """Some of the cases that were asked for, how many those are, and how many there are in all."""

    cases: list[Case]
    found: int
    total: int
    cut_point: float
    names: tuple[str, str]


class CaseRequest(Message):
    """Explain a case, by the names of its events: one of a sample, or one with edited events."""

    machine: Machine
    word: list[Name]
    outcome: str = "accepted"
    exact: bool = False


class Bar(Message):
    """A bar of a waterfall."""

    label: str
    before: float
    after: float


class CaseExplained(Message):
    """Why a case has its probability. Without a law of inputs there are no forecasts, and no changes along the way."""

    acceptance: float
    exact: str | None
    predicted: bool
    baseline: float
    forecasts: list[float] | None
    bars: list[Bar]
    shapley_bars: list[Bar]
    warning: str | None
    sentence: str


class ReportRequest(Message):
    """The report about a machine, judged by a sample: one HTML file."""

    machine: Machine
    sample: SampleFile
    title: str = "A stochastic acceptor"


# -- Everywhere -------------------------------------------------------------------------------------------------------


class CasesShown(Message):
    """What the screen Cases shows: the list, and the case beside it."""

    cases: CasesRequest
    case: CaseRequest | None = None


class ScriptRequest(Message):
    """Python for what is on a screen: ``machine``, ``step``, ``cut_point``, ``compare``, ``learn``, ``cases``.

    ``request`` is the request that the screen has sent last: a diagram, a step, words, a comparison, …, ``CasesShown``.
    """

    screen: str
    request: dict[str, Any]
    name: str = "machine"


class Script(Message):
    """A script that prints what is on the screen, and the files that it reads."""

    script: str
    files: list[File] = []


class StartRequest(Message):
    """What the page begins with; the server names the file of the command line, whatever the page sends."""

    name: str = ""
    upload: str = ""


class Started(Message):
    """What the page begins with: the version, and the file of the command line, a machine or cases, if there is one."""

    version: str
    name: str = ""
    draft: Draft | None = None
    sample: SampleFile | None = None
    problem: str | None = None
    formats: list[str] = []
    downloads: list[str] = []


class StopRequest(Message):
    """End a job; learning keeps the best so far."""

    job: str


class Nothing(Message):
    """An empty request or answer."""


class Failure(Message):
    """Any error, with a status that is not 200. ``kind`` is the class of the error.

    ``UnknownDigest``: send the draft again. ``UnknownUpload``: upload the file again.
    """

    kind: str
    sentence: str
    where: str = ""
    advice: str = ""


@dataclass(frozen=True)
class Answer:
    """An answer: a status as in HTTP, and JSON."""

    status: int
    body: bytes


def failure(status: int, kind: str, sentence: str, where: str = "", advice: str = "") -> Answer:
    """Answer that says what went wrong; the middle of a sentence that repeats very long names is left out."""
    if len(sentence) > LONGEST_SENTENCE:
        sentence = f"{sentence[: LONGEST_SENTENCE - 200]}…{sentence[-199:]}"
    return Answer(status, msgspec.json.encode(Failure(kind, sentence, where, advice)))
