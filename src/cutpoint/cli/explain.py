"""``cutpoint explain``."""

import click

from cutpoint.cases.explanation import explain
from cutpoint.cli import options, output
from cutpoint.data.alphabet import OnUnknown


@click.command()
@click.argument("model", type=options.FILE)
@click.argument("word")
@options.inputs
@options.prefixes
@click.option("--exact", is_flag=True, help="Compute with fractions; --json prints them.")
@click.option("--plot", type=options.FILE, help="File for a waterfall: .svg, .png or .pdf.")
@click.option("--shapley", is_flag=True, help="Draw the Shapley values instead of the changes along the way.")
@options.unknown
@options.separator
@options.as_json
def command(
    model: str,
    word: str,
    inputs: str | None,
    prefixes: bool,
    exact: bool,
    plot: str | None,
    shapley: bool,
    unknown: OnUnknown | None,
    separator: str | None,
    as_json: bool,
) -> None:
    """Why MODEL gives a case its probability: what each event of WORD changed, and what if it had not happened.

    The forecast after each event is the probability to be accepted in the end, over all that may still come by the law
    of inputs; its changes, and that of the end, add up to the probability of the case. The Shapley value of an event
    compares with words in which it is deleted. Type WORD as its characters, or with blanks between longer symbols.

    \b
    Example: cutpoint explain journeys.json "visit cart mail" --plot why.svg
    """
    options.check_standard_input(model, inputs)
    options.check_distinct(plot, inputs=(model, inputs))
    if plot is not None:
        options.check_output(plot, ".svg", ".png", ".pdf")
    read = options.two_outcomes(options.model_of(model, unknown=unknown))
    outcome = options.outcomes_of({}, read)[0]
    case = options.word_of(word, read, separator)
    why = explain(read.machine, case, options.inputs_of(inputs), prefixes=prefixes, exact=exact, outcome=outcome)
    if plot is not None:
        from cutpoint.drawing import plots  # noqa: PLC0415

        plots.waterfall(why, plot, shapley=shapley)
    if not as_json:
        output.line(str(why))
        return
    named = ("acceptance", "baseline", "forecasts", "along", "end", "empty", "shapley", "shortened", "warning")
    output.line(output.json_text({"word": why.word, "outcome": outcome} | {name: getattr(why, name) for name in named}))
