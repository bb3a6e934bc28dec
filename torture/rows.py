"""All rows of the scoreboard, in the order of the table."""

from torture import (
    calls,
    chances,
    clusters,
    crashes,
    decisions,
    fits,
    injection,
    invalid,
    mutants,
    numbers,
    readers,
    routes,
    sanitizers,
)

MODULES = (
    *(numbers, decisions, fits, chances, routes, invalid, calls),
    *(readers, crashes, injection, clusters, sanitizers, mutants),
)

ROWS = [row for module in MODULES for row in module.ROWS]
