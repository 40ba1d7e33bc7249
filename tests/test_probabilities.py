"""Probabilities: normalised, ordered as the scores, honest on rows kept out of training."""

import numpy as np
import pytest

from estimator_runs import small
from mhboost import _training

N = 200
RNG = np.random.default_rng(5)
X = RNG.normal(size=(2 * N, 4))
LOGITS = X @ RNG.normal(size=(4, 4)) + RNG.normal(size=(2 * N, 4))  # noise: nobody can know
PROBLEMS = {
    "binary": (LOGITS[:, 0] > 0.5).astype(int),
    "single-label": LOGITS.argmax(axis=1),
    "multi-label": (LOGITS > 0.3).astype(int),
    "multi-task": np.c_[LOGITS.argmax(axis=1), LOGITS[:, 1] > 0],
}
VOTES = ("discrete", "ternary", "real")
WITH_PROBLEMS = pytest.mark.parametrize("name", PROBLEMS)
WITH_VOTES = pytest.mark.parametrize("votes", VOTES)


def fitted(name, rounds=30, held_out=False, **parameters):
    """A model of the first half; `held_out`: with the second half as its evaluation set."""
    y = PROBLEMS[name]
    more = {"eval_set": (X[N:], y[N:])} if held_out else {}
    return small(n_estimators=rounds, **parameters).fit(X[:N], y[:N], **more)


def per_task(values):
    return values if isinstance(values, list) else [values]


# ------------------------------------------------------------------------------------ shape, order


@WITH_PROBLEMS
@WITH_VOTES
def test_probabilities_are_probabilities(name, votes):
    model = fitted(name, votes=votes)
    for p in per_task(model.predict_proba(X)):
        assert p.dtype == np.float64
        assert p.min() >= 0
        assert p.max() <= 1
        if name != "multi-label":
            assert p.sum(axis=1) == pytest.approx(1, abs=1e-12)


def test_shapes():
    shapes = {
        name: [p.shape for p in per_task(fitted(name).predict_proba(X[:7]))] for name in PROBLEMS
    }
    assert shapes == {
        "binary": [(7, 2)],
        "single-label": [(7, 4)],
        "multi-label": [(7, 4)],
        "multi-task": [(7, 4), (7, 2)],
    }


@WITH_PROBLEMS
@pytest.mark.parametrize("held_out", [False, True])
def test_they_order_classes_as_the_scores_do(name, held_out):
    model = fitted(name, held_out=held_out)
    for p, f in zip(
        per_task(model.predict_proba(X)), per_task(model.decision_function(X)), strict=True
    ):
        if f.ndim == 1:
            assert np.array_equal(p[:, 1] > p[:, 0], f > 0)
            assert np.array_equal(np.argsort(p[:, 1], kind="stable"), np.argsort(f, kind="stable"))
        elif name == "multi-label":
            assert np.array_equal(p > 0.5, f > 0)
        else:
            sign_of_differences = [np.sign(v[:, :, None] - v[:, None, :]) for v in (p, f)]
            assert np.array_equal(*sign_of_differences)


@WITH_PROBLEMS
@WITH_VOTES
def test_the_likeliest_is_what_is_predicted(name, votes):
    model = fitted(name, votes=votes)
    tasks = per_task(model.predict_proba(X))
    if name == "multi-label":
        assert np.array_equal(model.predict(X), tasks[0] > 0.5)
    else:
        classes = per_task(model.classes_)
        labels = [c[p.argmax(axis=1)] for c, p in zip(classes, tasks, strict=True)]
        assert np.array_equal(model.predict(X), np.column_stack(labels).squeeze())


def test_labels_are_judged_one_by_one():
    """p = 1 / (1 + exp(-2 f / T)), whatever the other labels say."""
    model = fitted("multi-label")
    f = model.decision_function(X)
    assert model.predict_proba(X) == pytest.approx(1 / (1 + np.exp(-2 * f / model.temperature_)))


def test_classes_are_judged_together():
    """p = exp(2 f / T), normalised; of two classes the second has the score."""
    model = fitted("multi-task")
    several, two = model.decision_function(X)
    odds = np.exp(2 * several / model.temperature_)
    p_several, p_two = model.predict_proba(X)
    assert p_several == pytest.approx(odds / odds.sum(axis=1, keepdims=True))
    assert p_two[:, 1] == pytest.approx(1 / (1 + np.exp(-2 * two / model.temperature_)))


@WITH_PROBLEMS
def test_logarithms_are_those_of_the_probabilities(name):
    model = fitted(name)
    logs, plain = per_task(model.predict_log_proba(X)), per_task(model.predict_proba(X))
    for log_p, p in zip(logs, plain, strict=True):
        assert np.exp(log_p) == pytest.approx(p)


@WITH_PROBLEMS
def test_logarithms_are_finite_where_probabilities_round_to_zero(name):
    model = fitted(name)
    model.temperature_ = 1e-4
    assert any((p == 0).any() for p in per_task(model.predict_proba(X)))
    for log_p in per_task(model.predict_log_proba(X)):
        assert np.isfinite(log_p).all()
        assert log_p.min() < -745


@WITH_PROBLEMS
def test_the_last_stage_is_the_whole(name):
    model = fitted(name, rounds=5)
    *_, last = model.staged_predict_proba(X)
    for stage, whole in zip(per_task(last), per_task(model.predict_proba(X)), strict=True):
        assert np.array_equal(stage, whole)


# ------------------------------------------------------------------------------------ held out


def log_loss(model, X, y, temperature, weights):
    """Summed over tasks, written out; targets are smoothed by 1 / (n + 2)."""
    model.temperature_ = temperature
    logs, loss, e = per_task(model.predict_log_proba(X)), 0.0, 1 / (len(X) + 2)
    if len(logs) == 1 and y.ndim == 2:  # labels: each a task of two classes
        f = 2 * model.decision_function(X) / temperature
        logs = [-np.logaddexp(0, np.stack([v, -v], axis=1)) for v in f.T]
    for log_p, labels in zip(logs, np.reshape(y, (len(y), -1)).T, strict=True):
        k = log_p.shape[1]
        truth = np.eye(k)[labels.astype(int)]
        truth = e + (1 - 2 * e) * truth if k == 2 else e / k + (1 - e) * truth
        loss -= weights @ (truth * log_p).sum(axis=1)
    return loss


@WITH_PROBLEMS
@WITH_VOTES
def test_the_temperature_has_the_smallest_log_loss_on_rows_kept_out(name, votes):
    model = fitted(name, held_out=True, votes=votes)
    best, ones = model.temperature_, np.ones(N)
    held_out = X[N:], PROBLEMS[name][N:]
    smallest = log_loss(model, *held_out, best, ones)
    for factor in (0.1, 0.5, 0.9, 0.99, 1.01, 1.1, 2, 10):
        assert log_loss(model, *held_out, best * factor, ones) > smallest


def test_weights_of_rows_kept_out_count():
    """A row of weight zero has no say; row weights move the optimum to where they lie."""
    y, weights = PROBLEMS["binary"], np.r_[np.ones(N // 2), np.zeros(N // 2)]
    arguments = {"eval_set": (X[N:], y[N:]), "eval_sample_weight": weights}
    model = small(n_estimators=30).fit(X[:N], y[:N], **arguments)
    best = model.temperature_
    assert best != fitted("binary", held_out=True).temperature_
    losses = [log_loss(model, X[N:], y[N:], best * f, weights) for f in (0.9, 1, 1.1)]
    assert min(losses) == losses[1]


def test_the_first_evaluation_set_decides():
    y = PROBLEMS["binary"]
    pairs = [(X[N:], y[N:]), (X[:N], y[:N])]
    one, both, swapped = (
        small(n_estimators=30).fit(X[:N], y[:N], eval_set=pairs[0]).temperature_,
        small(n_estimators=30).fit(X[:N], y[:N], eval_set=pairs).temperature_,
        small(n_estimators=30).fit(X[:N], y[:N], eval_set=pairs[::-1]).temperature_,
    )
    assert one == both != swapped


@WITH_PROBLEMS
def test_rows_split_off_for_early_stopping_serve_too(name):
    """Half of the labels are noise: 200 rounds believe far too much."""
    stopped = fitted(name, rounds=200, early_stopping=True, validation_fraction=0.3)
    assert stopped.temperature_ > 1.5
    ones, rest = np.ones(N), (X[N:], PROBLEMS[name][N:])
    fitted_T = stopped.temperature_
    losses = [log_loss(stopped, *rest, T, ones) for T in (fitted_T, 1.0)]
    assert losses[0] < losses[1]


def test_of_very_many_rows_an_even_share_is_enough(monkeypatch):
    whole = fitted("single-label", held_out=True).temperature_
    monkeypatch.setattr(_training, "MAX_TEMPERATURE_ENTRIES", 4 * 150)
    part = fitted("single-label", held_out=True).temperature_
    assert part != whole
    assert part == pytest.approx(whole, rel=0.2)


def test_rows_kept_out_without_a_mistake_give_a_finite_temperature():
    x = np.arange(40.0)[:, None]
    y = (x[:, 0] >= 20).astype(int)
    model = small(n_estimators=3).fit(x, y, eval_set=(x, y))
    assert np.isfinite(model.predict_log_proba(x)).all()
    assert 1 < 1 / (1 - model.predict_proba(x).max()) < 1e4


# ------------------------------------------------------------------------------------ vouched


@WITH_PROBLEMS
@WITH_VOTES
def test_without_rows_kept_out_no_odds_exceed_n_plus_one(name, votes):
    model = fitted(name, rounds=200, votes=votes)
    scores = model._scores(X[:N])
    assert np.abs(scores).max() > np.log(N + 1) / 2  # there is something to hold back
    assert np.exp(2 * np.abs(scores) / model.temperature_).max() <= (N + 1) * (1 + 1e-12)


def test_few_rounds_are_believed():
    assert fitted("binary", rounds=1).temperature_ == 1


def test_more_rows_vouch_for_more():
    """A row of weight 10 counts as ten; weights below one count as one."""
    y = PROBLEMS["binary"][:N]
    temperatures = [
        small(n_estimators=100, max_bins=4).fit(X[:N], y, w * np.ones(N)).temperature_
        for w in (0.01, 1, 10)
    ]
    assert temperatures[0] == pytest.approx(temperatures[1])
    assert temperatures[1] > temperatures[2]


@pytest.mark.parametrize("other", [PROBLEMS["binary"], np.full(2 * N, 8)], ids=["two", "one class"])
def test_a_constant_task_has_nothing_to_say(other):
    y = np.c_[other, np.full(2 * N, 7)]
    with pytest.warns(UserWarning, match="one class only"):
        model = small().fit(X[:N], y[:N], eval_set=(X[N:], y[N:]))
    first, second = model.predict_proba(X)
    assert np.array_equal(second, np.ones((2 * N, 1)))
    assert first.sum(axis=1) == pytest.approx(1)
    assert np.isfinite(model.temperature_)
