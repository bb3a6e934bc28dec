"""Cut-point languages and what can be decided about them."""

from cutpoint.decision.acceptor_value import Bounds as Bounds, value as value
from cutpoint.decision.certificates import check as check
from cutpoint.decision.dfa import DFA as DFA, Unknown as Unknown
from cutpoint.decision.distance import Distance as Distance, distance as distance
from cutpoint.decision.equivalence import (
    Different as Different,
    Equal as Equal,
    equivalence as equivalence,
    is_isomorphic as is_isomorphic,
    isomorphism as isomorphism,
)
from cutpoint.decision.ergodicity import Ergodicity as Ergodicity, ergodicity as ergodicity
from cutpoint.decision.hankel import HankelBlock as HankelBlock, hankel_block as hankel_block
from cutpoint.decision.isolation import Isolation as Isolation
from cutpoint.decision.language import AcceptedWord as AcceptedWord, Language as Language, Membership as Membership
from cutpoint.decision.reduction import minimize as minimize, quotient as quotient, trim as trim
from cutpoint.decision.unary import Recurrence as Recurrence, recurrence as recurrence
