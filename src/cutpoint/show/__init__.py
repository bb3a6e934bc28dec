"""Acceptors and networks for other eyes: tables, DOT and TikZ text, pictures, plots, displays in notebooks."""

from cutpoint.show.dot import to_dot
from cutpoint.show.tables import forward_table

__all__ = ["forward_table", "to_dot"]
