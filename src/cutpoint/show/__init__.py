"""Acceptors and networks as text for other eyes: tables for a terminal, DOT for Graphviz."""

from cutpoint.show.dot import to_dot
from cutpoint.show.tables import forward_table

__all__ = ["forward_table", "to_dot"]
