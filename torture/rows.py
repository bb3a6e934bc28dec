"""All rows of the scoreboard, in the order of the table."""

from torture import numbers

ROWS = [*numbers.ROWS]
