"""Hamming trees on handwritten digits, beside a random forest and a support vector machine.

    python examples/digits.py

All three learn from the same half of scikit-learn's digits and are tested on the other half. The
picture `examples/out/digits.png` shows the test error of the Hamming trees as training time passes.
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from mhboost import MHBoostClassifier

PICTURE = Path(__file__).parent / "out" / "digits.png"


def timed_fit(model, X, y):
    began = time.perf_counter()
    model.fit(X, y)
    return time.perf_counter() - began


def main():
    X, y = load_digits(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=0.5, stratify=y, random_state=0
    )
    seconds_at_round = []
    models = {
        "Hamming trees": MHBoostClassifier(
            n_estimators=1000,
            random_state=0,
            verbose=1,
            callbacks=[lambda state: seconds_at_round.append(state.seconds)],
        ),
        "random forest": RandomForestClassifier(n_estimators=500, n_jobs=-1, random_state=0),
        "SVM (RBF)": make_pipeline(StandardScaler(), SVC(C=10)),
    }
    results = {}
    for name, model in models.items():
        seconds = timed_fit(model, X_train, y_train)
        results[name] = seconds, 1 - model.score(X_test, y_test)

    print(f"\n{len(y_train)} digits to learn from, {len(y_test)} to be tested on\n")
    print(f"{'':16}{'test error':>12}{'training':>12}")
    for name, (seconds, error) in results.items():
        print(f"{name:16}{error:12.2%}{seconds:10.2f} s")

    stages = models["Hamming trees"].staged_predict(X_test)
    draw(seconds_at_round, [np.mean(stage != y_test) for stage in stages], results)
    print(f"\nlearning curve: {PICTURE}")


def draw(seconds_at_round, errors, results):
    try:
        import matplotlib as mpl
    except ImportError as error:
        raise SystemExit("The picture needs matplotlib: pip install 'mhboost[plot]'") from error
    mpl.use("agg")
    from matplotlib import pyplot as plt
    from matplotlib.ticker import FixedLocator, NullLocator

    figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    axes.plot(seconds_at_round, np.multiply(errors, 100), label="Hamming trees, by round")
    for (name, (seconds, error)), marker in zip(list(results.items())[1:], "os", strict=True):
        axes.plot(seconds, 100 * error, marker, label=name)
    axes.set(
        xscale="log",
        yscale="log",
        xlabel="training time (s)",
        ylabel="test error (%)",
        title="Handwritten digits",
    )
    axes.yaxis.set_major_locator(FixedLocator([1, 2, 3, 5, 10, 20, 50]))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_locator(NullLocator())
    axes.grid(which="both", alpha=0.3)
    axes.legend()
    PICTURE.parent.mkdir(exist_ok=True)
    figure.savefig(PICTURE, dpi=150)


if __name__ == "__main__":
    main()
