"""Acceptors, and what they do with words."""

from cutpoint.model import gallery
from cutpoint.model.acceptor import Acceptor
from cutpoint.model.algebra import mixture
from cutpoint.model.belief_network import BeliefNetwork, Factor
from cutpoint.model.chain import MarkovChain
from cutpoint.model.gallery import p_adic, random_acceptor
from cutpoint.model.simulation import random_words, simulate
from cutpoint.model.weighted import SameLanguage, WeightedAutomaton

__all__ = [
    "Acceptor",
    "BeliefNetwork",
    "Factor",
    "MarkovChain",
    "SameLanguage",
    "WeightedAutomaton",
    "gallery",
    "mixture",
    "p_adic",
    "random_acceptor",
    "random_words",
    "simulate",
]
