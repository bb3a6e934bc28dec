"""Peaks of memory, by what the system says of a process; a test puts this file's text before its code for another one.

Not ``getrusage``: its peak is never less than that of the process which started this one, and never falls, so that a
difference of two peaks may be 0 whatever happened between them.
"""

from pathlib import Path

RESET = Path("/proc/self/clear_refs")


def peak() -> int:
    """Kilobytes of memory at the peak since the last reset."""
    return int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0])


def reset_peak() -> int:
    """Let the peak begin anew at what is held now; that is returned."""
    RESET.write_text("5")
    return peak()
