"""The row about tests: a small error put into the source of a module must make a test fail.

A mutant is a module and a number: the number counts the places of the module's syntax tree that can be changed, in
order. It is put into the functions of a fork that has collected the tests (``forked_tests.py``), or, where it is not in
a function, into the module while a process of its own imports it; no file is changed. Only tests that reach the changed
lines are run. ``python -m torture.mutants 200`` tries so many, names those that no test finds and says the rate.
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
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any
from unittest.mock import patch

from scipy.stats import binom, binomtest

from torture.forked_tests import MEMORY, ROOT, ForkedTests, different
from torture.scoreboard import Row, load

VARIABLE = "CUTPOINT_MUTANT"
"""Variable of the environment that names the mutant of a process: its module and number."""

MODULES = ("kernels/reference.py", "kernels/wide.py", "exact/*.py", "em/*.py", "decision/*.py")
FOLDERS = ("kernels", "exact", "em", "decision", "model")
TESTS = [
    *(f"{place}/{folder}" for folder in FOLDERS for place in ("src/cutpoint", "tests")),
    *(f"tests/{folder}" for folder in ("cases", "assess", "data")),
    *(f"tests/test_{name}.py" for name in ("hostile", "docs", "minimal", "copies")),
    "tests/drawing/test_notebook.py",
]
"""Tests of these modules."""

MOST_SECONDS = 60.0
"""What the tests for one mutant may take together, by the clock of a run without it."""

RATE, BATCH, ALARM = 0.95, 50, 1e-3
"""Share of the mutants that tests find; how many a batch tries, and how likely a false alarm is in one."""

EQUIVALENT: dict[str, dict[str, list[str]]] = {
    "Results are the same; only time and memory depend on it.": {
        "decision.distance": ["scales = _Scales(1, 1, 1)"],
        "decision.ergodicity": ["if any(matrix.trace() != 1 for matrix in acceptor.exact_transitions):"],
        "decision.isolation": ["if (before - bounds).max() < CONVERGED:"],
        "decision.dfa": [
            "few = html.MOST_COLUMNS + 1",
            "for s, row in enumerate(self.transitions[: html.MOST_ROWS + 1])",
        ],
        "decision.unary": ["if not small.dimension:"],
        "decision.word_search": ["if len(self._known) < MOST_KNOWN:"],
        "em.m_step": ["return number if seen else None"],
        "em.observations": ["if stride == 1:"],
        "exact.algebraic": ["if high <= other_low or other_high <= low:"],
        "exact.certified": ["if low > cut_point or high < cut_point:"],
        "exact.numbers": ["if type(value) is Fraction and type(value.numerator) is type(value.denominator) is int:"],
        "kernels.reference": [
            "BLOCK = 2**18",
            "at_once = max(1, BLOCK // ((length + 1) * n_states + n_states**2))",
            "if matrices.ndim == 2 and rows.ndim == 2 and rows.size * rows.shape[1] > BLOCK:",
        ],
    },
    "A bound of an error, or an interval around a root, that may be wider: exact arithmetic decides within it.": {
        "decision.isolation": ["rounding = 8.0 * (len(words[state]) + 2) * (acceptor.n_states + 2) * 2.0**-53"],
        "decision.suffix_columns": [
            "return sum(self.cut_point.interval(Fraction(1, 2**200)), start=Fraction(0)) / 2",
            "key = self.residual(before, remaining - 1)",
            "remaining -= 1",
        ],
        "exact.algebraic": ["return cls([-square, 0, 1], 0, square + 1)"],
        "exact.certified": [
            "clear = (lengths <= LONGEST) & (np.abs(estimates - near) > _margin(estimates, lengths, n_states, near))",
            "return 8 * _roundings(1.0 * lengths, n_states) * 2.0**-53 * estimates + 2.0**-50 * near + underflow",
        ],
    },
    "A guess that is verified in rational numbers afterwards; with another one as much is proven.": {
        "decision.isolation": ["fineness, best, spare = 0.5, None, REFINEMENTS"],
        "decision.residuals": [
            "for chosen in (_rounded(found.x), _with_equality(equations[found.slack < CLOSE], found.x)):",
            "return np.array([Fraction(value).limit_denominator(10**6) for value in values], dtype=object)",
            "side = max(signs) or min(signs) or (1 if likely else -1)",
            "values[pivot] = row[-1] - sum(row[j] * values[j] for j in range(pivot + 1, len(values)))",
        ],
    },
    "The scale is 1 or -1 wherever something is added.": {
        "exact.algebraic": ["moved = flint_polynomial(self.polynomial)(flint_polynomial([-shift / scale, 1 / scale]))"]
    },
    "Numbers that the kernel does not read: nothing is known yet, and no step is asked for.": {
        "em.climb": [
            "unknown = Counts(np.zeros_like(parameters.rows), np.zeros_like(parameters.initial), 0.0)",
            "found = self._call((parameters, unknown, math.nan), FIRST_CAP, math.inf, 0, 0.0)",
        ]
    },
    "A highest coefficient of 0 is left out.": {
        "exact.rational_functions": ["coefficients = [Fraction()] * (polynomial.degrees()[used[0]] + 1)"]
    },
    "No residual that is 0 everywhere is a state of its own: it leads to a sink.": {
        "decision.certificates": [
            "factor = next((x / y for x, y in zip(function, functions[after], strict=True) if y), Fraction(1))"
        ]
    },
    "Matrices are square: their last two sizes are one.": {
        "kernels.reference": ['door.array("final", final, "bool", [transitions.shape[-1]])']
    },
    "The looks of a plot.": {"em.fit_result": ["drawn.grid(alpha=0.3)"]},
}
"""Lines that are left alone because no test can tell their mutants from them, by the reason and by module."""

COMPARISONS = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
OPERATORS = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.MatMult: ast.Add, ast.Mod: ast.Mult, ast.Pow: ast.Mult, ast.LShift: ast.RShift, ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip


LARGE = 100
"""Numbers from here on are sizes and limits, where one more is as good."""

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
        case ast.BinOp(left, operator, value) if type(operator) in OPERATORS and not _is_type(node):
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


def _is_type(node: ast.AST) -> bool:
    """Whether this is a union of types: all of its parts are names with a capital, generic types or None."""
    match node:
        case ast.BinOp(left, ast.BitOr(), right):
            return _is_type(left) and _is_type(right)
        case ast.Name(name):
            return name[0].isupper() and not name.isupper()
        case ast.Subscript() | ast.Constant(None):
            return True
    return False


def _values(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    match node:
        case ast.IfExp(_, first, _):
            yield "always the first of a conditional", first
        case ast.Constant(bool(value)):
            yield "the other truth value", ast.Constant(not value)
        case ast.Constant(int(value) | float(value)) if value < LARGE:
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
        self.description, self.lines = "", range(0)
        self._statement = ast.AST()
        self._any_size: list[ast.expr] = []

    def visit(self, node: ast.AST) -> ast.AST:
        """The node, changed if it is the one; types and the texts of sentences are left alone."""
        if isinstance(node, LEFT_ALONE) or _is_guard(node) or node in self._any_size:
            return node
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(".reshape"):
            self._any_size = [each for each in node.args if ast.unparse(each) == "-1"]  # as any negative number
        if isinstance(node, ast.stmt):
            self._statement = node
        for description, changed in changes(node):
            self.places += 1
            if self.places == self.number + 1:
                self.description = f"{description} in {ast.unparse(node)[:200]!r}"
                self.lines = lines_of(node, self._statement)
                return ast.copy_location(changed, node)
        kept = {name: getattr(node, name) for name in FIELDS_LEFT_ALONE if hasattr(node, name)}
        for name, value in kept.items():
            setattr(node, name, [] if isinstance(value, list) else None)
        changed = self.generic_visit(node)
        for name, value in kept.items():
            setattr(changed, name, value)
        return changed


def _is_guard(node: ast.AST) -> bool:
    """Whether this is ``strict=True`` of a zip, which holds unless there is another error."""
    return isinstance(node, ast.keyword) and node.arg == "strict" and ast.unparse(node.value) == "True"


def lines_of(node: Any, statement: Any) -> range:
    """Lines of a node with those of its statement, or of the statement's head if it has a body."""
    if not hasattr(statement, "body"):
        return range(statement.lineno, statement.end_lineno + 1)
    last = statement.body[0].lineno - 1 if node is statement else node.end_lineno
    return range(node.lineno, max(node.lineno, last) + 1)


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
    """Syntax tree of a mutant, and who made it: a description and lines."""
    mutator, tree = Mutator(number), ast.parse(source_of(module).read_text())
    changed = mutator.visit(tree)
    return ast.fix_missing_locations(changed), mutator


def codes_of(module: str, number: int) -> tuple[CodeType, CodeType]:
    """Code of a module, and of its mutant."""
    path = source_of(module)
    trees = ast.parse(path.read_text()), mutant(module, number)[0]
    old, new = (compile(tree, str(path), "exec", dont_inherit=True) for tree in trees)
    return old, new


class MutantLoader(importlib.machinery.SourceFileLoader):
    """Loads one module as a mutant."""

    def __init__(self, fullname: str, path: str, number: int) -> None:
        super().__init__(fullname, path)
        self.number = number

    def get_code(self, fullname: str) -> Any:
        """Code of the mutant."""
        return codes_of(fullname.removeprefix("cutpoint."), self.number)[1]


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


if VARIABLE in os.environ:
    resource.setrlimit(resource.RLIMIT_AS, (2 * MEMORY, resource.RLIM_INFINITY))  # one without an end takes no more
    _module, _number = os.environ[VARIABLE].split(":")
    sys.meta_path.insert(0, MutantFinder(_module, int(_number)))


@cache
def tests() -> ForkedTests:
    """The process with the tests."""
    return ForkedTests(TESTS)


@cache
def reached() -> dict[str, dict[str, float]]:
    """Tests that reach each line, as ``file:line``, and each file, with their seconds.

    Kept in a file: a test is traced again when its own file has changed, or a module that it reached.
    """
    known = Path(tempfile.gettempdir(), f"cutpoint-reached-{os.getuid()}-{_digest(str(ROOT).encode())}.json")
    before = json.loads(known.read_text()) if known.exists() else {}
    files = [str(source_of(module)) for module in modules()]
    found, places = {}, dict[str, dict[str, float]]()
    for test in tests().names:
        digest, seconds, lines = before.get(test, ("", 0.0, []))
        if digest != _state(test, lines):
            seconds, lines = tests().lines(test, files, seconds=120.0) or (0.0, [])
        found[test] = _state(test, lines), seconds, lines
        for place in {*lines, *_files(lines)}:
            places.setdefault(place, {})[test] = seconds
    if found != before:
        part = known.with_suffix(f".{os.getpid()}")
        part.write_text(json.dumps(found))
        os.replace(part, known)
    return places


def _state(test: str, lines: Sequence[str]) -> str:
    """Digest of the file of a test, and of those with the lines that it reached."""
    return _digest(*(_content(path) for path in (str(ROOT / test.partition("::")[0]), *_files(lines))))


def _files(lines: Sequence[str]) -> list[str]:
    return sorted({line.rpartition(":")[0] for line in lines})


@cache
def _content(path: str) -> bytes:
    return Path(path).read_bytes()


def _digest(*contents: bytes) -> str:
    return hashlib.sha256(b"".join(contents)).hexdigest()[:16]


def tests_of(module: str, number: int) -> dict[str, float]:
    """Tests that reach a mutant, with their seconds: those of its own folder first, then the quickest."""
    file, lines = str(source_of(module)), mutant(module, number)[1].lines
    places = [f"{file}:{line}" for line in lines] if in_functions(module, number) else [file]
    found = {test: seconds for place in places for test, seconds in reached().get(place, {}).items()}
    folder = f"/{module.partition('.')[0]}/"
    chosen, total = dict[str, float](), 0.0
    for test, seconds in sorted(found.items(), key=lambda each: (folder not in each[0], each[1])):
        total += seconds
        if total > MOST_SECONDS and chosen:
            break
        chosen[test] = seconds
    return chosen


def in_functions(module: str, number: int) -> bool:
    """Whether a mutant changes functions and nothing else of a module."""
    return all(different(*codes_of(module, number)))


def killer(module: str, number: int) -> str:
    """Test that finds a mutant, or how it ended the process; empty if it survives."""
    chosen = tests_of(module, number)
    if not chosen:
        return ""
    found = tests().first_failure(module, number, chosen) if in_functions(module, number) else None
    return _killer_alone(module, number, list(chosen), 60.0 + 10.0 * sum(chosen.values())) if found is None else found


def _killer_alone(module: str, number: int, chosen: list[str], seconds: float) -> str:
    """The same of a mutant that others must import."""
    environment = {**os.environ, VARIABLE: f"{module}:{number}", "PYTHONDONTWRITEBYTECODE": "1"}
    plain = ["-x", "-q", "-n", "0", "-p", "no:cacheprovider", "-p", "torture.mutants"]
    command = [sys.executable, "-m", "pytest", *plain, *chosen]
    try:
        done = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, check=False, timeout=seconds * load()
        )
    except subprocess.TimeoutExpired:
        return "hung"
    return f"exit code {done.returncode}" if done.returncode else ""


def sample(seed: int, number: int) -> Iterator[tuple[str, int, Mutator]]:
    """Mutants, each place of all modules as likely as any other, without those that no test can find."""
    rng = random.Random(seed)
    while number:
        [module] = rng.choices(list(modules()), [*modules().values()])
        place = rng.randrange(modules()[module])
        mutator = mutant(module, place)[1]
        if not is_equivalent(module, mutator) and [*different(*codes_of(module, place))]:
            number -= 1
            yield module, place, mutator


def is_equivalent(module: str, mutator: Mutator) -> bool:
    """Whether a mutant is in one of the lines that no test can tell from others."""
    line = source_of(module).read_text().splitlines()[mutator.lines.start - 1].partition("  #")[0].strip()
    return any(line in lines.get(module, ()) for lines in EQUIVALENT.values())


def shown(module: str, number: int, mutator: Mutator) -> str:
    """A mutant in words."""
    return f"{source_of(module).relative_to(ROOT)}:{mutator.lines.start}: {mutator.description} ({module}:{number})"


def mutants_are_found(seed: int) -> int:
    """A batch of mutants, of which not many more survive than the rate allows."""
    alive = [shown(*each) for each in sample(seed, BATCH) if not killer(*each[:2])]
    assert binom.sf(len(alive) - 1, BATCH, 1 - RATE) >= ALARM, f"{len(alive)} of {BATCH} survive:\n" + "\n".join(alive)
    return BATCH


@contextlib.contextmanager
def no_tests() -> Iterator[None]:
    """Nothing is tested that matters."""
    with patch("torture.mutants.tests_of", _layers):
        yield


def _layers(_: str, __: int) -> dict[str, float]:
    return {}


ROWS = [
    Row(
        "mutants",
        f"At least {RATE:.0%} of the ways to change a comparison, an operator, a constant or a statement in the "
        "reference kernels, exact arithmetic, EM or decisions make a test fail.",
        mutants_are_found,
        no_tests,
        share=4.0,
        timeout=3000.0,
        minutes=20.0,
    )
]


def main(number: int, seed: int) -> None:
    """Print what becomes of mutants, and the share that tests find."""
    found = 0
    for tried, each in enumerate(sample(seed, number), 1):
        end = killer(*each[:2])
        found += bool(end)
        print("found" if end else "SURVIVES", shown(*each), end, flush=True)  # noqa: T201
        interval = binomtest(found, tried).proportion_ci(method="exact")
        if tried % 10 == 0 or tried == number:
            print(f"{found} of {tried} found, {found / tried:.1%} ({interval.low:.1%} to {interval.high:.1%})")  # noqa: T201


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
