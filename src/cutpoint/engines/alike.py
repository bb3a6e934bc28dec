"""What the processes of a cluster must have in common, so that it does not matter who does what."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from cutpoint.errors import KernelsUnavailable
from cutpoint.kernels import kernel_info

PACKAGE = "cutpoint"


def installed() -> str | None:
    """Version of the package that this process has, as far as its installation tells."""
    try:
        return version(PACKAGE)
    except PackageNotFoundError:
        return None


def check_versions(found: Mapping[str, Any]) -> None:
    """Refuse workers, by their addresses, whose version of the package is another one; or what they say who have none.

    A worker without the package would not survive the first task. One that is just being lost is no concern of ours.
    """
    here = installed()
    for worker, answer in found.items():
        there = None if isinstance(answer, PackageNotFoundError) else answer
        if isinstance(there, str | None) and there != here:
            raise KernelsUnavailable(
                f"workers must have the version of {PACKAGE} that this process has, {here}; the worker {worker} has "
                f'{there or "none"}. Install it there: pip install "{PACKAGE}[dask]=={here}".'
            )


def kernel_signature() -> str:
    """Which kernels a process has; the same ones give the same bits."""
    info = kernel_info()
    return f"{info['kernels']} for {info['instruction_set']}"


def check_kernels(alike: str) -> None:
    """Refuse to work, on a worker, with other kernels than the rest."""
    found = kernel_signature()
    if found != alike:
        raise KernelsUnavailable(
            f"workers must have the same kernels, so that it does not matter who does what; one has {alike}, another "
            f"{found}. Set CUTPOINT_KERNELS and CUTPOINT_ISA alike on all workers."
        )
