"""Save and load models: the extension of the file says the format."""

import gzip
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

from cutpoint.data.storage import Scalar, path_of, write_together
from cutpoint.errors import FormatError, InvalidArgument
from cutpoint.files import att, decision_process, dot, jflap, json as json_file, npz, pautomac
from cutpoint.files.contents import Options, Weights
from cutpoint.files.streams import MOST_LINES, MOST_TEXT, PACKED, Source
from cutpoint.model import Acceptor, Generator
from cutpoint.model.generator import check_model
from cutpoint.model.prediction import Model
from cutpoint.model.weighted import WeightedAutomaton
from cutpoint.wording import counted, shown


@dataclass(frozen=True)
class Format:
    """A format: its name, its extensions, and the functions that read and write it."""

    name: str
    suffixes: tuple[str, ...]
    read: Callable[[Source, Options], Any]
    write: Callable[[Any, Options], dict[str, bytes]]
    is_text: bool = True
    is_streamed: bool = False  # read block by block, and of any length
    comment: str = ""
    """What begins a line that other programs skip: the first line is then a digest of the others."""


FORMATS = (
    Format("json", (".json",), json_file.read, json_file.write),
    Format("npz", (".npz",), npz.read, npz.write, is_text=False),
    Format("att", (".att", ".fst.txt"), att.read, att.write),
    Format("drn", (".drn",), decision_process.read_drn, decision_process.write_drn, is_streamed=True, comment="//"),
    Format("prism", (".tra",), decision_process.read_prism, decision_process.write_prism, is_streamed=True),
    Format("dot", (".dot", ".gv"), dot.read, dot.write, comment="//"),
    Format("jflap", (".jff",), jflap.read, jflap.write),
    Format("pautomac", (".pautomac_model.txt",), pautomac.read, pautomac.write),
)
PICTURES = (".tikz", ".tex")


def save(
    model: Acceptor | Generator | WeightedAutomaton | Model,
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    cut_point: Any = None,
    metadata: Mapping[str, Scalar] | None = None,
    classes: Sequence[Scalar] | None = None,
    labels: Sequence[Scalar] | None = None,
    inputs: Generator | None = None,
    weights: Weights | None = None,
    rounded: bool = False,
    bare: bool = False,
) -> None:
    """Write an acceptor, generator or weighted automaton, whole or not at all; nothing is dropped in silence.

    Parameters
    ----------
    model : an acceptor, a generator, or its ``model``; what it carries is kept, too. A weighted automaton: ``.json``,
        with nothing beside it.
    path : where to; ``.json``, ``.npz``, ``.att`` or ``.fst.txt`` (AT&T text of OpenFst), ``.drn`` (Storm), ``.tra``
        (PRISM, with ``.lab`` and ``.sta`` beside it), ``.dot`` or ``.gv`` (Graphviz); for generators ``.json``,
        ``.npz`` and ``.pautomac_model.txt``. ``.gz`` behind a text format packs it. Pictures, TikZ among them, are
        written by :func:`draw`.
    format : ``"json"``, ``"npz"``, ``"att"``, ``"drn"``, ``"prism"``, ``"dot"`` or ``"pautomac"``, where the extension
        does not say it.
    cut_point, metadata, classes, labels, inputs : kept beside it by JSON and NPZ, as is its rule for unknown symbols:
        see :class:`Model`; by default those that it carries.
    weights : of AT&T text: ``"log"``, minus the logarithm of each probability (the default), or ``"probability"``.
    rounded : allow formats that have only floats to round the fractions of an exact acceptor.
    bare : leave out the cut point, the classes, the metadata, the law of inputs and the rule for unknown symbols; in
        PAutomaC files also final states and names, so that symbols are 0, 1, 2, … in their order.

    Examples
    --------
    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/model.json"
    >>> cp.save(cp.p_adic(3), path, cut_point="1/3")
    >>> cp.load(path) == cp.p_adic(3), cp.load(path).model.cut_point
    (True, Fraction(1, 3))
    """
    kind, target = _format_of(path, format)
    beside = {"cut_point": cut_point, "metadata": metadata, "classes": classes, "labels": labels, "inputs": inputs}
    given = {key: value for key, value in beside.items() if value is not None}
    whole: Model | WeightedAutomaton
    if isinstance(model, WeightedAutomaton):
        if kind.name != "json" or given:
            raise InvalidArgument("a weighted automaton is saved as .json, with nothing beside it.")
        whole = model
    else:
        if not isinstance(model, Model):
            check_model(model)
        used = model if isinstance(model, Model) else model.model
        whole = replace(Model(used.machine.with_unknown("error")) if bare else used, **given)
    files = kind.write(whole, Options(_weights(kind, weights), rounded=rounded, bare=bare))
    contents = {}
    if kind.comment:
        files[""] = target.with_digest(files[""])
    for suffix, content in files.items():
        if kind.is_text and not kind.is_streamed:
            _check_length(content)
        file = target.beside(suffix) if suffix else target
        contents[file.path] = gzip.compress(content, mtime=0) if target.packed else content
    write_together(contents)


def load(
    path: str | os.PathLike[str], *, format: str | None = None, weights: Weights | None = None, normalized: bool = False
) -> Any:
    """Read an acceptor, generator or weighted automaton; a file that breaks the rules is a :class:`FormatError`.

    It predicts as the one that was saved, and does with unknown symbols what the file says: ``A.predict(words)`` gives
    the names of classes, and forecasts know the law of inputs. ``A.model`` has all that the file keeps beside it.

    Parameters
    ----------
    path : extensions as for :func:`save`, and ``.jff`` (JFLAP, deterministic finite automata). DOT may be written by
        hand; it is read with Graphviz (``pip install "cutpoint[draw]"``).
    format : as for :func:`save`, and ``"jflap"``.
    weights : of AT&T text, as for :func:`save`.
    normalized : rescale rows to sum 1, for files whose numbers were printed with few digits.

    Examples
    --------
    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/model.json"
    >>> cp.save(cp.p_adic(2).with_unknown("skip"), path, cut_point=0.3, classes=["small", "large"])
    >>> cp.load(path).predict(["0.1", "0.01", ""]).tolist()
    ['large', 'large', 'small']
    """
    found = _read(path, format, weights, normalized)
    return found.machine if isinstance(found, Model) else found


def read_model(
    path: str | os.PathLike[str], *, format: str | None = None, weights: Weights | None = None, normalized: bool = False
) -> Model:
    """The same as ``load(path).model``: an acceptor or generator with all that a file keeps beside it.

    Examples
    --------
    >>> import tempfile
    >>> path = tempfile.mkdtemp() + "/model.json"
    >>> cp.save(cp.p_adic(2), path, cut_point="1/3")
    >>> model = cp.read_model(path)
    >>> model.machine == cp.p_adic(2), model.cut_point
    (True, Fraction(1, 3))
    """
    found = _read(path, format, weights, normalized)
    if not isinstance(found, Model):
        raise InvalidArgument(
            "expected a model; the file holds a weighted automaton, which load reads.", where=str(path)
        )
    return found


def _read(path: str | os.PathLike[str], format: str | None, weights: Weights | None, normalized: bool) -> Any:
    kind, source = _format_of(path, format)
    options = Options(_weights(kind, weights), normalized=normalized)
    try:
        return kind.read(source, options)
    except FormatError:
        if kind.is_streamed and source.is_damaged():  # the cause of all else that is wrong in it
            raise source.damaged() from None
        raise


def is_model_file(path: str) -> bool:
    """Whether a path has the extension of a model."""
    bare = path.lower().removesuffix(PACKED)
    return any(bare.endswith(suffix) for kind in FORMATS for suffix in kind.suffixes)


def _format_of(path: str | os.PathLike[str], name: str | None) -> tuple[Format, Source]:
    """Format of a path, and the path in parts."""
    whole = path_of(path)
    names = [kind.name for kind in FORMATS]
    if not (name is None or (isinstance(name, str) and name in names)):
        raise InvalidArgument(f"must be one of {', '.join(names)}; got {shown(name)}.", argument="format")
    bare = whole[: -len(PACKED)] if whole.lower().endswith(PACKED) else whole
    known = {suffix: kind for kind in FORMATS for suffix in kind.suffixes}
    suffix = next((suffix for suffix in known if bare.lower().endswith(suffix)), Path(bare).suffix)
    if name is None and suffix.lower() in PICTURES:
        sentence = "TikZ is a picture, which draw writes and nothing reads. Keep the model as .json, or as .dot."
        raise InvalidArgument(sentence, where=whole)
    kind = known.get(suffix.lower()) if name is None else FORMATS[names.index(name)]
    if kind is None:
        sentence = f"expected an extension out of {', '.join(known)}, with .gz behind a text format."
        raise InvalidArgument(sentence, where=whole, advice="Or name the format with {format}.")
    length = len(bare) - len(suffix)
    source = Source(bare[:length], bare[length:], packed=whole[len(bare) :], comment=kind.comment)
    if source.packed and not kind.is_text:
        raise InvalidArgument(f"the format {kind.name} is not packed with gzip. Leave out the .gz.", where=whole)
    return kind, source


def _weights(kind: Format, weights: Weights | None) -> Weights:
    if weights is None:
        return "log"
    if kind.name != "att":
        raise InvalidArgument(f"is an option of AT&T text alone; the format is {kind.name}.", argument="weights")
    if weights not in get_args(Weights):
        raise InvalidArgument(f"must be 'log' or 'probability'; got {shown(weights)}.", argument="weights")
    return weights


def _check_length(content: bytes) -> None:
    """Refuse to write what would not be read."""
    for found, most, noun in ((len(content), MOST_TEXT, "byte"), (content.count(b"\n"), MOST_LINES, "line")):
        if found > most:
            size = f"{counted(found, noun)}, more than the {most:,} of a text file"
            raise InvalidArgument(f"the file would have {size}. Save as .npz.")
