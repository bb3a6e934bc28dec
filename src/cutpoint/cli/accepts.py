"""``cutpoint accepts``."""

import sys

import click

from cutpoint.cli import options, output
from cutpoint.data.alphabet import OnUnknown
from cutpoint.decision import Language


@click.command()
@click.argument("model", type=options.FILE)
@click.argument("words", nargs=-1, required=True)
@options.cut_point
@options.unknown
@click.option("--inclusive", is_flag=True, help="Also accept words whose acceptance equals the cut point.")
@click.option("--exact", is_flag=True, help="Print the acceptance as a fraction.")
@options.separator
@options.as_json
def command(
    model: str,
    words: tuple[str, ...],
    cut_point: str | None,
    unknown: OnUnknown | None,
    inclusive: bool,
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
    if cut_point is None and read.cut_point is None:
        raise click.UsageError("the model has no cut point of its own; give one with --cut-point, such as 0.5 or 1/3.")
    language = Language(read.acceptor, read.cut_point if cut_point is None else cut_point, inclusive)
    texts = [line.rstrip("\r\n") for line in sys.stdin] if words == ("-",) else list(words)
    for text in texts:
        word = options.word_of(text, read, separator)
        value = read.acceptor.exact_acceptance(word) if exact else read.acceptor.acceptance(word)
        answer = word in language
        if as_json:
            output.line(output.json_text({"word": text, "accepted": answer, "acceptance": value}, indent=None))
        else:
            output.row(text, "yes" if answer else "no", value)
