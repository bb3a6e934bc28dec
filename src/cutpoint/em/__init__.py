"""Learning acceptors from complete data, from parts of runs, from verdicts.

This is the paper's section 4; searches and assessments are in folders of their own.
"""

from cutpoint.em.baum_welch import Progress as Progress, baum_welch as baum_welch, baum_welch_step as baum_welch_step
from cutpoint.em.complete_data import (
    DesignMatrix as DesignMatrix,
    count_transitions as count_transitions,
    counts_log_likelihood as counts_log_likelihood,
    design_matrix as design_matrix,
    maximum_likelihood as maximum_likelihood,
)
from cutpoint.em.counts import Counts as Counts
from cutpoint.em.expectation_maximization import (
    expectation_maximization as expectation_maximization,
    hidden_runs as hidden_runs,
)
from cutpoint.em.fit_result import Fit as Fit, Stop as Stop
from cutpoint.em.observations import (
    acceptances_by_shard as acceptances_by_shard,
    expected_counts as expected_counts,
    likelihood as likelihood,
    log_likelihood as log_likelihood,
    log_likelihoods as log_likelihoods,
    verdict_probabilities as verdict_probabilities,
)
from cutpoint.em.predictions import Predictions as Predictions
