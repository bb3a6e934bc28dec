"""How well an acceptor does, how sure that is, and what can be made of several of them."""

from cutpoint.assess.cross_validation import CrossValidation, Score, cross_validate
from cutpoint.assess.evaluation import Bin, Evaluation, SymbolEffect, calibration, evaluate, symbol_effects
from cutpoint.assess.selection import Selection, SizeCandidate, select
from cutpoint.assess.teams import Distilled, Pruned, distill, members, prune
from cutpoint.assess.uncertainty import Bootstrap, Information, Interval, StandardErrors, bootstrap, standard_errors

__all__ = [
    "Bin",
    "Bootstrap",
    "CrossValidation",
    "Distilled",
    "Evaluation",
    "Information",
    "Interval",
    "Pruned",
    "Score",
    "Selection",
    "SizeCandidate",
    "StandardErrors",
    "SymbolEffect",
    "bootstrap",
    "calibration",
    "cross_validate",
    "distill",
    "evaluate",
    "members",
    "prune",
    "select",
    "standard_errors",
    "symbol_effects",
]
