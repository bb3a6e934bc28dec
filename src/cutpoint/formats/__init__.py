"""Files of models and of samples: one module per format, each a read/write pair."""

from cutpoint.formats.files import load, read_model, save
from cutpoint.formats.model import Model

__all__ = ["Model", "load", "read_model", "save"]
