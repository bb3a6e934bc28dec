"""Learning acceptors from complete data, from parts of runs, from verdicts."""

from cutpoint.learning.ascent import Progress
from cutpoint.learning.baum_welch import baum_welch
from cutpoint.learning.bootstrap import Bootstrap, Interval, bootstrap
from cutpoint.learning.complete import count_transitions, counts_log_likelihood, maximum_likelihood
from cutpoint.learning.counts import Counts
from cutpoint.learning.cross_validation import Score, Scores, cross_validate
from cutpoint.learning.design import DesignMatrix, design_matrix
from cutpoint.learning.distillation import Distilled, distill
from cutpoint.learning.e_step import expected_counts, likelihood, log_likelihood, log_likelihoods
from cutpoint.learning.em import expectation_maximization, hidden_runs
from cutpoint.learning.fit import Fit, Stop
from cutpoint.learning.learn import learn
from cutpoint.learning.learned import Learned, Member
from cutpoint.learning.search import SearchProgress
from cutpoint.learning.select import Candidate, Selection, select
from cutpoint.learning.standard_errors import Information, StandardErrors, standard_errors
from cutpoint.learning.teams import Pruned, members, prune

__all__ = [
    "Bootstrap",
    "Candidate",
    "Counts",
    "DesignMatrix",
    "Distilled",
    "Fit",
    "Information",
    "Interval",
    "Learned",
    "Member",
    "Progress",
    "Pruned",
    "Score",
    "Scores",
    "SearchProgress",
    "Selection",
    "StandardErrors",
    "Stop",
    "baum_welch",
    "bootstrap",
    "count_transitions",
    "counts_log_likelihood",
    "cross_validate",
    "design_matrix",
    "distill",
    "expectation_maximization",
    "expected_counts",
    "hidden_runs",
    "learn",
    "likelihood",
    "log_likelihood",
    "log_likelihoods",
    "maximum_likelihood",
    "members",
    "prune",
    "select",
    "standard_errors",
]
