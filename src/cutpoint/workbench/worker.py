"""A process that answers requests one after the other: ``python -m cutpoint.workbench.worker FOLDER``.

Both ways go frames: a line of JSON, then as many bytes as it says. In: ``{"route", "size"}``, or ``{"stop": true}``.
Out: ``{"status", "size"}``, where status 0 is progress. The process ends with its input, so that none is left behind.
"""

import json
import os
import queue
import sys
import threading
import warnings
from pathlib import Path
from typing import IO, Any

import msgspec

from cutpoint.workbench import uploads
from cutpoint.workbench.routes import answer

PROGRESS = 0


def main() -> None:
    """Answer until the input ends."""
    uploads.Folder.path = Path(sys.argv[1])
    out, sys.stdout = sys.stdout.buffer, sys.stderr  # nothing that is printed gets between the frames
    warnings.simplefilter("ignore")
    requests: queue.SimpleQueue[tuple[str, bytes]] = queue.SimpleQueue()
    stopped = threading.Event()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, requests, stopped), daemon=True).start()

    def report(message: Any) -> bool:
        _send(out, PROGRESS, msgspec.json.encode(message))
        return stopped.is_set()

    while True:
        route, body = requests.get()
        found = answer(route, body, report)
        stopped.clear()
        _send(out, found.status, found.body)


def _listen(source: IO[bytes], requests: "queue.SimpleQueue[tuple[str, bytes]]", stopped: threading.Event) -> None:
    """Put requests into a queue; a stop concerns the one under way."""
    while line := source.readline():
        head = json.loads(line)
        if "stop" in head:
            stopped.set()
        else:
            requests.put((head["route"], source.read(head["size"])))
    os._exit(0)


def _send(out: IO[bytes], status: int, body: bytes) -> None:
    out.write(json.dumps({"status": status, "size": len(body)}).encode() + b"\n" + body)
    out.flush()


if __name__ == "__main__":
    main()
