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
    """Write the page, and the package as a wheel, into a folder; the answer says what is still needed there.

    Files of Pyodide and other wheels that are there already stay, so that it can be written again when some were added.
    """
    if not (PAGE / "index.html").exists():
        raise InvalidFile("this installation has no page; reinstall cutpoint where npm's registry can be reached.")
    index, wheels = folder / "index.html", folder / "wheels"
    if folder.exists() and not (folder.is_dir() and _is_ours(folder, index)):
        what = "the folder for the page must be new, or empty, or one that has been written before; it is not."
        raise InvalidFile(what, where=str(folder))
    shutil.rmtree(folder / "assets", ignore_errors=True)
    shutil.copytree(PAGE, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("widget.*"))
    index.write_text(index.read_text().replace("<head>", f"<head>\n    {META}", 1))
    wheels.mkdir(exist_ok=True)
    for old in wheels.glob("cutpoint-*.whl"):
        old.unlink()
    given = {_name(each.name.partition("-")[0]): each.name for each in sorted(wheels.glob("*.whl"))}
    needed = [_name(re.split(r"[^\w.-]", line)[0]) for line in requires("cutpoint") or () if "extra ==" not in line]
    others = [name for known, name in given.items() if known not in needed]
    loaded = [*others, *(given.get(name, name) for name in needed), _write_wheel(wheels)]
    (wheels / "index.json").write_text(json.dumps(loaded))
    return _answer(folder, [name for name in needed if name not in given])


def _is_ours(folder: Path, index: Path) -> bool:
    """Whether a folder holds nothing but what belongs into it."""
    written = index.is_file() and META in index.read_text(errors="replace")
    return written or {each.name for each in folder.iterdir()} <= {"pyodide", "wheels"}


def _answer(folder: Path, needed: list[str]) -> str:
    """What is there, and what is missing: packages that Pyodide has, and wheels of those that it does not have."""
    place, lock = printable(str(folder)), folder / "pyodide" / "pyodide-lock.json"
    written, again = f"The page is in {place}.", "Then run this command again"
    serve = f"Serve the folder with any web server: python -m http.server -d {place}"
    if not lock.exists():
        needs = f"Put the files of a Pyodide release into {place}/pyodide. {again}: it looks for what is missing."
        return f"{written} {needs} {serve}"
    try:
        packages = {_name(name): facts["file_name"] for name, facts in json.loads(lock.read_text())["packages"].items()}
        tag = packages["numpy"].removesuffix(".whl").split("-")
    except (ValueError, KeyError, TypeError, AttributeError):
        raise InvalidFile("expected the lock file of a Pyodide release; it is not one.", where=str(lock)) from None
    files = [packages[name] for name in needed if name in packages and not (lock.parent / packages[name]).exists()]
    strangers = [name for name in needed if name not in packages]
    missing = [f"the files {', '.join(files)} of the Pyodide release in {place}/pyodide"] * bool(files)
    if strangers:
        version = f"--python-version {tag[-3][2:3]}.{tag[-3][3:]} --platform {tag[-1]}"
        command = f"pip download --no-deps --only-binary :all: {version} -d {place}/wheels {' '.join(strangers)}"
        missing.append(f"what Pyodide does not have: {command}")
    if missing:
        return f"{written} Still missing: {'; and '.join(missing)}. {again}. {serve}"
    return f"{written} Nothing is missing. {serve}"


def _name(text: str) -> str:
    """Name of a distribution as lock files write it."""
    return re.sub(r"[-_.]+", "-", text).lower()


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
