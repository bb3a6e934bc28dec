"""Worker processes: where the mathematics runs, so that nothing slow or large can harm the server or the page."""

from __future__ import annotations

import asyncio
import json
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

PROGRESS = 0
MOST_WORKERS = 4
MOST_JOBS = 2  # most workers that long jobs may take, so that others stay free
TIME_LIMIT = 60.0  # seconds for an answer, and for the next sign of life of a job
JOB_LIMIT = 600.0

Frame = tuple[int, bytes]


class WorkerEnded(Exception):
    """A worker has ended, or was ended, before it answered."""


class Worker:
    """A process that answers one request at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.process: Process | None = None
        self.ending: set[asyncio.Task[object]] = set()

    async def start(self) -> Process:
        """The process, started if there is none."""
        if self.process is None or self.process.returncode is not None:
            command = (sys.executable, "-m", "cutpoint.workbench.worker", str(self.folder))
            self.process = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE)
        return self.process

    async def frames(self, route: str, body: bytes, patience: float) -> AsyncIterator[Frame]:
        """Progress, and at last the answer; a worker that takes too long for the next frame is ended."""
        process = await self.start()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps({"route": route, "size": len(body)}).encode() + b"\n" + body)
            await process.stdin.drain()
            status = PROGRESS
            while status == PROGRESS:
                async with asyncio.timeout(patience):
                    head = json.loads(await process.stdout.readline())
                    status, content = head["status"], await process.stdout.readexactly(head["size"])
                yield status, content
        except TimeoutError:
            self.kill()
            raise WorkerEnded(f"there was no answer within {patience:g} seconds, so the work was ended.") from None
        except (json.JSONDecodeError, asyncio.IncompleteReadError, ConnectionError):
            self.kill()
            raise WorkerEnded(
                "the process that worked on this has ended. Nothing you typed is lost: try again."
            ) from None
        except (asyncio.CancelledError, GeneratorExit):  # nobody waits for the answer any more
            self.kill()
            raise

    async def stop(self) -> None:
        """Ask the job under way to end with the best so far."""
        if self.process is not None and self.process.stdin is not None:
            with suppress(ConnectionError):
                self.process.stdin.write(b'{"stop": true}\n')
                await self.process.stdin.drain()

    def kill(self) -> None:
        """End the process."""
        if self.process is not None:
            with suppress(ProcessLookupError):
                self.process.kill()
            self.ending.add(asyncio.create_task(self.process.communicate()))  # its pipes are closed when it has ended
        self.process = None


class Workers:
    """A few workers. The first that is idle answers, so that one person's requests meet what it has in memory."""

    def __init__(self, folder: Path) -> None:
        self.all = [Worker(folder) for _ in range(MOST_WORKERS)]
        self.idle = list(self.all)
        self.jobs: dict[str, Worker] = {}
        self._free = asyncio.Semaphore(MOST_WORKERS)
        self._free_for_jobs = asyncio.Semaphore(MOST_JOBS)

    async def answer(self, route: str, body: bytes) -> Frame:
        """Answer to a request."""
        async with self._worker() as worker:
            *_, last = [frame async for frame in worker.frames(route, body, TIME_LIMIT)]
        return last

    async def run(self, job: str, route: str, body: bytes) -> AsyncIterator[Frame]:
        """Progress of a job, and at last its answer."""
        async with self._free_for_jobs, self._worker() as worker:
            self.jobs[job] = worker
            try:
                async for frame in worker.frames(route, body, JOB_LIMIT):
                    yield frame
            finally:
                del self.jobs[job]

    @asynccontextmanager
    async def _worker(self) -> AsyncIterator[Worker]:
        """An idle worker, the first of them, as soon as there is one."""
        async with self._free:
            worker = self.idle.pop(0)
            try:
                yield worker
            finally:
                self.idle = [each for each in self.all if each in self.idle or each is worker]

    async def close(self) -> None:
        """End all processes."""
        for worker in self.all:
            worker.kill()
        await asyncio.gather(*(task for worker in self.all for task in worker.ending), return_exceptions=True)
