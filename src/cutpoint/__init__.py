"""cutpoint: stochastic acceptors (Rabin's probabilistic automata). Use it as ``import cutpoint as cp``."""

from typing import TYPE_CHECKING, Any

from cutpoint.data import Alphabet, Mark, Observation, Sample
from cutpoint.decision import DFA, Language, Unknown
from cutpoint.errors import (
    CutpointError,
    ImpossibleObservation,
    InvalidAcceptor,
    InvalidArgument,
    InvalidFile,
    InvalidSample,
    KernelsUnavailable,
    MissingExtra,
    TooLarge,
    UnknownState,
    UnknownSymbol,
    UnusedStatesWarning,
)
from cutpoint.kernels import kernel_info
from cutpoint.learning import (
    Bootstrap,
    Candidate,
    Counts,
    DesignMatrix,
    Distilled,
    Fit,
    Information,
    Interval,
    Learned,
    Member,
    Progress,
    Pruned,
    Score,
    Scores,
    SearchProgress,
    Selection,
    StandardErrors,
    Stop,
    baum_welch,
    bootstrap,
    count_transitions,
    counts_log_likelihood,
    cross_validate,
    design_matrix,
    distill,
    expectation_maximization,
    expected_counts,
    hidden_runs,
    learn,
    likelihood,
    log_likelihood,
    log_likelihoods,
    maximum_likelihood,
    members,
    prune,
    select,
    standard_errors,
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

if TYPE_CHECKING:
    from cutpoint.estimator import AcceptorClassifier as AcceptorClassifier

__version__ = "0.1.0"

__all__ = [
    "DFA",
    "Acceptor",
    "Alphabet",
    "BeliefNetwork",
    "Bootstrap",
    "Candidate",
    "Counts",
    "CutpointError",
    "DesignMatrix",
    "Distilled",
    "Factor",
    "Fit",
    "ImpossibleObservation",
    "Information",
    "Interval",
    "InvalidAcceptor",
    "InvalidArgument",
    "InvalidFile",
    "InvalidSample",
    "KernelsUnavailable",
    "Language",
    "Learned",
    "Mark",
    "MarkovChain",
    "Member",
    "MissingExtra",
    "Observation",
    "Progress",
    "Pruned",
    "Sample",
    "Score",
    "Scores",
    "SearchProgress",
    "Selection",
    "StandardErrors",
    "Stop",
    "TooLarge",
    "Unknown",
    "UnknownState",
    "UnknownSymbol",
    "UnusedStatesWarning",
    "baum_welch",
    "bootstrap",
    "count_transitions",
    "counts_log_likelihood",
    "cross_validate",
    "design_matrix",
    "distill",
    "expectation_maximization",
    "expected_counts",
    "forward_table",
    "gallery",
    "hidden_runs",
    "kernel_info",
    "learn",
    "likelihood",
    "log_likelihood",
    "log_likelihoods",
    "maximum_likelihood",
    "members",
    "mixture",
    "p_adic",
    "prune",
    "random_acceptor",
    "random_words",
    "select",
    "simulate",
    "standard_errors",
    "to_dot",
]

# Names that need an extra load when they are first used, and are not part of ``from cutpoint import *``.
_LAZY = {"AcceptorClassifier": "cutpoint.estimator"}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'cutpoint' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415

    return getattr(import_module(_LAZY[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
