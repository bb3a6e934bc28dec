"""Acceptors and networks for other eyes: tables, DOT and TikZ text, pictures, plots, displays in notebooks."""
