"""``cutpoint accepts``."""

import sys
from typing import Any

import click

from cutpoint.cli import options, output
from cutpoint.data.alphabet import OnUnknown


@click.command()
@click.argument("model", type=options.FILE)
@click.argument("words", nargs=-1, required=True)
@options.cut_point
@options.unknown
@options.relation
@click.option("--exact", is_flag=True, help="Print the acceptance as a fraction.")
@options.separator
@options.as_json
def command(
    model: str,
    words: tuple[str, ...],
    cut_point: str | None,
    unknown: OnUnknown | None,
    relation: Any,
    exact: bool,
    separator: str | None,
    as_json: bool,
) -> None:
    """Whether MODEL accepts each of WORDS with a probability above the cut point; never wrong by rounding.

    Type a word as its characters, or with blanks between longer symbols; - reads one word per line from standard input.

    \b
    Example: cutpoint accepts gallery:p_adic:2 11 01 --cut-point 1/2
    """
    options.check_standard_input(model, *words)
    read = options.model_of(model, unknown=unknown)
    language = options.language_of(read, cut_point, relation)
    texts = [line.rstrip("\r\n") for line in sys.stdin] if words == ("-",) else list(words)
    for text in texts:
        word = options.word_of(text, read, separator)
        value = read.acceptor.exact_acceptance(word) if exact else read.acceptor.acceptance(word)
        answer = word in language
        if as_json:
            output.line(output.json_text({"word": text, "accepted": answer, "acceptance": value}, indent=None))
        else:
            output.row(text, "yes" if answer else "no", value)
