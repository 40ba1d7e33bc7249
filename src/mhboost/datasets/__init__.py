"""The paper's data sets, and some more, by name: `load("letter")`.

`names` lists them, `describe` shows their sizes and origins. What `load` returns is checked against
the published counts and checksums, which `sets.toml` keeps.
"""

from ._dataset import Dataset
from ._errors import DatasetMismatchError, DatasetMissingError, UnpublishedCutWarning
from ._load import describe, load, names

__all__ = [
    "Dataset",
    "DatasetMismatchError",
    "DatasetMissingError",
    "UnpublishedCutWarning",
    "describe",
    "load",
    "names",
]
