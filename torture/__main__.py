"""Try what the package promises: ``python -m torture --minutes 60``."""

import argparse
import sys

from rich.console import Console
from rich.live import Live

from torture import page
from torture.rows import ROWS
from torture.scoreboard import LANES, Row, Tally, budgets, play, self_test


def main() -> int:
    """Number that the program exits with: 0 if every promise held."""
    options = _options()
    rows = [row for row in ROWS if not options.row or row.name in options.row]
    console = Console(markup=False, highlight=False, soft_wrap=True)
    if options.list:
        for row in rows:
            console.print(f"{row.name}: {row.promise}")
        return 0
    if options.seed is not None:
        return _once(rows, options.seed, console)
    if options.self_test:
        return _self_tests(rows, options.first_seed, console)
    return _play(rows, options, console)


def _play(rows: list[Row], options: argparse.Namespace, console: Console) -> int:
    shares = budgets(rows, options.minutes)
    tallies = sorted((tally for tally, _ in shares), key=lambda tally: rows.index(tally.row))
    with Live(get_renderable=lambda: page.table(tallies), console=console, refresh_per_second=1):
        try:
            play(shares, options.first_seed, options.batches, lambda tally: _note(tally, console))
        except KeyboardInterrupt:
            for tally in tallies:
                tally.note = tally.note or "stopped"
    failures = [failure for tally in tallies for failure in tally.failures]
    for failure in failures:
        console.print(f"\n{failure.row}, seed {failure.seed}\n{failure}")
    stopped = any(tally.note == "stopped" for tally in tallies)
    if options.write and not stopped:
        page.write(tallies, options.minutes, options.first_seed)
    return 130 if stopped else bool(failures)


def _note(tally: Tally, console: Console) -> None:
    """Say that a row has ended, where nobody sees the table grow."""
    if not console.is_terminal:
        console.print(f"{tally.row.name}: {tally.cases:,} cases, {len(tally.failures)} failures")


def _once(rows: list[Row], seed: int, console: Console) -> int:
    """Try one seed here, where a debugger reaches it and a failure is a traceback."""
    for row in rows:
        console.print(f"{row.name}, seed {seed}: {row.check(seed):,} cases, no failure")
    return 0


def _self_tests(rows: list[Row], first_seed: int, console: Console) -> int:
    wrong = 0
    for row in rows:
        missing = row.missing()
        problem = "" if missing else self_test(row, first_seed)
        wrong += bool(problem)
        console.print(f"{row.name}: {f'not run: {missing}' if missing else problem or 'found'}")
    return bool(wrong)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m torture", description=f"Try what cutpoint promises, {LANES} rows at a time."
    )
    names = [row.name for row in ROWS]
    parser.add_argument("--minutes", type=float, default=60.0, help="budget, shared by the rows (default: 60)")
    parser.add_argument("--batches", type=int, metavar="N", help="most seeds of each row, however fast the machine is")
    parser.add_argument("--row", action="append", choices=names, metavar="NAME", help="only this row; may be repeated")
    parser.add_argument("--seed", type=int, help="only this seed, in this process")
    parser.add_argument("--first-seed", type=int, default=0, help="first seed of every row (default: 0)")
    parser.add_argument("--self-test", action="store_true", help="plant each row's error and see that it is found")
    parser.add_argument("--write", action="store_true", help="write the table into docs/reliability.md")
    parser.add_argument("--list", action="store_true", help="show the rows and what they promise")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
