"""Models for other systems: JavaScript, SQL, ONNX. They are written, and not read back."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from cutpoint.data.storage import path_of, write_whole
from cutpoint.errors import InvalidArgument
from cutpoint.files import javascript, onnx, sql
from cutpoint.files.contents import Options, SqlNames, check_size, in_floats
from cutpoint.files.json import content, digest
from cutpoint.model import Acceptor
from cutpoint.model.generator import Generator
from cutpoint.model.prediction import Model
from cutpoint.model.weighted import WeightedAutomaton
from cutpoint.wording import counted, shown

Head = Sequence[str]  # lines that say what a file is; they hold no names of the user


@dataclass(frozen=True)
class Target:
    """A system to write models for: its name, its writer, how it is used, and what an unknown symbol is there."""

    name: str
    write: Callable[[Model, Head, str, SqlNames], bytes]
    refused: str
    usage: str = ""


MODULE = Target(
    "JavaScript",
    lambda model, head, known, _: javascript.written(model, head, known).encode(),
    "Unknown symbols are errors.",
)
TARGETS = {
    ".js": MODULE,
    ".mjs": MODULE,
    ".sql": Target(
        "SQL",
        lambda model, head, _, names: sql.written(model, head, names).encode(),
        "After an unknown symbol probabilities are NULL.",
        "Rows of the table are events; a case without events has one row whose event is NULL.",
    ),
    ".onnx": Target(
        "ONNX",
        lambda model, head, known, _: onnx.written(model, head, known),
        "After an unknown symbol probabilities are NaN.",
        "Inputs: words, padded to one length, and their lengths.",
    ),
}
RULES = {"skip": "Unknown symbols are left out.", "rare": "Unknown symbols are read as the rare symbol."}


def export(model: Acceptor | Model, path: str | os.PathLike[str], **names: str) -> None:
    r"""Write a model for another system, by the extension of the file, whole or not at all.

    .. math:: \pi P(x_1) \cdots P(x_n) f

    is computed there in float64 as here, to some 1e-15. The model's cut point (1/2 if it has none), classes and rule
    for unknown symbols go along; exact entries are rounded to floats, and so is the comparison with the cut point. The
    file names the digest that :func:`cutpoint.save` writes into JSON.

    Parameters
    ----------
    model : an acceptor, as :func:`cutpoint.load` returns it, or its ``model``.
    path : ``.js`` or ``.mjs``: a JavaScript module that exports ``acceptance``, ``probabilities`` and ``predict`` of a
        word, and ``start`` and ``read`` for live runs. ``.sql``: one query over a table with a row per event, for
        SQLite and DuckDB; a case without events has one row whose event is NULL. ``.onnx``: a graph from ``words`` (an
        array of symbols, shorter words padded with anything) and their ``lengths`` (extra ``[onnx]``).
    names : for SQL, the names of ``table`` (by default events) and of its columns ``id`` (id), ``order`` (position) and
        ``event`` (event).

    Notes
    -----
    A symbol that is refused is an error in JavaScript, NULL in SQL and NaN in ONNX. Cost :math:`O(l' l^2)` of memory;
    SQL holds some 40 states (1,900 steps from state to state), the others 2,000,000 transitions.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.sql"
    >>> cp.export(cp.p_adic(2), path, table="digits", id="number")
    >>> path.read_text().partition("\n")[0]
    '-- Stochastic acceptor of 2 states and 2 symbols, written by cutpoint.'
    """
    if isinstance(model, WeightedAutomaton | Generator):
        weighted = isinstance(model, WeightedAutomaton)
        advice = "Its to_acceptor(cut_point) makes one with the same language." if weighted else ""
        raise InvalidArgument(f"only acceptors are exported; got a {type(model).__name__}.", advice=advice)
    if not isinstance(model, Acceptor | Model):
        raise InvalidArgument(f"expected an Acceptor or a Model; got {shown(model)}.")
    where = Path(path_of(path))
    target = TARGETS.get(where.suffix.lower())
    if target is None:
        raise InvalidArgument(f"expected an extension out of {', '.join(TARGETS)}.", where=os.fspath(where))
    if names and target.name != "SQL":
        raise InvalidArgument(f"is an option of SQL alone; the file is {where.name}.", argument=next(iter(names)))
    if unknown := names.keys() - vars(SqlNames()).keys():
        raise TypeError(f"unexpected option {min(unknown)!r}; the options are {', '.join(vars(SqlNames()))}.")
    whole = model if isinstance(model, Model) else model.model
    acceptor = in_floats(whole.acceptor, Options(rounded=True), target.name)
    check_size(acceptor, target.name)
    rounded = replace(whole, machine=acceptor)
    known = digest(content(whole))
    sizes = f"{counted(acceptor.n_states, 'state')} and {counted(acceptor.n_symbols, 'symbol')}"
    rule = RULES.get(acceptor.alphabet.on_unknown, target.refused)
    head = [f"Stochastic acceptor of {sizes}, written by cutpoint.", f"Model {known}", target.usage, rule]
    write_whole(where, target.write(rounded, [*filter(None, head)], known, SqlNames(**names)))
