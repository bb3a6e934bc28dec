"""``cutpoint table``."""

from __future__ import annotations

import click

from cutpoint.cli import printing
from cutpoint.cli.options import MODEL, json_option, model_of, word_of
from cutpoint.drawing.tables import forward_table


@click.command()
@click.argument("model", type=MODEL)
@click.argument("word", required=False)
@click.option("--digits", type=click.IntRange(1, 17), default=4, show_default=True, help="Digits of probabilities.")
@click.option("--separator", help="What stands between the symbols of the word.")
@json_option
def command(model: str, word: str | None, digits: int, separator: str | None, as_json: bool) -> None:
    """Forward table of WORD: the distribution over states after each symbol. Without a word, all matrices.

    Exact models have exact tables.

    \b
    Example: cutpoint table gallery:p_adic:3 1202
    """
    read = model_of(model)
    acceptor = read.acceptor
    if word is None:
        steps = acceptor.exact_transitions if acceptor.is_exact else acceptor.transitions
        matrices = dict(zip(acceptor.alphabet, steps.tolist(), strict=True))
        parts = {"states": list(acceptor.states), "transitions": matrices, "final": list(acceptor.final_states)}
        printing.data(printing.as_json(parts) if as_json else acceptor.table(digits=digits))
        return
    symbols = word_of(word, read, separator)
    if as_json:
        rows = acceptor.forward(symbols, exact=acceptor.is_exact)
        printing.data(printing.as_json({"states": list(acceptor.states), "word": symbols, "forward": rows}))
    else:
        printing.data(str(forward_table(acceptor, symbols, digits)))
