"""``cutpoint info``."""

import io
import sys
from typing import Any

import click

from cutpoint.cli import options
from cutpoint.cli.output import json_text, line
from cutpoint.data import Sample
from cutpoint.files.models import is_model_file
from cutpoint.files.samples import read_sample
from cutpoint.model import Generator
from cutpoint.shards.sharded_sample import ShardedSample, is_folder_of_shards
from cutpoint.wording import counted, integer_if_whole, plain, printable


@click.command()
@click.argument("file", type=options.FILE)
@options.reading
@options.as_json
def command(file: str, reading: dict[str, Any], as_json: bool) -> None:
    """What FILE holds: a model, words with outcomes, or shards; - is standard input, words or a model in JSON.

    \b
    Example: cutpoint info model.json
    """
    if file.startswith("gallery:") or is_model_file(file) or (file == "-" and not reading and _begins_as_json()):
        facts, text = _model(file)
    elif is_folder_of_shards(file):
        options.check_not_given(reading, file)
        shards = ShardedSample.open(file)
        facts, text = {"kind": "shards", "shards": len(shards.parts)} | _sizes(shards), repr(shards)
    else:
        options.check_exists(file)
        sample = read_sample(file, **reading)
        facts, text = {"kind": "data"} | _sizes(sample) | _outcomes(sample), repr(sample)
    line(json_text(facts) if as_json else text)


def _begins_as_json() -> bool:
    """Whether standard input begins as a model does, without using it up; NDJSON needs --format."""
    stream = sys.stdin.buffer
    return isinstance(stream, io.BufferedReader) and stream.peek(1)[:1] == b"{"


def _model(file: str) -> tuple[dict[str, Any], str]:
    model = options.model_of(file)
    machine = model.machine
    facts = {
        "kind": "model",
        "machine": type(machine).__name__.lower(),
        "states": machine.n_states,
        "symbols": machine.n_symbols,
        "alphabet": list(machine.alphabet),
        "final": machine.final_states,
        "exact": machine.is_exact,
        "cut_point": model.cut_point,
        "classes": model.classes,
        "unknown": machine.alphabet.on_unknown,
        "inputs": model.inputs and model.inputs.n_states,
        "metadata": dict(model.metadata),
    }
    notes = [printable(f"{name}: {value}") for name, value in model.metadata.items()]
    known = {"cut point": model.cut_point, "classes": model.classes and ", ".join(map(plain, model.classes))}
    if model.inputs is not None:
        known["law of inputs"] = f"a generator of {counted(model.inputs.n_states, 'state')}"
    beside = [f"{name}: {value}" for name, value in known.items() if value is not None]
    if isinstance(machine, Generator):
        facts["expected_length"] = machine.expected_length()
        beside.insert(0, f"its words have {machine.expected_length():.4g} symbols on average")
    return facts, "\n".join([repr(machine), *beside, *notes])


def _sizes(sample: Sample | ShardedSample) -> dict[str, Any]:
    return {
        "observations": integer_if_whole(sample.total),
        "distinct": len(sample),
        "symbols": len(sample.alphabet),
        "alphabet": list(sample.alphabet),
    }


def _outcomes(sample: Sample) -> dict[str, Any]:
    return {
        "shortest": int(sample.lengths.min()),
        "longest": int(sample.lengths.max()),
        "accepted": integer_if_whole(sample.counts[sample.ends == 1].sum()),
        "rejected": integer_if_whole(sample.counts[sample.ends == 2].sum()),
    }
