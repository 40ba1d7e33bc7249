"""AdaBoost.MH with Hamming trees: multi-class, multi-label and multi-task boosting.

Start with `MHBoostClassifier`; the learners `Stump`, `HammingTree` and `HammingProduct` say what
it boosts.
"""

from importlib.metadata import version

from .classifier import MHBoostClassifier
from .learners import HammingProduct, HammingTree, Stump

__all__ = ["HammingProduct", "HammingTree", "MHBoostClassifier", "Stump", "__version__"]

__version__ = version("mhboost")
