"""Attacks on the server: each is refused with a sentence, and the server answers on."""

import asyncio
import http.client
import json
import socket
import time
from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

import pytest

from cutpoint.workbench import guard
from tests.workbench.conftest import Workbench

JSON = {"Content-Type": "application/json"}


def sent(
    workbench: Workbench, path: str, method: str = "POST", body: bytes = b"{}", headers: dict[str, str] | None = None
) -> tuple[int, Any, "http.client.HTTPMessage"]:
    """Status, answer and headers of a request with any headers."""
    place = urlsplit(workbench.address)
    connection = http.client.HTTPConnection("127.0.0.1", place.port or 0, timeout=120)
    given = {"Host": place.netloc, **JSON} | (headers or {})
    connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    for name, value in given.items():
        connection.putheader(name, value)
    if method == "POST" and "Transfer-Encoding" not in given:
        connection.putheader("Content-Length", given.get("Content-Length", str(len(body))))
    connection.endheaders(body if method == "POST" else None)
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    is_json = answer.headers.get("content-type", "").startswith("application/json")
    return answer.status, json.loads(content) if is_json else content, answer.headers


def token(workbench: Workbench) -> str:
    return urlsplit(workbench.address).path


def test_the_page_and_its_routes_answer(workbench: Workbench) -> None:
    for host in ("127.0.0.1", "localhost", "LOCALHOST", "[::1]"):
        port = urlsplit(workbench.address).port
        same = {"Host": f"{host}:{port}", "Origin": f"http://{host}:{port}"}
        assert sent(workbench, token(workbench) + "api/gallery", headers=same)[0] == 200
        assert sent(workbench, token(workbench), "GET", headers={"Host": host})[0] == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8319",
        "127.0.0.1.evil.example",
        "",
        "127.0.0.1@evil.example",
        "0.0.0.0:8319",
        "127.0.0.2",
        "localhost.:80",
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_foreign_host_is_refused(workbench: Workbench, host: str, method: str) -> None:
    for path in ("", "api/gallery"):
        status, found, _ = sent(workbench, token(workbench) + path, method, headers={"Host": host})
        assert (status, found["kind"]) == (403, "ForeignHost")


def test_rebinding_is_refused(workbench: Workbench) -> None:
    """A name elsewhere that is bound to this address: host and origin agree, and both are foreign."""
    port = urlsplit(workbench.address).port
    same = {"Host": f"evil.example:{port}", "Origin": f"http://evil.example:{port}"}
    status, found, _ = sent(workbench, token(workbench) + "api/gallery", headers=same)
    assert (status, found["kind"]) == (403, "ForeignHost")


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1", "http://localhost:3000", ""]
)
def test_a_foreign_origin_is_refused(workbench: Workbench, origin: str) -> None:
    for method, path in (("POST", "api/gallery"), ("GET", ""), ("OPTIONS", "api/gallery")):
        status, found, headers = sent(workbench, token(workbench) + path, method, headers={"Origin": origin})
        assert (status, found["kind"]) == (403, "ForeignOrigin")
        assert "access-control-allow-origin" not in headers


@pytest.mark.parametrize(
    "path", ["/", "/api/gallery", "/wrong/", "/wrong/api/gallery", "//", "/index.html", "//api/gallery", "/%2e%2e/", ""]
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_nothing_is_answered_without_the_token(workbench: Workbench, path: str, method: str) -> None:
    status, found, _ = sent(workbench, path or token(workbench).rstrip("/") + "x/", method)
    assert (status, found["kind"]) == (403, "NoToken")
    assert token(workbench).strip("/") not in json.dumps(found)


@pytest.mark.parametrize(
    "kind",
    [
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "text/plain",
        "",
        "text/plain; application/json",
        "application/octet-stream",
    ],
)
def test_a_form_is_refused(workbench: Workbench, kind: str) -> None:
    status, found, _ = sent(workbench, token(workbench) + "api/gallery", headers={"Content-Type": kind})
    assert (status, found["kind"]) == (415, "NotJSON")


def test_an_upload_must_be_bytes_and_a_file_of_the_page_is_not_posted(workbench: Workbench) -> None:
    assert sent(workbench, token(workbench) + "api/upload")[0] == 415
    assert sent(workbench, token(workbench) + "index.html")[0] in (404, 405)
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"):
        assert sent(workbench, token(workbench) + "api/gallery", method)[0] == 405


@pytest.mark.parametrize(
    "path",
    [
        "../server.py",
        "..%2fserver.py",
        "%2e%2e/%2e%2e/pyproject.toml",
        "assets/../../server.py",
        "//etc/passwd",
        "/etc/passwd",
        "..\\server.py",
        "api/../../server.py",
        "%00",
        "index.html%00.js",
        "....//server.py",
    ],
)
def test_a_path_leads_nowhere_else(workbench: Workbench, path: str) -> None:
    status, found, _ = sent(workbench, token(workbench) + path, "GET")
    assert status in (403, 404)
    assert b"starlette" not in (found if isinstance(found, bytes) else json.dumps(found).encode())


@pytest.mark.parametrize("upload", ["../../etc/passwd", "/etc/passwd", "a" * 63, "A" * 64, "", "." * 64, "\0" * 64])
def test_an_upload_is_named_by_its_digest_alone(workbench: Workbench, upload: str) -> None:
    ((_, _), (event, found)) = workbench.events("read", {"sample": {"upload": upload, "name": "x.tsv"}})
    assert (event, found["kind"]) == ("error", "UnknownUpload")


def test_a_gigabyte_is_refused_before_it_is_read(workbench: Workbench) -> None:
    for path, kind in (("api/upload", "application/octet-stream"), ("api/check", "application/json")):
        length = {"Content-Length": str(1 << 30), "Content-Type": kind}
        status, found, _ = sent(workbench, token(workbench) + path, headers=length)
        assert (status, found["kind"]) == (413, "TooLarge")


def test_more_than_was_announced_is_refused_on_the_way() -> None:
    """A body in chunks has no length: what counts is what has come."""

    async def attack() -> list[Any]:
        parts = iter([{"type": "http.request", "body": b"x" * (1 << 20), "more_body": True}] * 2000)
        answers: list[Any] = []

        async def application(scope: Any, receive: Any, send: Any) -> None:
            while (await receive()).get("more_body"):
                pass

        async def receive() -> Any:
            return next(parts)

        async def send(message: Any) -> None:
            answers.append(message)

        headers = [(b"host", b"localhost"), (b"content-type", b"application/json"), (b"transfer-encoding", b"chunked")]
        scope = {"type": "http", "method": "POST", "path": "/t/api/check", "headers": headers}
        await guard.Guard(application, "t")(scope, receive, send)
        return [*answers, len(list(parts))]

    start, _, left = asyncio.run(attack())
    assert start["status"] == 413
    assert left == 2000 - (guard.LARGEST_REQUEST >> 20) - 1


def test_a_slow_client_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "SLOWEST", 0.05)

    async def attack() -> int:
        statuses = []

        async def application(scope: Any, receive: Any, send: Any) -> None:
            await receive()

        async def receive() -> Any:
            await asyncio.sleep(60)

        async def send(message: Any) -> None:
            statuses.append(message.get("status"))

        scope = {
            "type": "http",
            "method": "POST",
            "path": "/t/api/check",
            "headers": [(b"host", b"localhost"), (b"content-type", b"application/json")],
        }
        await guard.Guard(application, "t")(scope, receive, send)
        return int(statuses[0])

    assert asyncio.run(attack()) == 408


def test_slow_clients_do_not_keep_others_waiting(workbench: Workbench) -> None:
    place = urlsplit(workbench.address)
    slow = []
    for _ in range(50):
        connection = socket.create_connection(("127.0.0.1", place.port or 0))
        connection.sendall(
            f"POST {place.path}api/check HTTP/1.1\r\nHost: {place.netloc}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{{".encode()
        )
        slow.append(connection)
    began = time.monotonic()
    assert len(workbench.ask("gallery", {})["entries"]) > 10
    assert time.monotonic() - began < 10
    for connection in slow:
        connection.close()


def test_many_tabs(workbench: Workbench) -> None:
    draft = workbench.ask("gallery", {})["entries"][0]["draft"]
    request = {"machine": draft, "word": [0, 1, 1], "exact": True}
    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(lambda _: workbench.ask("step", request), range(64)))
    assert all(each == found[0] for each in found)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (
            "huge.pautomac_model.txt",
            b"I: (state)\n\t(999999999) 1.0\nF: (state)\n\t(0) 1.0\nS: (state,symbol)\n\t(0,0) 1\nT: (state,symbol,state)\n\t(0,0,0) 1.0\n",
        ),
        (
            "huge.drn",
            b"@type: MDP\n@parameters\n\n@reward_models\n\n@nr_states\n1000000000\n@model\nstate 0 init\n\taction 0\n\t\t0 : 1\n",
        ),
        ("huge.tra", b"1000000000 1 1\n0 0 0 1 a\n"),
        ("huge.att", b"0 999999999 a a\n999999999\n"),
        (
            "huge.json",
            b'{"cutpoint":{"format":"acceptor","version":1},"states":1000000000,"alphabet":["a"],"initial":[1],"final":[],"transitions":{}}',
        ),
    ],
)
def test_a_billion_claimed_states_take_no_memory(workbench: Workbench, name: str, content: bytes) -> None:
    files = [{"name": name, "content": b64encode(content).decode()}]
    status, found = workbench.post("open", json.dumps({"files": files}).encode())
    assert status == 422, found
    assert found["sentence"].startswith(name)


def test_every_answer_has_the_headers(workbench: Workbench) -> None:
    for path, method in (("", "GET"), ("api/gallery", "POST"), ("nothing", "GET"), ("../", "GET")):
        _, _, headers = sent(workbench, token(workbench) + path, method)
        policy = headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self';")
        assert "unsafe-inline" not in policy
        assert "http" not in policy
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cache-control"] == "no-store"


def test_a_header_given_twice_is_refused(workbench: Workbench) -> None:
    place = urlsplit(workbench.address)
    with socket.create_connection(("127.0.0.1", place.port or 0)) as connection:
        connection.sendall(f"GET {place.path} HTTP/1.1\r\nHost: {place.netloc}\r\nHost: evil.example\r\n\r\n".encode())
        assert b" 400 " in connection.recv(4096)


@pytest.mark.parametrize("line", ["OPTIONS *", "CONNECT 127.0.0.1:80", "GET http://evil.example", "GET /%ff%fe/"])
def test_a_request_line_without_a_path_is_refused(workbench: Workbench, line: str) -> None:
    place = urlsplit(workbench.address)
    with socket.create_connection(("127.0.0.1", place.port or 0)) as connection:
        connection.sendall(f"{line} HTTP/1.1\r\nHost: {place.netloc}\r\n\r\n".encode())
        answer = connection.recv(4096)
    assert answer.startswith(b"HTTP/1.1 403 ")
    assert b"content-security-policy" in answer


def test_a_websocket_is_never_opened(workbench: Workbench) -> None:
    """The offer to change the protocol is not taken up: what answers is HTTP, with all its refusals."""
    offer = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13"}
    offer |= {"Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="}
    status, found, _ = sent(workbench, token(workbench) + "api/gallery", "GET", headers=offer)
    assert (status, found["kind"]) == (404, "NotFound")
    for path, foreign in (("/", {}), (token(workbench), {"Origin": "http://evil.example"})):
        assert sent(workbench, path, "GET", headers=offer | foreign)[0] == 403
    assert sent(workbench, token(workbench) + "api/gallery", headers=offer)[0] == 200  # and it answers on
