"""Options that say who works on shards, and the engine that they stand for."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from cutpoint.em.observations import Engine
from cutpoint.shards.engines import Dask, Local

CHATTY = ("distributed", "distributed.client", "distributed.core")
"""Loggers that tell of a lost cluster in tracebacks, which end in a sentence of ours."""


def engine_options(verb: Callable[..., Any]) -> Callable[..., Any]:
    """Options of verbs that take a folder of shards; the verb gets ``engine`` and ``scheduler``."""
    verb = click.option("--scheduler", metavar="ADDRESS", help="Address of the Dask scheduler, tcp://HOST:PORT.")(verb)
    return click.option(
        "--engine",
        type=click.Choice(["local", "dask"]),
        help="Of a folder of shards: threads of this machine (the default) or a Dask cluster.",
    )(verb)


def check_engine_options(engine: str | None, scheduler: str | None, sharded: bool) -> None:
    """Refuse options that do not go together."""
    if engine is not None and not sharded:
        raise click.UsageError("--engine is for a folder of shards; make one with: cutpoint shard DATA -o FOLDER.")
    if (engine == "dask") != (scheduler is not None):
        raise click.UsageError("--engine dask and --scheduler ADDRESS go together.")


@contextmanager
def engine_of(engine: str | None, scheduler: str | None, threads: int | None) -> Iterator[Engine]:
    """The engine that the options name, closed afterwards."""
    made: Engine = Dask(scheduler) if engine == "dask" else Local(threads)
    for name in CHATTY:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        yield made
    finally:
        made.close()
