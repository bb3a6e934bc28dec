"""``cutpoint table``."""

import click

from cutpoint.cli import options
from cutpoint.cli.output import json_text, line
from cutpoint.drawing.tables import forward_table


@click.command()
@click.argument("model", type=options.FILE)
@click.argument("word", required=False)
@options.digits
@options.separator
@options.as_json
def command(model: str, word: str | None, digits: int, separator: str | None, as_json: bool) -> None:
    """Forward table of WORD: the distribution over states after each symbol. Without WORD, the matrices of MODEL.

    Exact models have exact tables.

    \b
    Example: cutpoint table gallery:p_adic:3 1202
    """
    read = options.model_of(model)
    machine = read.machine
    states = list(machine.states)
    if word is None:
        steps, _, *stop = machine.numbers().values()
        matrices = dict(zip(machine.alphabet, steps.tolist(), strict=True))
        facts = {"states": states, "transitions": matrices, "final": list(machine.final_states)}
        if stop:
            facts["stop"] = stop[0].tolist()
        line(json_text(facts) if as_json else machine.table(digits=digits))
        return
    acceptor = read.acceptor
    symbols = list(acceptor.alphabet.as_read(options.word_of(word, read, separator)))
    if as_json:
        rows = acceptor.forward(symbols, exact=acceptor.is_exact)
        line(json_text({"states": states, "word": symbols, "forward": rows}))
    else:
        line(str(forward_table(acceptor, symbols, digits)))
