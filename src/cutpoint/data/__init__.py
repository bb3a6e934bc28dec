"""Words and what was seen of their runs."""

from cutpoint.data.alphabet import (
    Alphabet as Alphabet,
    PlainWord as PlainWord,
    Symbol as Symbol,
    Word as Word,
    Words as Words,
)
from cutpoint.data.marks import Mark as Mark, State as State
from cutpoint.data.sample import Observation as Observation, Sample as Sample
