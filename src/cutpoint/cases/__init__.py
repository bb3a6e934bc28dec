"""What a model says about cases that are still going on."""

from cutpoint.cases.explanation import Explanation as Explanation, Step as Step
from cutpoint.cases.forecast import Forecaster as Forecaster
from cutpoint.cases.runs import CaseState as CaseState, CaseUpdates as CaseUpdates, Runs as Runs
