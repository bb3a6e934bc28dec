"""Workers: what takes too long is ended, and what nobody waits for."""

import asyncio
import json
from pathlib import Path

import msgspec
import pytest

import cutpoint as cp
from cutpoint.workbench import drafts
from cutpoint.workbench.workers import Worker, WorkerEnded, Workers

SLOW = msgspec.json.encode(
    {"machine": drafts.draft_of(cp.gallery.majority().model), "cut_point": "1/2", "max_states": 100_000}
)


def test_work_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    async def wait() -> tuple[str, int]:
        worker = Worker(tmp_path)
        process = await worker.start()
        with pytest.raises(WorkerEnded) as ended:
            _ = [frame async for frame in worker.frames("decide", SLOW, 0.5)]
        code = await process.wait()
        await asyncio.gather(*worker.ending)
        return str(ended.value), code

    sentence, code = asyncio.run(wait())
    assert sentence == "there was no answer within 0.5 seconds, so the work was ended."
    assert code == -9


def test_work_that_nobody_waits_for_is_ended_and_others_go_on(tmp_path: Path) -> None:
    async def leave() -> tuple[int, bytes]:
        workers = Workers(tmp_path)
        left = asyncio.create_task(workers.answer("decide", SLOW))
        await asyncio.sleep(0.3)
        first = workers.all[0].process
        assert first is not None
        left.cancel()
        status, body = await workers.answer("gallery", b"{}")
        await first.wait()
        assert workers.idle == workers.all
        await workers.close()
        return status, body

    status, body = asyncio.run(leave())
    assert status == 200
    assert json.loads(body)["entries"]
