"""``cutpoint shard``."""

from __future__ import annotations

from typing import Any

import click

from cutpoint.cli import printing
from cutpoint.cli.options import json_option, reading_options
from cutpoint.shards import write_shards
from cutpoint.shards.sharded_sample import OBSERVATIONS
from cutpoint.wording import counted


@click.command()
@click.argument("data", nargs=-1, required=True)
@click.option("-o", "--output", required=True, help="Folder for the shards; it is made.")
@click.option(
    "--observations",
    type=click.IntRange(min=1),
    default=OBSERVATIONS,
    show_default=True,
    help="About how many distinct words a shard has.",
)
@json_option
@reading_options
def command(data: tuple[str, ...], output: str, observations: int, as_json: bool, reading: dict[str, Any]) -> None:
    """Put tables of words or of events (--id, --order, --event) into sorted shards, for data larger than memory.

    DATA are files or patterns. The folder then serves as DATA of fit and score.

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
    held = f"{counted(shards.total, 'observation')}, {len(shards)} distinct, {counted(len(shards.alphabet), 'symbol')}"
    text = f"{counted(len(shards.parts), 'shard')} in {output}: {held}; {shards.memory / 1e6:,.1f} MB when loaded"
    printing.data(printing.as_json(facts) if as_json else text)
