"""``cutpoint draw``."""

from typing import Any

import click

from cutpoint.cli import options
from cutpoint.cli.output import data, message
from cutpoint.diagrams.picture import draw, to_dot, to_tikz
from cutpoint.model.machine import is_too_large_to_draw
from cutpoint.wording import plain


@click.command()
@click.argument("model", type=options.FILE)
@click.option("-o", "--output", type=options.FILE, help="File to write: .svg, .png, .pdf, .dot or .tikz.")
@click.option("--format", "kind", type=click.Choice(["dot", "tikz", "svg"]), show_default="dot", help="Text to print.")
@click.option("--min-probability", type=float, default=0.0, help="Leave out arrows below this probability.")
@options.digits
@click.option("--orientation", type=click.Choice(["right", "down"]), default="right", help="Direction of the arrows.")
@click.option("--near", "state", metavar="STATE", help="Draw only this state and those around it.")
@click.option("--steps", type=click.IntRange(min=0), default=1, help="How far around, with --near.")
@click.option("--word", help="Draw only the states that runs on this word pass through.")
@options.separator
def command(
    model: str,
    output: str | None,
    kind: str | None,
    state: str | None,
    steps: int,
    word: str | None,
    separator: str | None,
    **drawing: Any,
) -> None:
    """State diagram of MODEL, written to a file or printed as text.

    \b
    Example: cutpoint draw gallery:p_adic:2 -o p_adic.svg
    """
    if output is not None and kind is not None:
        raise click.UsageError("--format is for text that is printed; the name of the file says its format.")
    if state is not None and word is not None:
        raise click.UsageError("--near and --word choose states in two ways; give one of them.")
    read = options.model_of(model)
    machine: Any = read.machine
    if state is not None:
        names = {plain(name): name for name in machine.states}
        machine = machine.near(names.get(state, state), steps)
    elif word is not None:
        machine = machine.reached_by(options.word_of(word, read, separator))
    elif machine.is_sparse and is_too_large_to_draw(machine.n_symbols, machine.n_states):
        what = f"a picture of {machine.n_states:,} states is too large"
        raise click.UsageError(f"{what}; draw a part of it with --near STATE or --word WORD.")
    if output is not None:
        draw(machine, output, **drawing)
        message(f"written to {output}.")
    elif kind == "svg":
        data(draw(machine, **drawing).svg + "\n")
    else:
        to_text = to_tikz if kind == "tikz" else to_dot
        data(to_text(machine, **drawing) + "\n")
