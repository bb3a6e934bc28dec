"""Errors are values: the parts of a sentence are fields, which the command line writes with its own options."""

import pickle

import pytest

import cutpoint as cp
from cutpoint.errors import CutpointError, EngineLost, FormatError, InvalidArgument, MissingExtra, UnknownSymbol

OPTIONS = {"id": "--id", "n_states": "--states", "rounded": "--rounded"}


@pytest.mark.parametrize(
    ("error", "in_python", "on_the_command_line"),
    [
        (InvalidArgument("a whole sentence: {id}."), "a whole sentence: {id}.", "a whole sentence: {id}."),
        (
            InvalidArgument("must be 2 or more; got 1.", argument="n_states"),
            "n_states must be 2 or more; got 1.",
            "--states must be 2 or more; got 1.",
        ),
        (
            InvalidArgument("must be 2 or more; got 1.", argument="folds"),
            "folds must be 2 or more; got 1.",
            "folds must be 2 or more; got 1.",
        ),
        (
            FormatError("no column is called id.", where="a.csv: line 1", advice="Choose one with {id}."),
            "a.csv: line 1: no column is called id. Choose one with id=….",
            "a.csv: line 1: no column is called id. Choose one with --id.",
        ),
        (
            InvalidArgument("the numbers are exact.", advice="Round them with {rounded=True}, or pass {n_states=3}."),
            "the numbers are exact. Round them with rounded=True, or pass n_states=3.",
            "the numbers are exact. Round them with --rounded, or pass --states 3.",
        ),
        (
            InvalidArgument("what is it?", advice="Say so with {id}. Or pass {alphabet}. Or give up."),
            "what is it? Say so with id=…. Or pass alphabet=…. Or give up.",
            "what is it? Say so with --id. Or give up.",
        ),
    ],
)
def test_the_sentence_in_python_and_on_the_command_line(
    error: CutpointError, in_python: str, on_the_command_line: str
) -> None:
    assert str(error) == error.sentence() == in_python
    assert error.sentence(OPTIONS) == on_the_command_line


def test_what_a_user_gave_is_printed_as_it_is() -> None:
    """Names of files and cells may look like arguments, like references to them, or like formats."""
    for text in (
        "lake/id=7/part.parquet",
        "lake/{id}/part.parquet",
        "{rounded=True}",
        "n_states=…",
        "%s {0} {} {id!r:>9}",
    ):
        error = FormatError(f"got {text}.", where=text, argument=text, advice="Choose one with {id}.")
        assert error.sentence(OPTIONS) == f"{text}: {text} got {text}. Choose one with --id."


@pytest.mark.parametrize("kind", [CutpointError, InvalidArgument, UnknownSymbol, FormatError, MissingExtra, EngineLost])
def test_every_kind_travels_between_processes_with_its_fields(kind: type[CutpointError]) -> None:
    """As Dask sends it from a worker."""
    error = kind("must be 1.", where="x.csv", argument="id", advice="Choose one with {id}.")
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is kind
    assert vars(copy) == vars(error)
    assert str(copy) == str(error) == error.args[0]


def test_a_sentence_about_long_names_leaves_out_its_middle() -> None:
    sentence = str(CutpointError("a" * 10_000 + " must be short."))
    assert len(sentence) < 2_000
    assert sentence.startswith("aaa")
    assert sentence.endswith("a must be short.")
    assert " … " in sentence


def test_a_place_is_put_in_front() -> None:
    error = InvalidArgument("must be 1; got 2.", argument="id", advice="Choose one with {id}.")
    assert (
        error.at("line 3").at("x.csv").sentence(OPTIONS)
        == "x.csv: line 3: --id must be 1; got 2. Choose one with --id."
    )
    assert isinstance(error.at("line 3"), InvalidArgument)


def test_arguments_are_fields() -> None:
    with pytest.raises(cp.CutpointError) as refusal:
        cp.p_adic(1)
    assert refusal.value.argument == "p"
    assert refusal.value.what == "must be a whole number from 2 to 1,000,000; got 1."
