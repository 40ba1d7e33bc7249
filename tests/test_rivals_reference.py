"""Test errors of the rivals on the paper's data sets, beside those of their authors' programs.

Needs the folder that MHBOOST_DATA names, with NAME.npz: X, y, and split (0 train, 1 test). All with
20 leaves and a learning rate of 0.1; the authors' programs ran for as many rounds.
"""

import os
from pathlib import Path

import numpy as np
import pytest

from mhboost import rivals

FOLDER = os.environ.get("MHBOOST_DATA")
pytestmark = pytest.mark.skipif(not FOLDER, reason="MHBOOST_DATA names no folder of data sets")

slow = pytest.mark.slow
CASES = [
    ("AOSOLogitBoostClassifier", "pendigits", 2191, 2.37, ()),
    ("AOSOLogitBoostClassifier", "optdigits", 1963, 2.11, slow),
    ("AOSOLogitBoostClassifier", "letter", 5000, 2.45, slow),
    ("ABCLogitBoostClassifier", "letter", 1000, 2.55, slow),
    ("ABCMartClassifier", "letter", 1000, 2.83, slow),
    ("VTLogitBoostClassifier", "pendigits", 692, 2.12, ()),
    ("VTLogitBoostClassifier", "optdigits", 631, 2.45, ()),
    ("VTLogitBoostClassifier", "letter", 1000, 2.42, slow),
    ("LogitBoostClassifier", "pendigits", 334, 3.32, ()),
    ("LogitBoostClassifier", "optdigits", 313, 3.62, ()),
    ("LogitBoostClassifier", "letter", 1000, 2.95, slow),
    ("MARTClassifier", "pendigits", 611, 3.86, ()),
    ("MARTClassifier", "optdigits", 509, 3.34, ()),
    ("MARTClassifier", "letter", 1000, 3.52, slow),
]


@pytest.mark.parametrize(
    ("rival", "name", "rounds", "error"),
    [pytest.param(*case[:4], marks=case[4], id=f"{case[0]}-{case[1]}") for case in CASES],
)
def test_error_is_that_of_the_authors_program(rival, name, rounds, error):
    with np.load(Path(FOLDER) / f"{name}.npz") as arrays:
        X, y, split = (arrays[key] for key in ("X", "y", "split"))
    train, test = split == 0, split == 1
    model = getattr(rivals, rival)(n_estimators=rounds).fit(X[train], y[train])
    assert 100 * (1 - model.score(X[test], y[test])) == pytest.approx(error, abs=0.35)
