"""``cutpoint convert``."""

from typing import Any

import click

from cutpoint.cli import options
from cutpoint.cli.output import message
from cutpoint.data.alphabet import OnUnknown
from cutpoint.files.models import save


@click.command()
@click.argument("model", type=options.FILE)
@click.argument("output", type=options.FILE)
@click.option("--cut-point", metavar="NUMBER", help="Cut point to store with the model (JSON and NPZ).")
@options.unknown
@click.option("--bare", is_flag=True, help="Leave out the cut point, notes and names that the format cannot hold.")
@click.option("--rounded", is_flag=True, help="Allow formats without fractions to round an exact model.")
@click.option("--normalized", is_flag=True, help="Rescale rows of MODEL that do not sum to 1, as after rounding.")
@click.option("--weights", type=click.Choice(["log", "probability"]), help="Weights of AT&T text.")
def command(model: str, output: str, normalized: bool, unknown: OnUnknown | None, **saving: Any) -> None:
    """Write MODEL to OUTPUT, in the format of its extension.

    .json, .npz, .att (OpenFst), .drn (Storm), .tra (PRISM) or .dot (Graphviz), for generators .json, .npz or
    .pautomac_model.txt; add .gz to compress a text format. .jff (JFLAP) can be read only. For TikZ use cutpoint draw.

    \b
    Example: cutpoint convert model.json model.drn --bare
    """
    save(options.model_of(model, normalized, unknown), output, **saving)
    message(f"written to {output}.")
