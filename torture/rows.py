"""All rows of the scoreboard, in the order of the table."""

from torture import (
    calls,
    chances,
    clusters,
    crashes,
    decisions,
    fits,
    guided,
    injection,
    invalid,
    mutants,
    numbers,
    readers,
    routes,
    sanitizers,
    workbench,
)

MODULES = (
    *(numbers, decisions, fits, chances, routes, invalid, calls),
    *(readers, guided, crashes, injection, workbench, clusters, sanitizers, mutants),
)

ROWS = [row for module in MODULES for row in module.ROWS]
