"""How well an acceptor does, how sure that is, and what can be made of several of them."""

from cutpoint.assess.bootstrapping import Bootstrap, Interval, bootstrap
from cutpoint.assess.calibration import calibration
from cutpoint.assess.cross_validation import Score, Scores, cross_validate
from cutpoint.assess.distillation import Distilled, distill
from cutpoint.assess.evaluation import Evaluation, evaluate
from cutpoint.assess.selection import Selection, SizeCandidate, select
from cutpoint.assess.standard_errors import Information, StandardErrors, standard_errors
from cutpoint.assess.teams import Pruned, members, prune
from cutpoint.assess.telling import Telling, telling_symbols

__all__ = [
    "Bootstrap",
    "Distilled",
    "Evaluation",
    "Information",
    "Interval",
    "Pruned",
    "Score",
    "Scores",
    "Selection",
    "SizeCandidate",
    "StandardErrors",
    "Telling",
    "bootstrap",
    "calibration",
    "cross_validate",
    "distill",
    "evaluate",
    "members",
    "prune",
    "select",
    "standard_errors",
    "telling_symbols",
]
