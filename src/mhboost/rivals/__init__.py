"""Other multi-class boosters, on the cuts, the search and the trees of `MHBoostClassifier`.

They exist to be compared: each follows its own paper, and all see the same bins. They solve
single-label problems.
"""

from ._logit import (
    ABCLogitBoostClassifier,
    ABCMartClassifier,
    AOSOLogitBoostClassifier,
    LogitBoostClassifier,
    MARTClassifier,
    VTLogitBoostClassifier,
)
from ._single_label import (
    AdaBoostM1Classifier,
    AdaBoostM2Classifier,
    AdaBoostMMClassifier,
    SAMMEClassifier,
    SingleLabelAdaBoostMHClassifier,
)

__all__ = [
    "ABCLogitBoostClassifier",
    "ABCMartClassifier",
    "AOSOLogitBoostClassifier",
    "AdaBoostM1Classifier",
    "AdaBoostM2Classifier",
    "AdaBoostMMClassifier",
    "LogitBoostClassifier",
    "MARTClassifier",
    "SAMMEClassifier",
    "SingleLabelAdaBoostMHClassifier",
    "VTLogitBoostClassifier",
]
