"""Acceptors, and what they do with words."""

from cutpoint.model import gallery
from cutpoint.model.acceptor import Acceptor
from cutpoint.model.algebra import mixture
from cutpoint.model.belief_network import BeliefNetwork, Factor
from cutpoint.model.chain import MarkovChain
from cutpoint.model.simulation import random_words, simulate

__all__ = [
    "Acceptor",
    "BeliefNetwork",
    "Factor",
    "MarkovChain",
    "gallery",
    "mixture",
    "random_words",
    "simulate",
]
