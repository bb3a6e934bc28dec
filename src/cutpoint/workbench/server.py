"""The server: Starlette behind the guard. It keeps nothing but uploads and what workers have in memory."""

from __future__ import annotations

import asyncio
import hashlib
import secrets
import socket
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, Response, StreamingResponse
from starlette.routing import Route as StarletteRoute

from cutpoint.workbench.guard import JSON, Guard
from cutpoint.workbench.messages import JOBS, Answer, Nothing, StartRequest, StopRequest, Uploaded, failure
from cutpoint.workbench.page_files import PAGE
from cutpoint.workbench.workers import PROGRESS, WorkerEnded, Workers

PORT = 8319
NO_PAGE = (
    "<!doctype html><title>cutpoint workbench</title><p>This installation has no page: it was built where npm could "
    "not be reached. The routes answer; install a wheel of cutpoint, or build with npm at hand."
)
MEDIA = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".wasm": "application/wasm",
    ".json": JSON,
    ".png": "image/png",
    ".woff2": "font/woff2",
}


@dataclass
class Server:
    """One run of the workbench: its token, its folder of uploads and its workers."""

    folder: Path
    started: StartRequest
    token: str

    def application(self) -> Guard:
        """The application behind its guard."""
        routes = [
            StarletteRoute("/api/upload", self.upload, methods=["POST"]),
            StarletteRoute("/api/stop", self.stop, methods=["POST"]),
            StarletteRoute("/api/{name}", self.api, methods=["POST"]),
            StarletteRoute("/{path:path}", self.page),
        ]
        return Guard(Starlette(routes=routes, lifespan=self._lifespan), self.token)

    @asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        self.workers = Workers(self.folder)
        await self.workers.all[0].start()  # it loads the package while the browser opens
        yield
        await self.workers.close()

    async def api(self, request: Request) -> Response:
        """Answer of a route; that of a job comes as events."""
        name, body = request.path_params["name"], await request.body()
        if name == "start":
            body = msgspec.json.encode(self.started)
        if name in JOBS:
            return StreamingResponse(self._events(name, body), media_type="text/event-stream")
        try:
            status, content = await self.workers.answer(name, body)
        except WorkerEnded as ended:
            return _response(failure(503, "WorkerEnded", str(ended)))
        return Response(content, status, media_type=JSON)

    async def _events(self, name: str, body: bytes) -> AsyncIterator[bytes]:
        job = secrets.token_hex(8)
        yield _event("job", msgspec.json.encode({"job": job}))
        try:
            async for status, content in self.workers.run(job, name, body):
                yield _event("progress" if status == PROGRESS else "result" if status == 200 else "error", content)
        except WorkerEnded as ended:
            yield _event("error", failure(503, "WorkerEnded", str(ended)).body)

    async def stop(self, request: Request) -> Response:
        """End a job, which then answers with the best so far; one that has ended already is no error."""
        try:
            asked = msgspec.json.decode(await request.body(), type=StopRequest)
        except msgspec.MsgspecError as wrong:
            return _response(failure(400, "BadRequest", f"the request 'stop' cannot be read ({wrong})."))
        if worker := self.workers.jobs.get(asked.job):
            await worker.stop()
        return Response(msgspec.json.encode(Nothing()), media_type=JSON)

    async def upload(self, request: Request) -> Response:
        """Keep a file of cases under its digest; it is written as it comes."""
        digest, size = hashlib.sha256(), 0
        with tempfile.NamedTemporaryFile(dir=self.folder, delete=False) as file:
            try:
                async for part in request.stream():
                    digest.update(part)
                    size += len(part)
                    await asyncio.to_thread(file.write, part)
            except BaseException:
                Path(file.name).unlink()
                raise
        Path(file.name).replace(self.folder / digest.hexdigest())
        return Response(msgspec.json.encode(Uploaded(digest.hexdigest(), size)), media_type=JSON)

    async def page(self, request: Request) -> Response:
        """A file of the page: one of those that are there, whatever the path says."""
        path = request.path_params["path"] or "index.html"
        files = {str(each.relative_to(PAGE).as_posix()): each for each in PAGE.rglob("*") if each.is_file()}
        if path in files:
            return FileResponse(files[path], media_type=MEDIA.get(files[path].suffix, "application/octet-stream"))
        if path == "index.html":
            return Response(NO_PAGE, media_type=MEDIA[".html"])
        return _response(failure(404, "NotFound", "there is no such file."))


def listening(port: int) -> socket.socket:
    """A socket on loopback: at the port, or if that is not given and taken, at any that is free."""
    found = socket.socket()
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        found.bind(("127.0.0.1", port or PORT))
    except OSError:
        if port:
            found.close()
            raise
        found.bind(("127.0.0.1", 0))
    found.listen()
    return found


def serve(application: Guard, listener: socket.socket) -> None:
    """Answer until interrupted."""
    config = uvicorn.Config(
        application, log_level="critical", access_log=False, lifespan="on", ws="none", timeout_graceful_shutdown=1
    )
    uvicorn.Server(config).run(sockets=[listener])


def _response(answer: Answer) -> Response:
    return Response(answer.body, answer.status, media_type=JSON)


def _event(name: str, data: bytes) -> bytes:
    return f"event: {name}\ndata: ".encode() + data + b"\n\n"
