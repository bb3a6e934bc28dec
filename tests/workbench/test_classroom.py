"""The folder without a server: its files, its wheel, and its messages with a stand-in for Pyodide.

Pyodide itself is not run here: npm has its core, but NumPy and SciPy compiled for it are at neither npm nor PyPI. What
stands in for it has the same functions, and sends each call to the same ``answer``, in Python, here.
"""

import json
import os
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect

import cutpoint as cp
from cutpoint.errors import InvalidFile
from cutpoint.workbench.bridge import answer
from cutpoint.workbench.classroom import META, write_static
from cutpoint.workbench.page_files import PAGE
from tests.workbench.conftest import new_tab

STAND_IN = """export async function loadPyodide({ indexURL }) {
  const loaded = [];
  return {
    loadPackage: async names => { loaded.push(...names); },
    runPythonAsync: async code => {
      if (!loaded.some(name => name.endsWith(".whl")) || !code.includes("cutpoint.workbench.bridge")) throw new Error("not loaded");
      return (route, body) => {
        const request = new XMLHttpRequest();  // waits, as Python does
        request.open("POST", new URL("../answer/" + route, indexURL), false);
        request.send(body);
        return request.responseText;
      };
    },
  };
}"""

pytestmark = pytest.mark.skipif(not (PAGE / "index.html").exists(), reason="NO PAGE: the page was not built.")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("classroom") / "static"
    sentence = write_static(found)
    assert "Pyodide" in sentence
    assert "python -m http.server" in sentence
    return found


def test_the_folder_has_the_page_and_the_package(folder: Path) -> None:
    assert META in (folder / "index.html").read_text()
    needed = json.loads((folder / "wheels" / "index.json").read_text())
    assert {"numpy", "scipy", "msgspec", "python-flint"} <= set(needed)
    assert needed[-1] == f"cutpoint-{cp.__version__}-py3-none-any.whl"
    with pytest.raises(InvalidFile, match="must be new, or empty"):
        write_static(folder / "wheels")


def test_written_again_it_says_what_is_missing(tmp_path: Path) -> None:
    site = tmp_path / "site"
    (site / "pyodide").mkdir(parents=True)
    lock = {name: {"file_name": f"{name}-1-cp314-cp314-pyemscripten_2026_0_wasm32.whl"} for name in ("numpy", "scipy")}
    (site / "pyodide" / "pyodide-lock.json").write_text(json.dumps({"packages": lock}))
    (site / "pyodide" / lock["scipy"]["file_name"]).touch()
    missing = write_static(site)
    assert f"the files {lock['numpy']['file_name']} of the Pyodide release" in missing
    assert f"--python-version 3.14 --platform pyemscripten_2026_0_wasm32 -d {site}/wheels python-flint" in missing
    given = [f"{name}-1-py3-none-any.whl" for name in ("python_flint", "msgspec", "narwhals", "click", "rich", "more")]
    for name in (*given, "lazy_loader-1-py3-none-any.whl", "cutpoint-0.0.0-py3-none-any.whl"):
        (site / "wheels" / name).touch()
    (site / "pyodide" / lock["numpy"]["file_name"]).touch()
    (site / "assets" / "old.js").touch()
    assert "Nothing is missing." in write_static(site)
    assert not (site / "assets" / "old.js").exists()
    loaded = json.loads((site / "wheels" / "index.json").read_text())
    assert {"numpy", "scipy", *given} < set(loaded)
    assert [name for name in loaded if name.startswith("cutpoint")] == [f"cutpoint-{cp.__version__}-py3-none-any.whl"]
    (site / "pyodide" / "pyodide-lock.json").write_text("[]")
    with pytest.raises(InvalidFile, match="expected the lock file of a Pyodide release"):
        write_static(site)


def test_the_wheel_runs_without_compiled_kernels(folder: Path, tmp_path: Path) -> None:
    (wheel,) = (folder / "wheels").glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        assert not any(name.endswith(".so") or "/page/" in name for name in packed.namelist())
        packed.extractall(tmp_path)  # as Pyodide does
    code = (
        "import sys; sys.meta_path[:] = [f for f in sys.meta_path if 'ScikitBuild' not in type(f).__name__]; "
        f"sys.path.insert(0, {str(tmp_path)!r}); import warnings; warnings.simplefilter('ignore'); import cutpoint; "
        "from cutpoint.workbench.bridge import answer; print(cutpoint.__file__, answer('gallery', '{}')[:30])"
    )
    env = {name: value for name, value in os.environ.items() if name != "CUTPOINT_KERNELS"}  # not set in a browser
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=env)
    assert done.returncode == 0, done.stderr
    assert str(tmp_path) in done.stdout
    assert '{"status":200,"body":{"entries' in done.stdout


class Handler(SimpleHTTPRequestHandler):
    """Any web server, and behind ``answer/`` the stand-in for Python."""

    extensions_map = SimpleHTTPRequestHandler.extensions_map | {".mjs": "text/javascript", ".js": "text/javascript"}

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        found = answer(self.path.rpartition("/")[2], body).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(found)))
        self.end_headers()
        self.wfile.write(found)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture
def address(folder: Path) -> Iterator[str]:
    (folder / "pyodide").mkdir(exist_ok=True)
    (folder / "pyodide" / "pyodide.mjs").write_text(STAND_IN)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/"
    server.shutdown()
    server.server_close()
    thread.join()


def test_the_page_asks_python_in_a_worker(browser: Browser, address: str) -> None:
    with new_tab(browser) as tab:
        tab.goto(f"{address}#/step")
        tab.get_by_role("group", name="Read a symbol").get_by_role("button", name="1").click()
        expect(tab.locator("[data-testid=acceptance]")).to_have_text("0.5000")


def test_where_pyodide_is_missing_the_page_says_so(browser: Browser, address: str, folder: Path) -> None:
    (folder / "pyodide" / "pyodide.mjs").unlink()
    with new_tab(browser) as tab:
        tab.goto(address)
        expect(tab.get_by_text("Python does not run here").first).to_be_visible()
