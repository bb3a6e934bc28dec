"""Import is silent and light; a wheel builds without a compiler."""

import ast
import os
import re
import subprocess
import sys
import zipfile
from importlib import import_module
from pathlib import Path
from types import ModuleType

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
    assert len([name for name, module in listed.items() if module is not None]) <= 70, "so many names can be learned"
    for name, module in listed.items():
        if module is None:
            assert getattr(cutpoint, name) is import_module(f"cutpoint.{name}")
        else:
            assert getattr(cutpoint, name) is getattr(import_module(f"cutpoint.{module}"), name)
        assert name in dir(cutpoint)
    with pytest.raises(AttributeError, match="Acceptr"):
        cutpoint.Acceptr  # type: ignore[attr-defined]  # noqa: B018


def test_names_one_level_down_are_found() -> None:
    for folder in (name for name in dir(cutpoint) if name not in ("errors", "kernels")):
        module = getattr(cutpoint, folder)
        if isinstance(module, ModuleType):
            public = getattr(module, "__all__", [name for name in vars(module) if not name.startswith("_")])
            assert [name for name in public if not hasattr(module, name)] == []
            assert public


def test_the_docstring_is_a_map_of_the_public_names() -> None:
    folders = {path.parent.name for path in (ROOT / "src" / "cutpoint").glob("*/__init__.py")} | {"errors"}
    text = cutpoint.__doc__ or ""
    assert {name for name in dir(cutpoint) if not re.search(rf"\b{name}\b", text)} <= folders


def test_all_names_but_one_work_without_extras() -> None:
    code = """
import sys
from importlib.machinery import PathFinder
extras = {"sklearn", "pygraphviz", "matplotlib", "polars", "pandas", "pyarrow", "dask", "distributed"}
find = PathFinder.find_spec
PathFinder.find_spec = lambda name, *more: None if name in extras else find(name, *more)
import cutpoint
from cutpoint import *
missing = {name for name in dir(cutpoint) if not hasattr(cutpoint, name)}
print(missing, "estimator" in dir(cutpoint), acceptance := p_adic(2).acceptance("1"))
try: cutpoint.AcceptorClassifier
except cutpoint.errors.MissingExtra as error: print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == (
        "set() False 0.5\nAcceptorClassifier needs scikit-learn; install it with: pip install 'cutpoint[sklearn]'.\n"
    )


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
    assert "cutpoint/files/acceptor.schema.json" in names
    assert not any(name.endswith(".so") for name in names)
