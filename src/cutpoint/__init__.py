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
    Counts,
    DesignMatrix,
    Fit,
    Progress,
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
    log_likelihoods,
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

if TYPE_CHECKING:
    from cutpoint.estimator import AcceptorClassifier as AcceptorClassifier
    from cutpoint.formats.chunks import Chunk as Chunk
    from cutpoint.formats.samples import read_chunks as read_chunks
    from cutpoint.formats.samples import read_sample as read_sample
    from cutpoint.formats.samples import write_sample as write_sample
    from cutpoint.learning.bootstrap import Bootstrap as Bootstrap
    from cutpoint.learning.bootstrap import Interval as Interval
    from cutpoint.learning.bootstrap import bootstrap as bootstrap
    from cutpoint.learning.cross_validation import Score as Score
    from cutpoint.learning.cross_validation import Scores as Scores
    from cutpoint.learning.cross_validation import cross_validate as cross_validate
    from cutpoint.learning.distillation import Distilled as Distilled
    from cutpoint.learning.distillation import distill as distill
    from cutpoint.learning.learn import learn as learn
    from cutpoint.learning.learned import Learned as Learned
    from cutpoint.learning.learned import Member as Member
    from cutpoint.learning.search import SearchProgress as SearchProgress
    from cutpoint.learning.select import Candidate as Candidate
    from cutpoint.learning.select import Selection as Selection
    from cutpoint.learning.select import select as select
    from cutpoint.learning.standard_errors import Information as Information
    from cutpoint.learning.standard_errors import StandardErrors as StandardErrors
    from cutpoint.learning.standard_errors import standard_errors as standard_errors
    from cutpoint.learning.teams import Pruned as Pruned
    from cutpoint.learning.teams import members as members
    from cutpoint.learning.teams import prune as prune

__version__ = "0.1.0"

__all__ = [
    "DFA",
    "Acceptor",
    "Alphabet",
    "BeliefNetwork",
    "Bootstrap",
    "Candidate",
    "Chunk",
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
    "read_chunks",
    "read_sample",
    "select",
    "simulate",
    "standard_errors",
    "to_dot",
    "write_sample",
]

# Names whose modules load when they are first used: the import stays quick. What needs an extra is not in ``__all__``.
_LAZY = {
    "AcceptorClassifier": "cutpoint.estimator",
    "Chunk": "cutpoint.formats.chunks",
    "read_chunks": "cutpoint.formats.samples",
    "read_sample": "cutpoint.formats.samples",
    "write_sample": "cutpoint.formats.samples",
    "Bootstrap": "cutpoint.learning.bootstrap",
    "Interval": "cutpoint.learning.bootstrap",
    "bootstrap": "cutpoint.learning.bootstrap",
    "Score": "cutpoint.learning.cross_validation",
    "Scores": "cutpoint.learning.cross_validation",
    "cross_validate": "cutpoint.learning.cross_validation",
    "Distilled": "cutpoint.learning.distillation",
    "distill": "cutpoint.learning.distillation",
    "learn": "cutpoint.learning.learn",
    "Learned": "cutpoint.learning.learned",
    "Member": "cutpoint.learning.learned",
    "SearchProgress": "cutpoint.learning.search",
    "Candidate": "cutpoint.learning.select",
    "Selection": "cutpoint.learning.select",
    "select": "cutpoint.learning.select",
    "Information": "cutpoint.learning.standard_errors",
    "StandardErrors": "cutpoint.learning.standard_errors",
    "standard_errors": "cutpoint.learning.standard_errors",
    "Pruned": "cutpoint.learning.teams",
    "members": "cutpoint.learning.teams",
    "prune": "cutpoint.learning.teams",
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'cutpoint' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415

    return getattr(import_module(_LAZY[name]), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
