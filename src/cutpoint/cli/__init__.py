"""The command line: ``cutpoint VERB ...``, one module per verb.

What stands here is all that runs before an interrupt is expected: the rest loads afterwards.
"""

import os
import signal
import sys

FAILURE = 1


def main() -> None:
    """Run the program and leave with its exit code; Ctrl-C ends it in a sentence, whenever it comes.

    While modules load, and when all is done, there is nothing to save: the program leaves at once. An exception would
    pass through the innards of whatever is loading, and some of these print it or take it for another. While a verb is
    at work, Ctrl-C is an exception that closes files and keeps what was found.
    """
    leave_on_interrupt()
    from cutpoint.cli.app import run  # noqa: PLC0415

    code = run()
    leave_on_interrupt()
    sys.exit(code)


def leave_on_interrupt() -> None:
    """From here on Ctrl-C leaves at once; where it is ignored, as under ``nohup``, it stays so."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)


def raise_on_interrupt() -> None:
    """From here on Ctrl-C is a KeyboardInterrupt."""
    if signal.getsignal(signal.SIGINT) is _leave:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _leave(*_: object) -> None:
    os.write(2, b"\ncutpoint: interrupted.\n")  # behind the ^C of a terminal, as Click has it
    os._exit(FAILURE)
