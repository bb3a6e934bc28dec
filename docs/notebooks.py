"""Pages as notebooks: the page is the only source, and its examples become cells, without their output."""

import doctest
import json
import re
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
FOLDER = HERE / "_notebooks"
PAGES = [
    path
    for pattern in ("tutorial*/*.md", "tutorial.md", "lecture.md")
    for path in HERE.glob(pattern)
    if path.stem != "index"
]
EXAMPLES = re.compile(r"^```python\n(>>> .*?)\n```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[([^\]]+)\]\([^)]*\.md[^)]*\)")  # to another page, which a notebook cannot follow


def notebook(page: str) -> dict[str, Any]:
    """A notebook (format 4.5) of a page in Markdown: text, and a cell up to each example that shows something."""
    cells = []
    for number, part in enumerate(EXAMPLES.split(page)):
        if number % 2:
            cells += code_cells(part + "\n")
        elif text := LINK.sub(r"\1", part).strip():
            cells.append({"cell_type": "markdown", "metadata": {}, "source": text})
    return {
        "cells": [{**cell, "id": f"cell-{k}"} for k, cell in enumerate(cells)],
        "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def code_cells(examples: str) -> list[dict[str, Any]]:
    """Cells of a block of examples; a notebook shows the last value of a cell, so one that is shown ends it."""
    cells, lines = [], list[str]()
    found = doctest.DocTestParser().get_examples(examples)
    for example in found:
        lines.append(example.source)
        if example.want or example is found[-1]:
            tags = {"tags": ["raises-exception"]} if example.exc_msg else {}
            source = "".join(lines).rstrip("\n")
            cells.append(
                {"cell_type": "code", "metadata": tags, "source": source, "outputs": [], "execution_count": None}
            )
            lines = []
    return cells


def write_notebooks() -> None:
    """A notebook for each tutorial, where pages can offer it for download."""
    FOLDER.mkdir(exist_ok=True)
    for path in PAGES:
        (FOLDER / f"{path.stem}.ipynb").write_text(json.dumps(notebook(path.read_text()), indent=1, ensure_ascii=False))


def with_download(app: Any, name: str, source: list[str]) -> None:
    """Offer the notebook of a tutorial below its title."""
    if HERE / f"{name}.md" in PAGES:
        title, rest = source[0].split("\n", 1)
        source[0] = f"{title}\n\n{{download}}`This page as a notebook </_notebooks/{Path(name).name}.ipynb>`\n{rest}"


def setup(app: Any) -> dict[str, bool]:
    """What Sphinx calls first."""
    write_notebooks()
    app.connect("source-read", with_download)
    return {"parallel_read_safe": True}
