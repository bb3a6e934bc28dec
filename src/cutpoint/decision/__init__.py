"""Cut-point languages and what can be decided about them."""

from cutpoint.decision.dfa import DFA, Unknown
from cutpoint.decision.isolation import Isolation
from cutpoint.decision.language import Accepted, Language, Membership

__all__ = ["DFA", "Accepted", "Isolation", "Language", "Membership", "Unknown"]
