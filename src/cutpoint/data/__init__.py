"""Words and what was seen of their runs."""

from cutpoint.data.alphabet import Alphabet, Symbol, Word, Words
from cutpoint.data.sample import Mark, Observation, Sample, State

__all__ = ["Alphabet", "Mark", "Observation", "Sample", "State", "Symbol", "Word", "Words"]
