"""The ensemble's trees as tables that people can read: what `estimators_` holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from ._targets import Problem

if TYPE_CHECKING:
    from ._training import Model


class Tree:
    """One weak classifier, as a table of its nodes.

    Parameters
    ----------
    number : int
        Its place in the ensemble.
    alpha : float
        Its coefficient.
    nodes : dict of arrays
        One entry per inner node and leaf, the root first.
    cuts : list of str
        The question that a node asks, empty for a leaf.
    columns : list of str
        Names of the score columns.
    """

    def __init__(
        self, number: int, alpha: float, nodes: dict[str, Any], cuts: list[str], columns: list[str]
    ) -> None:
        self.number = number
        self.alpha = alpha
        self.nodes = nodes
        self.cuts = cuts
        self.columns = columns

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int(np.sum(self.nodes["is_leaf"]))

    def __repr__(self) -> str:
        return f"Tree(number={self.number}, alpha={self.alpha:.4g}, n_leaves={self.n_leaves})"

    def __str__(self) -> str:
        return self.as_text()

    def as_text(self) -> str:
        """Draw the tree.

        Returns
        -------
        str
            One line per node; the two answers to a question are indented below it, and a leaf
            shows its votes.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from mhboost import HammingTree, MHBoostClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> model = MHBoostClassifier(HammingTree(3), n_estimators=1).fit(X, y)
        >>> print(model.estimators_[0])
        tree 0, alpha = 0.8688
        [x2 >= 2.45]?  (gain 0.6667)
            yes: [x3 >= 1.75]?  (gain 0.1200)
                yes: 0: -1  1: -1  2: +1
                no:  0: -1  1: +1  2: -1
            no:  0: +1  1: -1  2: -1
        """
        lines = [f"tree {self.number}, alpha = {self.alpha:.4g}"]
        stack = [(0, 0, "")]
        while stack:
            row, depth, answer = stack.pop()
            is_leaf = self.nodes["is_leaf"][row]
            text = self._votes_text(row) if is_leaf else self._cut_text(row)
            lines.append("    " * depth + answer + text)
            if not is_leaf:
                children = (self.nodes["left"][row], "no:  "), (self.nodes["right"][row], "yes: ")
                stack.extend((int(child), depth + 1, a) for child, a in children if child >= 0)
        return "\n".join(lines)

    def _cut_text(self, row: int) -> str:
        return f"{self.cuts[row]}?  (gain {self.nodes['gain'][row]:.4f})"

    def _votes_text(self, row: int) -> str:
        votes = zip(self.columns, self.nodes["votes"][row], strict=True)
        return "  ".join(f"{name}: {vote:+.3g}" if vote else f"{name}: 0" for name, vote in votes)

    def to_frame(self) -> Any:
        """Give the table to pandas.

        Returns
        -------
        pandas.DataFrame
            One row per node: parent, side, leaf, gain (what the cut added to the edge of the vote
            that the node inherited), weight, cut, and the vote on each column.
        """
        try:
            import pandas as pd
        except ImportError as error:
            raise ImportError("to_frame needs pandas: pip install pandas.") from error
        plain = {k: self.nodes[k] for k in ("parent", "side", "leaf", "gain", "weight")}
        frame = pd.DataFrame({**plain, "cut": self.cuts}).rename_axis("node")
        votes = pd.DataFrame(self.nodes["votes"], columns=[f"vote: {c}" for c in self.columns])
        return pd.concat([frame, votes.rename_axis("node")], axis=1)


class Trees(Sequence[Tree]):
    """The trees of an ensemble; each is read from the model when asked for.

    Parameters
    ----------
    model : Model
        What was trained.
    n_rounds : int
        How many of its rounds count.
    feature_names : sequence of str or None
        None names the features x0, x1 ...
    """

    def __init__(self, model: Model, n_rounds: int, feature_names: Sequence[str] | None) -> None:
        self._model = model
        self._n_rounds = n_rounds
        self._feature_names = feature_names
        self._columns = column_names(model.problem)

    def __len__(self) -> int:
        return self._n_rounds

    @overload
    def __getitem__(self, index: int) -> Tree: ...

    @overload
    def __getitem__(self, index: slice) -> list[Tree]: ...

    def __getitem__(self, index: int | slice) -> Tree | list[Tree]:
        """Read one tree, or several."""
        numbers = range(self._n_rounds)[index]
        return (
            [self._tree(t) for t in numbers] if isinstance(numbers, range) else self._tree(numbers)
        )

    def __repr__(self) -> str:
        return f"<{len(self)} trees>"

    def _tree(self, t: int) -> Tree:
        nodes = self._model.ensemble.nodes(t)
        cuts = [" x ".join(map(self._term_text, terms)) for terms in nodes["terms"]]
        return Tree(t, float(self._model.ensemble.alphas()[t]), nodes, cuts, self._columns)

    def _term_text(self, term: dict[str, Any]) -> str:
        j = term["feature"]
        name = f"x{j}" if self._feature_names is None else self._feature_names[j]
        return f"[{name} {self._question(j, term)}]"

    def _question(self, j: int, term: dict[str, Any]) -> str:
        missing_right = term["missing_right"] and self._model.binner.has_missing(j)
        or_missing = " or missing" if missing_right else ""
        categories = self._model.schema.categories[j]
        if categories is not None:
            labels = ", ".join(str(categories.labels[c]) for c in term["categories"])
            return f"in {{{labels}}}{or_missing}"
        if term["threshold"] == -np.inf:
            return "not missing"
        return f">= {term['threshold']:.6g}{or_missing}"


def column_names(problem: Problem) -> list[str]:
    """Name the score columns after the class they speak for.

    Parameters
    ----------
    problem : Problem
        The tasks.

    Returns
    -------
    list of str
        For a task of two classes, the second class.
    """
    if problem.kind == "multi-label":
        return [f"label {m}" for m in range(len(problem.classes))]
    names = [[str(c) for c in (task if len(task) > 2 else task[-1:])] for task in problem.classes]
    if problem.kind == "single-label":
        return names[0]
    return [f"task {m}: {name}" for m, task in enumerate(names) for name in task]
