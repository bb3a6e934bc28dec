"""``cutpoint shard``."""

from typing import Any

import click

from cutpoint.cli import options
from cutpoint.cli.output import json_text, line
from cutpoint.shards import write_shards
from cutpoint.shards.sharded_sample import OBSERVATIONS
from cutpoint.wording import counted, printable


@click.command()
@click.argument("data", nargs=-1, required=True)
@click.option("-o", "--output", metavar="FOLDER", required=True, help="New folder for the shards.")
@click.option("--observations", type=options.AT_LEAST_ONE, default=OBSERVATIONS, help="Distinct words per shard.")
@options.as_json
@options.reading
def command(data: tuple[str, ...], output: str, observations: int, as_json: bool, reading: dict[str, Any]) -> None:
    """Turn tables of words or of events (--id, --order, --event) into sorted shards, for data larger than memory.

    DATA are files or patterns. The folder can then be the DATA of fit and score.

    \b
    Example: cutpoint shard journeys.tsv -o shards
    """
    shards = write_shards(data, output, observations, **reading)
    facts = {
        "folder": output,
        "shards": len(shards.parts),
        "observations": shards.total,
        "distinct": len(shards),
        "symbols": len(shards.alphabet),
        "edges": sum(part.size.edges for part in shards.parts),
        "loaded_bytes": shards.memory,
    }
    sizes = f"{counted(shards.total, 'observation')}, {len(shards)} distinct, {counted(len(shards.alphabet), 'symbol')}"
    text = f"{counted(len(shards.parts), 'shard')} in {output}: {sizes}; {shards.memory / 1e6:,.1f} MB when loaded"
    line(json_text(facts) if as_json else printable(text))
