"""Diagrams of nodes and arrows, as text and as pictures; the class of a value says which nodes and arrows it has."""

from cutpoint.diagrams.diagram import Arrow as Arrow, Diagram as Diagram, DiagramNode as DiagramNode, Look as Look
