"""The import rule: a module imports from its own folder or from those above it, never from below."""

import ast
from pathlib import Path

import pytest

import cutpoint

SOURCE = Path(cutpoint.__file__).parent
LAYERS = [
    "errors",
    "kernels",
    "exact",
    "data",
    "model",
    "learning",
    "decision",
    "diagrams",
    "formats",
    "show",
    "engines",
    "estimator",
    "cli",
    "__main__",
]
STRANGERS = [{"learning", "decision"}, {"formats", "show", "engines"}]
"""Folders that do not know each other."""
FORBIDDEN = {"utils", "common", "helpers", "base"}
MODULES = sorted(path for path in SOURCE.rglob("*.py") if path != SOURCE / "__init__.py")


def layer(parts: tuple[str, ...]) -> str:
    return parts[0].removesuffix(".py")


def imported_layers(path: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        found |= {name.split(".")[1] for name in names if name.startswith("cutpoint.")}
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_imports_go_up_only(path: Path) -> None:
    own = layer(path.relative_to(SOURCE).parts)
    for other in imported_layers(path):
        assert LAYERS.index(other) <= LAYERS.index(own), f"{own} must not import {other}"
        assert not any({own, other} <= group and own != other for group in STRANGERS), (
            f"{own} and {other} are strangers"
        )


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_modules_stay_short_and_well_named(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= 400
    assert path.stem not in FORBIDDEN


def test_the_rule_notices_a_breach() -> None:
    assert imported_layers(SOURCE / "model" / "acceptor.py") >= {"data", "exact", "kernels", "errors"}
    assert "model" not in imported_layers(SOURCE / "data" / "sample.py")
