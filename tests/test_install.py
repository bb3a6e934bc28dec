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


def build_wheel(folder: Path, page: bool, **environment: str) -> tuple[str, list[str]]:
    """What is said while a wheel is built without a compiler, and the names of its files."""
    command = [sys.executable, "-m", "pip", "wheel", "-v", "--no-deps", "--no-build-isolation", "--wheel-dir"]
    settings = {"build-dir": str(folder / "build"), "cmake.define.CUTPOINT_PAGE": "ON" if page else "OFF"}
    options = [f"--config-settings={name}={value}" for name, value in settings.items()]
    done = subprocess.run(
        [*command, str(folder), *options, str(ROOT)],
        capture_output=True,
        text=True,
        env=os.environ | {"CXX": str(folder / "no-such-compiler")} | environment,
        check=False,
    )
    output = " ".join((done.stdout + done.stderr).split())
    assert done.returncode == 0, output[-2000:]
    (wheel,) = folder.glob("*.whl")
    return output, zipfile.ZipFile(wheel).namelist()


def test_a_wheel_builds_where_no_compiler_is_found(tmp_path: Path) -> None:
    output, names = build_wheel(tmp_path, page=False)
    assert "cutpoint: no C++ compiler was found: building without compiled kernels." in output
    assert "cutpoint/kernels/reference.py" in names
    assert "cutpoint/py.typed" in names
    assert "cutpoint/files/acceptor.schema.json" in names
    assert not any(name.endswith(".so") for name in names)


def test_a_wheel_builds_without_the_page_where_npm_cannot_be_reached(tmp_path: Path) -> None:
    nowhere = {"npm_config_registry": "http://127.0.0.1:9", "npm_config_cache": str(tmp_path / "cache")}
    output, names = build_wheel(tmp_path, page=True, **nowhere)
    assert "cutpoint: npm could not build the page of the workbench: building without it." in output
    assert not any("/page/" in name for name in names)


def test_a_wheel_holds_the_page(tmp_path: Path) -> None:
    output, names = build_wheel(tmp_path, page=True)
    if "npm could not build the page" in output and "ENOTFOUND" in output:
        pytest.skip("NO NPM: the registry cannot be reached, so no page was built.")
    files = [name.removeprefix("cutpoint/workbench/page/") for name in names if "/workbench/page/" in name]
    assert {"index.html", "widget.js", "licenses.txt"} <= set(files)
    assert any(name.startswith("assets/") and name.endswith(".js") for name in files)
