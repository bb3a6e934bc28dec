"""``cutpoint watch``."""

import signal
import sys
from codecs import BOM_UTF8
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from itertools import chain
from typing import Any

import click
import msgspec

from cutpoint.cases import Runs
from cutpoint.cases.event_lines import EventLines
from cutpoint.cases.state_file import StateFile
from cutpoint.cli import options, output
from cutpoint.data.alphabet import OnUnknown
from cutpoint.errors import FormatError, InvalidArgument
from cutpoint.files.streams import BLOCK, LONGEST_LINE
from cutpoint.wording import counted

F_SETPIPE_SZ = 1031  # Linux's number of the call that enlarges a pipe


@click.command()
@click.argument("model", type=options.FILE)
@click.option("--id", metavar="FIELD", default="id", help="Field with the case id.")
@click.option("--event", metavar="FIELD", default="event", help="Field with the event.")
@click.option("--verdict", metavar="FIELD", help="Field with what was seen after the event: accepted or not, if known.")
@options.cut_point
@options.unknown
@click.option("--state", type=options.FILE, help="File that keeps the cases when the program ends or is killed.")
@click.option("--close", metavar="EVENT", multiple=True, help="Event that closes its case; may be given several times.")
@click.option(
    "--from-line", type=options.AT_LEAST_ONE, show_default="the next", help="Number of the first line of input."
)
@click.option("--strict", is_flag=True, help="Stop at the first line that cannot be read.")
def command(
    model: str,
    id: str,
    event: str,
    verdict: str | None,
    cut_point: str | None,
    unknown: OnUnknown | None,
    state: str | None,
    close: tuple[str, ...],
    from_line: int | None,
    strict: bool,
) -> None:
    """Follow running cases: events from standard input, one JSON object per line, and an answer to each.

    An answer has the number of the line, the id, how many events the case has, its acceptance, whether it is accepted
    at the cut point, and an alarm (above or below) if this event made it cross the cut point. The acceptance is that
    of the case if it ended here; a model of fit --along says how the case will probably end. A line that cannot be read
    is answered by an error and changes nothing.

    An event may have a verdict, such as whether an exercise was solved. Its own answer is what could be expected
    before; the verdict counts for the events that follow.

    With --state a line is answered only when it is safely on the disk: what was answered survives a crash. After
    one, --from-line says with which line the input begins again, and lines known already are not counted twice.

    \b
    Example: cutpoint watch model.json --id who --event what --state cases.runs < events.ndjson
    """
    if model == "-":
        raise click.UsageError("standard input has the events; name a file with the model.")
    if from_line is not None and state is None:
        raise click.UsageError("--from-line is for going on where --state has ended.")
    read = options.model_of(model, unknown=unknown)
    options.say_if_symbols_were_made(read)
    runs = Runs(read.acceptor, read.cut_point if cut_point is None else cut_point)
    lines = EventLines(runs, id, event, close, verdict)
    if state is not None:
        options.check_output(state)
        options.check_distinct(state, inputs=(model,))
    with nullcontext() if state is None else StateFile(state, lines) as kept:
        skipped = 0 if kept is None else _known_lines(kept, from_line)
        for block in _blocks(skipped):
            with one_interrupt_waits():
                found = lines.parsed(block)
                parsed = found.before_error() if strict else found
                if kept is not None:
                    kept.append(parsed.content)
                _write(lines.answers(parsed))
                if kept is not None:
                    kept.save_if_long()
            if strict and found.errors:
                raise FormatError(found.errors[min(found.errors)], where=f"standard input: line {lines.lines + 1}")
        if kept is not None:
            kept.save()


def _known_lines(kept: StateFile, from_line: int | None) -> int:
    """How many lines of input are known already; those of the last batch are answered again."""
    known, cases = kept.lines.lines, len(kept.lines.runs)
    if known:
        output.message(f"{kept.path}: {counted(cases, 'open case')} after {counted(known, 'line')}")
    if from_line is None:
        return 0
    if from_line > known + 1:
        what = f"must be at most {known + 1}, the line after the last known one; got {from_line}."
        raise InvalidArgument(what, argument="from_line")
    repeated = kept.repeated.splitlines(keepends=True)
    _write(b"".join(line for line in repeated if msgspec.json.decode(line)["line"] >= from_line))
    return known + 1 - from_line


def _blocks(skipped: int) -> Iterator[bytes]:
    """Whole lines of standard input as they come, without the first ones."""
    for block in _whole_lines(sys.stdin.buffer):
        n_lines = block.count(b"\n") if skipped else 0
        if n_lines <= skipped and skipped:
            skipped -= n_lines
        else:
            yield block.split(b"\n", skipped)[-1]
            skipped = 0


def _whole_lines(stream: Any) -> Iterator[bytes]:
    """What a stream has at a time, up to the last line feed; what follows the very last is a line too."""
    with suppress(ImportError, OSError, ValueError):  # larger batches, where the system allows it
        import fcntl  # noqa: PLC0415

        fcntl.fcntl(stream.fileno(), F_SETPIPE_SZ, BLOCK)
    pieces: list[bytes] = []
    first = stream.read1(BLOCK).removeprefix(BOM_UTF8)
    for data in chain([first], iter(partial(stream.read1, BLOCK), b"")):
        lines, feed, rest = data.rpartition(b"\n")
        if feed:
            yield b"".join([*pieces, lines, feed])
            pieces.clear()
        pieces.append(rest)
        if sum(map(len, pieces)) > LONGEST_LINE:
            what = f"a line must have at most {counted(LONGEST_LINE, 'byte')}; it has more."
            raise FormatError(what, where="standard input")
    if last := b"".join(pieces):
        yield last + b"\n"


def _write(answers: bytes) -> None:
    if sys.stdout.isatty():
        answers = output.printable_json(answers.decode()).encode()
    sys.stdout.buffer.write(answers)
    sys.stdout.buffer.flush()


@contextmanager
def one_interrupt_waits() -> Iterator[None]:
    """Ctrl-C waits until a batch is done, so that no answer is cut off; a second one does not."""
    usual = signal.getsignal(signal.SIGINT)
    if usual is not signal.default_int_handler:  # it is ignored, as under ``nohup``
        yield
        return
    interrupts = []

    def note(*_: object) -> None:
        interrupts.append(True)
        if len(interrupts) > 1:
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
    if interrupts:
        raise KeyboardInterrupt
