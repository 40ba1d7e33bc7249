"""The rivals once more: slow, in plain NumPy, every cut tried, every sum in doubles.

A tree is a list of leaves: `grow` says which rows each holds and what it votes.
"""

from __future__ import annotations

from functools import partial

import numpy as np

# A cut must be this much better (relative) than one before it: the core rounds to float32.
CLEARLY = 1 + 1e-5


def softmax(F):
    p = np.exp(F - F.max(axis=1, keepdims=True))
    return p / p.sum(axis=1, keepdims=True)


def one_hot(y, K):
    return np.eye(K)[y]


def candidates(X, rows):
    """All cuts of some rows: (feature, threshold, which rows are right of it)."""
    for j in range(X.shape[1]):
        values = np.unique(X[rows, j])
        for threshold in (values[1:] + values[:-1]) / 2:
            yield j, threshold, X[rows, j] >= threshold


def best_cut(X, rows, value):
    """The cut with the largest value(left) + value(right) - value(rows), and that gain."""
    best, chosen = 0.0, None
    uncut = value(rows)
    for _, _, right in candidates(X, rows):
        sides = rows[~right], rows[right]
        values = [value(side) for side in sides]
        if None not in values and sum(values) - uncut > best * CLEARLY + 1e-9:
            best, chosen = sum(values) - uncut, sides
    return best, chosen


def grow(X, n_leaves, value=None, best=None):
    """Rows of the leaves of a tree: the leaf that gains most is cut next.

    `best` finds the cut of some rows; without it, it is the one that gains most `value`.
    """
    if best is None:
        best = partial(best_cut, X, value=value)
    leaves = [(np.arange(len(X)), *best(np.arange(len(X))))]
    while len(leaves) < n_leaves:
        k = int(np.argmax([gain for _, gain, _ in leaves]))
        rows, gain, sides = leaves.pop(k)
        if gain <= 0:
            leaves.append((rows, gain, sides))
            break
        leaves += [(side, *best(side)) for side in sides]
    return [rows for rows, _, _ in leaves]


# --------------------------------------------------------------------------------------- LogitBoost


def newton_step(g, h, factor, limit):
    return np.clip(factor * g.sum(axis=0) / h.sum(axis=0), -limit, limit)


def logit_round(F, X, y, method, *, n_leaves, least=0, weights=None):
    """The round's steps, an n x K matrix: what is added to F at a learning rate of 1."""
    n, K = F.shape
    w = np.ones(n) if weights is None else weights
    p = softmax(F)
    g = w[:, None] * (one_hot(y, K) - p)
    h = w[:, None] * p * (1 - p)
    steps = np.zeros((n, K))
    if method == "vt":

        def value(rows):
            return (g[rows].sum(axis=0) ** 2 / h[rows].sum(axis=0)).sum()

        for rows in grow(X, n_leaves, value):
            steps[rows] = newton_step(g[rows], h[rows], 1, 5)
        return steps
    for k in range(K):

        def value(rows, k=k):
            if w[rows].sum() < least:
                return None
            below = h[rows, k] if method == "logitboost" else w[rows]
            return g[rows, k].sum() ** 2 / below.sum()

        for rows in grow(X, n_leaves, value):
            steps[rows, k] = newton_step(g[rows, k], h[rows, k], (K - 1) / K, 50)
    return steps


def logit_scores(X, y, K, method, *, rounds, learning_rate, **more):
    """F after each round."""
    F = np.zeros((len(X), K))
    stages = []
    for _ in range(rounds):
        F = F + learning_rate * logit_round(F, X, y, method, **more)
        stages.append(F)
    return stages


# ------------------------------------------------------------------------ ABC-MART, ABC-LogitBoost


def log_loss(F, y, w):
    return -(w * np.log(softmax(F)[np.arange(len(y)), y])).sum()


def abc_trial(F, X, y, w, base, *, n_leaves, learning_rate, least=0, first_order=False):
    """F after a round with this base."""
    n, K = F.shape
    p = softmax(F)
    g = w[:, None] * (one_hot(y, K) - p)
    h = w[:, None] * p * (1 - p)
    steps = np.zeros((n, K))
    for k in range(K):
        if k == base:
            continue
        gk = g[:, k] - g[:, base]
        hk = h[:, k] + h[:, base] + 2 * w * p[:, k] * p[:, base]
        below = w if first_order else hk

        def value(rows, gk=gk, below=below):
            if w[rows].sum() < least:
                return None
            return gk[rows].sum() ** 2 / below[rows].sum()

        for rows in grow(X, n_leaves, value):
            step = np.clip(gk[rows].sum() / hk[rows].sum(), -50, 50)
            steps[rows, k] = step
            steps[rows, base] -= step
    return F + learning_rate * steps


def abc_scores(X, y, K, w, *, rounds, candidates, gap, **more):
    """F in the end, and the base of each round."""
    F, bases = np.zeros((len(X), K)), []
    for t in range(rounds):
        if t % (gap + 1) == 0:
            losses = -w * np.log(softmax(F)[np.arange(len(y)), y])
            worst = np.argsort(-np.bincount(y, losses, K), kind="stable")[:candidates]
        else:
            worst = bases[-1:]
        trials = [abc_trial(F, X, y, w, base, **more) for base in worst]
        best = int(np.argmin([log_loss(trial, y, w) for trial in trials]))
        F = trials[best]
        bases.append(worst[best])
    return F, bases


# ---------------------------------------------------------------------------------- AOSO-LogitBoost


def aoso_pair(g, h, p, w):
    """The classes that go up and down in a node, and (G_r - G_s) / Q."""
    G, H = g.sum(axis=0), h.sum(axis=0)
    r = int(G.argmax())
    Q = H[r] + H + 2 * (w[:, None] * p[:, [r]] * p).sum(axis=0)
    gains = (G[r] - G) ** 2 / Q
    gains[r] = -1
    s = int(gains.argmax())
    return r, s, (G[r] - G[s]) / Q[s]


def aoso_scores(X, y, K, w, *, rounds, learning_rate, n_leaves):
    F = np.zeros((len(X), K))
    for _ in range(rounds):
        p = softmax(F)
        g = w[:, None] * (one_hot(y, K) - p)
        h = w[:, None] * p * (1 - p)
        steps = np.zeros_like(F)

        def best(node, p=p, g=g, h=h):
            r, s, _ = aoso_pair(g[node], h[node], p[node], w[node])

            def value(rows):
                q = (h[rows, r] + h[rows, s] + 2 * w[rows] * p[rows, r] * p[rows, s]).sum()
                return (g[rows, r] - g[rows, s]).sum() ** 2 / q

            return best_cut(X, node, value)

        for leaf in grow(X, n_leaves, best=best):
            r, s, step = aoso_pair(g[leaf], h[leaf], p[leaf], w[leaf])
            steps[leaf, r] = np.clip(step, -5, 5)
            steps[leaf, s] = -np.clip(step, -5, 5)
        F = F + learning_rate * steps
    return F


# ------------------------------------------------------------------------- leaves that name classes


def gini_value(w, y, K):
    def value(rows):
        of_class = np.bincount(y[rows], w[rows], K)
        return (of_class**2).sum() / of_class.sum()

    return value


def hellinger_value(W, Y):
    """W: n x K weights; a row's sum is for its own class, the others are against."""
    own = W.sum(axis=1)

    def value(rows):
        favour = (Y[rows] * own[rows, None]).sum(axis=0)
        against = (~Y[rows] * W[rows]).sum(axis=0)
        return ((np.sqrt(favour) - np.sqrt(against)) ** 2).sum()

    return value


def labels_of(leaves, M):
    """The class that each row's leaf names: the largest sum of M over the leaf."""
    label = np.zeros(len(M), dtype=int)
    for rows in leaves:
        label[rows] = M[rows].sum(axis=0).argmax()
    return label


def samme_scores(X, y, K, w, *, rounds, learning_rate, n_leaves, m1=False):
    """Sum of alpha [T = k]."""
    F, Y, w = np.zeros((len(X), K)), one_hot(y, K), w / w.sum()
    for _ in range(rounds):
        label = labels_of(grow(X, n_leaves, gini_value(w, y, K)), w[:, None] * Y)
        error = w[label != y].sum()
        alpha = learning_rate * (np.log((1 - error) / error) + (0 if m1 else np.log(K - 1)))
        F += alpha * one_hot(label, K)
        w = w * np.exp(alpha * (label != y))
        w /= w.sum()
    return F


def samme_r_scores(X, y, K, w, *, rounds, learning_rate, n_leaves):
    F, Y, w = np.zeros((len(X), K)), one_hot(y, K), w / w.sum()
    code = np.where(Y > 0, 1, -1 / (K - 1))
    for _ in range(rounds):
        q = np.zeros((len(X), K))
        for rows in grow(X, n_leaves, gini_value(w, y, K)):
            of_class = np.bincount(y[rows], w[rows], K)
            q[rows] = np.maximum(of_class / of_class.sum(), 1e-5)
        log_q = np.log(q)
        F += learning_rate * (K - 1) * (log_q - log_q.mean(axis=1, keepdims=True))
        w = w * np.exp(-learning_rate * (K - 1) / K * (code * log_q).sum(axis=1))
        w /= w.sum()
    return F


def mh_scores(X, y, K, w, *, rounds, learning_rate, n_leaves):
    """Single-label trees: +1 on a class, -1 on the others."""
    n, Y = len(X), one_hot(y, K)
    F, S = np.zeros((n, K)), np.where(Y > 0, 1, -1)
    W = (w / w.sum())[:, None] * np.where(Y > 0, 0.5, 0.5 / (K - 1))
    s = 0.01 / max(n, w.sum())
    for _ in range(rounds):
        label = labels_of(grow(X, n_leaves, gini_value(W.sum(axis=1), y, K)), W * S)
        votes = 2 * one_hot(label, K) - 1
        edge = (W * S * votes).sum()
        alpha = learning_rate * 0.5 * np.log((1 + edge + s) / (1 - edge + s))
        F += alpha * votes
        W = W * np.exp(-alpha * S * votes)
        W /= W.sum()
    return F


def mm_scores(X, y, K, w, *, rounds, learning_rate, n_leaves):
    """From f itself: the costs are made anew each round."""
    n, Y = len(X), one_hot(y, K) > 0
    F = np.zeros((n, K))
    eps = 1 / (max(n, w.sum()) * K)
    for _ in range(rounds):
        C = np.where(Y, 0, w[:, None] * np.exp(F - F[Y][:, None]))
        C /= C.sum()
        gain = np.where(Y, C.sum(axis=1, keepdims=True), -C)
        label = labels_of(grow(X, n_leaves, hellinger_value(C, Y)), gain)
        named = gain[np.arange(n), label]
        saved, caused = named[label == y].sum(), -named[label != y].sum()
        F += learning_rate * 0.5 * np.log((saved + eps) / (caused + eps)) * one_hot(label, K)
    return F


def m2_scores(X, y, K, w, *, rounds, learning_rate, n_leaves):
    n, Y = len(X), one_hot(y, K) > 0
    F = np.zeros((n, K))
    D = np.where(Y, 0, w[:, None] * np.ones((n, K)))
    for _ in range(rounds):
        D = D / D.sum()
        gain = np.where(Y, D.sum(axis=1, keepdims=True), -D)
        h = np.zeros((n, K))
        for rows in grow(X, n_leaves, hellinger_value(D, Y)):
            h[rows] = gain[rows].sum(axis=0) > 0
        own = h[Y][:, None]
        e = 0.5 * (D * (1 - own + h)).sum()
        beta = (e / (1 - e)) ** learning_rate
        F += np.log(1 / beta) * h
        D = D * beta ** ((1 + own - h) / 2)
    return F
