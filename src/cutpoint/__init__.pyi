"""The public names, each with the module that it is loaded from."""

from . import (
    assess as assess,
    cases as cases,
    data as data,
    decision as decision,
    drawing as drawing,
    em as em,
    errors as errors,
    estimator as estimator,
    exact as exact,
    files as files,
    kernels as kernels,
    model as model,
    search as search,
    shards as shards,
    workbench as workbench,
)
from .assess.cross_validation import cross_validate as cross_validate
from .assess.evaluation import evaluate as evaluate
from .assess.selection import select as select
from .assess.uncertainty import bootstrap as bootstrap
from .cases import Runs as Runs
from .cases.advice import advise as advise
from .cases.credits import credit as credit
from .cases.explanation import explain as explain
from .cases.forecast import forecast as forecast
from .data import Sample as Sample
from .decision import DFA as DFA, Language as Language, Unknown as Unknown
from .decision.acceptor_value import value as value
from .decision.distance import distance as distance
from .decision.equivalence import Different as Different, Equal as Equal, equivalence as equivalence
from .decision.ergodicity import ergodicity as ergodicity
from .decision.hankel import hankel_block as hankel_block
from .decision.reduction import minimize as minimize, quotient as quotient, trim as trim
from .decision.unary import recurrence as recurrence
from .drawing import draw as draw, plots as plots
from .drawing.report import report as report
from .em import (
    Counts as Counts,
    Fit as Fit,
    baum_welch as baum_welch,
    count_transitions as count_transitions,
    design_matrix as design_matrix,
    expectation_maximization as expectation_maximization,
    expected_counts as expected_counts,
    log_likelihood as log_likelihood,
    maximum_likelihood as maximum_likelihood,
    verdict_probabilities as verdict_probabilities,
)
from .errors import CutpointError as CutpointError
from .estimator import AcceptorClassifier as AcceptorClassifier
from .exact import AlgebraicNumber as AlgebraicNumber, parameters as parameters
from .files.exports import export as export
from .files.models import load as load, read_model as read_model, save as save
from .files.samples import read_sample as read_sample, write_sample as write_sample
from .kernels import kernel_info as kernel_info
from .model import (
    STOP as STOP,
    Acceptor as Acceptor,
    BeliefNetwork as BeliefNetwork,
    Generator as Generator,
    ParametricAcceptor as ParametricAcceptor,
    gallery as gallery,
    mixture as mixture,
    quantum as quantum,
    random_words as random_words,
    simulate as simulate,
)
from .model.gallery import p_adic as p_adic, random_acceptor as random_acceptor
from .model.weighted import WeightedAutomaton as WeightedAutomaton
from .search.generators import learn_generator as learn_generator
from .search.imitation import imitate as imitate
from .search.learn import learn as learn
from .shards import engines as engines
from .shards.sharded_sample import ShardedSample as ShardedSample
from .shards.writing import write_shards as write_shards
from .workbench.widget import widget as widget

__version__: str
