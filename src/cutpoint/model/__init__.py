"""Acceptors, and what they do with words."""

from cutpoint.model import gallery as gallery
from cutpoint.model.acceptor import Acceptor as Acceptor
from cutpoint.model.acceptor import mixture as mixture
from cutpoint.model.belief_network import BeliefNetwork as BeliefNetwork
from cutpoint.model.belief_network import Factor as Factor
from cutpoint.model.chain import MarkovChain as MarkovChain
from cutpoint.model.gallery import p_adic as p_adic
from cutpoint.model.gallery import random_acceptor as random_acceptor
from cutpoint.model.simulation import random_words as random_words
from cutpoint.model.simulation import simulate as simulate
from cutpoint.model.weighted import SameLanguage as SameLanguage
from cutpoint.model.weighted import WeightedAutomaton as WeightedAutomaton
