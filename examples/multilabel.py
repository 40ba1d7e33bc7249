"""Several labels per row: one ensemble for all labels, beside one model per label.

    python examples/multilabel.py

What can be said of a handwritten digit? Each of scikit-learn's digits gets five labels that may go
together in any way. The score is the Hamming loss, the share of (row, label) pairs decided wrong.
"""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import hamming_loss
from sklearn.model_selection import train_test_split
from sklearn.multioutput import MultiOutputClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from mhboost import MHBoostClassifier

LABELS = {
    "even": [0, 2, 4, 6, 8],
    "prime": [2, 3, 5, 7],
    "above four": [5, 6, 7, 8, 9],
    "has a loop": [0, 6, 8, 9],
    "a square": [0, 1, 4, 9],
}


def main():
    X, digit = load_digits(return_X_y=True)
    Y = np.column_stack([np.isin(digit, digits) for digits in LABELS.values()]).astype(int)
    X_train, X_test, Y_train, Y_test, _, digit_test = train_test_split(X, Y, digit, random_state=0)
    linear = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
    models = {
        "Hamming trees": MHBoostClassifier(n_estimators=300, random_state=0),
        "a logistic regression per label": MultiOutputClassifier(linear),
        "a decision tree per label": MultiOutputClassifier(DecisionTreeClassifier(random_state=0)),
    }
    losses = {}
    for name, model in models.items():
        losses[name] = hamming_loss(Y_test, model.fit(X_train, Y_train).predict(X_test))
        print(f"{name:34}{losses[name]:7.2%}")

    # Every label has a probability of its own: they need not sum to 1.
    probability = models["Hamming trees"].predict_proba(X_test[:1])[0]
    print(f"\nthe probabilities of a test image, a {digit_test[0]}:")
    for name, p in zip(LABELS, probability, strict=True):
        print(f"{name:14}{p:5.2f}")
    return losses


if __name__ == "__main__":
    main()
