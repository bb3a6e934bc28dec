"""The row about tests: a small error put into the source of a module must make a test fail.

A mutant is a module and a number: the number counts the places of the module's syntax tree that can be changed, in
order. It is put in when the module is imported, in a process of its own; no file is changed.
"""

import ast
import contextlib
import hashlib
import importlib.abc
import importlib.machinery
import importlib.util
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

import pytest

import torture
from torture.scoreboard import Row

ROOT = Path(torture.__file__).parents[1]
VARIABLE = "CUTPOINT_MUTANT"
"""Variable of the environment that names the mutant of a process: its module and number."""

MODULES = ("kernels/reference.py", "kernels/wide.py", "exact/*.py", "em/*.py", "decision/*.py")
TESTS = [
    *(f"src/cutpoint/{folder}" for folder in ("kernels", "exact", "em", "decision")),
    *(f"tests/{folder}" for folder in ("kernels", "exact", "em", "decision")),
    "tests/model/test_weighted.py",
    "tests/model/test_acceptor_words.py",
    "tests/cases/test_credits.py",
    "tests/assess/test_evaluation.py",
    "tests/assess/test_engines.py",
]
"""Tests of these modules."""

MOST_SECONDS = 150.0
"""What the tests for one mutant may take together, by the clock of a run without it."""

PYTEST = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "torture.mutants", "-p", "no:cacheprovider"]
REACHED = "CUTPOINT_REACHED"
"""Variable that names a file: into it goes which functions of these modules each test calls, and how long it takes."""

EQUIVALENT: dict[tuple[str, str], str] = {}
"""Mutants that no test can find, by module and description, and why; the number of a line is left out."""

COMPARISONS = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
OPERATORS = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.MatMult: ast.Add, ast.Mod: ast.Mult, ast.Pow: ast.Mult, ast.LShift: ast.RShift, ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip


LEFT_ALONE = ast.JoinedStr | ast.Import | ast.ImportFrom
FIELDS_LEFT_ALONE = ("annotation", "returns", "decorator_list")


def changes(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """What may become of a node, with a description of each change."""
    yield from _operators(node)
    yield from _values(node)
    yield from _statements(node)


def _operators(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    match node:
        case ast.Compare(left, signs, right):
            for k, sign in enumerate(signs):
                opposite = COMPARISONS[type(sign)]
                changed = [*signs[:k], opposite(), *signs[k + 1 :]]
                yield f"{type(sign).__name__} as {opposite.__name__}", ast.Compare(left, changed, right)
        case ast.BinOp(left, operator, value) if type(operator) in OPERATORS:
            other = OPERATORS[type(operator)]
            yield f"{type(operator).__name__} as {other.__name__}", ast.BinOp(left, other(), value)
            yield "only the left operand", left
        case ast.AugAssign(target, operator, value) if type(operator) in OPERATORS:
            other = OPERATORS[type(operator)]
            yield f"{type(operator).__name__} as {other.__name__}", ast.AugAssign(target, other(), value)
        case ast.BoolOp(junctor, values):
            yield "and as or, or as and", ast.BoolOp(ast.Or() if isinstance(junctor, ast.And) else ast.And(), values)
        case ast.UnaryOp(ast.Not() | ast.USub() as unary, operand):
            yield f"no {type(unary).__name__}", operand


def _values(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    match node:
        case ast.IfExp(_, first, _):
            yield "always the first of a conditional", first
        case ast.Constant(bool(value)):
            yield "the other truth value", ast.Constant(not value)
        case ast.Constant(int(value) | float(value)):
            yield "one more", ast.Constant(value + 1)


def _statements(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    match node:
        case ast.Return(ast.Name() | ast.Call()):
            yield "None returned", ast.Return(None)
        case ast.Assign(targets, ast.Constant() | ast.BinOp()):
            yield "0 assigned", ast.Assign(targets, ast.Constant(0))
        case ast.Expr(value) if not isinstance(value, ast.Constant):
            yield "statement left out", ast.Pass()
        case ast.Raise():
            yield "no error raised", ast.Pass()
        case ast.If(_, body, others):
            yield "condition always false", ast.If(ast.Constant(False), body, others)


class Mutator(ast.NodeTransformer):
    """Makes the change of a number, or none and counts them if it is -1."""

    def __init__(self, number: int = -1) -> None:
        self.number, self.places = number, 0
        self.description, self.line, self.function = "", 0, 0
        self._functions = [0]

    def visit(self, node: ast.AST) -> ast.AST:
        """The node, changed if it is the one; types and the texts of sentences are left alone."""
        if isinstance(node, LEFT_ALONE):
            return node
        for description, changed in changes(node):
            self.places += 1
            if self.places == self.number + 1:
                self.description = f"{description} in {ast.unparse(node)[:200]!r}"
                self.line, self.function = getattr(node, "lineno", 0), self._functions[-1]
                return ast.copy_location(changed, node)
        if isinstance(node, ast.FunctionDef):
            self._functions.append(min([node.lineno, *(each.lineno for each in node.decorator_list)]))
        kept = {name: getattr(node, name) for name in FIELDS_LEFT_ALONE if hasattr(node, name)}
        for name, value in kept.items():
            setattr(node, name, [] if isinstance(value, list) else None)
        changed = self.generic_visit(node)
        for name, value in kept.items():
            setattr(changed, name, value)
        if isinstance(node, ast.FunctionDef):
            self._functions.pop()
        return changed


def source_of(module: str) -> Path:
    """File of a module."""
    return ROOT / "src" / "cutpoint" / f"{module.replace('.', '/')}.py"


@cache
def modules() -> dict[str, int]:
    """The modules that are changed, with the number of their mutants."""
    counts = {}
    for path in (path for pattern in MODULES for path in sorted((ROOT / "src" / "cutpoint").glob(pattern))):
        counter = Mutator()
        counter.visit(ast.parse(path.read_text()))
        counts[f"{path.parent.name}.{path.stem}"] = counter.places
    return {module: count for module, count in counts.items() if count}


def mutant(module: str, number: int) -> tuple[Any, Mutator]:
    """Syntax tree of a mutant, and who made it: a description and a line."""
    mutator, tree = Mutator(number), ast.parse(source_of(module).read_text())
    changed = mutator.visit(tree)
    return ast.fix_missing_locations(changed), mutator


class MutantLoader(importlib.machinery.SourceFileLoader):
    """Loads one module as a mutant."""

    def __init__(self, fullname: str, path: str, number: int) -> None:
        super().__init__(fullname, path)
        self.number = number

    def get_code(self, fullname: str) -> Any:
        """Code of the mutant."""
        tree, _ = mutant(fullname.removeprefix("cutpoint."), self.number)
        return compile(tree, self.path, "exec")


class MutantFinder(importlib.abc.MetaPathFinder):
    """Finds that module."""

    def __init__(self, module: str, number: int) -> None:
        self.module, self.number = module, number

    def find_spec(self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> Any:
        """How the module is loaded; None for others."""
        if fullname != f"cutpoint.{self.module}":
            return None
        loader = MutantLoader(fullname, str(source_of(self.module)), self.number)
        return importlib.util.spec_from_file_location(fullname, loader.path, loader=loader)


class Reached:
    """A plugin of pytest that notes which functions of the modules each test calls."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.files = {str(source_of(module)): module for module in modules()}
        self.tests: dict[str, tuple[float, list[str]]] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Run a test and trace it."""
        called, begin = set[str](), time.perf_counter()

        def note(frame: Any, event: str, _: object) -> None:
            if event == "call" and (module := self.files.get(frame.f_code.co_filename)):
                called.add(f"{module}:{frame.f_code.co_firstlineno}")

        sys.setprofile(note)  # settrace is taken by Hypothesis
        try:
            return (yield)
        finally:
            sys.setprofile(None)
            self.tests[item.nodeid] = time.perf_counter() - begin, sorted(called)

    def pytest_sessionfinish(self) -> None:
        """Write down what was found."""
        Path(self.path).write_text(json.dumps(self.tests))


def pytest_configure(config: pytest.Config) -> None:
    """Trace tests if a file is named for that."""
    if REACHED in os.environ:
        config.pluginmanager.register(Reached(os.environ[REACHED]))


if VARIABLE in os.environ:
    _module, _number = os.environ[VARIABLE].split(":")
    sys.meta_path.insert(0, MutantFinder(_module, int(_number)))


@cache
def reached() -> dict[str, dict[str, float]]:
    """Tests that call each function, and each module, with their seconds; known anew when a file has changed."""
    files = sorted(path for folder in ("src/cutpoint", "tests") for path in (ROOT / folder).rglob("*.py"))
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()
    known = Path(tempfile.gettempdir(), f"cutpoint-reached-{os.getuid()}-{digest[:16]}.json")
    if not known.exists():
        environment = {**os.environ, REACHED: f"{known}.part"}
        done = subprocess.run([*PYTEST, *TESTS], cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"the tests fail without a mutant: {done.stdout[-2000:]}")
        os.replace(f"{known}.part", known)
    tests: dict[str, dict[str, float]] = {}
    for test, (seconds, functions) in sorted(json.loads(known.read_text()).items(), key=lambda item: float(item[1][0])):
        for place in {*functions, *(function.partition(":")[0] for function in functions)}:
            tests.setdefault(place, {})[test] = seconds
    return tests


def tests_of(module: str, function: int) -> list[str]:
    """Tests that call a function, then others of the module (some values are computed once); the quickest first."""
    tests, total = list[str](), 0.0
    for test, seconds in {**reached().get(f"{module}:{function}", {}), **reached()[module]}.items():
        total += seconds
        if total > MOST_SECONDS and tests:
            break
        tests.append(test)
    return tests


def survives(module: str, number: int, timeout: float = 300.0) -> bool:
    """Whether the tests of the changed function pass; a mutant that hangs is found."""
    tests = tests_of(module, mutant(module, number)[1].function)
    environment = {**os.environ, VARIABLE: f"{module}:{number}", "PYTHONDONTWRITEBYTECODE": "1"}
    try:
        done = subprocess.run(
            [*PYTEST, "-x", *tests], cwd=ROOT, env=environment, capture_output=True, check=False, timeout=timeout
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def mutants_are_found(seed: int) -> int:
    """One mutant of some module, each place as likely as any other."""
    rng = random.Random(seed)
    [module] = rng.choices(list(modules()), [*modules().values()])
    number = rng.randrange(modules()[module])
    _, mutator = mutant(module, number)
    if (module, mutator.description) in EQUIVALENT:
        return 0
    assert not survives(module, number), (
        f"{source_of(module)}, line {mutator.line}: {mutator.description} (number {number})"
    )
    return 1


@contextlib.contextmanager
def no_tests() -> Iterator[None]:
    """Nothing is tested that matters."""
    with patch("torture.mutants.tests_of", _layers):
        yield


def _layers(_: str, __: int) -> list[str]:
    return ["tests/test_layers.py"]


ROWS = [
    Row(
        "mutants",
        "A comparison, an operator, a constant or a statement changed anywhere in the reference kernels, exact "
        "arithmetic, EM or decisions makes a test fail.",
        mutants_are_found,
        no_tests,
        share=4.0,
        timeout=400.0,
        minutes=20.0,
    )
]
