"""The command line: ``cutpoint VERB ...``, one module per verb.

This module prepares for interrupts, and loads the rest only then.
"""

import os
import signal
import sys

FAILURE = 1
INTERRUPTED = 130  # as shells count it: 128 and the number of the signal


def main() -> None:
    """Run the program and exit with its code; Ctrl-C ends it with a sentence, whenever it comes.

    While modules load, and when all is done, there is nothing to save: the program exits at once. An exception would
    pass through modules that are being loaded, and some of them print it or take it for another. While a verb works,
    Ctrl-C is an exception, so that files are closed and the best result is kept.
    """
    leave_on_interrupt()
    from cutpoint.cli.app import run  # noqa: PLC0415

    code = run()
    leave_on_interrupt()
    sys.exit(code)


def leave_on_interrupt() -> None:
    """From here on Ctrl-C exits at once; where it is ignored, as under ``nohup``, it stays ignored."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)


def raise_on_interrupt() -> None:
    """From here on Ctrl-C is a KeyboardInterrupt."""
    if signal.getsignal(signal.SIGINT) is _leave:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _leave(*_: object) -> None:
    os.write(2, b"\ncutpoint: interrupted.\n")  # below the ^C that a terminal shows, as Click prints it
    os._exit(INTERRUPTED)
