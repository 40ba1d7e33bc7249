"""scikit-learn's histogram gradient boosting: one tree per class and round.

Its threads are OpenMP's, which measure.py limits before the process starts.
"""

import pickle
from functools import partial

from sklearn.ensemble import HistGradientBoostingClassifier

from systems import Trained


def train(problem, rounds, parameters, threads, seed, on_round=None):
    model = HistGradientBoostingClassifier(
        max_iter=rounds, random_state=seed, early_stopping=False, **parameters
    )
    model.fit(problem.X_train, problem.y_train)
    return Trained(
        model.decision_function, model.predict_proba, partial(pickle.dumps, model), model.n_iter_
    )
