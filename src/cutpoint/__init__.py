"""cutpoint: stochastic acceptors (Rabin's probabilistic automata). Use it as ``import cutpoint as cp``.

The public names are listed once, in ``__init__.pyi``; each is loaded when it is first used.
"""

import lazy_loader

__version__ = "0.1.0"
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
