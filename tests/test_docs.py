"""Every example shown in README and docs is run."""

import doctest
from pathlib import Path

import pytest

import cutpoint as cp

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_run(page: Path) -> None:
    searches = "learn(" in page.read_text() or "Classifier(" in page.read_text()
    if searches and cp.kernel_info()["kernels"] == "reference":
        pytest.skip("a search takes thousands of E-steps, which the reference is too slow for")
    text = "\n".join("" if line.startswith("```") else line for line in page.read_text().splitlines())
    test = doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    runner.run(test, out=report.append)
    assert runner.failures == 0, "".join(report)


def test_the_main_pages_have_examples() -> None:
    for name in ("README.md", "docs/tutorial.md", "docs/inputs-alone.md", "docs/data.md"):
        assert (ROOT / name).read_text().count(">>>") >= 5, name
