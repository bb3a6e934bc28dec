"""The import rule: a module imports from its own folder or from those above it, never from below."""

import ast
from collections import Counter
from pathlib import Path

import pytest

import cutpoint

SOURCE = Path(cutpoint.__file__).parent
LAYERS = [
    "wording",
    "errors",
    "kernels",
    "exact",
    "data",
    "diagrams",
    "model",
    "em",
    "search",
    "assess",
    "cases",
    "decision",
    "files",
    "shards",
    "drawing",
    "estimator",
    "workbench",
    "cli",
    "__main__",
]
STRANGERS = [{"search", "decision"}, {"files", "drawing"}]
"""Folders that do not know each other."""
FORBIDDEN = {"utils", "common", "helpers", "base"}
MODULES = sorted(path.relative_to(SOURCE) for path in SOURCE.rglob("*.py") if path != SOURCE / "__init__.py")


def breaches(module: Path, source: str) -> list[str]:
    """Sentences about the imports of a module that break the rule."""
    own = module.parts[0].removesuffix(".py")
    found = []
    for other in sorted(imported_layers(source)):
        if LAYERS.index(other) > LAYERS.index(own):
            found.append(f"{own} must not import {other}: it is further down")
        if own != other and any({own, other} <= group for group in STRANGERS):
            found.append(f"{own} and {other} must not know each other")
    return found


def imported_layers(source: str) -> set[str]:
    """Folders of the package that a module imports from, wherever in the module that is."""
    names = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return {name.split(".")[1] for name in names if name.startswith("cutpoint.")}


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_imports_go_up_only(module: Path) -> None:
    assert breaches(module, (SOURCE / module).read_text()) == []


@pytest.mark.parametrize(
    ("module", "planted"),
    [
        ("data/sample.py", "from cutpoint.model.acceptor import Acceptor"),
        ("em/baum_welch.py", "import cutpoint.shards.dask"),
        ("model/acceptor.py", "def _repr_html_(self):\n    from cutpoint.drawing import report"),
        ("search/learn.py", "from cutpoint import decision"),
        ("decision/dfa.py", "from cutpoint.search.learn import learn"),
        ("drawing/plots.py", "from cutpoint.files.dot import read"),
        ("errors.py", "from cutpoint.kernels import kernels"),
    ],
)
def test_a_planted_breach_is_noticed(module: str, planted: str) -> None:
    source = (SOURCE / module).read_text()
    assert breaches(Path(module), source) == []
    assert breaches(Path(module), f"{source}\n{planted}\n") != []


def test_modules_are_well_named() -> None:
    names = Counter(module.stem for module in MODULES if not module.stem.startswith("__"))
    assert not FORBIDDEN & set(names)
    assert {name for name, times in names.items() if times > 1} == set()


def test_a_class_name_occurs_once() -> None:
    trees = [ast.parse((SOURCE / module).read_text()) for module in MODULES]
    names = Counter(node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    assert {name for name, times in names.items() if times > 1} == set()
