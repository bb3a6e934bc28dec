"""The site: ``make docs`` builds it into docs/_build/html, without the network; nor does a reader need it."""

import inspect
import re
import sys
from functools import cache
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import Any

from docutils.nodes import Text, literal_block
from matplotlib.figure import Figure
from sphinx.util.nodes import make_refnode
from sphinx_gallery.scrapers import figure_rst

import cutpoint

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))  # the gallery finds conf.last_picture, Sphinx the extension notebooks

project = "cutpoint"
author = "The cutpoint developers"
copyright = author
version = release = cutpoint.__version__

extensions = [
    "myst_parser",
    "notebooks",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx-mathjax-offline",
    "sphinx_click",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "**/GALLERY_HEADER.rst"]
templates_path = ["_templates"]

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "substitution"]
myst_heading_anchors = 4
smartquotes = False  # options keep their two dashes
nitpicky = True  # a name in a docstring that leads nowhere is a warning
suppress_warnings = ["config.cache"]  # functions among the settings of the gallery

autosummary_generate = True
autosummary_ignore_module_all = False
autodoc_typehints = "none"  # signatures without types, which are in the stubs; the docstring says what an argument is
autodoc_member_order = "bysource"
numpydoc_show_class_members = False  # the template of a class has them
numpydoc_use_plots = False

copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/plot_",
    "ignore_pattern": r"(along|pictures)\.py$",  # they take minutes and make the pictures of other pages
    "download_all_examples": False,
    "write_computation_times": False,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 1000,
    "remove_config_comments": True,
    "abort_on_example_error": True,
    "image_scrapers": ("matplotlib", "conf.last_picture"),
    "capture_repr": ("_repr_html_", "__repr__"),
    "ignore_repr_types": r"Figure|Picture|matplotlib|NoneType",
}

html_theme = "pydata_sphinx_theme"
html_title = "cutpoint"
html_context = {"default_mode": "auto"}  # light or dark as the browser says
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_sidebars = {
    page: [] for page in ("index", "benchmarks", "bibliography", "changelog")
}  # there is nothing below them
html_theme_options = {
    "logo": {"text": "cutpoint"},
    "header_links_before_dropdown": 6,
    "navigation_with_keys": False,
    "show_toc_level": 2,
    "navbar_end": ["theme-switcher"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
}


def last_picture(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """The plot or diagram that the last line of a block gives, as a notebook would show it."""
    known, picture = block_vars["example_globals"], block_vars["example_globals"].get("___")
    if not isinstance(picture, Figure | cutpoint.drawing.Picture):
        return ""
    known["___"] = None  # shown once
    path = next(block_vars["image_path_iterator"])
    if isinstance(picture, Figure):
        picture.savefig(path, dpi=120)
    else:
        picture.save(path)
    return str(figure_rst([path], gallery_conf["src_dir"]))


# The reference lists what the package itself lists: the map in its docstring, and the names of its folders.


def public_groups() -> dict[str, list[str]]:
    """The public names by group, in the order of the map in the package's docstring."""
    groups: dict[str, list[str]] = {}
    for title, line in re.findall(r"^(.{18}) {2}(.+)$", inspect.getdoc(cutpoint) or "", re.MULTILINE):
        listed = re.sub(r"\(.*\)", "", line).rpartition(": ")[2]
        names = [name for name in re.findall(r"\w+", listed) if name in cutpoint.__all__]
        if names:
            groups.setdefault(title.strip() or next(reversed(groups)), []).extend(names)
    return groups


def names_in(module: ModuleType) -> list[str]:
    """What a public module offers to users: what it lists, or its classes and its functions with an example."""
    homes = (module.__name__, "cutpoint.diagrams") if module is cutpoint.drawing else (module.__name__,)
    listed = getattr(module, "__all__", None) or [
        name
        for name, value in inspect.getmembers(module, lambda each: inspect.isclass(each) or inspect.isfunction(each))
        if value.__module__.startswith(homes) and (inspect.isclass(value) or ">>>" in (value.__doc__ or ""))
    ]
    return [name for name in listed if getattr(cutpoint, name, None) is not getattr(module, name)]


def heading(text: str, line: str) -> str:
    """A heading in reStructuredText."""
    return f"{text}\n{line * len(text)}\n\n"


def table_of(names: list[str], prefix: str = "cutpoint") -> str:
    """A list of names with their first sentences; each gets a page."""
    lines = "\n".join(f"   ~{prefix}.{name}" for name in names)
    return f".. autosummary::\n   :toctree: names\n   :nosignatures:\n\n{lines}\n\n"


def section_of(name: str, line: str) -> str:
    """What a public module offers, under its name and first sentences."""
    module = getattr(cutpoint, name)
    names = names_in(module)
    about = (inspect.getdoc(module) or "").split("\n\n")[0]
    return heading(f"cp.{name}", line) + about + "\n\n" + table_of(names, f"cutpoint.{name}") if names else ""


def write_reference() -> None:
    """Write the page of names."""
    groups = public_groups()
    modules = {name for name in cutpoint.__all__ if isinstance(getattr(cutpoint, name), ModuleType)}
    text = ""
    for group, names in groups.items():
        text += heading(group.capitalize(), "-") + table_of([name for name in names if name not in modules])
        text += "".join(section_of(name, "~") for name in names if name in modules)
    text += heading("One level down", "-")
    text += "".join(
        section_of(name, "~") for name in sorted(modules - {name for each in groups.values() for name in each})
    )
    text = heading("The library", "=") + (HERE / "reference" / "library.txt").read_text() + "\n" + text
    path = HERE / "reference" / "library.rst"
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def with_description_below(app: object, what: str, name: str, value: object, options: object, lines: list[str]) -> None:
    """Put what our docstrings say beside ``argument :`` below it, where numpydoc expects it, and not a type."""
    inside, below = False, list[str]()
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if following and set(following) == {"-"}:
            inside = line in ("Parameters", "Attributes")
        argument = re.fullmatch(r"(\*{0,2}\w+(?:, \*{0,2}\w+)*) : (.+)", line) if inside else None
        below += [argument[1], "    " + argument[2]] if argument else [line]
    lines[:] = below


@cache
def sources() -> dict[str, list[str]]:
    """Public functions, and methods of public classes, by the names in what they are said to return."""
    homes = {"cutpoint": cutpoint.__all__}
    homes |= {
        f"cutpoint.{name}": names_in(module)
        for name in cutpoint.__all__
        if inspect.ismodule(module := getattr(cutpoint, name))
    }
    found: dict[str, list[str]] = {}
    for home, names in homes.items():
        for path in (f"{home}.{name}" for name in names):
            value = attrgetter(path.partition(".")[2])(cutpoint)
            members = inspect.getmembers(value, inspect.isfunction) if inspect.isclass(value) else []
            calls = {f"{path}.{name}": each for name, each in members if name[0] != "_"} or {path: value}
            for call, function in calls.items():
                for name in re.findall(r"\w+", str(getattr(function, "__annotations__", {}).get("return", ""))):
                    found.setdefault(name, []).append(call)
    return found


def with_source(app: object, what: str, name: str, value: Any, options: object, lines: list[str]) -> None:
    """Say where a value comes from that has no example of its own."""
    calls = sources().get(name.rpartition(".")[2], [])
    calls = [call for call in calls if not call.startswith(f"{name}.")]
    if what == "class" and calls and not any(">>>" in line for line in lines):
        links = ", ".join(f":obj:`{call.replace('cutpoint.', 'cp.', 1)} <{call}>`" for call in calls)
        lines[:] = [lines[0], "", f"You get it from {links}.", "", *lines[1:]]


def without_strangers(app: object, what: str, name: str, value: object, skip: bool, options: object) -> bool | None:
    """Leave out members that come from other packages."""
    return True if not str(getattr(value, "__module__", "cutpoint")).startswith("cutpoint") else None


def nearest_name(app: Any, env: Any, node: Any, content: Any) -> Any:
    """What a name in a docstring, such as ``Fit`` or ``Acceptor.run``, refers to if the whole package has it once."""
    if node.get("refdomain") != "py":
        return None
    domain, target = env.get_domain("py"), node["reftarget"].removeprefix("cutpoint.")
    found = [name for name, value in domain.objects.items() if name.endswith(f".{target}") and not value.aliased]
    found = [name for name in found if name == f"cutpoint.{target}"] or found
    return (
        make_refnode(app.builder, node["refdoc"], *domain.objects[found[0]][:2], content) if len(found) == 1 else None
    )


def without_last_blank_line(app: Any, doctree: Any) -> None:
    """Examples end with a blank line, by which doctest knows where their output ends; it is not shown."""
    for block in doctree.findall(literal_block):
        if block.rawsource == block.astext():
            block.rawsource = block.rawsource.rstrip()
            block[:] = [Text(block.rawsource)]


def setup(app: Any) -> None:
    """What Sphinx calls first."""
    write_reference()
    app.connect("autodoc-skip-member", without_strangers)
    app.connect("doctree-read", without_last_blank_line)
    app.connect("missing-reference", nearest_name)
    app.connect("autodoc-process-docstring", with_source, priority=90)
    app.connect("autodoc-process-docstring", with_description_below, priority=100)  # before numpydoc
