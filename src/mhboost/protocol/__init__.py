"""The paper's experiments: `python -m mhboost.protocol reproduce table2`.

An experiment is a small TOML file (see `_reading.py`); `read` reads it and `run` runs it, or
goes on where it was interrupted. Then `markdown` sets the numbers beside the paper's, and
`write_book` makes a PDF with one page per experiment.
"""

from ._book import write_book
from ._errors import ExperimentError
from ._experiment import Experiment, FoldPlan, LearnerPlan, SvmPlan
from ._folds import Fold, make_folds, read_folds, write_folds
from ._reading import built_in, read
from ._run import run
from ._tables import load_results, markdown

__all__ = [
    "Experiment",
    "ExperimentError",
    "Fold",
    "FoldPlan",
    "LearnerPlan",
    "SvmPlan",
    "built_in",
    "load_results",
    "make_folds",
    "markdown",
    "read",
    "read_folds",
    "run",
    "write_book",
    "write_folds",
]
