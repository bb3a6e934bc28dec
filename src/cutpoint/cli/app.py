"""The program ``cutpoint``: its verbs, and what becomes of errors."""

from __future__ import annotations

import io
import os
import sys
import warnings
from collections.abc import Sequence
from importlib import import_module

import click

from cutpoint.cli import FAILURE, raise_on_interrupt
from cutpoint.cli.spoken import spoken
from cutpoint.errors import CutpointError, EngineLost, KernelsUnavailable, MissingExtra

BAD_INPUT = 3

VERBS = {
    "demo": "A tour: simulate, learn, compare, write a report.",
    "shard": "Large tables into a folder of sorted shards.",
    "fit": "Learn a model from words and their outcomes.",
    "score": "Acceptance probability of every word of a file.",
    "accepts": "Whether words are accepted at a cut point, never wrong by rounding.",
    "table": "Forward table of a word, step by step.",
    "draw": "State diagram as SVG, PNG, PDF, DOT or TikZ.",
    "simulate": "Random words with the outcomes of random runs.",
    "compare": "Whether two models accept alike, with a word that tells them apart.",
    "minimize": "Fewer states for the same probabilities.",
    "convert": "A model in another file format.",
    "info": "What a file of a model or of data holds.",
}
"""Verbs, each with its module of the same name, which loads when it is asked for."""


class Program(click.Group):
    """A group whose verbs load when they are used, so that ``--help`` answers at once."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Verbs in the order of a working day."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A verb by name."""
        if cmd_name not in VERBS:
            return None
        command: click.Command = import_module(f"cutpoint.cli.{cmd_name}").command
        raise_on_interrupt()
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The verb that was asked for; a slip of the pen is answered by the nearest one."""
        if not ctx.resilient_parsing and args[0] not in VERBS and not args[0].startswith("-"):
            from cutpoint.wording import suggestion  # noqa: PLC0415

            ctx.fail(f"there is no verb {args[0]!r}.{suggestion(args[0], list(VERBS))}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List of the verbs, without loading them."""
        with formatter.section("Verbs"):
            formatter.write_dl(list(VERBS.items()))


def _version(ctx: click.Context, _: click.Parameter, asked: bool) -> None:
    if asked:
        click.echo(f"cutpoint {import_module('cutpoint').__version__}")
        ctx.exit()


@click.group(
    cls=Program,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Start with: cutpoint demo. Every verb has an example: cutpoint fit --help. Completion for a shell: "
    'eval "$(_CUTPOINT_COMPLETE=bash_source cutpoint)" (or zsh_source, fish_source).',
)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Print the version."
)
def program() -> None:
    """Stochastic acceptors: learn them from words with outcomes, score, compare, draw.

    Data goes to standard output, messages to standard error. Exit codes: 0 done, 1 failure, 2 wrong usage, 3 bad input,
    4 learning was cut short.
    """


def run() -> int:
    """Run the program as it was called; its exit code. No error of a user's making ends in a traceback."""
    if not _has_streams():
        return _told("standard output is closed. Send it to a file, or to /dev/null if it is not wanted.", FAILURE)
    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, io.TextIOWrapper):  # what a terminal or a locale cannot show is no reason to stop
            stream.reconfigure(errors="backslashreplace")
    warnings.showwarning = lambda message, *_: click.echo(f"cutpoint: {spoken(str(message))}", err=True)
    try:
        return _exit_code(None)
    except KeyboardInterrupt:  # another one, while the first was told
        return FAILURE


def _has_streams() -> bool:
    """Whether results can go anywhere; a shell or a service can close streams (``>&-``), and Python has None for them.

    A closed standard input is an empty one, and what would be told to nobody is not told. Their numbers are taken too,
    in order, or the next file that is opened would get them.
    """
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115 - open until the end
    given = sys.stdout is not None
    if not given:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    return given


def _exit_code(arguments: Sequence[str] | None) -> int:
    try:
        done = program.main(arguments, prog_name="cutpoint", standalone_mode=False)
        sys.stdout.flush()
        return done if isinstance(done, int) else 0
    except click.ClickException as wrong:
        wrong.show()
        return wrong.exit_code
    except (click.Abort, KeyboardInterrupt):
        return _told("interrupted.", FAILURE)
    except BrokenPipeError:  # the reader of a pipe has gone: nobody is left to tell
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILURE
    except (MissingExtra, KernelsUnavailable, EngineLost) as missing:
        return _told(str(missing), FAILURE)
    except CutpointError as wrong:
        return _told(str(wrong), BAD_INPUT)
    except OSError as problem:
        where = f"{problem.filename}: " if problem.filename else ""
        return _told(f"{where}{problem.strerror or problem}.", BAD_INPUT if problem.filename else FAILURE)
    except MemoryError:
        return _told("not enough memory.", FAILURE)


def _told(sentence: str, code: int) -> int:
    click.echo(f"cutpoint: {spoken(sentence)}", err=True)
    return code
