"""Learning acceptors from complete data, from parts of runs, from verdicts.

This is the paper's section 4; searches and assessments are in folders of their own.
"""

from cutpoint.em.baum_welch import Progress, baum_welch
from cutpoint.em.complete_data import (
    DesignMatrix,
    count_transitions,
    counts_log_likelihood,
    design_matrix,
    maximum_likelihood,
)
from cutpoint.em.counts import Counts
from cutpoint.em.expectation_maximization import expectation_maximization, hidden_runs
from cutpoint.em.fit import Fit, Stop
from cutpoint.em.observations import (
    acceptances_by_shard,
    expected_counts,
    likelihood,
    log_likelihood,
    log_likelihoods,
)

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
