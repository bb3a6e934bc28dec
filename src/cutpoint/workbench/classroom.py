"""The workbench without a server: a folder for any web server, where Pyodide runs the package in the browser."""

import json
import re
import shutil
import zipfile
from importlib.metadata import distribution, requires
from pathlib import Path

import cutpoint
from cutpoint.errors import InvalidFile
from cutpoint.wording import printable
from cutpoint.workbench.page_files import PAGE

SOURCE = Path(cutpoint.__file__).parent
KEPT = (".py", ".pyi", ".json", ".typed")  # of the package: no compiled kernels, which a browser cannot run
WHEEL = "Wheel-Version: 1.0\nGenerator: cutpoint\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
META = '<meta name="cutpoint" content="static">'


def write_static(folder: Path) -> str:
    """Write the page, and the package as a wheel, into a folder; the answer says what is still needed there."""
    if not (PAGE / "index.html").exists():
        raise InvalidFile("this installation has no page; reinstall cutpoint where npm's registry can be reached.")
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InvalidFile("the folder for the page must be new, or empty; it is not.", where=str(folder))
    shutil.copytree(PAGE, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("widget.*"))
    index = folder / "index.html"
    index.write_text(index.read_text().replace("<head>", f"<head>\n    {META}", 1))
    (folder / "wheels").mkdir()
    wheel = _write_wheel(folder / "wheels")
    needed = [re.split(r"[^\w.-]", line)[0] for line in requires("cutpoint") or () if "extra ==" not in line]
    (folder / "wheels" / "index.json").write_text(json.dumps([*needed, wheel]))
    place = printable(str(folder))
    return (
        f"The page is in {place}. Put the files of a Pyodide release into {place}/pyodide, with its packages "
        f"{', '.join(needed)}, and serve the folder with any web server: python -m http.server -d {place}"
    )


def _write_wheel(folder: Path) -> str:
    """Write the package as a wheel for every system, with the reference kernels alone; its name."""
    known = f"cutpoint-{cutpoint.__version__}"
    name, info = f"{known}-py3-none-any.whl", f"{known}.dist-info"
    files = [path for path in sorted(SOURCE.rglob("*")) if path.suffix in KEPT and "page" not in path.parts]
    with zipfile.ZipFile(folder / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path in files:
            wheel.write(path, f"cutpoint/{path.relative_to(SOURCE).as_posix()}")
        wheel.writestr(f"{info}/METADATA", distribution("cutpoint").read_text("METADATA") or "")
        wheel.writestr(f"{info}/WHEEL", WHEEL)
        record = "".join(f"{each.filename},,\n" for each in wheel.infolist())
        wheel.writestr(f"{info}/RECORD", f"{record}{info}/RECORD,,\n")
    return name
