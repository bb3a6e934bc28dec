"""The table of the scoreboard, on the terminal and in docs/reliability.md."""

import datetime
import os
import platform
from collections.abc import Iterable
from pathlib import Path

from rich.table import Table

from torture.scoreboard import LANES, Tally

PAGE = Path(__file__).parents[1] / "docs" / "reliability.md"
BEGIN, END = "<!-- scoreboard -->", "<!-- end of scoreboard -->"
"""The lines between which the page has the table; the rest of it is written by hand."""


def table(tallies: Iterable[Tally]) -> Table:
    """The table as the terminal shows it while rows are tried."""
    shown = Table("row", "cases", "failures", "seconds", "")
    for column in shown.columns[1:4]:
        column.justify = "right"
    for tally in tallies:
        shown.add_row(tally.row.name, *_figures(tally), tally.note, style="red" if tally.failures else "")
    return shown


def _figures(tally: Tally) -> list[str]:
    if tally.note.startswith("not run"):
        return ["", "", ""]
    return [f"{tally.cases:,}", str(len(tally.failures)), f"{tally.seconds:,.0f}"]


def write(tallies: Iterable[Tally], minutes: float, first_seed: int) -> None:
    """Put the table in its place on the page."""
    before, _, rest = PAGE.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(f"{before}{BEGIN}\n{_text(tallies, minutes, first_seed)}\n{END}{after}")


def _text(tallies: Iterable[Tally], minutes: float, first_seed: int) -> str:
    today = datetime.datetime.now(datetime.UTC).date()
    machine = f"{os.cpu_count()} cores ({platform.machine()}), Python {platform.python_version()}"
    lines = [
        f"{today}, {minutes:g} minutes, {LANES} rows at a time, first seed {first_seed}, {machine}:",
        "",
        "| row | what is promised | cases | failures | seconds |",
        "|---|---|---:|---:|---:|",
    ]
    for tally in tallies:
        figures = _figures(tally)
        if tally.note:
            figures[0] = tally.note
        lines.append(f"| {tally.row.name} | {tally.row.promise} | {' | '.join(figures)} |")
    return "\n".join(lines)
