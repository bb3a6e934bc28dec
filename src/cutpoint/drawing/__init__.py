"""Acceptors and networks for other eyes: tables, DOT and TikZ text, pictures, plots, the report."""

from cutpoint.drawing import plots
from cutpoint.drawing.picture import Picture, draw
from cutpoint.drawing.report import report
from cutpoint.drawing.tables import forward_table
from cutpoint.drawing.texts import to_dot, to_tikz

__all__ = ["Picture", "draw", "forward_table", "plots", "report", "to_dot", "to_tikz"]
