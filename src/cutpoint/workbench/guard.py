"""The guard: one middleware around every route, which lets through what comes from the page of this server alone."""

from __future__ import annotations

import asyncio
import hmac
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from cutpoint.workbench.messages import Answer, failure

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

HOSTS = ("127.0.0.1", "localhost", "[::1]")
LARGEST_REQUEST = 64 << 20  # bytes of a request in JSON
LARGEST_UPLOAD = 256 << 20  # bytes of a file of cases
SLOWEST = 30.0  # seconds in which the next part of a request must come
JSON, BYTES = "application/json", "application/octet-stream"
UPLOAD = "/api/upload"
HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; "
    "img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; worker-src 'self' blob:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


class Guard:
    """Lets through what comes from the page of this server.

    Refused are other hosts (so that no name elsewhere can be bound to this address), other origins, other methods and
    types, requests without the token, and what is too large or too slow. The token is the first part of the path; what
    comes behind it is the path that the application sees.

    A foreign page can send a form or plain text to any address, so a POST must have a type that a browser sends to
    another origin only after it has asked: JSON, or for a file of cases bytes.
    """

    def __init__(self, application: Application, token: str) -> None:
        self.application, self.token = application, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] == "lifespan":
            await self.application(scope, receive, send)
            return
        send = _with_headers(send)
        refused = self._refusal(scope)
        if refused is not None:
            await respond(send, refused)
            return
        inner = dict(scope) | {"path": scope["path"][1 + len(self.token) :], "root_path": ""}
        limit = LARGEST_UPLOAD if inner["path"] == UPLOAD else LARGEST_REQUEST
        began = False

        async def noted(message: MutableMapping[str, Any]) -> None:
            nonlocal began
            began = True
            await send(message)

        try:
            await self.application(inner, _bounded(receive, limit), noted)
        except (TooMuch, TimeoutError) as wrong:
            if began:
                raise
            await respond(send, wrong.answer if isinstance(wrong, TooMuch) else failure(408, "TooSlow", "too slow."))

    def _refusal(self, scope: Scope) -> Answer | None:
        """Why a request is refused, or None."""
        if scope["type"] != "http":
            return failure(403, "Forbidden", "only HTTP is spoken here.")
        headers: dict[str, list[str]] = {}
        for name, value in scope["headers"]:
            headers.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
        if any(len(headers.get(name, [])) > 1 for name in ("host", "origin", "content-type", "content-length")):
            return failure(400, "BadRequest", "a header occurs twice.")
        one = {name: values[0] for name, values in headers.items()}
        host, origin = one.get("host", ""), one.get("origin")
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdecimal() else host
        if name.lower() not in HOSTS:
            return failure(403, "ForeignHost", "this server answers under 127.0.0.1 and localhost only.")
        if origin is not None and origin.lower() != f"http://{host.lower()}":
            return failure(403, "ForeignOrigin", "this server answers to its own page only.")
        token, slash, path = scope["path"].removeprefix("/").partition("/")  # a path may be "*", or empty
        if not (slash and hmac.compare_digest(token.encode(), self.token.encode())):
            return failure(403, "NoToken", "open the address that cutpoint workbench has printed, with its token.")
        return _unfit(scope["method"], "/" + path, one)


def _unfit(method: str, path: str, headers: dict[str, str]) -> Answer | None:
    """Refusal of a method, a type or a length."""
    if method in ("GET", "HEAD"):
        return None
    if method != "POST":
        return failure(405, "NoMethod", f"{method} is not answered; GET and POST are.")
    kind, expected = (
        headers.get("content-type", "").partition(";")[0].strip().lower(),
        BYTES if path == UPLOAD else JSON,
    )
    if kind != expected:
        return failure(415, "NotJSON", f"the type of this request must be {expected}.")
    length, limit = headers.get("content-length", "0"), LARGEST_UPLOAD if path == UPLOAD else LARGEST_REQUEST
    if not length.isdecimal() or int(length) > limit:
        return TooMuch(limit).answer
    return None


class TooMuch(Exception):
    """A request is larger than it may be."""

    def __init__(self, limit: int) -> None:
        super().__init__(limit)
        self.answer = failure(413, "TooLarge", f"the limit is {limit >> 20} MB; this is larger.")


def _bounded(receive: Receive, limit: int) -> Receive:
    """The parts of a request, as long as they are not too many and do not take too long."""
    total, is_whole = 0, False

    async def bounded() -> MutableMapping[str, Any]:
        nonlocal total, is_whole
        if is_whole:  # what still comes is the end of the connection
            return await receive()
        async with asyncio.timeout(SLOWEST):
            message = await receive()
        total, is_whole = total + len(message.get("body", b"")), not message.get("more_body", False)
        if total > limit:
            raise TooMuch(limit)
        return message

    return bounded


def _with_headers(send: Send) -> Send:
    """Answers with the headers that every one of them has."""

    async def headed(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            given = [
                (name, value) for name, value in message.get("headers", []) if name.decode().lower() not in HEADERS
            ]
            message = {
                **message,
                "headers": given + [(name.encode(), value.encode()) for name, value in HEADERS.items()],
            }
        await send(message)

    return headed


async def respond(send: Send, answer: Answer) -> None:
    """Send an answer in JSON, and close the connection: what else was on its way is not read."""
    length = str(len(answer.body)).encode()
    headers = [(b"content-type", JSON.encode()), (b"content-length", length), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    await send({"type": "http.response.body", "body": answer.body})
