"""Models in files: one module per format, each a read/write pair."""

from cutpoint.formats.models.files import is_model_file, load, read_model, save
from cutpoint.formats.models.model import Model

__all__ = ["Model", "is_model_file", "load", "read_model", "save"]
