"""The slow twin of mhboost: AdaBoost.MH with Hamming trees in plain NumPy.

Obvious code for small data (n <= 300, d <= 8, K <= 12). It imports nothing of the package and
follows docs/architecture.md to the letter, so that the core can be compared with it bit for bit.
Equation and figure numbers are those of the paper (B. Kegl, The return of AdaBoost.MH, 2014) as its
source numbers them: (3) balanced weights, (4) exponential loss, (5) energy, (10) classwise edge,
(12) alpha, (13) votes, (14) tree; Figure 1 boosting, Figure 2 tree.

    model = boost(X, Problem.single_label(y), Settings(nodes=8), rounds=10)
    model.rounds[0].tree.nodes[0].terms      the cut of the first root
    model.alphas, model.edges, model.losses  one number per round
    model.scores(X)                          f(x) = sum_t alpha_t h_t(x), n x K, float64

Words
    signs y[i,l]    +1 or -1; a two-class task owns one column (the sign of its second class).
    units q[i,l]    signed weights g = w*y in billionths of the total weight, whole numbers.
    sides           phi(x_i), +1 or -1 for each row. A cut is a product of terms; the empty product
                    is the constant classifier phi = +1.
    edges D[l]      classwise edges R - L = sum_i phi(x_i) q[i,l] (eq 10 with v = 1).
    masses A[l]     sum_i |q[i,l]|.

The units fix every bit of discrete and ternary models with the exponential loss. The logistic
loss takes exp(2 margin), which the core computes by its own polynomial: compare with a tolerance.

`paper_mode` keeps the weights in float64 and searches on them directly: no units, no float32. Its
comparisons ask for a gain of more than `SLACK`, because sums of floats are not exact.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

UNITS_PER_WEIGHT = np.float32(1e9)
SMALLEST_NORMAL = np.finfo(np.float32).tiny
SLACK = 1e-12
POWER_ITERATIONS = 20


# ---------------------------------------------------------------------------------------- problem


@dataclass(frozen=True)
class Problem:
    """What is to be learned: `signs` (n x K, +1/-1) and the number of classes of each task.

    A task of two classes owns one column, a task of K > 2 classes owns K one-hot columns.
    `kind` is "tasks" (binary, single-label, multi-task) or "multi-label" (`classes` all 2).
    """

    signs: np.ndarray
    classes: tuple
    kind: str = "tasks"

    @classmethod
    def single_label(cls, y, classes=None):
        """y: class indices 0..classes-1. Two classes give one column."""
        return cls.multi_task([y], None if classes is None else [classes])

    @classmethod
    def multi_task(cls, ys, classes=None):
        """ys: for each task its class indices."""
        ys = [np.asarray(y, dtype=int) for y in ys]
        classes = [int(y.max()) + 1 for y in ys] if classes is None else list(classes)
        blocks = [_one_hot(y, k) for y, k in zip(ys, classes, strict=True)]
        return cls(np.hstack(blocks), tuple(classes))

    @classmethod
    def multi_label(cls, Y):
        """Y: n x L, truthy where the label is on."""
        signs = np.where(np.asarray(Y) > 0, 1, -1)
        return cls(signs, (2,) * signs.shape[1], "multi-label")

    def columns(self):
        """The slice of columns of each task."""
        start, slices = 0, []
        for k in self.classes:
            width = 1 if k == 2 else k
            slices.append(slice(start, start + width))
            start += width
        return slices


def _one_hot(y, k):
    if k == 2:
        return np.where(y == 1, 1, -1)[:, None]
    return np.where(y[:, None] == np.arange(k)[None, :], 1, -1)


@dataclass(frozen=True)
class Settings:
    """How to learn.

    votes    "discrete" (+1/-1), "ternary" (a class may abstain) or "real"
    leaves   "factorized" (the sides of node j answer -v_j and +v_j) or "leafwise"
    nodes    N, the number of inner nodes of a tree; 1 is a stump
    terms    m, the number of terms in the product that cuts a node; 1 is a plain cut
    loss     "exponential" or "logistic"
    weights  "balanced" (eq 3), "uniform", or the user's n x K matrix
    row_weights  n numbers that multiply whatever `weights` says
    """

    votes: str = "discrete"
    leaves: str = "factorized"
    nodes: int = 1
    terms: int = 1
    learning_rate: float = 1.0
    loss: str = "exponential"
    weights: object = "balanced"
    row_weights: object = None
    paper_mode: bool = False

    @property
    def slack(self):
        """What a strictly better number must exceed the other by: nothing, with whole numbers."""
        return SLACK if self.paper_mode else 0


# ---------------------------------------------------------------------------------------- weights


def initial_weights(problem, settings):
    """w (n x K, float64, not yet normalised): scheme or user's matrix, times the row's weight."""
    w = _scheme_weights(problem, settings.weights)
    if settings.row_weights is not None:
        w = w * np.asarray(settings.row_weights, dtype=np.float64)[:, None]
    return w


def _scheme_weights(problem, weights):
    if not isinstance(weights, str):
        return np.array(weights, dtype=np.float64)
    if weights not in ("balanced", "uniform"):
        raise ValueError(f"weights: {weights!r}")
    if problem.kind == "multi-label":
        return _multi_label_weights(problem.signs, weights)
    w = np.empty(problem.signs.shape)
    for k, columns in zip(problem.classes, problem.columns(), strict=True):
        w[:, columns] = _task_weights(problem.signs[:, columns], k, weights) / len(problem.classes)
    return w


def _task_weights(signs, k, scheme):
    """One task: eq (3), or 1/K; 1 for the single column of a two-class task."""
    if k == 2:
        return np.ones(signs.shape)
    if scheme == "uniform":
        return np.full(signs.shape, 1.0 / k)
    return np.where(signs > 0, 1.0 / 2.0, 1.0 / (2.0 * (k - 1)))


def _multi_label_weights(signs, scheme):
    """1/L; balanced in each row: 1/(2p) on its p labels, 1/(2(L-p)) off (1/L if p is 0 or L)."""
    w = np.full(signs.shape, 1.0 / signs.shape[1])
    if scheme == "balanced":
        for i, row in enumerate(signs):
            p = int((row > 0).sum())
            if 0 < p < len(row):
                w[i] = np.where(row > 0, 1.0 / (2.0 * p), 1.0 / (2.0 * (len(row) - p)))
    return w


def sum_in_order(values):
    """Plain left-to-right sum in float64 (Python's own sum compensates since 3.12)."""
    total = 0.0
    for value in values:
        total += float(value)
    return total


def row_by_row_total(w):
    """Sum of the sums of the rows, both in order, in float64 (the core adds in this order)."""
    return sum_in_order(sum_in_order(row) for row in w)


def signed_weights(w, signs, paper_mode):
    """g = y*w / sum(w) (the 1/n of Figure 1, line 1, is part of it); float32 outside paper_mode."""
    g = signs * np.asarray(w, dtype=np.float64) / row_by_row_total(w)
    return g if paper_mode else flushed(g.astype(np.float32))


def flushed(g):
    """Entries below the smallest normal float32 become zero."""
    return np.where(np.abs(g) < SMALLEST_NORMAL, np.float32(0), g)


def units(g):
    """q = trunc(g * 1e9 +- 0.5) in float32 arithmetic, as whole numbers."""
    scaled = g * UNITS_PER_WEIGHT + np.copysign(np.float32(0.5), g)
    return np.trunc(scaled).astype(np.int64)


# ------------------------------------------------------------------------------------------ votes


def sign(values):
    """+1 if positive, else -1: sign(0) = -1 (eq 13)."""
    return np.where(np.asarray(values) > 0, 1, -1)


@dataclass(frozen=True)
class Verdict:
    """What a cut is worth on the rows of a node: votes, edge, and energy (ternary votes only)."""

    votes: np.ndarray
    edge: object
    energy: float = math.nan


def ternary_votes(D, A):
    """(votes, energy) with 0 where a class had better abstain.

    W+ = (A + |D|)/2 and W- = (A - |D|)/2. With the classes by rising W-/W+ (ties: lower index), the
    best set of voters is a prefix: minimise Z = (sum A - sum_voters A) + 2 sqrt(sum W+ * sum W-),
    the first smallest. Classes without mass abstain; if every edge is zero, all abstain.
    """
    votes = np.zeros(len(D), dtype=int)
    total = float(sum(A))
    if not np.any(D):
        return votes, total
    right = {c: (float(A[c]) + abs(float(D[c]))) / 2 for c in range(len(D)) if A[c] > 0}
    wrong = {c: (float(A[c]) - abs(float(D[c]))) / 2 for c in right}
    order = sorted(right, key=lambda c: wrong[c] / right[c])
    best, voters = math.inf, 0
    mass = all_right = all_wrong = 0.0
    for k, c in enumerate(order):
        mass += right[c] + wrong[c]
        all_right += right[c]
        all_wrong += wrong[c]
        z = (total - mass) + 2 * math.sqrt(all_right * max(all_wrong, 0.0))
        if z < best:
            best, voters = z, k + 1
    for c in order[:voters]:
        votes[c] = 1 if D[c] > 0 else -1
    return votes, best


def real_votes(D, A, total, e):
    """v_l = 1/2 log((W+ + e)/(W- + e)), W+- = (A_l +- D_l)/2 / A_total."""
    return np.array(
        [
            0.5 * math.log((_share(a + d, total) + e) / (_share(a - d, total) + e))
            for d, a in zip(D.tolist(), A.tolist(), strict=True)
        ]
    )


def _share(doubled, total):
    """doubled/2 as a share of the total, in float64. (Rounding may make a tiny negative of a 0.)"""
    return max(float(doubled), 0.0) / 2 / float(total)


def judge(D, A, settings):
    """Best votes on a node's rows: sign(D) with edge sum |D|; ternary: the voters of least energy.

    Real votes grow the tree like discrete ones.
    """
    if settings.votes == "ternary":
        votes, energy = ternary_votes(D, A)
        return Verdict(votes, (votes * D).sum().item(), energy)
    return Verdict(sign(D), np.abs(D).sum().item())


def better(new, old, settings):
    """Strictly better: lower energy with ternary votes, larger edge otherwise (footnote 6)."""
    if settings.votes == "ternary":
        return new.energy < old.energy - settings.slack
    return new.edge > old.edge + settings.slack


# ------------------------------------------------------------------------------------------- cuts


@dataclass(frozen=True)
class Threshold:
    """phi(x) = +1 iff x >= b; missing values go to the side `missing`.

    b = -inf with missing = -1 is the cut "is missing".
    """

    feature: int
    b: float
    missing: int

    def sides(self, X):
        x = X[:, self.feature]
        return np.where(np.isnan(x), self.missing, np.where(x >= self.b, 1, -1))


@dataclass(frozen=True)
class Subset:
    """phi(x) = +1 iff the category is in `plus`; a code outside 0..C-1 goes to `unseen`."""

    feature: int
    plus: frozenset
    n_categories: int
    missing: int
    unseen: int

    def sides(self, X):
        return np.array([self._side(value) for value in X[:, self.feature].tolist()], dtype=int)

    def _side(self, value):
        if math.isnan(value):
            return self.missing
        if value in self.plus:
            return 1
        return -1 if 0 <= value < self.n_categories else self.unseen


CONSTANT = ()  # the product of no terms


def sides_of(terms, X):
    """phi(x_i): the product of the terms' sides, +1 for the constant."""
    sides = np.ones(len(X), dtype=int)
    for term in terms:
        sides = sides * term.sides(X)
    return sides


def heavier_side(sides, mass):
    """The side with more weight, + if equal. Rows without value or of unknown category go there."""
    return 1 if mass[sides > 0].sum() >= mass[sides < 0].sum() else -1


def halfway_thresholds(x):
    """b halfway between neighbouring distinct values: a + (b-a)/2, or a/2 + b/2 if b-a overflows.

    The upper value itself where that rounds to the lower.
    """
    values = np.unique(x[~np.isnan(x)]).tolist()
    return [_halfway(a, b) for a, b in pairwise(values)]


def _halfway(a, b):
    gap = b - a
    middle = a / 2 + b / 2 if math.isinf(gap) else a + gap / 2
    return middle if a < middle <= b else b


# ----------------------------------------------------------------------------------------- search


@dataclass(frozen=True)
class Numeric:
    """A numeric column, its rising candidate thresholds, and if training had missing values."""

    feature: int
    thresholds: tuple
    has_missing: bool

    def best_term(self, X, q, slack):
        """The feature's best cut of these rows (BestStump), or None if the constant is as good.

        Order: "is missing"; then at each threshold missing on the + side, then on the - side.
        edge(b) = sum_l |T_l - 2 L_l(b)|.
        """
        candidates, left = self._candidates(X[:, self.feature], q)
        if not candidates:
            return None
        total = q.sum(axis=0)
        edges = np.abs(total - 2 * left).sum(axis=1)
        k = first_best(edges, slack)
        if not edges[k] > np.abs(total).sum() + slack:
            return None
        b, missing = candidates[k]
        if not self.has_missing:
            sides = Threshold(self.feature, b, 1).sides(X)
            missing = heavier_side(sides, np.abs(q).sum(axis=1))
        return Threshold(self.feature, b, missing)

    def _candidates(self, x, q):
        """All (b, side of missing values) in order, and the sums L of their - sides."""
        missing_sum = q[np.isnan(x)].sum(axis=0)
        candidates, left = [], []
        if self.has_missing:
            candidates.append((-math.inf, -1))
            left.append(missing_sum)
        for b in self.thresholds:
            below = q[x < b].sum(axis=0)
            candidates.append((b, 1))
            left.append(below)
            if self.has_missing:
                candidates.append((b, -1))
                left.append(below + missing_sum)
        return candidates, np.array(left)


@dataclass(frozen=True)
class Categorical:
    """A column of category codes 0..C-1; missing values are category C when training had them."""

    feature: int
    n_categories: int
    has_missing: bool

    def best_term(self, X, q, slack):
        """The better end of two alternating climbs, or None if it does not beat the constant."""
        plus, edge = best_subset(self.table(X, q), slack)
        if not edge > np.abs(q.sum(axis=0)).sum() + slack:
            return None
        return self._term(plus, X, q)

    def table(self, X, q):
        """G[c,l]: sums of q over the rows of category c; missing values last, if in training."""
        x = X[:, self.feature]
        codes = np.where(np.isnan(x), self.n_categories, x).astype(int)
        n_rows = self.n_categories + self.has_missing
        return np.array([q[codes == c].sum(axis=0) for c in range(n_rows)])

    def _term(self, plus, X, q):
        codes = frozenset(np.flatnonzero(plus[: self.n_categories]).tolist())
        missing = 1 if self.has_missing and plus[-1] else -1
        sides = Subset(self.feature, codes, self.n_categories, missing, 1).sides(X)
        unseen = heavier_side(sides, np.abs(q).sum(axis=1))
        if not self.has_missing:
            missing = unseen
        return Subset(self.feature, codes, self.n_categories, missing, unseen)


def first_best(values, slack):
    """Index of the first largest value (a later one wins only if strictly better)."""
    return int(np.flatnonzero(values >= values.max() - slack)[0])


def subset_edges(table, plus):
    """Classwise edges R - L = 2R - T when the categories `plus` are on the + side."""
    return 2 * table[plus].sum(axis=0) - table.sum(axis=0)


def best_subset(table, slack=0):
    """(plus, edge): the better end of the climbs from start A and start B; A if they tie."""
    plus, edge = climb(table, best_one_against_rest(table, slack), slack)
    if np.count_nonzero(table.any(axis=1)) < 2:
        return plus, edge
    other, other_edge = climb(table, best_along_singular_vector(table, slack), slack)
    return (other, other_edge) if other_edge > edge + slack else (plus, edge)


def climb(table, plus, slack=0):
    """Alternate v = sign(R - L) and sides (+ iff sum_l v_l G[c,l] > 0) while the edge grows."""
    edge = np.abs(subset_edges(table, plus)).sum()
    while True:
        votes = sign(subset_edges(table, plus))
        new = (table * votes).sum(axis=1) > 0
        new_edge = np.abs(subset_edges(table, new)).sum()
        if not new_edge > edge + slack:
            return plus, edge
        plus, edge = new, new_edge


def best_one_against_rest(table, slack=0):
    """Start A: the first best {c} on the + side, over all rows of the table, zero or not."""
    edges = np.abs(2 * table - table.sum(axis=0)).sum(axis=1)  # 2R - T with R = G_c
    return np.arange(len(table)) == first_best(edges, slack)


def best_along_singular_vector(table, slack=0):
    """Start B: order the non-zero rows by their coordinate on the first singular vector, rising.

    The first best proper prefix goes on the - side, and so do the zero rows.
    """
    coordinates = first_singular_coordinates(table)
    present = np.flatnonzero(table.any(axis=1)).tolist()
    order = sorted(present, key=lambda c: coordinates[c])
    left = np.cumsum(table[order], axis=0)[:-1]
    edges = np.abs(table.sum(axis=0) - 2 * left).sum(axis=1)
    return np.isin(np.arange(len(table)), order[first_best(edges, slack) + 1 :])


def first_singular_coordinates(table):
    """p = G u after 20 power iterations, float64, all sums in order.

    u starts as the row of largest L1 norm (the first of equals); p = G u, u = G'p, and u is divided
    by its largest |entry| each time.
    """
    table = np.asarray(table, dtype=np.float64)
    u = _over_largest(table[np.abs(table).sum(axis=1).argmax()])
    for _ in range(POWER_ITERATIONS):
        p = np.cumsum(table * u, axis=1)[:, -1]  # the last of the running sums: a sum in order
        u = np.cumsum(table * p[:, None], axis=0)[-1]
        if not u.any():
            break
        u = _over_largest(u)
    return p


def _over_largest(u):
    return u / np.abs(u).max()


@dataclass(frozen=True)
class Found:
    """A cut with its sides on the rows searched and what it is worth there."""

    terms: tuple
    sides: np.ndarray
    verdict: Verdict


def evaluate(terms, X, q, settings):
    """The cut's classwise edges on these rows, judged."""
    sides = sides_of(terms, X)
    D = (sides[:, None] * q).sum(axis=0)
    return Found(terms, sides, judge(D, np.abs(q).sum(axis=0), settings))


def search_stump(features, X, q, settings):
    """Best cut of these rows (appendix B, StumpBase): the constant, then features in rising order.

    Each feature sends its cut of largest edge, if that beats the constant's edge; a later one wins
    only if strictly better - by energy with ternary votes, by edge otherwise.
    """
    best = evaluate(CONSTANT, X, q, settings)
    for feature in features:
        term = feature.best_term(X, q, settings.slack)
        if term is not None:
            found = evaluate((term,), X, q, settings)
            if better(found.verdict, best.verdict, settings):
                best = found
    return best


def search_cut(features, X, q, settings):
    """Best product of at most m terms (Kegl & Busa-Fekete 2009); with m = 1 the best stump.

    Term 1 is the best stump; if that is the constant, so is the product. Then j = 2, 3, ..., m, 1,
    2, ...: multiply the rows' q by the sides of all *other* terms present and search the best cut.
    If the product with that cut as term j is strictly better than the product so far, the cut
    becomes term j, added or in place of the old one; if the cut is the constant, term j is
    dropped (a later turn may add it again). Stop after m turns in a row that changed nothing.
    "Better" is as in `better`: by edge, or by energy with ternary votes.
    """
    best = search_stump(features, X, q, settings)
    if settings.terms == 1 or best.terms == CONSTANT:
        return best
    slots = list(best.terms) + [None] * (settings.terms - 1)
    j, idle = 0, 0
    while idle < settings.terms:
        j = (j + 1) % settings.terms
        others = [term for k, term in enumerate(slots) if k != j and term is not None]
        flipped = sides_of(others, X)[:, None] * q
        found = search_stump(features, X, flipped, settings)
        idle += 1
        if better(found.verdict, best.verdict, settings):
            slots[j] = found.terms[0] if found.terms else None
            best = evaluate(tuple(t for t in slots if t is not None), X, q, settings)
            idle = 0
    return best


# ------------------------------------------------------------------------------------------- tree


@dataclass
class Node:
    """An inner node: its cut, its children and what its leaves say.

    `left` (phi = -1) and `right` (phi = +1) are indices of nodes, or None at a leaf. Only leaves
    have votes, `left_votes` and `right_votes`. A constant node sends every row to the right: it has
    one leaf and no left side.
    """

    terms: tuple
    left: int | None = None
    right: int | None = None
    left_votes: np.ndarray | None = None
    right_votes: np.ndarray | None = None

    @property
    def is_constant(self):
        return self.terms == CONSTANT


@dataclass
class Tree:
    """A Hamming tree: nodes in the order they were made; node 0 is the root (eq 14)."""

    nodes: list = field(default_factory=list)

    def paths(self, X):
        """For each node the (rows that reach it, their sides there)."""
        reach = {0: np.arange(len(X))}
        paths = []
        for j, node in enumerate(self.nodes):
            rows = reach[j]
            sides = sides_of(node.terms, X[rows])
            paths.append((rows, sides))
            if node.left is not None:
                reach[node.left] = rows[sides < 0]
            if node.right is not None:
                reach[node.right] = rows[sides > 0]
        return paths

    def leaves(self, X):
        """(node, side, rows) of every leaf, in the order of `leaf_places`."""
        paths = self.paths(X)
        leaves = []
        for j, side in self.leaf_places():
            rows, sides = paths[j]
            leaves.append((j, side, rows[sides == side]))
        return leaves

    def leaf_places(self):
        """(node, side) of every leaf, in the order in which the leaves came into being.

        That is by parent, left before right; the leaf of a constant node keeps its old place.
        """
        if self.nodes[0].is_constant:
            return [(0, 1)]
        places = []
        for j, node in enumerate(self.nodes):
            for side, child in ((-1, node.left), (1, node.right)):
                if node.is_constant:
                    continue
                if child is None:
                    places.append((j, side))
                elif self.nodes[child].is_constant:
                    places.append((child, 1))
        return places

    def leaf_votes(self, j, side):
        return self.nodes[j].left_votes if side < 0 else self.nodes[j].right_votes

    def votes(self, X):
        """n x K: what the tree says of each row, without alpha."""
        votes = np.zeros((len(X), len(self.leaf_votes(*self.leaf_places()[0]))))
        for j, side, rows in self.leaves(X):
            votes[rows] = self.leaf_votes(j, side)
        return votes


@dataclass(eq=False)
class Leaf:
    """A leaf in the queue: its rows, its best cut there, and the key."""

    rows: np.ndarray
    found: Found
    key: object
    parent: int | None = None
    side: int = 0


def grow(features, X, q, settings):
    """The tree's cuts (Figure 2), without votes.

    Key of a leaf = edge of its best cut on its rows - edge there of the vote it inherits: -v of the
    parent on the left, +v on the right. Ties: the older leaf, and left before right. At most N
    nodes; stop when no key is positive. A constant node has no children.
    """
    tree, everyone = Tree(), np.arange(len(X))
    found = search_cut(features, X, q, settings)
    queue = [Leaf(everyone, found, found.verdict.edge)]
    while queue and len(tree.nodes) < settings.nodes:
        leaf = queue[first_best(np.array([leaf.key for leaf in queue]), settings.slack)]
        if not leaf.key > settings.slack:
            break
        queue.remove(leaf)
        j = _append_node(tree, leaf)
        if leaf.found.terms != CONSTANT:
            queue += _children(features, X, q, settings, leaf, j)
    return tree


def _append_node(tree, leaf):
    tree.nodes.append(Node(leaf.found.terms))
    j = len(tree.nodes) - 1
    if leaf.side < 0:
        tree.nodes[leaf.parent].left = j
    elif leaf.side > 0:
        tree.nodes[leaf.parent].right = j
    return j


def _children(features, X, q, settings, leaf, j):
    """Left and right. The one of fewer rows is searched first: only draws of features notice."""
    order = sorted((-1, +1), key=lambda side: np.count_nonzero(leaf.found.sides == side))
    children = {side: _child(features, X, q, settings, leaf, j, side) for side in order}
    return [children[-1], children[+1]]


def _child(features, X, q, settings, leaf, j, side):
    rows = leaf.rows[leaf.found.sides == side]
    inherited = (side * leaf.found.verdict.votes * q[rows].sum(axis=0)).sum().item()
    found = search_cut(features, X[rows], q[rows], settings)
    return Leaf(rows, found, found.verdict.edge - inherited, j, side)


def cast_votes(tree, X, q, settings):
    """Give every leaf its votes, from the sums over all rows."""
    total = np.abs(q).sum().item()
    e = 1.0 / (q.shape[0] * q.shape[1])
    for node, (rows, sides) in zip(tree.nodes, tree.paths(X), strict=True):
        if settings.leaves == "factorized":
            D = (sides[:, None] * q[rows]).sum(axis=0)
            v = _votes(D, np.abs(q[rows]).sum(axis=0), total, e, settings)
            left, right = -v, v
        else:
            left = _leafwise(q[rows[sides < 0]], total, e, settings)
            right = _leafwise(q[rows[sides > 0]], total, e, settings)
        if node.left is None and not node.is_constant:
            node.left_votes = left
        if node.right is None:
            node.right_votes = right


def _leafwise(q, total, e, settings):
    return _votes(q.sum(axis=0), np.abs(q).sum(axis=0), total, e, settings)


def _votes(D, A, total, e, settings):
    if settings.votes == "real":
        return real_votes(D, A, total, e)
    return judge(D, A, settings).votes


# ---------------------------------------------------------------------------------- one hypothesis


@dataclass(frozen=True)
class LeafSums:
    """Per leaf and class: votes, G = sum q, A = sum |q|; `total` is the sum of all A."""

    votes: np.ndarray
    G: np.ndarray
    A: np.ndarray
    total: object

    @property
    def edge(self):
        """E = sum over leaves and classes of vote * G; of real votes only the signs count."""
        return (np.sign(self.votes).astype(int) * self.G).sum().item()

    @property
    def voted(self):
        """The mass that does not abstain."""
        return self.A[self.votes != 0].sum().item()


def leaf_sums(tree, X, q):
    leaves = tree.leaves(X)
    return LeafSums(
        votes=np.array([tree.leaf_votes(j, side) for j, side, _ in leaves]),
        G=np.array([q[rows].sum(axis=0) for _, _, rows in leaves]),
        A=np.array([np.abs(q[rows]).sum(axis=0) for _, _, rows in leaves]),
        total=np.abs(q).sum().item(),
    )


def base_coefficient(sums, n, settings):
    """alpha = learning_rate * 1/2 log((1 + gamma + s)/(1 - gamma + s)), s = 0.01/n (eq 12).

    Ternary: 1/2 log((W+ + s/2)/(W- + s/2)), which is the same when nobody abstains.
    Real votes: the learning rate. Logistic loss: half of any of these, which never raises the loss.
    """
    s = 0.01 / n
    if settings.votes == "real":
        alpha = 1.0
    elif settings.votes == "ternary":
        right, wrong = voted_shares(sums)
        alpha = 0.5 * math.log((right + s / 2) / (wrong + s / 2))
    else:
        gamma = sums.edge / sums.total
        alpha = 0.5 * math.log((1 + gamma + s) / (1 - gamma + s))
    return settings.learning_rate * (alpha / 2 if settings.loss == "logistic" else alpha)


def voted_shares(sums):
    """W+ and W-: the shares of the mass that the votes get right and wrong."""
    return _share(sums.voted + sums.edge, sums.total), _share(sums.voted - sums.edge, sums.total)


def energy(sums, alpha, settings):
    """Z = W+ exp(-alpha) + W- exp(alpha) + W0 (eq 5).

    Real votes: summed leaf by leaf, class by class.
    """
    if settings.votes != "real":
        right, wrong = voted_shares(sums)
        abstain = (sums.total - sums.voted) / sums.total
        return right * math.exp(-alpha) + wrong * math.exp(alpha) + abstain
    z = 0.0
    cells = (array.ravel().tolist() for array in (sums.votes, sums.G, sums.A))
    for v, G, A in zip(*cells, strict=True):
        right, wrong = _share(A + G, sums.total), _share(A - G, sums.total)
        z += right * math.exp(-(alpha * v)) + wrong * math.exp(alpha * v)
    return z


# ---------------------------------------------------------------------------------------- boosting


@dataclass(frozen=True)
class Round:
    """One hypothesis and what it did. `g` is the matrix of signed weights *after* the round."""

    tree: Tree
    alpha: float
    E: object
    A: object
    Z: float
    loss: float
    g: np.ndarray

    @property
    def edge(self):
        """gamma = E/A."""
        return self.E / self.A


@dataclass
class Model:
    """f(x) = sum_t alpha_t h_t(x), and the story of its training."""

    columns: int
    initial_g: np.ndarray
    rounds: list = field(default_factory=list)
    stopped: str = "rounds"

    @property
    def alphas(self):
        return [r.alpha for r in self.rounds]

    @property
    def edges(self):
        return [r.edge for r in self.rounds]

    @property
    def losses(self):
        return [r.loss for r in self.rounds]

    def scores(self, X):
        X = np.asarray(X, dtype=np.float64)
        scores = np.zeros((len(X), self.columns))
        for r in self.rounds:
            scores += r.alpha * r.tree.votes(X)
        return scores


def make_features(X, thresholds, categorical):
    """One searchable feature per column.

    `thresholds`: {column: rising thresholds} in place of all the halfway points.
    `categorical`: {column: number of categories C}; the column holds codes 0..C-1.
    """
    return [
        _make_feature(j, X[:, j], thresholds or {}, categorical or {}) for j in range(X.shape[1])
    ]


def _make_feature(j, x, thresholds, categorical):
    has_missing = bool(np.isnan(x).any())
    if j in categorical:
        return Categorical(j, categorical[j], has_missing)
    candidates = thresholds[j] if j in thresholds else halfway_thresholds(x)
    return Numeric(j, tuple(candidates), has_missing)


class ExponentialWeights:
    """g *= exp(-alpha v y) / (Z * A * 1e-9) (Figure 1, line 6); the divisor pulls the sum to 1.

    The training loss is sum |g| times all normalisers so far: the exponential loss (eq 4) under the
    initial weights, and the product of the Z's.
    """

    def __init__(self, problem, settings):
        self.signs, self.settings = problem.signs, settings
        self.g = signed_weights(initial_weights(problem, settings), self.signs, settings.paper_mode)
        self.normaliser = 1.0

    def update(self, alpha, votes, Z, total):
        pull = Z * float(total) * (1.0 if self.settings.paper_mode else 1e-9)
        self.normaliser *= pull
        factors = np.array(
            [
                [math.exp(-(alpha * v * y)) / pull for v, y in zip(*row, strict=True)]
                for row in zip(votes.tolist(), self.signs.tolist(), strict=True)
            ]
        )
        if self.settings.paper_mode:
            self.g = self.g * factors
        else:
            self.g = flushed(self.g * factors.astype(np.float32))

    @property
    def loss(self):
        return float(np.abs(self.g.astype(np.float64)).sum()) * self.normaliser


class LogisticWeights:
    """w = w0 / (1 + exp(2 margin)), pulled to total 1; margin += alpha v y in float32.

    The training loss is sum w0 log(1 + exp(-2 margin)).
    """

    def __init__(self, problem, settings):
        self.signs, self.settings = problem.signs, settings
        self.g = signed_weights(initial_weights(problem, settings), self.signs, settings.paper_mode)
        self.w0 = np.abs(self.g)
        self.margin = np.zeros_like(self.g)

    def update(self, alpha, votes, Z, total):
        self.margin = self.margin + (alpha * votes * self.signs).astype(self.margin.dtype)
        with np.errstate(over="ignore"):
            w = self.w0 / (1.0 + np.exp(2.0 * self.margin.astype(np.float64)))
        self.g = signed_weights(w.astype(self.g.dtype), self.signs, self.settings.paper_mode)

    @property
    def loss(self):
        return float((self.w0 * np.logaddexp(0.0, -2.0 * self.margin.astype(np.float64))).sum())


DEFAULTS = Settings()


def boost(X, problem, settings=DEFAULTS, rounds=10, thresholds=None, categorical=None):
    """AdaBoost.MH (Figure 1).

    Stops before a hypothesis without edge (E <= 0), and after one without error (E = A).
    `thresholds` and `categorical` are as in `make_features`.
    """
    X = np.asarray(X, dtype=np.float64)
    features = make_features(X, thresholds, categorical)
    kinds = {"exponential": ExponentialWeights, "logistic": LogisticWeights}
    weights = kinds[settings.loss](problem, settings)
    model = Model(problem.signs.shape[1], weights.g)
    for _ in range(rounds):
        q = weights.g if settings.paper_mode else units(weights.g)
        tree = grow(features, X, q, settings)
        if not tree.nodes:
            model.stopped = "no edge"
            break
        cast_votes(tree, X, q, settings)
        sums = leaf_sums(tree, X, q)
        if not sums.edge > settings.slack:
            model.stopped = "no edge"
            break
        alpha = base_coefficient(sums, len(X), settings)
        Z = energy(sums, alpha, settings)
        weights.update(alpha, tree.votes(X), Z, sums.total)
        model.rounds.append(Round(tree, alpha, sums.edge, sums.total, Z, weights.loss, weights.g))
        if not sums.edge < sums.total - settings.slack:
            model.stopped = "no error"
            break
    return model
