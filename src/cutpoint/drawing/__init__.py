"""Pictures, plots, tables and the report."""

from cutpoint.diagrams.picture import Picture as Picture, draw as draw, to_dot as to_dot, to_tikz as to_tikz
from cutpoint.drawing import plots as plots
from cutpoint.drawing.report import evaluation_report as evaluation_report, report as report
from cutpoint.drawing.tables import forward_table as forward_table
