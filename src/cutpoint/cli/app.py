"""The program ``cutpoint``: its verbs, and the sentence and exit code in which every error ends."""

import io
import os
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click

import cutpoint
from cutpoint.cli import FAILURE, INTERRUPTED, output, raise_on_interrupt
from cutpoint.errors import CutpointError
from cutpoint.wording import printable

BAD_INPUT = 3

VERBS = {
    "demo": "A tour: simulate, learn, compare, write a report.",
    "shard": "Split large tables into a folder of sorted shards.",
    "fit": "Learn a model from words and their outcomes.",
    "score": "Acceptance probability of every word of a file.",
    "evaluate": "How well a model predicts outcomes that it did not learn from.",
    "explain": "Why a case has its probability: what each event changed.",
    "credit": "What each event contributed over all cases.",
    "advise": "Which next events lead to the best forecast of a case.",
    "watch": "Follow running cases: events in, one answer each out.",
    "accepts": "Whether words are accepted at a cut point, never wrong by rounding.",
    "words": "Words accepted at a cut point, shortest first.",
    "count": "How many words of a length are accepted at a cut point.",
    "dfa": "Minimal DFA of the words accepted at a cut point.",
    "isolation": "How near acceptances come to a cut point.",
    "value": "Bounds of the highest acceptance of any word.",
    "table": "Forward table of a word, step by step.",
    "draw": "State diagram as SVG, PNG, PDF, DOT or TikZ.",
    "simulate": "Random words with the outcomes of random runs.",
    "generate": "Words that a generator makes.",
    "perplexity": "How well a generator predicts the symbols of words.",
    "compare": "Whether two models are equal; if not, a word on which they differ.",
    "minimize": "Fewer states for the same probabilities.",
    "convert": "Write a model in another file format.",
    "export": "Write a model as JavaScript, SQL or ONNX.",
    "info": "What a file holds, a model or data.",
    "workbench": "Watch an acceptor think: a page in the browser.",
}
"""Verbs, each with its module of the same name, which is loaded when the verb is used."""

OF_LANGUAGES = {"words", "count", "dfa", "isolation", "value"}
"""Verbs that share the module ``languages``."""

ALIASES = {"to_dfa": "dfa", "to-dfa": "dfa"}
"""Other names of verbs: those of the library."""

OF_OTHER_VERBS = {"normalized": "cutpoint convert --normalized"}
"""What to write for an argument of the library that is an option of another verb."""


class Program(click.Group):
    """A group whose verbs are loaded when they are used, so that ``--help`` answers at once."""

    verb: click.Command | None = None

    @property
    def options(self) -> dict[str, str]:
        """Options of the verb in use, by the argument of the library that each one sets."""
        known = self.verb.params if self.verb else []
        return OF_OTHER_VERBS | {str(each.name): each.opts[-1] for each in known if isinstance(each, click.Option)}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Verbs in the order of a working day."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A verb by name."""
        if cmd_name not in VERBS:
            return None
        self.verb = loaded(cmd_name)
        raise_on_interrupt()
        return self.verb

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Without any argument, the help: versions of click differ in where they print it and in the exit code."""
        if not args and not ctx.resilient_parsing:
            output.message(ctx.get_help(), keep=output.LAYOUT)
            ctx.exit(click.UsageError.exit_code)
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The verb that was typed; for a misspelled one, the nearest is suggested."""
        args = [ALIASES.get(args[0], args[0]), *args[1:]]
        if not ctx.resilient_parsing and args[0] not in VERBS and not args[0].startswith("-"):
            from cutpoint.wording import suggestion  # noqa: PLC0415

            ctx.fail(f"there is no verb {args[0]!r}.{suggestion(args[0], list(VERBS))}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List of the verbs, without loading them."""
        with formatter.section("Verbs"):
            formatter.write_dl(list(VERBS.items()))


def loaded(verb: str) -> click.Command:
    """The command of a verb, with its module."""
    module = import_module(f"cutpoint.cli.{'languages' if verb in OF_LANGUAGES else verb}")
    command: click.Command = getattr(module, verb if verb in OF_LANGUAGES else "command")
    command.name = verb
    return command


@click.group(
    cls=Program,
    subcommand_metavar="VERB [ARGS]...",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100, "show_default": True},
    epilog="Start with: cutpoint demo. Every verb has an example: cutpoint fit --help. Shell completion: "
    'eval "$(_CUTPOINT_COMPLETE=bash_source cutpoint)" (or zsh_source, fish_source).',
)
@click.version_option(cutpoint.__version__, message="cutpoint %(version)s", help="Print the version.")
def program() -> None:
    """Stochastic acceptors: learn them from words with outcomes, score, compare, draw.

    Data goes to standard output, messages to standard error. Exit codes: 0 done, 1 failure, 2 wrong usage, 3 bad input,
    4 learning was cut short, 130 interrupted.
    """


def run() -> int:
    """Run the program as it was called; its exit code. No error that a user can cause ends in a traceback."""
    if not _has_streams():
        return _end("standard output is closed. Send it to a file, or to /dev/null if it is not wanted.", FAILURE)
    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, io.TextIOWrapper):  # what a terminal or a locale cannot show is no reason to stop
            stream.reconfigure(errors="backslashreplace")
    warnings.showwarning = _warn
    try:
        return _exit_code()
    except KeyboardInterrupt:  # a second one, while the first was reported
        return INTERRUPTED


def _has_streams() -> bool:
    """Whether there is a standard output; for streams that a shell or a service has closed (``>&-``), Python has None.

    A closed standard input counts as an empty one, and messages to a closed standard error are dropped. All three are
    opened again, in order, or the next file that is opened would get their numbers.
    """
    given = sys.stdout is not None
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - open until the end
    return given


def _exit_code(arguments: Sequence[str] | None = None) -> int:
    try:
        done = program.main(arguments, prog_name="cutpoint", standalone_mode=False)
        sys.stdout.flush()
        return done if isinstance(done, int) else 0
    except click.ClickException as error:
        context = error.ctx if isinstance(error, click.UsageError) else None
        usage = f"{context.get_usage()}\nTry '{context.command_path} --help' for help.\n\n" if context else ""
        output.message(f"{usage}Error: {printable(error.format_message())}", keep=output.LAYOUT)
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        return _end("interrupted.", INTERRUPTED)
    except BrokenPipeError:  # the reader of a pipe has gone: nobody would read a message
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILURE
    except CutpointError as error:
        failed = isinstance(error, ImportError | OSError)  # something is missing or lost: the input is not at fault
        return _end(error.sentence(program.options), FAILURE if failed else BAD_INPUT)
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return _end(f"{where}{error.strerror or error}.", BAD_INPUT if error.filename else FAILURE)
    except MemoryError:
        return _end("not enough memory.", FAILURE)


def _warn(message: Warning | str, *_: Any, **__: Any) -> None:
    """Show a warning as a sentence, with options in place of arguments."""
    sentence = message.sentence(program.options) if isinstance(message, CutpointError) else message
    output.message(f"cutpoint: {sentence}")


def _end(sentence: str, code: int) -> int:
    output.message(f"cutpoint: {sentence}")
    return code
