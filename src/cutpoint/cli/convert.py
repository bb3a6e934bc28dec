"""``cutpoint convert``."""

from __future__ import annotations

import click

from cutpoint.cli import printing
from cutpoint.cli.options import FILE, MODEL, model_of
from cutpoint.files.models import save


@click.command()
@click.argument("model", type=MODEL)
@click.argument("output", type=FILE)
@click.option("--cut-point", help="Cut point to keep beside the model (JSON and NPZ).")
@click.option("--bare", is_flag=True, help="Leave out the cut point and the notes, for formats that cannot hold them.")
@click.option("--rounded", is_flag=True, help="Let formats of floats round the fractions of an exact model.")
@click.option("--normalized", is_flag=True, help="Rescale rows of MODEL that do not sum to 1, as rounded ones.")
@click.option("--weights", type=click.Choice(["log", "probability"]), help="Weights of AT&T text.")
def command(
    model: str,
    output: str,
    cut_point: str | None,
    bare: bool,
    rounded: bool,
    normalized: bool,
    weights: str | None,
) -> None:
    """Write MODEL to OUTPUT; the extension tells the format.

    .json, .npz, .att (OpenFst), .drn (Storm), .tra (PRISM), .dot (Graphviz), .tikz (LaTeX); .gz behind a text format
    packs it. .jff (JFLAP) is read.

    \b
    Example: cutpoint convert model.json model.drn --bare
    """
    read = model_of(model, normalized=normalized)
    kept = read.acceptor if bare else read
    save(kept, output, cut_point=cut_point, rounded=rounded, weights=weights)  # type: ignore[arg-type]
    printing.message(f"written to {output}.")
