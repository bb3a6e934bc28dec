"""``cutpoint export``."""

from dataclasses import replace

import click

from cutpoint.cli import options
from cutpoint.cli.output import message
from cutpoint.data.alphabet import OnUnknown
from cutpoint.exact import cut_point_value
from cutpoint.files.exports import export


@click.command()
@click.argument("model", type=options.FILE)
@click.option("-o", "--output", type=options.FILE, required=True, help="File to write: .js, .mjs, .sql or .onnx.")
@options.cut_point
@options.unknown
@click.option("--table", metavar="NAME", show_default="events", help="SQL: table with one row per event.")
@click.option("--id", metavar="NAME", show_default="id", help="SQL: column with the case id.")
@click.option("--order", metavar="NAME", show_default="position", help="SQL: column with the order of the events.")
@click.option("--event", metavar="NAME", show_default="event", help="SQL: column with the event.")
def command(model: str, output: str, cut_point: str | None, unknown: OnUnknown | None, **names: str | None) -> None:
    """Write MODEL for another system: a JavaScript module, an SQL query (SQLite, DuckDB) or an ONNX graph.

    The cut point, the names of the classes and the rule for unknown symbols go along.

    \b
    Example: cutpoint export model.json -o model.sql --table events --id who --order when --event what
    """
    options.check_distinct(output, inputs=(model,))
    read = options.model_of(model, unknown=unknown)
    if cut_point is not None:
        read = replace(read, cut_point=cut_point_value(cut_point))
    export(read, output, **{name: value for name, value in names.items() if value is not None})
    message(f"written to {output}.")
    options.say_if_symbols_were_made(read)
