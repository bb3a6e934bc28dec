"""Files: models and samples, one module per format."""

from cutpoint.files.contents import Model
from cutpoint.files.models import load, read_model, save
from cutpoint.files.samples import Chunk, read_chunks, read_sample, write_sample

__all__ = ["Chunk", "Model", "load", "read_chunks", "read_model", "read_sample", "save", "write_sample"]
