"""Pictures, plots, tables and the report."""

from cutpoint.diagrams.picture import Picture, draw, to_dot, to_tikz
from cutpoint.drawing import plots
from cutpoint.drawing.report import report
from cutpoint.drawing.tables import forward_table

__all__ = ["Picture", "draw", "forward_table", "plots", "report", "to_dot", "to_tikz"]
