"""``cutpoint minimize``."""

import click

from cutpoint.cli import options
from cutpoint.cli.output import json_text, line, message
from cutpoint.decision.reduction import minimize, quotient, trim
from cutpoint.errors import InvalidArgument
from cutpoint.files.models import save
from cutpoint.model.prediction import Model


@click.command()
@click.argument("model", type=options.FILE)
@click.option(
    "-o", "--output", type=options.FILE, help="File for the smaller acceptor, in the format of its extension."
)
@click.option("--tolerance", type=float, help="For learned models: numbers closer than this count as equal.")
@options.as_json
def command(model: str, output: str | None, tolerance: float | None, as_json: bool) -> None:
    """Fewer states for the same probabilities: drop states that are never reached, merge states that act alike.

    Also prints the smallest dimension of any weighted automaton with the same values, where entries may be below 0
    or above 1.

    \b
    Example: cutpoint minimize model.json -o smaller.json
    """
    read = options.model_of(model)
    if read.labels is not None:
        raise InvalidArgument(
            "of three and more classes, states of one class would be merged with others.", where=model
        )
    smaller = quotient(trim(read.acceptor), tolerance=tolerance)
    dimension = minimize(read.acceptor, tolerance=tolerance).dimension
    before, after = read.acceptor.n_states, smaller.n_states
    if output is not None:
        save(Model(smaller, read.cut_point, read.metadata, read.classes), output)
        message(f"written to {output}.")
    facts = {"states": before, "lumped": after, "dimension": dimension}
    text = f"{before} states; {after} after merging; a weighted automaton needs {dimension} dimensions."
    line(json_text(facts) if as_json else text)
