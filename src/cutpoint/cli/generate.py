"""``cutpoint generate``."""

import click

from cutpoint.cli import options
from cutpoint.cli.simulate import give


@click.command()
@click.argument("model", type=options.FILE)
@click.option("-n", "--number", type=click.IntRange(min=1), default=10, help="Number of words.")
@click.option("-o", "--output", type=options.FILE, help="File to write: .tsv, .ndjson, .abbadingo or .pautomac.")
@options.seed
@options.as_json
def command(model: str, number: int, output: str | None, seed: int, as_json: bool) -> None:
    """Words made by MODEL, a generator; with their outcomes, 1 or 0, if some of its states are not final.

    Prints a word per line, after its outcome if there is one; equal lines come together.

    \b
    Example: cutpoint generate 3.pautomac_model.txt -n 1000 --seed 1 -o 3.pautomac.train
    """
    if output is not None:
        options.check_distinct(output, inputs=(model,))
        options.check_output(output)
    give(options.generator_of(model).generator.simulate(number, rng=seed), output, as_json)
