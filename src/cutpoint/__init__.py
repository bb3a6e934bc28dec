"""cutpoint: stochastic acceptors (Rabin's probabilistic automata). Use it as ``import cutpoint as cp``.

==================  ==========================================================================================
acceptors           Acceptor, WeightedAutomaton, BeliefNetwork, mixture, gallery, p_adic, random_acceptor, quantum
                    with parameters for entries: parameters, ParametricAcceptor
generators          Generator, STOP, learn_generator
samples             Sample, simulate, random_words, read_sample, write_sample, ShardedSample, write_shards
learning            learn, imitate, baum_welch, expectation_maximization, Fit, engines, AcceptorClassifier
                    expected_counts, log_likelihood, Counts, count_transitions, maximum_likelihood, design_matrix
how good a fit is   evaluate, verdict_probabilities, cross_validate, select, bootstrap
cases               explain, credit, advise, forecast, Runs (one running case: Acceptor.run)
languages           Language, AlgebraicNumber, DFA, Unknown, value, ergodicity
decisions           equivalence, Equal, Different, distance, minimize, quotient, trim, recurrence, hankel_block
files               load, save, read_model, export
pictures            draw, plots, report, widget (in a notebook)
the package         CutpointError, kernel_info
==================  ==========================================================================================

Everything else is one level down, such as ``cp.em.Stop``, ``cp.assess.Bootstrap``, ``cp.errors.UnknownSymbol`` and
``cp.drawing.to_dot``. The public names are listed once, in ``__init__.pyi``; each is loaded when it is first used.
"""

from importlib.util import find_spec

import lazy_loader

__version__ = "0.1.0"
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

if find_spec("sklearn") is None:  # the names of the extra are then not listed; using one says what to install
    __all__ = [name for name in __all__ if name not in ("AcceptorClassifier", "estimator")]

    def __dir__() -> list[str]:
        return list(__all__)
