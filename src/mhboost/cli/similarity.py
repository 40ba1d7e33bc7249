"""Which classes the trees keep together: the agreement of their votes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .._tables import column_names
from ..classifier import MHBoostClassifier

__all__ = ["vote_similarity"]


def vote_similarity(model: MHBoostClassifier) -> tuple[list[str], NDArray[Any]]:
    """Compare the votes of score columns: their cosine over all leaves.

    A leaf counts as much as the weight that falls into it in training, times alpha.

    Parameters
    ----------
    model : MHBoostClassifier
        A fitted model.

    Returns
    -------
    names : list of str
        What the columns speak for.
    similarity : ndarray of shape (n_columns, n_columns)
        1 where two columns always get the same vote, -1 where always the opposite.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> names, similarity = vote_similarity(MHBoostClassifier(n_estimators=20).fit(X, y))
    >>> names, similarity.round(1).tolist()[0][0]
    (['0', '1', '2'], 1.0)
    """
    problem = model._model.problem
    total = np.zeros((problem.n_columns, problem.n_columns))
    for tree in model.estimators_:
        leaves = tree.nodes["is_leaf"].astype(bool)
        votes = tree.nodes["votes"][leaves]
        weight = tree.alpha * tree.nodes["weight"][leaves]
        total += (votes * weight[:, np.newaxis]).T @ votes
    length = np.sqrt(np.maximum(np.diag(total), np.finfo(float).tiny))
    return names_of(model), total / np.outer(length, length)


def names_of(model: MHBoostClassifier) -> list[str]:
    """Name the score columns, labels by the names that the model file notes."""
    problem = model._model.problem
    noted = list(getattr(model, "notes_", {}).get("targets", ()))
    if problem.kind == "multi-label" and len(noted) == problem.n_columns:
        return noted
    return column_names(problem)
