"""``cutpoint info``."""

from __future__ import annotations

import io
import sys
from typing import Any

import click

from cutpoint.cli import printing
from cutpoint.cli.options import FILE, check_unread, json_option, model_of, reading_options
from cutpoint.files.models import is_model_file
from cutpoint.files.samples import read_sample
from cutpoint.shards.sharded_sample import ShardedSample, is_folder_of_shards


@click.command()
@click.argument("file", type=FILE)
@reading_options
@json_option
def command(file: str, reading: dict[str, Any], as_json: bool) -> None:
    """What FILE holds: a model, words with outcomes, or shards; - is standard input, words or a model in JSON.

    \b
    Example: cutpoint info model.json
    """
    if file.startswith("gallery:") or is_model_file(file) or (file == "-" and not reading and _begins_as_json()):
        printing.data(_model(file, as_json))
    elif is_folder_of_shards(file):
        check_unread(reading, file)
        printing.data(_shards(file, as_json))
    else:
        printing.data(_data(file, reading, as_json))


def _begins_as_json() -> bool:
    """Whether standard input begins as a model does, which is not used up by looking; NDJSON is named by --format."""
    stream = sys.stdin.buffer
    return isinstance(stream, io.BufferedReader) and stream.peek(1)[:1] == b"{"


def _model(file: str, as_json: bool) -> str:
    model = model_of(file)
    acceptor = model.acceptor
    facts = {
        "kind": "model",
        "states": acceptor.n_states,
        "symbols": acceptor.n_symbols,
        "alphabet": list(acceptor.alphabet),
        "final": acceptor.final_states,
        "exact": acceptor.is_exact,
        "cut_point": model.cut_point,
        "metadata": dict(model.metadata),
    }
    if as_json:
        return printing.as_json(facts)
    notes = [f"{name}: {value}" for name, value in model.metadata.items()]
    cut = [] if model.cut_point is None else [f"cut point: {model.cut_point}"]
    return "\n".join([repr(acceptor), *cut, *notes])


def _shards(file: str, as_json: bool) -> str:
    shards = ShardedSample.open(file)
    if not as_json:
        return repr(shards)
    facts = {
        "kind": "shards",
        "shards": len(shards.parts),
        "observations": printing.whole(shards.total),
        "distinct": len(shards),
        "symbols": len(shards.alphabet),
        "alphabet": list(shards.alphabet),
    }
    return printing.as_json(facts)


def _data(file: str, reading: dict[str, Any], as_json: bool) -> str:
    sample = read_sample(file, **reading)
    if not as_json:
        return repr(sample)
    facts = {
        "kind": "data",
        "observations": printing.whole(sample.total),
        "distinct": len(sample),
        "symbols": len(sample.alphabet),
        "alphabet": list(sample.alphabet),
        "shortest": int(sample.lengths.min()),
        "longest": int(sample.lengths.max()),
        "accepted": printing.whole(sample.counts[sample.ends == 1].sum()),
        "rejected": printing.whole(sample.counts[sample.ends == 2].sum()),
    }
    return printing.as_json(facts)
