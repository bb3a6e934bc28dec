"""Cut-point languages and what can be decided about them."""

from cutpoint.decision.dfa import DFA as DFA
from cutpoint.decision.dfa import Unknown as Unknown
from cutpoint.decision.distance import Distance as Distance
from cutpoint.decision.distance import distance as distance
from cutpoint.decision.equivalence import Different as Different
from cutpoint.decision.equivalence import Equal as Equal
from cutpoint.decision.equivalence import equivalence as equivalence
from cutpoint.decision.equivalence import is_isomorphic as is_isomorphic
from cutpoint.decision.equivalence import isomorphism as isomorphism
from cutpoint.decision.extraction import Isolation as Isolation
from cutpoint.decision.language import AcceptedWord as AcceptedWord
from cutpoint.decision.language import Language as Language
from cutpoint.decision.language import Membership as Membership
from cutpoint.decision.reduction import minimize as minimize
from cutpoint.decision.reduction import quotient as quotient
from cutpoint.decision.reduction import trim as trim
