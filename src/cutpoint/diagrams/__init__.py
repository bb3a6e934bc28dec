"""Diagrams as text: what a picture of an automaton shows, in DOT and in TikZ."""
