"""``cutpoint simulate``."""

from __future__ import annotations

import click

from cutpoint.cli import printing
from cutpoint.cli.options import FILE, MODEL, check_output, json_option, model_of, seed_option
from cutpoint.files.samples import write_sample
from cutpoint.model import random_words, simulate


@click.command()
@click.argument("model", type=MODEL)
@click.option("-n", "--number", type=click.IntRange(min=1), default=10, show_default=True, help="Number of words.")
@click.option("--length", default="1:10", show_default=True, help="Length of words, or lengths from:to.")
@click.option("-o", "--output", type=FILE, help="File to write (.tsv, .ndjson, .abbadingo); equal words are counted.")
@seed_option
@json_option
def command(model: str, number: int, length: str, output: str | None, seed: int, as_json: bool) -> None:
    """Random words, and whether a random run of MODEL on each ends in a final state.

    Prints the outcome, 1 or 0, and the word; equal ones stand together.

    \b
    Example: cutpoint simulate gallery:gambler:5 --number 100 --length 20 --seed 1
    """
    if output is not None:
        check_output(output)
    acceptor = model_of(model).acceptor
    words = random_words(acceptor.alphabet, number, _lengths(length), rng=2 * seed)
    sample = simulate(acceptor, words, rng=2 * seed + 1)
    if output is not None:
        write_sample(sample, output)
        printing.message(f"written to {output}: {sample!r}")
        return
    for observation in sample:
        word = observation.word if isinstance(observation.word, str) else " ".join(map(str, observation.word))
        record = {"accepted": int(bool(observation.accepted)), "word": word}
        line = printing.as_json(record, indent=None) if as_json else f"{record['accepted']}\t{word}"
        printing.data("\n".join([line] * int(observation.count)))


def _lengths(text: str) -> tuple[int, int]:
    """The least length and the most, which are the same if one was given."""
    parts = text.split(":")
    if len(parts) > 2 or not all(part.isdecimal() for part in parts) or int(parts[0]) > int(parts[-1]):
        raise click.BadParameter(f"expected a length such as 8, or lengths such as 1:10; got {text!r}.")
    return int(parts[0]), int(parts[-1])
