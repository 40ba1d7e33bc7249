"""scikit-learn's random forest; a round is a tree."""

import pickle
from functools import partial

from sklearn.ensemble import RandomForestClassifier

from systems import Trained


def train(problem, rounds, parameters, threads, seed, on_round=None):
    model = RandomForestClassifier(
        n_estimators=rounds, random_state=seed, n_jobs=threads, **parameters
    )
    model.fit(problem.X_train, problem.y_train)
    return Trained(model.predict_proba, model.predict_proba, partial(pickle.dumps, model), rounds)
