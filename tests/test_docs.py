"""Every example shown in README and docs is run, and so are the gallery's; every page and every public name is reached."""

import doctest
import inspect
import re
import runpy
from fnmatch import fnmatch
from pathlib import Path
from types import ModuleType

import pytest

import cutpoint as cp

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(path for path in DOCS.rglob("*.md") if "_build" not in path.parts)
GALLERY = sorted((ROOT / "examples").glob("plot_*.py"))


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=lambda page: str(page.relative_to(ROOT)))
def test_examples_run(page: Path) -> None:
    searches = "learn(" in page.read_text() or "Classifier(" in page.read_text()
    if searches and cp.kernel_info()["kernels"] == "reference":
        pytest.skip("a search takes thousands of E-steps, which the reference is too slow for")
    for package in re.findall(r"^>>> (?:from|import) (\w+)", page.read_text(), re.MULTILINE):
        pytest.importorskip(package)  # another package on a page that compares it with this one
    text = "\n".join("" if line.startswith("```") else line for line in page.read_text().splitlines())
    test = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    runner.run(test, out=report.append)
    assert runner.failures == 0, "".join(report)


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=lambda page: str(page.relative_to(ROOT)))
def test_examples_are_in_code_blocks(page: Path) -> None:
    outside = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    assert re.findall(r"^>>>.*", outside, re.MULTILINE) == [], "Markdown takes them for quotations"


def test_the_main_pages_have_examples() -> None:
    for name in ("README.md", "docs/tutorial.md", "docs/inputs-alone.md", "docs/data.md"):
        assert (ROOT / name).read_text().count(">>>") >= 5, name


@pytest.mark.parametrize("script", GALLERY, ids=lambda path: path.stem)
def test_the_gallery_runs(script: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MPLBACKEND", "agg")
    title, line = (runpy.run_path(str(script))["__doc__"] or "").strip().splitlines()[:2]
    assert line == "=" * len(title), "the gallery needs a title, underlined"


def linked_pages(page: str) -> set[str]:
    """Pages in the tables of contents of a page, without ``.md``."""
    known = [path.relative_to(DOCS).with_suffix("").as_posix() for path in PAGES]
    found = set[str]()
    for content in re.findall(
        r"^```\{toctree\}\n(.*?)^```", (DOCS / f"{page}.md").read_text(), re.MULTILINE | re.DOTALL
    ):
        for entry in content.splitlines():
            if entry and not entry.startswith(":"):
                pattern = ((DOCS / page).parent / entry).resolve().relative_to(DOCS).as_posix()
                found |= {name for name in known if fnmatch(name, pattern) and name.count("/") == pattern.count("/")}
    return found


def test_every_page_is_reached_from_the_first() -> None:
    reached, new = set[str](), {"index"}
    while new:
        reached |= new
        new = {name for page in new for name in linked_pages(page)} - reached
    missing = {path.relative_to(DOCS).with_suffix("").as_posix() for path in PAGES} - reached
    assert missing == set(), "add them to a table of contents, such as that of docs/how-to.md or docs/concepts.md"


def test_every_public_name_has_an_example() -> None:
    modules = [value for name in dir(cp) if isinstance(value := getattr(cp, name), ModuleType)]
    listed = [getattr(module, name) for module in modules for name in getattr(module, "__all__", [])]
    names = [value for name in dir(cp) if not isinstance(value := getattr(cp, name), ModuleType)]
    assert [
        value for value in (*names, *filter(inspect.isfunction, listed)) if ">>>" not in (value.__doc__ or "")
    ] == []


def test_notebooks_have_the_code_and_the_text_of_their_pages() -> None:
    made = runpy.run_path(str(DOCS / "notebooks.py"))
    for path in made["PAGES"]:
        examples = doctest.DocTestParser().get_examples(path.read_text())
        cells = made["notebook"](path.read_text())["cells"]
        code = [cell for cell in cells if cell["cell_type"] == "code"]
        lines = [line for cell in code for line in cell["source"].splitlines() if line]
        assert lines == [line for each in examples for line in each.source.splitlines() if line], path
        assert sum(cell["metadata"] != {} for cell in code) == sum(each.exc_msg is not None for each in examples)
        assert not any(".md)" in cell["source"] or ">>>" in cell["source"] for cell in cells)


def test_the_figures_of_learning_are_the_same_on_both_pages() -> None:
    pages = [(DOCS / page).read_text() for page in ("learning.md", "compare/n-grams.md")]
    table, copy = (re.findall(r"^\| data \|.*?(?=\n\n)", page, re.MULTILINE | re.DOTALL) for page in pages)
    assert table == copy, "copy the table of learning.md"
    assert len(table) == 1
