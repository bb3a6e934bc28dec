"""Cut-point languages and what can be decided about them."""

from cutpoint.decision.dfa import DFA, Unknown
from cutpoint.decision.language import Language

__all__ = ["DFA", "Language", "Unknown"]
