"""Arrays in, arrays out: the recursions, compiled where possible.

``CUTPOINT_KERNELS=native`` or ``reference`` chooses; by default the compiled kernels are taken, and where they are
missing the reference takes over and says so once, at the first use.
"""

import os
import warnings
from functools import cache
from importlib import import_module
from types import ModuleType

import numpy as np

from cutpoint.errors import KernelsUnavailable

VARIABLE = "CUTPOINT_KERNELS"

MOST_THREADS = 1024  # most threads that can be asked for


def cores() -> int:
    """Number of cores that this process may use: the number of threads by default."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def kernels(matrices: object = None) -> ModuleType:
    """Module of kernels in use, for matrices in the form in which they are stored; by default for dense arrays."""
    chosen = chosen_kernels()
    if matrices is None or isinstance(matrices, np.ndarray):
        return chosen
    return import_module(f"cutpoint.kernels.sparse_{chosen.__name__.rpartition('.')[2]}")


@cache
def chosen_kernels() -> ModuleType:
    """Module of kernels for dense arrays that the environment chooses."""
    wanted = os.environ.get(VARIABLE, "")
    if wanted not in ("", "native", "reference"):
        raise KernelsUnavailable(
            f"{VARIABLE} must be 'native' or 'reference'; got {wanted!r}. Unset it to let cutpoint choose."
        )
    if wanted != "reference":
        try:
            from cutpoint.kernels import native  # noqa: PLC0415
        except KernelsUnavailable:
            raise
        except ImportError as missing:
            if wanted == "native":
                raise KernelsUnavailable(
                    f"{VARIABLE}=native, but the compiled kernels are not installed ({missing}). Reinstall cutpoint "
                    "where a C++20 compiler is found, or unset the variable."
                ) from missing
            warnings.warn(
                f"the compiled kernels of cutpoint cannot be used ({missing}): using the NumPy reference kernels, "
                f"which give the same answers more slowly. {VARIABLE}=reference chooses them without this message.",
                RuntimeWarning,
                stacklevel=3,
            )
        else:
            return native
    from cutpoint.kernels import reference  # noqa: PLC0415

    return reference


def kernel_info() -> dict[str, str]:
    """Which kernels are in use, for which instruction set, and how to choose.

    Examples
    --------
    >>> sorted(kernel_info())
    ['choose', 'instruction_set', 'kernels']
    """
    chosen = kernels()
    return {
        "kernels": chosen.__name__.rpartition(".")[2],
        "instruction_set": chosen.instruction_set(),
        "choose": f"set {VARIABLE}=native or reference",
    }
