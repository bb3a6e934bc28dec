"""Learning acceptors from complete data, from parts of runs, from verdicts.

The algorithms of the paper are named here; searches and what judges their results load when they are asked for.
"""

from cutpoint.learning.ascent import Progress
from cutpoint.learning.baum_welch import baum_welch
from cutpoint.learning.complete import count_transitions, counts_log_likelihood, maximum_likelihood
from cutpoint.learning.counts import Counts
from cutpoint.learning.design import DesignMatrix, design_matrix
from cutpoint.learning.e_step import acceptances_by_shard, expected_counts, likelihood, log_likelihood, log_likelihoods
from cutpoint.learning.em import expectation_maximization, hidden_runs
from cutpoint.learning.fit import Fit, Stop

__all__ = [
    "Counts",
    "DesignMatrix",
    "Fit",
    "Progress",
    "Stop",
    "acceptances_by_shard",
    "baum_welch",
    "count_transitions",
    "counts_log_likelihood",
    "design_matrix",
    "expectation_maximization",
    "expected_counts",
    "hidden_runs",
    "likelihood",
    "log_likelihood",
    "log_likelihoods",
    "maximum_likelihood",
]
