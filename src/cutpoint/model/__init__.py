"""Acceptors and generators, and what they do with words."""

from cutpoint.model import gallery as gallery, quantum as quantum
from cutpoint.model.acceptor import Acceptor as Acceptor
from cutpoint.model.belief_network import BeliefNetwork as BeliefNetwork, Factor as Factor
from cutpoint.model.chain import MarkovChain as MarkovChain
from cutpoint.model.gallery import p_adic as p_adic, random_acceptor as random_acceptor
from cutpoint.model.generator import STOP as STOP, Generator as Generator, Surprise as Surprise
from cutpoint.model.mixtures import mixture as mixture
from cutpoint.model.parametric import ParametricAcceptor as ParametricAcceptor
from cutpoint.model.prediction import Model as Model
from cutpoint.model.run import FinalVerdict as FinalVerdict, Run as Run
from cutpoint.model.simulation import random_words as random_words, simulate as simulate
from cutpoint.model.weighted import SameLanguage as SameLanguage, WeightedAutomaton as WeightedAutomaton
