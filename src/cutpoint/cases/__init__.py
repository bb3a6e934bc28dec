"""What a model says about a case, finished or still going on."""

from cutpoint.cases.advice import Advice as Advice, Continuation as Continuation
from cutpoint.cases.credits import Credit as Credit
from cutpoint.cases.explanation import Explanation as Explanation, Step as Step
from cutpoint.cases.forecast import Forecaster as Forecaster
from cutpoint.cases.runs import CaseState as CaseState, CaseUpdates as CaseUpdates, Runs as Runs
