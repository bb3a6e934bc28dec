"""``cutpoint draw``."""

from __future__ import annotations

import click

from cutpoint.cli import printing
from cutpoint.cli.options import FILE, MODEL, model_of
from cutpoint.diagrams.picture import draw, to_dot, to_tikz


@click.command()
@click.argument("model", type=MODEL)
@click.option("-o", "--output", type=FILE, help="File to write: .svg, .png, .pdf, .dot or .tikz.")
@click.option(
    "--format", "kind", type=click.Choice(["dot", "tikz", "svg"]), default="dot", help="What to print otherwise."
)
@click.option("--min-probability", type=float, default=0.0, help="Leave out arrows below this probability.")
@click.option("--digits", type=click.IntRange(1, 17), default=4, show_default=True, help="Digits of probabilities.")
@click.option("--orientation", type=click.Choice(["right", "down"]), default="right", show_default=True)
def command(model: str, output: str | None, kind: str, min_probability: float, digits: int, orientation: str) -> None:
    """State diagram of MODEL, written to a file or printed as text.

    \b
    Example: cutpoint draw gallery:p_adic:2 -o p_adic.svg
    """
    acceptor = model_of(model).acceptor
    if output is not None:
        draw(acceptor, output, min_probability, digits, orientation)
        printing.message(f"written to {output}.")
    elif kind == "svg":
        printing.data(draw(acceptor, None, min_probability, digits, orientation).svg)
    else:
        text = to_dot if kind == "dot" else to_tikz
        printing.data(text(acceptor, min_probability, digits, orientation))
