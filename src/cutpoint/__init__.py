"""cutpoint: stochastic acceptors (Rabin's probabilistic automata). Use it as ``import cutpoint as cp``."""

from importlib.metadata import version

from cutpoint.data import Alphabet, Mark, Observation, Sample
from cutpoint.decision import DFA, Language, Unknown
from cutpoint.errors import (
    CutpointError,
    ImpossibleObservation,
    InvalidAcceptor,
    InvalidArgument,
    InvalidSample,
    KernelsUnavailable,
    MissingExtra,
    TooLarge,
    UnknownState,
    UnknownSymbol,
)
from cutpoint.kernels import kernel_info
from cutpoint.learning import (
    Counts,
    DesignMatrix,
    Fit,
    Stop,
    baum_welch,
    count_transitions,
    counts_log_likelihood,
    design_matrix,
    expectation_maximization,
    expected_counts,
    hidden_runs,
    likelihood,
    log_likelihood,
    maximum_likelihood,
)
from cutpoint.model import (
    Acceptor,
    BeliefNetwork,
    Factor,
    MarkovChain,
    gallery,
    mixture,
    random_words,
    simulate,
)
from cutpoint.model.gallery import p_adic, random_acceptor
from cutpoint.show import forward_table, to_dot

__version__ = version("cutpoint")

__all__ = [
    "DFA",
    "Acceptor",
    "Alphabet",
    "BeliefNetwork",
    "Counts",
    "CutpointError",
    "DesignMatrix",
    "Factor",
    "Fit",
    "ImpossibleObservation",
    "InvalidAcceptor",
    "InvalidArgument",
    "InvalidSample",
    "KernelsUnavailable",
    "Language",
    "Mark",
    "MarkovChain",
    "MissingExtra",
    "Observation",
    "Sample",
    "Stop",
    "TooLarge",
    "Unknown",
    "UnknownState",
    "UnknownSymbol",
    "baum_welch",
    "count_transitions",
    "counts_log_likelihood",
    "design_matrix",
    "expectation_maximization",
    "expected_counts",
    "forward_table",
    "gallery",
    "hidden_runs",
    "kernel_info",
    "likelihood",
    "log_likelihood",
    "maximum_likelihood",
    "mixture",
    "p_adic",
    "random_acceptor",
    "random_words",
    "simulate",
    "to_dot",
]
