"""Sentences of the library as the program says them: options in place of arguments."""

from __future__ import annotations

import re

ARGUMENTS = "format|word|accepted|weight|verdicts|verdict|states|id|order|event|outcome|separator|positive|delimiter"

PHRASES = (
    (re.compile(r"; or name the format with format=\."), "."),
    (re.compile(r", or open it yourself with its encoding and pass the open file\."), "."),
    (
        re.compile(r" Add what was seen of the runs: .*\.\.\.$"),
        " Name the column of outcomes with --accepted or --outcome.",
    ),
    (re.compile(rf"(?<![\w-])({ARGUMENTS})=…"), r"--\1"),
    (re.compile(rf"(?<![\w-])({ARGUMENTS})=(?=['\"\d])"), r"--\1 "),
    (re.compile(r"\brounded=True"), "--rounded"),
    (re.compile(r"\bLoad it with normalized=True"), "Use cutpoint convert --normalized"),
    (re.compile(r"\bload with normalized=True"), "use cutpoint convert --normalized"),
    (
        re.compile(r"more than max_words=([\d,]+)\. Lower max_length to (\d+), or .*"),
        r"more than \1. Lower --max-length to \2.",
    ),
    (re.compile(r"\bn_states\b"), "--states"),
    (re.compile(r"\b(time_limit|min_probability)\b"), lambda found: f"--{found[1].replace('_', '-')}"),
    (re.compile(r"Hold out none, or"), "Hold out none with --holdout 0, name a file to judge by with --test, or"),
    (re.compile(r"Leave it out, or"), "Leave it out with --bare, or"),
)
"""How the library speaks to those who write Python, and how to say the same to those who write commands."""


def spoken(sentence: str) -> str:
    """A sentence with the options of the program in place of the arguments of functions.

    Examples
    --------
    >>> spoken("a.csv: no column is called id. Choose one with id=….")
    'a.csv: no column is called id. Choose one with --id.'
    """
    for pattern, said in PHRASES:
        sentence = pattern.sub(said, sentence)
    return sentence
