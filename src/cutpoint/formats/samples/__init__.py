"""Samples in files: one module per format, behind one reader and one writer."""

from cutpoint.formats.samples.chunks import Chunk
from cutpoint.formats.samples.files import read_chunks, read_sample, write_sample

__all__ = ["Chunk", "read_chunks", "read_sample", "write_sample"]
