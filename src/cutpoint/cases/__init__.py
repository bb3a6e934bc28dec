"""What a model says about cases that are still going on."""

from cutpoint.cases.forecast import Forecaster as Forecaster
from cutpoint.cases.runs import CaseState as CaseState, CaseUpdates as CaseUpdates, Runs as Runs
