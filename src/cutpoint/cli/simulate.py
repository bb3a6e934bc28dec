"""``cutpoint simulate``."""

import click

from cutpoint.cli import options
from cutpoint.cli.output import json_text, line, message, row
from cutpoint.data import Sample
from cutpoint.files.samples import write_sample
from cutpoint.model import random_words, simulate


@click.command()
@click.argument("model", type=options.FILE)
@click.option("-n", "--number", "count", type=click.IntRange(min=1), default=10, help="Number of words.")
@click.option("--length", default="1:10", help="Length of the words, or a range of lengths.")
@click.option("-o", "--output", type=options.FILE, help="File to write: .tsv, .ndjson or .abbadingo.")
@options.seed
@options.as_json
def command(model: str, count: int, length: str, output: str | None, seed: int, as_json: bool) -> None:
    """Random words, and whether a random run of MODEL on each ends in a final state.

    Prints the outcome, 1 or 0, and the word; equal lines come together.

    \b
    Example: cutpoint simulate gallery:gambler:5 --number 100 --length 20 --seed 1
    """
    if output is not None:
        options.check_output(output)
    acceptor = options.model_of(model).acceptor
    words = random_words(acceptor.alphabet, count, _lengths(length), rng=2 * seed)
    sample = simulate(acceptor, words, rng=2 * seed + 1)
    give(sample, output, as_json)


def give(sample: Sample, output: str | None, as_json: bool) -> None:
    """Write a sample to a file, or print its words, after their outcomes if there are any."""
    if output is not None:
        write_sample(sample, output)
        message(f"written to {output}: {sample!r}")
        return
    for observation in sample:
        word = observation.word if isinstance(observation.word, str) else " ".join(map(str, observation.word))
        outcome = {} if observation.accepted is None else {"accepted": int(observation.accepted)}
        fields = {**outcome, "word": word}
        for _ in range(int(observation.count)):
            line(json_text(fields, indent=None)) if as_json else row(*fields.values())


def _lengths(text: str) -> tuple[int, int]:
    """The least and the greatest length, which are equal if one is given."""
    parts = text.split(":")
    if len(parts) > 2 or not all(part.isdecimal() for part in parts) or int(parts[0]) > int(parts[-1]):
        raise click.BadParameter(f"expected a length such as 8, or a range such as 1:10; got {text!r}.")
    return int(parts[0]), int(parts[-1])
