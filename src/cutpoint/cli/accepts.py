"""``cutpoint accepts``."""

from __future__ import annotations

import sys

import click

from cutpoint.cli import printing
from cutpoint.cli.options import (
    MODEL,
    check_standard_input,
    cut_point_of,
    cut_point_option,
    json_option,
    model_of,
    word_of,
)
from cutpoint.decision import Language


@click.command()
@click.argument("model", type=MODEL)
@click.argument("words", nargs=-1, required=True)
@cut_point_option
@click.option("--inclusive", is_flag=True, help="Accept words of exactly the cut point too.")
@click.option("--exact", is_flag=True, help="Print acceptance as a fraction.")
@click.option("--separator", help="What stands between the symbols of a word.")
@json_option
def command(
    model: str,
    words: tuple[str, ...],
    cut_point: str | None,
    inclusive: bool,
    exact: bool,
    separator: str | None,
    as_json: bool,
) -> None:
    """Whether WORDS are accepted by MODEL with more than the cut point; never wrong by rounding.

    Words are given as characters, or with blanks between longer symbols; - reads one per line from standard input.

    \b
    Example: cutpoint accepts gallery:p_adic:2 11 01 --cut-point 1/2
    """
    check_standard_input(model, *words)
    read = model_of(model)
    language = Language(read.acceptor, cut_point_of(cut_point, read), inclusive)
    texts = [line.rstrip("\r\n") for line in sys.stdin] if words == ("-",) else list(words)
    for text in texts:
        word = word_of(text, read, separator)
        value = read.acceptor.exact_acceptance(word) if exact else read.acceptor.acceptance(word)
        answer = word in language
        if as_json:
            printing.data(printing.as_json({"word": text, "accepted": answer, "acceptance": value}, indent=None))
        else:
            printing.data(f"{text}\t{'yes' if answer else 'no'}\t{value}")
