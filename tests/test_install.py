"""Import is silent and light; a wheel builds without a compiler."""

import ast
import os
import subprocess
import sys
import zipfile
from importlib import import_module
from pathlib import Path

import pytest

import cutpoint

ROOT = Path(__file__).parents[1]


def test_import_is_silent_and_light() -> None:
    heavy = {
        "numpy",
        "typing",
        "click",
        "scipy",
        "flint",
        "matplotlib",
        "sklearn",
        "pandas",
        "polars",
        "narwhals",
        "lzma",
    }
    code = f"import sys, cutpoint; print(sorted({heavy!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
    assert done.stderr == ""


def test_every_public_name_is_found_and_is_what_the_checker_of_types_sees() -> None:
    stub = ast.parse((ROOT / "src" / "cutpoint" / "__init__.pyi").read_text())
    listed = {alias.name: node.module for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert set(vars(cutpoint)["__all__"]) == set(listed)
    assert len([name for name, module in listed.items() if module is not None]) <= 60, "about 50 names can be learned"
    for name, module in listed.items():
        if module is None:
            assert getattr(cutpoint, name) is import_module(f"cutpoint.{name}")
        else:
            assert getattr(cutpoint, name) is getattr(import_module(f"cutpoint.{module}"), name)
        assert name in dir(cutpoint)
    with pytest.raises(AttributeError, match="Acceptr"):
        cutpoint.Acceptr  # type: ignore[attr-defined]  # noqa: B018


def test_a_wheel_builds_where_no_compiler_is_found(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "-v",
        "--no-deps",
        "--no-build-isolation",
        "--wheel-dir",
        str(tmp_path),
    ]
    settings = f"build-dir={tmp_path / 'build'}"
    environment = os.environ | {"CXX": str(tmp_path / "no-such-compiler")}
    done = subprocess.run(
        [*command, "--config-settings", settings, str(ROOT)],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    output = " ".join((done.stdout + done.stderr).split())
    assert done.returncode == 0, output[-2000:]
    assert "cutpoint: no C++ compiler was found: building without compiled kernels." in output
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert "cutpoint/kernels/reference.py" in names
    assert "cutpoint/py.typed" in names
    assert "cutpoint/formats/models/acceptor.schema.json" in names
    assert not any(name.endswith(".so") for name in names)
