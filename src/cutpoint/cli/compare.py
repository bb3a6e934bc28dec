"""``cutpoint compare``."""

from __future__ import annotations

import click

from cutpoint.cli import printing
from cutpoint.cli.options import MODEL, check_standard_input, json_option, model_of
from cutpoint.decision.distance import Distance, distance
from cutpoint.decision.equivalence import Different, equivalence
from cutpoint.model import Acceptor


@click.command()
@click.argument("left", type=MODEL)
@click.argument("right", type=MODEL)
@click.option("--tolerance", type=float, help="For learned models: differences up to this are none.")
@click.option("--max-length", type=click.IntRange(min=0), help="Also print the largest difference up to this length.")
@json_option
def command(left: str, right: str, tolerance: float | None, max_length: int | None, as_json: bool) -> None:
    """Whether two models accept every word with the same probability; otherwise a shortest word that tells.

    \b
    Example: cutpoint compare model.json gallery:parity --tolerance 0.01
    """
    check_standard_input(left, right)
    one, two = model_of(left).acceptor, model_of(right).acceptor
    verdict = equivalence(one, two, tolerance=tolerance)
    if isinstance(verdict, Different) and not (one.is_exact and two.is_exact):
        verdict = Different(verdict.word, float(verdict.left), float(verdict.right))
    if not as_json:
        printing.data(str(verdict))  # it is known, whatever becomes of the distance
    farthest = None if max_length is None else _distance(one, two, max_length)
    if not as_json:
        if farthest is not None:
            printing.data(str(farthest))
        return
    told: dict[str, object] = {"equal": bool(verdict)}
    if isinstance(verdict, Different):
        told |= {"word": verdict.word, "left": verdict.left, "right": verdict.right}
    if farthest is not None:
        told["distance"] = {"value": farthest.value, "word": farthest.word, "max_length": max_length}
    printing.data(printing.as_json(told))


def _distance(one: Acceptor, two: Acceptor, max_length: int) -> Distance:
    """Distance of two models, with a bar that moves length by length."""
    with printing.progress() as bar:
        if bar is None:
            return distance(one, two, max_length)
        task = bar.add_task("comparing", total=max_length)

        def watch(length: int) -> None:
            bar.update(task, description=f"words of length {length:,}", completed=length)

        return distance(one, two, max_length, callback=watch)
