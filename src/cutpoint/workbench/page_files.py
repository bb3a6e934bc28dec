"""Where the files of the page are: beside this module or, in an editable installation, where they were built to."""

from pathlib import Path
from sysconfig import get_path

FOLDERS = (Path(__file__).parent / "page", Path(get_path("platlib"), "cutpoint", "workbench", "page"))
PAGE = next((folder for folder in FOLDERS if folder.is_dir()), FOLDERS[0])
