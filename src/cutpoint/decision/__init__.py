"""Cut-point languages and what can be decided about them."""

from cutpoint.decision.dfa import DFA
from cutpoint.decision.isolation import Isolation
from cutpoint.decision.language import Accepted, Language, Membership
from cutpoint.decision.unknown import Unknown

__all__ = ["DFA", "Accepted", "Isolation", "Language", "Membership", "Unknown"]
