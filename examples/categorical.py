"""Categories and missing values as they come, beside two usual ways to turn them into numbers.

    python examples/categorical.py        (needs pandas)

A made-up table of parcels. How a parcel goes depends on the region of its town, which the table
does not hold, on its weight, and on whether a time of delivery was given at all. A cut asks for a
set of towns, and sends missing values to the side where they help.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder

from mhboost import MHBoostClassifier

N_TOWNS, N_REGIONS = 60, 4


def parcels(n_rows, rng):
    """Made-up parcels, and how each goes: by bike, van or train."""
    region_of_town = rng.integers(0, N_REGIONS, N_TOWNS)
    town = rng.integers(0, N_TOWNS, n_rows)
    weight = rng.lognormal(1, 1, n_rows)
    hour = np.where(rng.random(n_rows) < 0.4, np.nan, rng.uniform(8, 20, n_rows))
    region = region_of_town[town]
    by_bike = (region <= 1) & (weight < 3)
    by_train = (region % 2 == 1) & np.isnan(hour)
    way = np.where(by_bike, "bike", np.where(by_train, "train", "van"))
    surprises = rng.random(n_rows) < 0.05
    way[surprises] = rng.choice(["bike", "van", "train"], surprises.sum())
    names = pd.Categorical.from_codes(town, [f"town {i:02}" for i in range(N_TOWNS)])
    return pd.DataFrame({"town": names, "weight": weight, "hour": hour}), way


def main():
    X, y = parcels(4000, np.random.default_rng(0))
    X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
    model = MHBoostClassifier(n_estimators=50, n_inner_nodes=6, random_state=0)

    def encoded(encoder):
        others = make_column_transformer((encoder, ["town"]), remainder="passthrough")
        return make_pipeline(others, model)

    errors = {}
    for name, way in {
        "categories as they are": model,
        "one-hot columns": encoded(OneHotEncoder(sparse_output=False)),
        "numbers in alphabetical order": encoded(OrdinalEncoder()),
    }.items():
        errors[name] = 1 - way.fit(X_train, y_train).score(X_test, y_test)
        print(f"{name:32}{errors[name]:7.2%}")

    model.fit(X_train, y_train)
    shares = zip(model.feature_names_in_, model.feature_importances_, strict=True)
    print("\nimportances:", ", ".join(f"{name} {share:.2f}" for name, share in shares))
    print(model.estimators_[0])
    return errors


if __name__ == "__main__":
    main()
