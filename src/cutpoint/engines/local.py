"""The threads of this machine: the engine that learning takes unless it is given another one."""

from cutpoint.learning.local import Local

__all__ = ["Local"]
