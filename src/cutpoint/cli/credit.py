"""``cutpoint credit``."""

from typing import Any

import click

from cutpoint.cases.credits import Credit, credit
from cutpoint.cli import options
from cutpoint.cli.output import json_text, line
from cutpoint.data.alphabet import OnUnknown
from cutpoint.files.samples import read_sample
from cutpoint.files.streams import name_of


@click.command()
@click.argument("model", type=options.FILE)
@click.argument("data", type=options.FILE)
@options.inputs
@options.prefixes
@click.option("--plot", type=options.FILE, help="File for a plot: .svg, .png or .pdf.")
@options.unknown
@options.as_json
@options.reading
def command(
    model: str,
    data: str,
    inputs: str | None,
    prefixes: bool,
    plot: str | None,
    unknown: OnUnknown | None,
    as_json: bool,
    reading: dict[str, Any],
) -> None:
    """What each event changed in the forecasts of the cases in DATA, added up, with 95 % intervals.

    The table also has first touch and last touch (the accepted cases that begin, or end, with the event) and the
    removal effect (the share of the accepted cases that have it).

    \b
    Example: cutpoint credit journeys.json journeys.tsv --plot credit.svg
    """
    options.check_standard_input(model, data, inputs)
    options.check_distinct(plot, inputs=(model, data, inputs))
    if plot is not None:
        options.check_output(plot, ".svg", ".png", ".pdf")
    read = options.two_outcomes(options.model_of(model, unknown=unknown))
    outcome = options.outcomes_of(reading, read)[0]
    reading = {"alphabet": read.machine.alphabet, "of_events": options.saved_reading(read)} | reading
    sample = read_sample(data, **reading)
    found = credit(read.machine, sample, options.inputs_of(inputs), prefixes=prefixes, outcome=outcome)
    if plot is not None:
        from cutpoint.drawing import plots  # noqa: PLC0415

        plots.credit(found, plot)
    line(json_text({"model": model, "data": name_of(data)} | facts(found)) if as_json else str(found))


def facts(found: Credit) -> dict[str, Any]:
    """Everything, for JSON."""
    names = "times", "along", "intervals", "sizes", "first_touch", "last_touch", "removal"
    columns = [getattr(found, name) for name in names if getattr(found, name) is not None]
    named = [name for name in names if getattr(found, name) is not None]
    events = [
        {"event": symbol} | {name: values[a] for name, values in zip(named, columns, strict=True)}
        for a, symbol in enumerate(found.symbols)
    ]
    whole = {name: getattr(found, name) for name in ("outcome", "cases", "left_out", "baseline", "end")}
    return whole | {"events": events}
