"""``cutpoint compare``."""

import click

from cutpoint.cli import options, output
from cutpoint.decision.distance import distance
from cutpoint.decision.equivalence import Different, equivalence


@click.command()
@click.argument("left", type=options.FILE)
@click.argument("right", type=options.FILE)
@click.option("--tolerance", type=float, help="For learned models: smaller differences do not count.")
@click.option("--max-length", type=click.IntRange(min=0), help="Also print the largest difference up to this length.")
@options.as_json
def command(left: str, right: str, tolerance: float | None, max_length: int | None, as_json: bool) -> None:
    """Whether two models accept every word with the same probability; if not, a shortest word on which they differ.

    \b
    Example: cutpoint compare model.json gallery:parity --tolerance 0.01
    """
    options.check_standard_input(left, right)
    one, two = options.model_of(left).acceptor, options.model_of(right).acceptor
    verdict = equivalence(one, two, tolerance=tolerance)
    facts: dict[str, object] = {"equal": bool(verdict)}
    if isinstance(verdict, Different):
        values = verdict.printed
        facts |= {"word": verdict.word, "left": values[0], "right": values[1]}
    if not as_json:
        output.line(str(verdict))  # before the distance, which may be too much to find
    if max_length is not None:
        with output.progress(
            "comparing", lambda k: {"description": f"length {k:,}", "completed": k, "total": max_length}
        ) as callback:
            largest = distance(one, two, max_length, callback=callback)
        facts["distance"] = {"value": largest.value, "word": largest.word, "max_length": max_length}
        if not as_json:
            output.line(str(largest))
    if as_json:
        output.line(output.json_text(facts))
