"""cutpoint: stochastic acceptors (Rabin's probabilistic automata). Use it as ``import cutpoint as cp``."""

TYPE_CHECKING = False  # as that of typing, which takes longer to load than this module
if TYPE_CHECKING:
    from typing import Any

    from cutpoint import engines as engines
    from cutpoint.data import Alphabet as Alphabet
    from cutpoint.data import Mark as Mark
    from cutpoint.data import Observation as Observation
    from cutpoint.data import Sample as Sample
    from cutpoint.decision import DFA as DFA
    from cutpoint.decision import Accepted as Accepted
    from cutpoint.decision import Isolation as Isolation
    from cutpoint.decision import Language as Language
    from cutpoint.decision import Membership as Membership
    from cutpoint.decision import Unknown as Unknown
    from cutpoint.decision.distance import Distance as Distance
    from cutpoint.decision.distance import distance as distance
    from cutpoint.decision.equivalence import Different as Different
    from cutpoint.decision.equivalence import Equal as Equal
    from cutpoint.decision.equivalence import equivalence as equivalence
    from cutpoint.decision.isomorphism import is_isomorphic as is_isomorphic
    from cutpoint.decision.isomorphism import isomorphism as isomorphism
    from cutpoint.decision.minimize import minimize as minimize
    from cutpoint.decision.quotient import quotient as quotient
    from cutpoint.decision.quotient import trim as trim
    from cutpoint.errors import CutpointError as CutpointError
    from cutpoint.errors import EngineLost as EngineLost
    from cutpoint.errors import FormatError as FormatError
    from cutpoint.errors import ImpossibleObservation as ImpossibleObservation
    from cutpoint.errors import InvalidAcceptor as InvalidAcceptor
    from cutpoint.errors import InvalidArgument as InvalidArgument
    from cutpoint.errors import InvalidFile as InvalidFile
    from cutpoint.errors import InvalidSample as InvalidSample
    from cutpoint.errors import KernelsUnavailable as KernelsUnavailable
    from cutpoint.errors import MissingExtra as MissingExtra
    from cutpoint.errors import TooLarge as TooLarge
    from cutpoint.errors import UnknownState as UnknownState
    from cutpoint.errors import UnknownSymbol as UnknownSymbol
    from cutpoint.errors import UnusedStatesWarning as UnusedStatesWarning
    from cutpoint.estimator import AcceptorClassifier as AcceptorClassifier
    from cutpoint.exact import Root as Root
    from cutpoint.formats.models import Model as Model
    from cutpoint.formats.models import load as load
    from cutpoint.formats.models import read_model as read_model
    from cutpoint.formats.models import save as save
    from cutpoint.formats.samples import Chunk as Chunk
    from cutpoint.formats.samples import read_chunks as read_chunks
    from cutpoint.formats.samples import read_sample as read_sample
    from cutpoint.formats.samples import write_sample as write_sample
    from cutpoint.formats.shards.sample import ShardedSample as ShardedSample
    from cutpoint.formats.shards.writing import write_shards as write_shards
    from cutpoint.kernels import kernel_info as kernel_info
    from cutpoint.learning import Counts as Counts
    from cutpoint.learning import DesignMatrix as DesignMatrix
    from cutpoint.learning import Fit as Fit
    from cutpoint.learning import Progress as Progress
    from cutpoint.learning import Stop as Stop
    from cutpoint.learning import acceptances_by_shard as acceptances_by_shard
    from cutpoint.learning import baum_welch as baum_welch
    from cutpoint.learning import count_transitions as count_transitions
    from cutpoint.learning import counts_log_likelihood as counts_log_likelihood
    from cutpoint.learning import design_matrix as design_matrix
    from cutpoint.learning import expectation_maximization as expectation_maximization
    from cutpoint.learning import expected_counts as expected_counts
    from cutpoint.learning import hidden_runs as hidden_runs
    from cutpoint.learning import likelihood as likelihood
    from cutpoint.learning import log_likelihood as log_likelihood
    from cutpoint.learning import log_likelihoods as log_likelihoods
    from cutpoint.learning import maximum_likelihood as maximum_likelihood
    from cutpoint.learning.bootstrap import Bootstrap as Bootstrap
    from cutpoint.learning.bootstrap import Interval as Interval
    from cutpoint.learning.bootstrap import bootstrap as bootstrap
    from cutpoint.learning.cross_validation import Score as Score
    from cutpoint.learning.cross_validation import Scores as Scores
    from cutpoint.learning.cross_validation import cross_validate as cross_validate
    from cutpoint.learning.distillation import Distilled as Distilled
    from cutpoint.learning.distillation import distill as distill
    from cutpoint.learning.evaluation import Evaluation as Evaluation
    from cutpoint.learning.evaluation import evaluate as evaluate
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
    from cutpoint.learning.telling import Telling as Telling
    from cutpoint.learning.telling import telling_symbols as telling_symbols
    from cutpoint.model import Acceptor as Acceptor
    from cutpoint.model import BeliefNetwork as BeliefNetwork
    from cutpoint.model import Factor as Factor
    from cutpoint.model import MarkovChain as MarkovChain
    from cutpoint.model import gallery as gallery
    from cutpoint.model import mixture as mixture
    from cutpoint.model import random_words as random_words
    from cutpoint.model import simulate as simulate
    from cutpoint.model.gallery import p_adic as p_adic
    from cutpoint.model.gallery import random_acceptor as random_acceptor
    from cutpoint.model.linear import Linear as Linear
    from cutpoint.model.linear import SameLanguage as SameLanguage
    from cutpoint.show.calibration import calibration as calibration
    from cutpoint.show.picture import Picture as Picture
    from cutpoint.show.picture import draw as draw
    from cutpoint.show.plots import plot_calibration as plot_calibration
    from cutpoint.show.plots import plot_comparison as plot_comparison
    from cutpoint.show.plots import plot_forward as plot_forward
    from cutpoint.show.plots import plot_learning as plot_learning
    from cutpoint.show.plots import plot_staircase as plot_staircase
    from cutpoint.show.report import report as report
    from cutpoint.show.tables import forward_table as forward_table
    from cutpoint.show.texts import to_dot as to_dot
    from cutpoint.show.texts import to_tikz as to_tikz

__version__ = "0.1.0"

__all__ = [
    "DFA",
    "Accepted",
    "Acceptor",
    "Alphabet",
    "BeliefNetwork",
    "Bootstrap",
    "Candidate",
    "Chunk",
    "Counts",
    "CutpointError",
    "DesignMatrix",
    "Different",
    "Distance",
    "Distilled",
    "EngineLost",
    "Equal",
    "Evaluation",
    "Factor",
    "Fit",
    "FormatError",
    "ImpossibleObservation",
    "Information",
    "Interval",
    "InvalidAcceptor",
    "InvalidArgument",
    "InvalidFile",
    "InvalidSample",
    "Isolation",
    "KernelsUnavailable",
    "Language",
    "Learned",
    "Linear",
    "Mark",
    "MarkovChain",
    "Member",
    "Membership",
    "MissingExtra",
    "Model",
    "Observation",
    "Picture",
    "Progress",
    "Pruned",
    "Root",
    "SameLanguage",
    "Sample",
    "Score",
    "Scores",
    "SearchProgress",
    "Selection",
    "ShardedSample",
    "StandardErrors",
    "Stop",
    "Telling",
    "TooLarge",
    "Unknown",
    "UnknownState",
    "UnknownSymbol",
    "UnusedStatesWarning",
    "acceptances_by_shard",
    "baum_welch",
    "bootstrap",
    "calibration",
    "count_transitions",
    "counts_log_likelihood",
    "cross_validate",
    "design_matrix",
    "distance",
    "distill",
    "draw",
    "engines",
    "equivalence",
    "evaluate",
    "expectation_maximization",
    "expected_counts",
    "forward_table",
    "gallery",
    "hidden_runs",
    "is_isomorphic",
    "isomorphism",
    "kernel_info",
    "learn",
    "likelihood",
    "load",
    "log_likelihood",
    "log_likelihoods",
    "maximum_likelihood",
    "members",
    "minimize",
    "mixture",
    "p_adic",
    "plot_calibration",
    "plot_comparison",
    "plot_forward",
    "plot_learning",
    "plot_staircase",
    "prune",
    "quotient",
    "random_acceptor",
    "random_words",
    "read_chunks",
    "read_model",
    "read_sample",
    "report",
    "save",
    "select",
    "simulate",
    "standard_errors",
    "telling_symbols",
    "to_dot",
    "to_tikz",
    "trim",
    "write_sample",
    "write_shards",
]

# Names whose modules load when they are first used: the import takes no time, and the program is ready for an interrupt
# before anything is loaded. What needs an extra is not in ``__all__``.
_LAZY = {
    "Alphabet": "cutpoint.data",
    "Mark": "cutpoint.data",
    "Observation": "cutpoint.data",
    "Sample": "cutpoint.data",
    "CutpointError": "cutpoint.errors",
    "EngineLost": "cutpoint.errors",
    "FormatError": "cutpoint.errors",
    "ImpossibleObservation": "cutpoint.errors",
    "InvalidAcceptor": "cutpoint.errors",
    "InvalidArgument": "cutpoint.errors",
    "InvalidFile": "cutpoint.errors",
    "InvalidSample": "cutpoint.errors",
    "KernelsUnavailable": "cutpoint.errors",
    "MissingExtra": "cutpoint.errors",
    "TooLarge": "cutpoint.errors",
    "UnknownState": "cutpoint.errors",
    "UnknownSymbol": "cutpoint.errors",
    "UnusedStatesWarning": "cutpoint.errors",
    "Root": "cutpoint.exact",
    "kernel_info": "cutpoint.kernels",
    "Counts": "cutpoint.learning",
    "DesignMatrix": "cutpoint.learning",
    "Fit": "cutpoint.learning",
    "Progress": "cutpoint.learning",
    "Stop": "cutpoint.learning",
    "acceptances_by_shard": "cutpoint.learning",
    "baum_welch": "cutpoint.learning",
    "count_transitions": "cutpoint.learning",
    "counts_log_likelihood": "cutpoint.learning",
    "design_matrix": "cutpoint.learning",
    "expectation_maximization": "cutpoint.learning",
    "expected_counts": "cutpoint.learning",
    "hidden_runs": "cutpoint.learning",
    "likelihood": "cutpoint.learning",
    "log_likelihood": "cutpoint.learning",
    "log_likelihoods": "cutpoint.learning",
    "maximum_likelihood": "cutpoint.learning",
    "Acceptor": "cutpoint.model",
    "BeliefNetwork": "cutpoint.model",
    "Factor": "cutpoint.model",
    "MarkovChain": "cutpoint.model",
    "gallery": "cutpoint.model",
    "mixture": "cutpoint.model",
    "random_words": "cutpoint.model",
    "simulate": "cutpoint.model",
    "p_adic": "cutpoint.model.gallery",
    "random_acceptor": "cutpoint.model.gallery",
    "DFA": "cutpoint.decision",
    "Accepted": "cutpoint.decision",
    "Isolation": "cutpoint.decision",
    "Language": "cutpoint.decision",
    "Membership": "cutpoint.decision",
    "Unknown": "cutpoint.decision",
    "Distance": "cutpoint.decision.distance",
    "distance": "cutpoint.decision.distance",
    "Different": "cutpoint.decision.equivalence",
    "Equal": "cutpoint.decision.equivalence",
    "equivalence": "cutpoint.decision.equivalence",
    "is_isomorphic": "cutpoint.decision.isomorphism",
    "isomorphism": "cutpoint.decision.isomorphism",
    "minimize": "cutpoint.decision.minimize",
    "quotient": "cutpoint.decision.quotient",
    "trim": "cutpoint.decision.quotient",
    "Linear": "cutpoint.model.linear",
    "SameLanguage": "cutpoint.model.linear",
    "AcceptorClassifier": "cutpoint.estimator",
    "Model": "cutpoint.formats.models",
    "load": "cutpoint.formats.models",
    "read_model": "cutpoint.formats.models",
    "save": "cutpoint.formats.models",
    "Chunk": "cutpoint.formats.samples",
    "read_chunks": "cutpoint.formats.samples",
    "read_sample": "cutpoint.formats.samples",
    "write_sample": "cutpoint.formats.samples",
    "ShardedSample": "cutpoint.formats.shards.sample",
    "write_shards": "cutpoint.formats.shards.writing",
    "Bootstrap": "cutpoint.learning.bootstrap",
    "Interval": "cutpoint.learning.bootstrap",
    "bootstrap": "cutpoint.learning.bootstrap",
    "Score": "cutpoint.learning.cross_validation",
    "Scores": "cutpoint.learning.cross_validation",
    "cross_validate": "cutpoint.learning.cross_validation",
    "Distilled": "cutpoint.learning.distillation",
    "distill": "cutpoint.learning.distillation",
    "Evaluation": "cutpoint.learning.evaluation",
    "evaluate": "cutpoint.learning.evaluation",
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
    "Telling": "cutpoint.learning.telling",
    "telling_symbols": "cutpoint.learning.telling",
    "calibration": "cutpoint.show.calibration",
    "Picture": "cutpoint.show.picture",
    "draw": "cutpoint.show.picture",
    "plot_calibration": "cutpoint.show.plots",
    "plot_comparison": "cutpoint.show.plots",
    "plot_forward": "cutpoint.show.plots",
    "plot_learning": "cutpoint.show.plots",
    "plot_staircase": "cutpoint.show.plots",
    "report": "cutpoint.show.report",
    "forward_table": "cutpoint.show.tables",
    "to_dot": "cutpoint.show.texts",
    "to_tikz": "cutpoint.show.texts",
}

_FOLDERS = {
    "data",
    "decision",
    "diagrams",
    "engines",
    "errors",
    "estimator",
    "exact",
    "formats",
    "kernels",
    "learning",
    "model",
    "show",
}


def __getattr__(name: str) -> "Any":
    if name not in _LAZY and name not in _FOLDERS:
        raise AttributeError(f"module 'cutpoint' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415

    value = import_module(f"cutpoint.{name}") if name in _FOLDERS else getattr(import_module(_LAZY[name]), name)
    import_module("cutpoint.show.notebook").give_displays()
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY, *_FOLDERS})
