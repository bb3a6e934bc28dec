"""``cutpoint words``, ``count``, ``dfa``, ``isolation`` and ``value``: the language of a model at a cut point."""

from itertools import islice
from typing import Any

import click

from cutpoint.cli import FAILURE, options
from cutpoint.cli.output import json_text, line, message, progress, row
from cutpoint.decision import Language, Unknown, value as bounds_of
from cutpoint.diagrams.picture import draw
from cutpoint.files.models import save
from cutpoint.model.prediction import Model
from cutpoint.model.text import number
from cutpoint.wording import word_text

PICTURES = (".svg", ".png", ".pdf", ".dot", ".gv", ".tikz", ".tex")
LONGEST = 100_000  # of words that are counted: the number may have as many digits
MAX_LENGTH = click.option("--max-length", type=click.IntRange(min=0), help="Length of the longest words.")


@click.command()
@options.language
@click.option("--max-length", type=click.IntRange(min=0), default=10, help="Length of the longest words.")
@click.option("-n", "--number", "most", type=options.AT_LEAST_ONE, show_default="all", help="Number of words, at most.")
@options.as_json
def words(language: Language, max_length: int, most: int | None, as_json: bool) -> None:
    """Words of the language of MODEL, shortest first, then in the order of the alphabet.

    The language has the words that are accepted with a probability above the cut point, or as --inclusive, --equal and
    --not-equal say. Every word is decided exactly.

    \b
    Example: cutpoint words gallery:p_adic:2 --cut-point 1/2 --max-length 3
    """
    for word in islice(language.words(max_length), most):
        if as_json:
            line(json_text(word, indent=None))
        else:
            row(word if isinstance(word, str) else " ".join(map(str, word)))


@click.command()
@options.language
@click.argument("lengths", type=click.IntRange(0, LONGEST), nargs=-1, required=True)
@click.option("--limit", type=options.AT_LEAST_ONE, default=100_000, help="Suffixes explored, at most.")
@options.as_json
def count(language: Language, lengths: tuple[int, ...], limit: int, as_json: bool) -> None:
    """Number of words of each of LENGTHS in the language of MODEL, exactly.

    \b
    Example: cutpoint count gallery:p_adic:2 10 100 --cut-point 1/3
    """
    for length in lengths:
        found = language.count(length, limit)
        if as_json:
            line(json_text({"length": length, "count": found}, indent=None))
        else:
            row(length, found)


@click.command()
@options.language
@click.option(
    "-o", "--output", type=options.FILE, help="File: a model (.json, …), or a picture (.svg, .png, .pdf, .dot, .tikz)."
)
@click.option("--max-states", type=options.AT_LEAST_ONE, default=10_000, help="States met, at most.")
@click.option("--isolated", is_flag=True, help="Prove that the cut point is isolated, and take the DFA of the proof.")
@options.as_json
def dfa(language: Language, output: str | None, max_states: int, isolated: bool, as_json: bool) -> int:
    """Minimal DFA of the language of MODEL, if the search ends; a table of its states, the initial one first.

    Whether a language is regular is undecidable. If the search finds more than --max-states residuals, the answer is
    unknown and the exit code is 1.

    \b
    Example: cutpoint dfa gallery:p_adic:2 --cut-point 1/3 -o third.svg
    """
    proof = language.isolation(max_states=max_states) if isolated else None
    if proof is not None and proof.proven is None:
        message("cutpoint: the cut point was not proven to be isolated; residuals are explored.")
        proof = None
    with progress("exploring", lambda met: {"description": f"{met:,} met"}) as callback:
        found = language.to_dfa(max_states, proof, callback)
    if isinstance(found, Unknown):
        reason = (
            str(found).replace("to_dfa(isolation=L.isolation())", "--isolated").replace("max_states", "--max-states")
        )
        line(json_text({"states": None, "explored": found.explored, "reason": reason}) if as_json else reason)
        return FAILURE
    if output is not None:
        if output.lower().endswith(PICTURES):
            draw(found, output)
        else:
            save(Model(found.to_acceptor(), cut_point="1/2"), output)
        message(f"written to {output}.")
    if as_json:
        steps = [dict(zip(map(str, found.alphabet), after, strict=True)) for after in found.transitions]
        line(json_text({"states": found.n_states, "final": sorted(found.final), "transitions": steps}))
        return 0
    row("state", *found.alphabet, "final")
    for state, after in enumerate(found.transitions):
        row(state, *after, "yes" if state in found.final else "no")
    return 0


@click.command()
@options.language
@MAX_LENGTH
@click.option("--max-states", type=options.AT_LEAST_ONE, default=1000, help="States of a proof, at most.")
@options.as_json
def isolation(language: Language, max_length: int | None, max_states: int, as_json: bool) -> None:
    """How near acceptances of MODEL come to the cut point: the nearest word, and a proof for all words if one is found.

    \b
    Example: cutpoint isolation gallery:p_adic:2 --cut-point 1/3 --max-length 10
    """
    found = language.isolation(max_length, max_states=max_states)
    if as_json:
        names = "distance", "word", "acceptance", "max_length", "proven", "rabin_bound", "paz_bound"
        line(json_text({name: getattr(found, name) for name in names}))
        return
    nearest = f"{word_text(found.word)} is accepted with {number(found.acceptance)}"
    line(f"observed {number(found.distance)} up to length {found.max_length}: {nearest}")
    if found.proven:
        line(f"proven {number(found.proven)} for all words; a DFA needs at most {found.paz_bound:,} states")
    else:
        line("nothing is proven: longer words may come nearer")


@click.command()
@click.argument("model", type=options.FILE)
@MAX_LENGTH
@click.option("--limit", type=options.AT_LEAST_ONE, default=5000, help="Prefixes and suffixes explored, at most.")
@options.as_json
def value(model: str, as_json: bool, **search: Any) -> None:
    """Bounds of the value of MODEL, the least upper bound of its acceptances: they hold for words of any length.

    \b
    Example: cutpoint value gallery:value_one:3/4 --limit 1000
    """
    found = bounds_of(options.model_of(model).acceptor, **search)
    if as_json:
        line(json_text({name: getattr(found, name) for name in ("lower", "word", "upper")}))
    else:
        lower, upper = number(found.lower, 6), number(found.upper, 6)
        line(f"at least {lower}, the acceptance of {word_text(found.word)}; at most {upper}")
