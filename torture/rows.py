"""All rows of the scoreboard, in the order of the table."""

from torture import calls, chances, decisions, fits, invalid, numbers, routes

MODULES = numbers, decisions, fits, chances, routes, invalid, calls

ROWS = [row for module in MODULES for row in module.ROWS]
