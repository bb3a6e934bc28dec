"""``cutpoint minimize``."""

from __future__ import annotations

import click

from cutpoint.cli import printing
from cutpoint.cli.options import FILE, MODEL, json_option, model_of
from cutpoint.decision.minimize import minimize
from cutpoint.decision.quotient import quotient, trim
from cutpoint.files.contents import Model
from cutpoint.files.models import save


@click.command()
@click.argument("model", type=MODEL)
@click.option("-o", "--output", type=FILE, help="File to write the smaller acceptor to, as cutpoint convert would.")
@click.option("--tolerance", type=float, help="For learned models: numbers nearer than this are equal.")
@json_option
def command(model: str, output: str | None, tolerance: float | None, as_json: bool) -> None:
    """Fewer states for the same probabilities: unreachable states dropped, states that act alike lumped.

    Also prints the fewest dimensions of any linear machine, with entries below 0 or above 1 allowed.

    \b
    Example: cutpoint minimize model.json -o smaller.json
    """
    read = model_of(model)
    smaller = quotient(trim(read.acceptor), tolerance=tolerance)
    dimension = minimize(read.acceptor, tolerance=tolerance).dimension
    facts = {"states": read.acceptor.n_states, "lumped": smaller.n_states, "dimension": dimension}
    if output is not None:
        save(Model(smaller, read.cut_point, read.metadata), output)
        printing.message(f"written to {output}.")
    if as_json:
        printing.data(printing.as_json(facts))
    else:
        printing.data(
            f"{facts['states']} states; {facts['lumped']} after lumping; a linear machine needs {dimension} dimensions."
        )
