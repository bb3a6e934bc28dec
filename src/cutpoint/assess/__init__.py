"""How well an acceptor does, how sure that is, and what can be made of several of them."""

from cutpoint.assess.along import LossesAlong as LossesAlong, losses_along as losses_along
from cutpoint.assess.cross_validation import (
    CrossValidation as CrossValidation,
    Score as Score,
    cross_validate as cross_validate,
)
from cutpoint.assess.evaluation import (
    Bin as Bin,
    Evaluation as Evaluation,
    Figures as Figures,
    calibration as calibration,
    chosen_cut_point as chosen_cut_point,
    evaluate as evaluate,
)
from cutpoint.assess.learning_curves import LearningCurve as LearningCurve, learning_curve as learning_curve
from cutpoint.assess.selection import Selection as Selection, SizeCandidate as SizeCandidate, select as select
from cutpoint.assess.teams import Pruned as Pruned, members as members, prune as prune
from cutpoint.assess.uncertainty import (
    Bootstrap as Bootstrap,
    Information as Information,
    Interval as Interval,
    StandardErrors as StandardErrors,
    bootstrap as bootstrap,
    standard_errors as standard_errors,
)
