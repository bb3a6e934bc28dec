"""Diagrams of nodes and arrows, as text and as pictures; the class of a value says which nodes and arrows it has."""

from cutpoint.diagrams.diagram import Arrow, Diagram, DiagramNode, Look

__all__ = ["Arrow", "Diagram", "DiagramNode", "Look"]
