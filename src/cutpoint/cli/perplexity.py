"""``cutpoint perplexity``."""

from collections.abc import Mapping
from typing import Any

import click
import numpy as np

from cutpoint.cli import options
from cutpoint.cli.evaluation_summary import indented
from cutpoint.cli.output import json_text, line
from cutpoint.data import Sample
from cutpoint.data.alphabet import OnUnknown
from cutpoint.files.pautomac import competition_score, read_solution
from cutpoint.files.samples import read_chunks, read_sample
from cutpoint.files.streams import name_of
from cutpoint.model import Generator
from cutpoint.wording import counted, integer_if_whole, printable, word_text

COLUMNS = {"per symbol": "symbol", "per word": "word"}


@click.command()
@click.argument("model", type=options.FILE)
@click.argument("data", type=options.FILE)
@options.unknown
@click.option("--training", type=options.FILE, help="Words for an n-gram model to compare with.")
@click.option("--grams", type=options.AT_LEAST_ONE, default=3, help="The n of that model.")
@click.option("--solution", type=options.FILE, help="True probabilities of DATA's words, for the score of PAutomaC.")
@options.as_json
@options.reading
def command(
    model: str,
    data: str,
    unknown: OnUnknown | None,
    training: str | None,
    grams: int,
    solution: str | None,
    as_json: bool,
    reading: dict[str, Any],
) -> None:
    """How well MODEL, a generator, predicts the words of DATA: their perplexity, the lower the better.

    A perplexity of 3 per symbol means that the next symbol is as hard to predict as a fair choice among 3; the end of a
    word counts as a symbol. Per word, it is a choice among whole words.

    \b
    Example: cutpoint perplexity 3.pautomac_model.txt 3.pautomac.test --training 3.pautomac.train
    """
    options.check_standard_input(model, data, training, solution)
    if solution is not None and data == "-":
        raise click.UsageError("--solution is for the words of a file; DATA is standard input.")
    read = options.generator_of(model, unknown=unknown)
    reading = {"of_events": options.saved_reading(read)} | reading | {"alphabet": read.machine.alphabet}
    sample = read_sample(data, **reading)
    models = {"model": read.generator}
    if training is not None:
        models[f"{grams}-gram"] = Generator.from_ngrams(read_sample(training, **reading), grams, read.machine.alphabet)
    scores = perplexities(models, sample)
    if solution is not None:
        true = read_solution(solution)
        words = [word for chunk in read_chunks(data, **reading) for word in chunk.words]
        for name, each in models.items():
            scores[name]["PAutomaC score"] = competition_score(each, words, true)
        shares = true[true > 0] / true.sum()
        scores["truth"] = {"PAutomaC score": float(np.exp(-(shares * np.log(shares)).sum()))}
    if as_json:
        facts = {"model": model, "data": name_of(data), "words": integer_if_whole(sample.total)}
        line(json_text(facts | {"perplexity": keyed(scores), "impossible": len(_impossible(read.generator, sample))}))
        return
    line(f"perplexity of {counted(integer_if_whole(sample.total), 'word')} of {printable(name_of(data))}")
    line("\n".join(score_lines(scores)))
    if never := _impossible(read.generator, sample):
        line(f"\n  {counted(len(never), 'distinct word')} cannot come from the model, such as {word_text(never[0])}.")


def perplexities(models: Mapping[str, Generator], sample: Sample) -> dict[str, dict[str, float]]:
    """Perplexities of a sample under each of some models, by name and column."""
    return {
        name: {title: each.perplexity(sample, per) for title, per in COLUMNS.items()} for name, each in models.items()
    }


def keyed(scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
    """The scores for JSON."""
    return {name: {key.lower().replace(" ", "_"): x for key, x in each.items()} for name, each in scores.items()}


def score_lines(scores: Mapping[str, Mapping[str, float]]) -> list[str]:
    """The scores as a table, a column for each model."""
    titles = [*scores["model"]]
    rows = [[title, *(f"{each[title]:.6g}" if title in each else "" for each in scores.values())] for title in titles]
    return indented([["", *scores], *rows])


def _impossible(generator: Generator, sample: Sample) -> list[Any]:
    """Words of probability 0."""
    return [sample.words[r] for r in np.flatnonzero(np.isneginf(generator.log_probabilities(sample)))]
