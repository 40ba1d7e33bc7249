"""scikit-learn's AdaBoost (SAMME) of trees of limited depth. It knows one thread only."""

import pickle
from functools import partial

from sklearn.ensemble import AdaBoostClassifier
from sklearn.tree import DecisionTreeClassifier

from systems import Trained


def train(problem, rounds, parameters, threads, seed, on_round=None):
    parameters = dict(parameters)
    tree = DecisionTreeClassifier(max_depth=parameters.pop("max_depth"))
    model = AdaBoostClassifier(tree, n_estimators=rounds, random_state=seed, **parameters)
    model.fit(problem.X_train, problem.y_train)
    return Trained(
        model.decision_function,
        model.predict_proba,
        partial(pickle.dumps, model),
        len(model.estimators_),
    )
