"""A model as an ONNX graph in float64 (extra ``[onnx]``): padded words and their lengths in, probabilities out."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from cutpoint.data.storage import Scalar
from cutpoint.errors import InvalidArgument, MissingExtra
from cutpoint.model.prediction import Model
from cutpoint.wording import shown

LARGEST = 2**63 - 1

# Every step multiplies the row of each word by the matrix of its symbol. Behind the end of a word that is the identity,
# the matrix number `stay`; after a symbol that is refused it is one of NaN, as a graph cannot raise an error.
GRAPH = """
<ir_version: 8, opset_import: ["": 17, "ai.onnx.ml": 3], producer_name: "cutpoint">
acceptor ({symbol}[n_words, width] words, int64[n_words] lengths)
    => (double[{shape}] {value}, string[n_words] outcome) {{
  read = ai.onnx.ml.LabelEncoder (words)
  sizes = Shape (words)
  count = Gather (sizes, first_axis)
  longest = Gather (sizes, one)
  places = Range (zero, longest, one)
  places_row = Unsqueeze (places, first_axis)
  lengths_column = Unsqueeze (lengths, second_axis)
  is_inside = Less (places_row, lengths_column)
  codes = Where (is_inside, read, stay)
  steps = Transpose <perm = [1, 0]> (codes)
  start_shape = Concat <axis = 0> (count, row_shape)
  start = Expand (initial, start_shape)
  end = Loop (longest, always, start) <body = step (int64 i, bool goes_on, double[k, 1, l] row)
      => (bool still_goes_on, double[k, 1, l] next_row) {{
    codes_here = Gather (steps, i)
    matrices_here = Gather (matrices, codes_here)
    next_row = MatMul (row, matrices_here)
    still_goes_on = Identity (goes_on)
  }}>
  sums = MatMul (end, columns)
  {value} = Reshape (sums, value_shape)
  {answer}
  is_refused = IsNaN (total)
  class = Where (is_refused, no_class, best)
  outcome = Gather (names, class)
}}
"""
BINARY = """
  total = Identity (acceptance)
  is_above = Greater (acceptance, cut_point)
  best = Where (is_above, one, zero)
"""
SEVERAL = """
  total = ReduceSum <keepdims = 0> (probabilities, second_axis)
  best = ArgMax <axis = 1, keepdims = 0> (probabilities)
"""


def written(model: Model, head: Iterable[str], digest: str) -> bytes:
    """Bytes of the graph."""
    try:
        from onnx import checker, helper, numpy_helper, parser  # noqa: PLC0415  an extra
    except ImportError:
        raise MissingExtra('writing ONNX needs onnx: pip install "cutpoint[onnx]".') from None
    is_text, several = _is_text(model.acceptor.alphabet), model.labels is not None
    text = GRAPH.format(
        symbol="string" if is_text else "int64",
        value="probabilities" if several else "acceptance",
        shape=f"n_words, {len(model.class_names)}" if several else "n_words",
        answer=SEVERAL if several else BINARY,
    )
    made = parser.parse_model(text)
    made.graph.node[0].attribute.extend(helper.make_attribute(*each) for each in _codes(model, is_text).items())
    made.graph.initializer.extend(numpy_helper.from_array(array, name) for name, array in _constants(model).items())
    made.doc_string = "\n".join(head)
    helper.set_model_props(made, {"digest": digest})
    checker.check_model(made)
    return bytes(made.SerializeToString(deterministic=True))


def _codes(model: Model, is_text: bool) -> dict[str, Any]:
    """Attributes of the node that gives each symbol the number of its matrix."""
    alphabet = model.acceptor.alphabet
    symbols = [symbol if is_text else int(symbol) for symbol in alphabet]  # type: ignore[call-overload]
    unknown = {"error": len(alphabet) + 1, "skip": len(alphabet)}.get(alphabet.on_unknown)
    return {
        "keys_strings" if is_text else "keys_int64s": symbols,
        "values_int64s": list(range(len(alphabet))),
        "default_int64": alphabet.code(alphabet.rare) if unknown is None else unknown,
    }


def _constants(model: Model) -> dict[str, Any]:
    """Arrays of the graph."""
    acceptor, n, several = model.acceptor, model.acceptor.n_states, model.labels is not None
    columns = model.owners.T if several else acceptor.final[:, None]
    return {
        "matrices": np.concatenate((acceptor.transitions, np.eye(n)[None], np.full((1, n, n), np.nan))),
        "initial": acceptor.initial[None, None, :],
        "columns": columns.astype(np.float64),
        "stay": np.array(acceptor.n_symbols),
        "zero": np.array(0),
        "one": np.array(1),
        "first_axis": np.array([0]),
        "second_axis": np.array([1]),
        "row_shape": np.array([1, n]),
        "value_shape": np.array([-1, columns.shape[1]] if several else [-1]),
        "names": np.array([*map(_text, model.class_names), ""], dtype=object),
        "no_class": np.array(len(model.class_names)),
        "always": np.array(True),
    } | ({} if several else {"cut_point": np.array(model.used_cut_point)})


def _is_text(alphabet: Sequence[Any]) -> bool:
    """Whether symbols are text; otherwise all must be whole numbers."""
    for symbol in alphabet:
        whole = isinstance(symbol, int | np.integer) and not isinstance(symbol, bool) and abs(int(symbol)) <= LARGEST
        if isinstance(symbol, str) != isinstance(alphabet[0], str) or not (isinstance(symbol, str) or whole):
            what = f"in ONNX the symbols must be all text or all whole numbers of 64 bits; got {shown(symbol)}."
            raise InvalidArgument(what, advice="Give them other names with A.renamed(symbols=...).")
    return isinstance(alphabet[0], str)


def _text(name: Scalar) -> str:
    """Name of a class as text: a tensor holds names of one kind."""
    return name if isinstance(name, str) else json.dumps(name)
