"""The command line: ``cutpoint VERB ...``, one module per verb."""

from cutpoint.cli.app import main

__all__ = ["main"]
