"""Files: models and samples, one module per format."""

from cutpoint.files.exports import export as export
from cutpoint.files.models import load as load, read_model as read_model, save as save
from cutpoint.files.pautomac import (
    competition_score as competition_score,
    read_solution as read_solution,
    write_solution as write_solution,
)
from cutpoint.files.samples import (
    Chunk as Chunk,
    TablePreview as TablePreview,
    preview as preview,
    read_cases as read_cases,
    read_chunks as read_chunks,
    read_sample as read_sample,
    read_split as read_split,
    write_sample as write_sample,
)
from cutpoint.model.prediction import Model as Model
