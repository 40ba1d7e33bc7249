"""What is boosted: decision stumps, and the trees and products made of them.

A learner is a small value: it compares, hashes and prints by its parameters, and refuses
assignment. Learners compose:

* `Stump()` cuts one feature and votes on every class at once (the paper's Figure 1);
* `HammingTree(N, base)` cuts `N` times, largest edge first (Figure 2);
* `HammingProduct(m, base)` multiplies the signs of `m` cuts.

A tree of products is allowed. A tree of trees is not, because the leaves of a tree hold votes, not
signs; nor is a product of trees or of products, because a product multiplies signs of cuts.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from numbers import Integral
from typing import Any, Literal, TypeAlias

from sklearn.base import BaseEstimator

__all__ = ["HammingProduct", "HammingTree", "Learner", "Stump"]

N_INNER_NODES = 16
N_TERMS = 3
MAX_COUNT = 65535


class Learner(BaseEstimator):
    """Base of the learners: parameters that scikit-learn can read, clone and search over."""

    def set_params(self, **params: Any) -> Learner:
        """Change parameters in place, as `GridSearchCV` does with its own clones.

        Parameters
        ----------
        **params : dict
            Parameters of the learner; `base__...` reaches into its base.

        Returns
        -------
        Learner
            The learner itself.

        Examples
        --------
        >>> HammingTree(8).set_params(n_inner_nodes=4)
        HammingTree(n_inner_nodes=4, base=Stump())
        """
        known = self.get_params(deep=False)
        for name, value in params.items():
            own, _, nested = name.partition("__")
            if own not in known:
                raise ValueError(
                    f"{type(self).__name__} has no parameter {name!r}; "
                    f"it has {', '.join(sorted(known)) or 'none'}."
                )
            if nested:
                getattr(self, own).set_params(**{nested: value})
            else:
                object.__setattr__(self, own, value)
        return self


@dataclass(frozen=True)
class Stump(Learner):
    """One cut of one feature, voting on every class at once.

    The search is exhaustive over features and thresholds (or subsets of categories).

    Examples
    --------
    >>> Stump() == Stump()
    True
    """


@dataclass(frozen=True)
class HammingProduct(Learner):
    """The product of the signs of several cuts, voting on every class at once.

    Parameters
    ----------
    n_terms : int
        Number of cuts. A cut that does not raise the edge is dropped.
    base : Stump
        What a term is.

    Examples
    --------
    >>> HammingProduct(2)
    HammingProduct(n_terms=2, base=Stump())
    """

    n_terms: int = N_TERMS
    base: Learner = field(default_factory=Stump)


@dataclass(frozen=True)
class HammingTree(Learner):
    """A binary tree of cuts, each voting on every class at once.

    Parameters
    ----------
    n_inner_nodes : int
        Number of cuts; a tree has at most one leaf more.
    base : Stump or HammingProduct
        What a cut is.

    Examples
    --------
    >>> HammingTree(8, base=HammingProduct(2))
    HammingTree(n_inner_nodes=8, base=HammingProduct(n_terms=2, base=Stump()))
    """

    n_inner_nodes: int = N_INNER_NODES
    base: Learner = field(default_factory=Stump)


LearnerLike: TypeAlias = Literal["tree", "stump", "product"] | Learner

_ALLOWED = "'tree', 'stump', 'product', or a Stump, HammingTree or HammingProduct object"


def tree_shape(base: object, n_inner_nodes: int, n_terms: int) -> tuple[int, int]:
    """Inner nodes per tree and terms per cut: the two numbers to which all learners come down.

    Parameters
    ----------
    base : str or Learner
        The classifier's `base`.
    n_inner_nodes, n_terms : int
        The classifier's parameters of these names: read when `base` is a name, not when it is
        an object, which brings its own.

    Returns
    -------
    tuple of int
        `n_inner_nodes`, `n_terms`.

    Examples
    --------
    >>> tree_shape("tree", n_inner_nodes=16, n_terms=3)
    (16, 1)
    >>> tree_shape(HammingTree(8, base=HammingProduct(2)), n_inner_nodes=16, n_terms=3)
    (8, 2)
    """
    if isinstance(base, str):
        base = _named(base, n_inner_nodes, n_terms)
    match base:
        case Stump():
            return 1, 1
        case HammingProduct():
            return 1, _product_terms(base)
        case HammingTree(n_inner_nodes=nodes, base=Stump()):
            return _count("n_inner_nodes", base, nodes), 1
        case HammingTree(n_inner_nodes=nodes, base=HammingProduct() as product):
            return _count("n_inner_nodes", base, nodes), _product_terms(product)
        case HammingTree():
            raise TypeError(
                f"base={base!r}: the base of a HammingTree must be a Stump or a HammingProduct, "
                f"got {base.base!r}; a tree cuts its rows by signs, and only these two give signs."
            )
    raise TypeError(f"base must be {_ALLOWED}; got {base!r}.")


def _named(name: str, n_inner_nodes: int, n_terms: int) -> Learner:
    match name:
        case "stump":
            return Stump()
        case "tree":
            return HammingTree(n_inner_nodes)
        case "product":
            return HammingProduct(n_terms)
    raise ValueError(f"base must be {_ALLOWED}; got {name!r}.")


def _product_terms(product: HammingProduct) -> int:
    if not isinstance(product.base, Stump):
        raise TypeError(
            f"base={product!r}: the base of a HammingProduct must be a Stump, "
            f"got {product.base!r}; a product multiplies the signs of single cuts. "
            "The other way round works: HammingTree(base=HammingProduct())."
        )
    return _count("n_terms", product, product.n_terms)


def _count(name: str, owner: Learner, value: object) -> int:
    if isinstance(value, Integral) and not isinstance(value, bool) and 1 <= int(value) <= MAX_COUNT:
        return int(value)
    raise ValueError(
        f"{name} of {type(owner).__name__} must be a whole number from 1 to {MAX_COUNT}; "
        f"got {value!r}."
    )
