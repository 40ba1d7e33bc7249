"""AdaBoost.MH with Hamming trees: multi-class, multi-label and multi-task boosting.

Start with `MHBoostClassifier`; the learners `Stump`, `HammingTree` and `HammingProduct` say what
it boosts, and `MHBoostClassifierCV` chooses its numbers by cross-validation.
"""

from importlib.metadata import version

from ._model_file.container import ModelFileError
from ._progress import Round
from ._saving import load
from ._tables import Tree
from .classifier import MHBoostClassifier
from .classifier_cv import MHBoostClassifierCV
from .learners import HammingProduct, HammingTree, Stump

__all__ = [
    "HammingProduct",
    "HammingTree",
    "MHBoostClassifier",
    "MHBoostClassifierCV",
    "ModelFileError",
    "Round",
    "Stump",
    "Tree",
    "__version__",
    "load",
]

__version__ = version("mhboost")
