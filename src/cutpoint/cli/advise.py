"""``cutpoint advise``."""

from dataclasses import asdict

import click

from cutpoint.cases.advice import NOT_CAUSAL, advise
from cutpoint.cli import options, output
from cutpoint.data.alphabet import OnUnknown


@click.command()
@click.argument("model", type=options.FILE)
@click.argument("prefix")
@options.inputs
@options.prefixes
@click.option("--horizon", type=options.AT_LEAST_ONE, default=1, help="Number of events ahead, at most.")
@click.option(
    "--allowed", metavar="EVENT", multiple=True, show_default="all", help="Event to choose from; can be repeated."
)
@click.option(
    "--cost", "costs", metavar="EVENT=NUMBER", multiple=True, help="Cost, in units of probability; can be repeated."
)
@click.option("--min-probability", type=float, default=0.01, help="Leave out what is less probable to come next.")
@options.unknown
@options.separator
@options.as_json
def command(
    model: str,
    prefix: str,
    inputs: str | None,
    prefixes: bool,
    horizon: int,
    allowed: tuple[str, ...],
    costs: tuple[str, ...],
    min_probability: float,
    unknown: OnUnknown | None,
    separator: str | None,
    as_json: bool,
) -> None:
    """Which next events lead to the best forecast of a case that begins with PREFIX, minus their costs.

    Compares events that are allowed and plausible, with how probable they are. It is not causal: cases with an event
    may go well for other reasons.

    \b
    Example: cutpoint advise journeys.json "ad visit" --allowed mail --allowed cart --cost mail=0.05
    """
    options.check_standard_input(model, inputs)
    read = options.two_outcomes(options.model_of(model, unknown=unknown))
    by_text = {str(symbol): symbol for symbol in read.machine.alphabet}
    pairs = [text.rpartition("=") for text in costs]
    for text, (event, _, _) in zip(costs, pairs, strict=True):
        if not event:
            raise click.UsageError(f"--cost needs EVENT=NUMBER, such as mail=0.05; got {text!r}.")
    found = advise(
        read.machine,
        options.word_of(prefix, read, separator),
        options.inputs_of(inputs),
        horizon,
        [by_text.get(event, event) for event in allowed] or None,
        {by_text.get(event, event): number for event, _, number in pairs},
        min_probability=min_probability,
        prefixes=prefixes,
        outcome=options.outcomes_of({}, read)[0],
    )
    if not as_json:
        output.line(str(found))
        return
    told = {name: getattr(found, name) for name in ("prefix", "outcome", "forecast", "implausible")}
    ranked = [asdict(each) | {"value": each.value} for each in found.continuations]
    output.line(output.json_text(told | {"continuations": ranked, "note": NOT_CAUSAL}))
