"""Words and what was seen of their runs."""

from cutpoint.data.alphabet import Alphabet, PlainWord, Symbol, Word, Words
from cutpoint.data.sample import Mark, Observation, Sample, State

__all__ = ["Alphabet", "Mark", "Observation", "PlainWord", "Sample", "State", "Symbol", "Word", "Words"]
