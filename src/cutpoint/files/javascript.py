"""A model as a JavaScript module (ECMAScript 2015), which needs nothing else."""

import json
from collections.abc import Iterable
from typing import Any

import numpy as np

from cutpoint.errors import InvalidArgument
from cutpoint.files.tokens import json_value
from cutpoint.model.prediction import Model
from cutpoint.wording import shown

LARGEST = 2**53  # numbers of JavaScript are floats

UNKNOWN = {
    "error": "throw new RangeError(`symbol ${JSON.stringify(symbol)} is not in the alphabet`);",
    "skip": "return distribution;",
    "rare": "code = rare;",
}

MODULE = """\
{head}

export const digest = {digest};
export const alphabet = {alphabet};
export const classes = {classes};{binary_constants}

const initial = {initial};
const owner = {owner};
const transitions = [
{transitions}
];
const codes = new Map(alphabet.map((symbol, code) => [JSON.stringify(symbol), code]));{rare}

/** Distribution over states before the first symbol. */
export function start() {{
  return initial.slice();
}}

/** Distribution after one more symbol: the state of a live run. */
export function read(distribution, symbol) {{
  {declared} code = codes.get(JSON.stringify(symbol));
  if (code === undefined) {{
    {unknown}
  }}
  const next = new Array(initial.length).fill(0);
  distribution.forEach((p, s) => {{
    transitions[code][s].forEach((q, t) => {{
      next[t] += p * q;
    }});
  }});
  return next;
}}

/** Distribution after a word: a string, whose symbols are characters, or an array of symbols. */
export function distribution(word) {{
  let found = start();
  for (const symbol of word) {{
    found = read(found, symbol);
  }}
  return found;
}}
{answers}"""

BINARY = """
/** Probability that a word is accepted. */
export function acceptance(word) {
  return distribution(word).reduce((sum, p, s) => sum + (owner[s] === 1 ? p : 0), 0);
}

/** Probability of each class. */
export function probabilities(word) {
  const p = acceptance(word);
  return [1 - p, p];
}

/** The second class where the acceptance is above the cut point, otherwise the first. */
export function predict(word) {
  return classes[acceptance(word) > cutPoint ? 1 : 0];
}
"""

SEVERAL = """
/** Probability of each class. */
export function probabilities(word) {
  const found = new Array(classes.length).fill(0);
  distribution(word).forEach((p, s) => {
    found[owner[s]] += p;
  });
  return found;
}

/** The likeliest class. */
export function predict(word) {
  const found = probabilities(word);
  return classes[found.indexOf(Math.max(...found))];
}
"""


def written(model: Model, head: Iterable[str], digest: str) -> str:
    """Text of the module."""
    acceptor, rule = model.acceptor, model.acceptor.alphabet.on_unknown
    symbols = [_checked(json_value(symbol)) for symbol in acceptor.alphabet]
    several = model.labels is not None
    binary_constants = "" if several else f"\nexport const cutPoint = {model.used_cut_point!r};"
    return MODULE.format(
        head="\n".join(f"// {line}" for line in head),
        digest=_text(digest),
        alphabet=_text(symbols),
        classes=_text([_checked(name) for name in model.class_names]),
        binary_constants=binary_constants,
        initial=_text(acceptor.initial.tolist()),
        owner=_text(np.argmax(model.owners, axis=0).tolist()),
        transitions=",\n".join(f"  {_text(matrix)}" for matrix in acceptor.transitions.tolist()),
        rare=f"\nconst rare = {acceptor.alphabet.code(acceptor.alphabet.rare)};" if rule == "rare" else "",
        declared="let" if rule == "rare" else "const",
        unknown=UNKNOWN[rule],
        answers=SEVERAL if several else BINARY,
    )


def _text(value: Any) -> str:
    """JSON in ASCII that is also safe inside of a script element of HTML."""
    return json.dumps(value, allow_nan=False).replace("<", "\\u003c").replace(">", "\\u003e")


def _checked(value: Any) -> Any:
    """A name whose numbers JavaScript can hold."""
    for each in value if isinstance(value, list) else ():
        _checked(each)
    if isinstance(value, int) and abs(value) > LARGEST:
        raise InvalidArgument(f"JavaScript can hold whole numbers up to 2**53; a name is {shown(value)}.")
    return value
