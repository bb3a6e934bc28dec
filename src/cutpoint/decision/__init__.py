"""Cut-point languages and what can be decided about them."""

from cutpoint.decision.dfa import DFA, Unknown
from cutpoint.decision.distance import Distance, distance
from cutpoint.decision.equivalence import Different, Equal, equivalence, is_isomorphic, isomorphism
from cutpoint.decision.extraction import Isolation
from cutpoint.decision.language import Accepted, Language, Membership
from cutpoint.decision.reduction import minimize, quotient, trim

__all__ = [
    "DFA",
    "Accepted",
    "Different",
    "Distance",
    "Equal",
    "Isolation",
    "Language",
    "Membership",
    "Unknown",
    "distance",
    "equivalence",
    "is_isomorphic",
    "isomorphism",
    "minimize",
    "quotient",
    "trim",
]
