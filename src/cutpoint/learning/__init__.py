"""Learning acceptors from complete data, from parts of runs, from verdicts."""

from cutpoint.learning.ascent import Progress
from cutpoint.learning.baum_welch import baum_welch
from cutpoint.learning.complete import count_transitions, counts_log_likelihood, maximum_likelihood
from cutpoint.learning.counts import Counts
from cutpoint.learning.design import DesignMatrix, design_matrix
from cutpoint.learning.e_step import expected_counts, likelihood, log_likelihood, log_likelihoods
from cutpoint.learning.em import expectation_maximization, hidden_runs
from cutpoint.learning.fit import Fit, Stop
from cutpoint.learning.learn import learn
from cutpoint.learning.learned import Learned, Member
from cutpoint.learning.search import SearchProgress

__all__ = [
    "Counts",
    "DesignMatrix",
    "Fit",
    "Learned",
    "Member",
    "Progress",
    "SearchProgress",
    "Stop",
    "baum_welch",
    "count_transitions",
    "counts_log_likelihood",
    "design_matrix",
    "expectation_maximization",
    "expected_counts",
    "hidden_runs",
    "learn",
    "likelihood",
    "log_likelihood",
    "log_likelihoods",
    "maximum_likelihood",
]
