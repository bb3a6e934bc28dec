"""Commands as users type them: run by a shell, in a folder, with the program on the path."""

import math
import os
import re
import subprocess
import sys
from pathlib import Path

NUMBER = re.compile(r"\d+\.\d+(?:e-?\d+)?")
DIGITS = 0.01
"""Learned numbers may differ in their last digits between processors."""


def environment(folder: Path, **more: str) -> dict[str, str]:
    """Variables with the program ``cutpoint`` first on the path, run by this Python."""
    bin_folder = folder / ".bin"
    bin_folder.mkdir(exist_ok=True)
    program = bin_folder / "cutpoint"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "from cutpoint.cli import main; main()" "$@"\n')
    program.chmod(0o755)
    kept = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "NO_COLOR")}
    return kept | {"PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}"} | more


def shell(command: str, folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a line of a shell in a folder."""
    return subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env=environment(folder, **more),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def console_lines(page: str) -> list[tuple[str, str]]:
    """Commands in the console blocks of a page, each with the output that the page shows."""
    found: list[tuple[str, str]] = []
    for block in re.findall(r"```console\n(.*?)```", page, re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output.strip("\n")))
    return found


def same_output(shown: str, got: str) -> bool:
    """Whether an output is as shown: texts the same, decimals up to their last digits; ``...`` ends what is shown."""
    if shown.endswith("..."):
        kept = shown.removesuffix("...").count("\n")
        shown, got = "\n".join(shown.splitlines()[:kept]), "\n".join(got.strip("\n").splitlines()[:kept])
    texts = [" ".join(NUMBER.sub("#", text).split()) for text in (shown, got)]
    numbers = [[float(number) for number in NUMBER.findall(text)] for text in (shown, got)]
    return texts[0] == texts[1] and all(math.isclose(a, b, abs_tol=DIGITS) for a, b in zip(*numbers, strict=True))
