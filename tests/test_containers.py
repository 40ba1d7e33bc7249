"""X of every container and type: the same values give the same model, bit for bit, uncopied."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from estimator_runs import bits, small
from mhboost._columns import DenseTable, read_table
from mhboost._schema import MAX_CATEGORIES

NAMES = list("abcde")
LETTERS = np.array(["ant", "bee", "cow", "dog", "eel", "fox"])


def numbers(n=120):
    """Small whole numbers, many zeros: every type of number can hold them."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 40, (n, 5)) * (rng.random((n, 5)) < 0.7)
    y = (X[:, 0] + X[:, 1] > 25) + (X[:, 2] > X[:, 3]).astype(int)
    return X.astype(np.float64), y


def same_model_and_scores(given, plain, y, **parameters):
    """Whether two containers of the same values give the same model and predictions."""
    with warnings.catch_warnings():
        warnings.filterwarnings("error")
        one, other = small(**parameters).fit(given, y), small(**parameters).fit(plain, y)
        scores = one.decision_function(given), other.decision_function(plain)
    return bits(one) == bits(other) and np.array_equal(*scores)


# ------------------------------------------------------------------------------------- numpy arrays


def read_only(X):
    X = X.copy()
    X.flags.writeable = False
    return X


LAYOUTS = {
    "C order": np.ascontiguousarray,
    "Fortran order": np.asfortranarray,
    "read-only": read_only,
    "every other row and third column": lambda X: X.repeat(2, axis=0).repeat(3, axis=1)[::2, ::3],
    "backwards": lambda X: np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1],
    "other byte order": lambda X: X.astype(X.dtype.newbyteorder()),
    "memory-mapped": lambda X: X.view(np.memmap),
    "nested lists": lambda X: X.tolist(),
    "list of rows": list,
    "objects": lambda X: X.astype(object),
}
NUMBER_TYPES = [
    *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", "longdouble"),
]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layout_does_not_matter(layout):
    X, y = numbers()
    assert same_model_and_scores(LAYOUTS[layout](X), X, y)


@pytest.mark.parametrize("dtype", NUMBER_TYPES)
@pytest.mark.parametrize("order", ["C", "F"])
def test_type_does_not_matter(dtype, order):
    X, y = numbers()
    assert same_model_and_scores(X.astype(dtype, order=order), X, y)


# -------------------------------------------------------------------------------------- data frames


def mixed_types(X):
    types = dict(zip(NAMES, ["int8", "float32", "Int64", "Float32", "uint16"], strict=True))
    return pd.DataFrame(X, columns=NAMES).astype(types)


def in_chunks(X):
    return pa.concat_tables(
        [pa.table(dict(zip(NAMES, part.T, strict=True))) for part in (X[:50], X[50:])]
    )


FRAMES = {
    "pandas": lambda X: pd.DataFrame(X, columns=NAMES),
    "pandas, column by column": lambda X: pd.DataFrame({n: X[:, j] for j, n in enumerate(NAMES)}),
    "pandas, mixed and nullable": mixed_types,
    "pandas, Arrow": lambda X: pd.DataFrame(X, columns=NAMES).astype("double[pyarrow]"),
    "pandas, objects": lambda X: pd.DataFrame(X, columns=NAMES, dtype=object),
    "pandas, sparse": lambda X: pd.DataFrame(X, columns=NAMES).astype(pd.SparseDtype(float, 0)),
    "polars": lambda X: pl.DataFrame(X, schema=NAMES),
    "polars, small integers": lambda X: pl.DataFrame(X, schema=NAMES).cast(pl.UInt8),
    "polars, decimals": lambda X: pl.DataFrame(X, schema=NAMES).cast(pl.Decimal(10, 2)),
    "polars, in chunks": lambda X: pl.concat(
        [pl.DataFrame(part, schema=NAMES) for part in (X[:50], X[50:])], rechunk=False
    ),
    "pyarrow": lambda X: pa.table(dict(zip(NAMES, X.T, strict=True))),
    "pyarrow, in chunks": in_chunks,
    "pyarrow batch": lambda X: pa.RecordBatch.from_pandas(pd.DataFrame(X, columns=NAMES)),
}


@pytest.mark.parametrize("frame", FRAMES)
def test_frame_is_its_numbers(frame):
    X, y = numbers()
    assert same_model_and_scores(FRAMES[frame](X), X, y)


@pytest.mark.parametrize("frame", FRAMES)
def test_frame_names_its_features(frame):
    X, y = numbers()
    assert small().fit(FRAMES[frame](X), y).feature_names_in_.tolist() == NAMES


class Stranger:
    """A data frame of a make that nobody knows, but which speaks Arrow."""

    def __init__(self, X):
        self.table = pa.table(dict(zip(NAMES, X.T, strict=True)))

    def __arrow_c_stream__(self, requested_schema=None):
        return self.table.__arrow_c_stream__(requested_schema)


def test_stranger_that_speaks_arrow():
    X, y = numbers()
    assert same_model_and_scores(Stranger(X), X, y)


TRUTH_VALUES = {
    "numpy": lambda B: B,
    "numpy, Fortran order": np.asfortranarray,
    "lists": lambda B: B.tolist(),
    "pandas": lambda B: pd.DataFrame(B),
    "pandas, nullable": lambda B: pd.DataFrame(B).astype("boolean"),
    "polars": pl.DataFrame,
    "pyarrow": lambda B: pa.table(dict(zip(NAMES, B.T, strict=True))),
    "sparse": sparse.csr_array,
}


@pytest.mark.parametrize("container", TRUTH_VALUES)
def test_truth_values_are_zeros_and_ones(container):
    X, y = numbers()
    B = X > 15
    given, plain = TRUTH_VALUES[container](B), B.astype(float)
    assert bits(small().fit(given, y)) == bits(small().fit(plain, y))


# ------------------------------------------------------------------------------------ sparse arrays


def with_duplicates(X):
    """Every value in two halves, rows unsorted; the two have to be added up."""
    rows, columns = np.nonzero(X)
    order = np.random.default_rng(0).permutation(2 * len(rows))
    values = np.tile(X[rows, columns] / 2, 2)[order]
    triples = sparse.coo_array((values, (np.tile(rows, 2)[order], np.tile(columns, 2)[order])))
    by_row = np.argsort(triples.row, kind="stable")
    starts = np.searchsorted(triples.row[by_row], np.arange(len(X) + 1))
    return sparse.csr_array((values[by_row], triples.col[by_row], starts), shape=X.shape)


def with_stored_zeros(X):
    shape = X.shape
    rows = np.repeat(np.arange(shape[0]), shape[1])
    return sparse.csr_array((X.ravel(), (rows, np.tile(np.arange(shape[1]), shape[0]))), shape)


def with_long_indices(X):
    matrix = sparse.csr_array(X)
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
    return matrix


SPARSE = {
    **{f: getattr(sparse, f"{f}_array") for f in ("csr", "csc", "coo", "lil", "dok", "bsr")},
    **{f"{f} matrix": getattr(sparse, f"{f}_matrix") for f in ("csr", "csc")},
    "float32": lambda X: sparse.csr_array(X.astype(np.float32)),
    "integers": lambda X: sparse.csc_array(X.astype(np.int16)),
    "duplicates": with_duplicates,
    "stored zeros": with_stored_zeros,
    "long indices": with_long_indices,
}


@pytest.mark.parametrize("form", SPARSE)
@pytest.mark.parametrize("max_bins", [4, 256])
def test_sparse_array_is_its_dense_self(form, max_bins):
    X, y = numbers()
    assert same_model_and_scores(SPARSE[form](X), X, y, max_bins=max_bins)


def test_sparse_input_is_left_as_it_was():
    X, y = numbers()
    given = with_duplicates(X)
    before = given.copy()
    small().fit(given, y).predict(given)
    for part in ("data", "indices", "indptr"):
        assert np.array_equal(getattr(given, part), getattr(before, part))


# --------------------------------------------------------------------------------------- categories


def categories(n=120, missing=False):
    """A number and a category, which both matter: (numbers, codes, labels of the rows, y)."""
    rng = np.random.default_rng(0)
    x, c = rng.normal(size=n), rng.integers(0, len(LETTERS), n)
    y = (c % 3 == 1) + (x > 0).astype(int)
    labels = LETTERS[c].astype(object)
    codes = c.astype(float)
    if missing:
        x[::5], codes[::7], labels[::7] = np.nan, np.nan, None
    return x, codes, labels, y


def dictionary(labels, values=LETTERS):
    places = {label: i for i, label in enumerate(values)}
    codes = pa.array([places.get(label) for label in labels], type=pa.int32())
    return pa.DictionaryArray.from_arrays(codes, pa.array(values.tolist()))


def arrow_dictionary(labels):
    return pd.Series(list(labels)).astype(pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string())))


def null_is_a_category(labels):
    places = {None: 0, **{label: i + 1 for i, label in enumerate(LETTERS)}}
    codes = pa.array([places[label] for label in labels], type=pa.int32())
    return pa.DictionaryArray.from_arrays(codes, pa.array([None, *LETTERS.tolist()]))


def nullable(x):
    return [None if np.isnan(value) else value for value in x]


# Columns whose type says that they are categories. Order and number of the categories that a type
# knows do not matter, only which of them occur.
FOUND_BY_TYPE = {
    "pandas": lambda x, s: pd.DataFrame({"x": x, "c": pd.Categorical(s)}),
    "pandas, other order": lambda x, s: pd.DataFrame(
        {"x": x, "c": pd.Categorical(s, categories=[*LETTERS[::-1], "gnu"])}
    ),
    "pandas, Arrow": lambda x, s: pd.DataFrame({"x": x, "c": arrow_dictionary(s)}),
    "polars Categorical": lambda x, s: pl.DataFrame(
        {"x": nullable(x), "c": pl.Series(list(s), dtype=pl.Categorical)}
    ),
    "polars Enum": lambda x, s: pl.DataFrame(
        {"x": x, "c": pl.Series(list(s), dtype=pl.Enum(["gnu", *LETTERS[::-1]]))}
    ),
    "pyarrow": lambda x, s: pa.table({"x": nullable(x), "c": dictionary(s)}),
    "pyarrow, other order": lambda x, s: pa.table({"x": x, "c": dictionary(s, LETTERS[::-1])}),
    "pyarrow, null a category": lambda x, s: pa.table({"x": x, "c": null_is_a_category(s)}),
    "pyarrow, chunks of their own": lambda x, s: pa.table(
        {
            "x": x,
            "c": pa.chunked_array([dictionary(s[:9]), dictionary(s[9:], LETTERS[::-1])]),
        }
    ),
}
# Columns that are categories because the user says so.
FOUND_BY_NAME = {
    "pandas strings": lambda x, s: pd.DataFrame({"x": x, "c": pd.Series(s, dtype="string")}),
    "pandas objects": lambda x, s: pd.DataFrame({"x": x, "c": pd.Series(s, dtype=object)}),
    "polars strings": lambda x, s: pl.DataFrame({"x": x, "c": list(s)}),
    "pyarrow strings": lambda x, s: pa.table({"x": x, "c": list(s)}),
}


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("frame", FOUND_BY_TYPE)
def test_category_columns_are_found(frame, missing):
    x, codes, labels, y = categories(missing=missing)
    X, plain = FOUND_BY_TYPE[frame](x, labels), np.column_stack([x, codes])
    found, told = small().fit(X, y), small(categorical_features=[1]).fit(plain, y)
    assert bits(found) == bits(told)
    assert np.array_equal(found.decision_function(X), told.decision_function(plain))


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("frame", FOUND_BY_NAME)
@pytest.mark.parametrize("spec", [["c"], [1], [-1], [False, True]])
def test_category_columns_are_named(frame, missing, spec):
    x, codes, labels, y = categories(missing=missing)
    X, plain = FOUND_BY_NAME[frame](x, labels), np.column_stack([x, codes])
    named, told = small(categorical_features=spec).fit(X, y), small(categorical_features=[1])
    assert bits(named) == bits(told.fit(plain, y))
    assert np.array_equal(named.decision_function(X), told.decision_function(plain))


ROWS_OF_OBJECTS = {
    "objects": lambda x, s: np.column_stack([x.astype(object), s]),
    "lists": lambda x, s: [list(row) for row in zip(x.tolist(), s.tolist(), strict=True)],
    "tuples": lambda x, s: list(zip(x.tolist(), s.tolist(), strict=True)),
}


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("rows", ROWS_OF_OBJECTS)
def test_strings_among_numbers(rows, missing):
    x, codes, labels, y = categories(missing=missing)
    X, plain = ROWS_OF_OBJECTS[rows](x, labels), np.column_stack([x, codes])
    model, told = small(categorical_features=[1]).fit(X, y), small(categorical_features=[1])
    assert bits(model) == bits(told.fit(plain, y))


def test_array_of_strings_is_all_categories():
    _, codes, labels, y = categories()
    strings, plain = labels.astype(str)[:, None], codes[:, None]
    all_of_it = {"categorical_features": [0]}
    assert same_model_and_scores(strings, plain, y, **all_of_it)


@pytest.mark.parametrize("make", [sparse.csr_array, sparse.csc_array])
@pytest.mark.parametrize("missing", [False, True])
def test_categories_in_a_sparse_array(make, missing):
    x, codes, _, y = categories(missing=missing)
    plain = np.column_stack([x, codes])
    assert same_model_and_scores(make(plain), plain, y, categorical_features=[1])


def test_largest_number_of_categories_leaves_room_for_missing_and_unseen_ones():
    rows = np.arange(MAX_CATEGORIES, dtype=float)[:, None]
    model = small("stump", n_estimators=1, categorical_features=[0]).fit(rows, rows[:, 0] > 9)
    others = model._model.schema.encode(DenseTable(np.array([[0.0], [-1.0], [np.nan]])))
    assert len(set(model._model.binner.transform(others).bins(0).tolist())) == 3
    more = np.arange(MAX_CATEGORIES + 1.0)[:, None]
    with pytest.raises(ValueError, match=f"{MAX_CATEGORIES + 1} categories; at most"):
        small(categorical_features=[0]).fit(more, more[:, 0] > 9)


CATEGORIES_OF = {
    "integers": lambda codes: codes.astype(int) * 1000 - 2,
    "floats": lambda codes: codes / 8,
    "days": lambda codes: np.datetime64("2020-01-01") + codes.astype("m8[D]"),
    "tuples": lambda codes: [(int(code), "x") for code in codes],
}


@pytest.mark.parametrize("kind", CATEGORIES_OF)
def test_categories_need_not_be_strings(kind):
    x, codes, _, y = categories()
    frame = pd.DataFrame({"x": x, "c": pd.Series(CATEGORIES_OF[kind](codes)).astype("category")})
    told = small(categorical_features=[1]).fit(np.column_stack([x, codes]), y)
    assert bits(small().fit(frame, y)) == bits(told)


def test_none_means_that_categories_are_numbers():
    x, codes, _, y = categories()
    frame = pd.DataFrame({"x": x, "c": pd.Categorical(codes)})
    plain = np.column_stack([x, codes])
    assert same_model_and_scores(frame, plain, y, categorical_features=None)


# ------------------------------------------------------------- categories that training did not see


@pytest.mark.parametrize("frame", [*FOUND_BY_TYPE, *FOUND_BY_NAME])
def test_unseen_category_goes_where_most_weight_went(frame):
    x, codes, labels, y = categories()
    known = labels != "fox"
    make = (FOUND_BY_TYPE | FOUND_BY_NAME)[frame]
    model = small(categorical_features=["c"], n_inner_nodes=2, n_estimators=20)
    model.fit(make(x[known], labels[known]), y[known])
    unseen = make(np.zeros(3), np.array(["fox", "fox", "fox"], dtype=object))
    told = small(categorical_features=[1], n_inner_nodes=2, n_estimators=20)
    told.fit(np.column_stack([x[known], codes[known]]), y[known])
    missing = told.decision_function([[0.0, np.nan]])  # nor did training see missing ones
    assert np.array_equal(model.decision_function(unseen), missing.repeat(3, axis=0))


def test_frame_of_another_make_at_predict():
    """Categories are known by what they stand for, not by their codes."""
    x, _, labels, y = categories()
    model = small().fit(FOUND_BY_TYPE["pandas"](x, labels), y)
    expected = model.decision_function(FOUND_BY_TYPE["pandas"](x, labels))
    for make in (FOUND_BY_TYPE | FOUND_BY_NAME).values():
        assert np.array_equal(model.decision_function(make(x, labels)), expected)
        first = slice(3)  # other categories occur, so other codes
        assert np.array_equal(
            model.decision_function(make(x[first], labels[first])), expected[first]
        )


def test_evaluation_set_may_have_unseen_categories():
    x, _, labels, y = categories()
    known = labels != "fox"
    frame = FOUND_BY_TYPE["pandas"](x, labels)
    model = small().fit(frame[known], y[known], eval_set=(frame, y))
    wrong = np.mean(model.predict(frame) != y)
    assert model.validation_score_[-1] == pytest.approx(wrong)


# ----------------------------------------------------------------------------------- missing values

WITH_MISSING = {
    "Fortran order": np.asfortranarray,
    "float32": lambda X: X.astype(np.float32),
    "backwards": lambda X: np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1],
    "lists": lambda X: X.tolist(),
    "None in lists": lambda X: [nullable(row) for row in X],
    "objects": lambda X: np.array([nullable(row) for row in X], dtype=object),
    "csr": sparse.csr_array,
    "csc": sparse.csc_array,
    "pandas": lambda X: pd.DataFrame(X),
    "pandas Float64": lambda X: pd.DataFrame(X).astype("Float64"),
    "pandas Int64": lambda X: pd.DataFrame(
        {j: pd.array(nullable(c), "Int64") for j, c in enumerate(X.T)}
    ),
    "pandas, Arrow": lambda X: pd.DataFrame(X).astype("int64[pyarrow]"),
    "pandas objects": lambda X: pd.DataFrame([nullable(row) for row in X], dtype=object),
    "polars null": lambda X: pl.DataFrame({str(j): nullable(c) for j, c in enumerate(X.T)}),
    "polars NaN": lambda X: pl.DataFrame(X),
    "polars integers": lambda X: pl.DataFrame(
        {str(j): nullable(c) for j, c in enumerate(X.T)}
    ).cast(pl.Int32),
    "pyarrow null": lambda X: pa.table({str(j): nullable(c) for j, c in enumerate(X.T)}),
    "pyarrow integers": lambda X: pa.table(
        {str(j): pa.array(nullable(c), type=pa.int8()) for j, c in enumerate(X.T)}
    ),
}


@pytest.mark.parametrize("container", WITH_MISSING)
def test_missing_values(container):
    X, y = numbers()
    X[np.random.default_rng(1).random(X.shape) < 0.2] = np.nan
    assert same_model_and_scores(WITH_MISSING[container](X), X, y)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"a": pd.array([True, None, False, True], dtype="boolean")}),
        pl.DataFrame({"a": [True, None, False, True]}),
        pa.table({"a": [True, None, False, True]}),
    ],
)
def test_missing_truth_values(frame):
    plain = np.array([[1.0], [np.nan], [0.0], [1.0]])
    y = [0, 1, 2, 0]
    assert bits(small().fit(frame, y)) == bits(small().fit(plain, y))


# ------------------------------------------------------------------------------------ feature names


@pytest.mark.parametrize("frame", FRAMES)
@pytest.mark.parametrize(
    ("names", "fault"),
    [
        (["b", "a", "c", "d", "e"], "same order"),
        (["a", "b", "c", "d", "z"], "unseen at fit time"),
        (["a", "b", "c", "d"], "now missing"),
    ],
)
def test_wrong_feature_names_are_refused(frame, names, fault):
    X, y = numbers()
    model = small().fit(FRAMES[frame](X), y)
    other = pd.DataFrame(X[:, : len(names)], columns=names)
    makes = {"polars": pl.from_pandas, "pyarrow": pa.Table.from_pandas}
    given = makes.get(frame.split(",")[0], lambda X: X)(other)
    for method in ("predict", "predict_proba", "decision_function", "apply"):
        with pytest.raises(ValueError, match=fault):
            getattr(model, method)(given)


def test_no_names_after_names_gives_a_warning():
    X, y = numbers()
    model = small().fit(FRAMES["pandas"](X), y)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        scores = model.decision_function(X)
    assert np.array_equal(scores, model.decision_function(FRAMES["pandas"](X)))


def test_names_after_no_names_give_a_warning():
    X, y = numbers()
    with pytest.warns(UserWarning, match="has feature names, but"):
        small().fit(X, y).predict(FRAMES["polars"](X))


@pytest.mark.parametrize("columns", [4, 6])
def test_wrong_number_of_features_is_refused(columns):
    X, y = numbers()
    model = small().fit(X, y)
    for make in (np.asarray, sparse.csr_array, sparse.csc_array):
        with pytest.raises(ValueError, match=f"X has {columns} features, but .* expecting 5"):
            model.predict(make(np.ones((3, columns))))


# ---------------------------------------------------------------------------------------- no copies


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "int64", "float32", "float64"])
@pytest.mark.parametrize("layout", ["C order", "Fortran order", "read-only", "backwards"])
def test_array_is_read_where_it_lies(dtype, layout):
    given = LAYOUTS[layout](np.ones((6, 4), dtype=dtype))
    table = read_table(given, None)
    assert isinstance(table, DenseTable)
    assert np.shares_memory(table.array, given)


FRAMES_OF_PLAIN_NUMBERS = {
    "pandas": (pd.DataFrame, lambda frame: frame.to_numpy()),
    "polars": (lambda X: pl.DataFrame(X, schema=NAMES), lambda frame: frame["b"].to_numpy()),
    "pyarrow": (FRAMES["pyarrow"], lambda table: table.column("b").chunk(0).to_numpy()),
}


@pytest.mark.parametrize("make", FRAMES_OF_PLAIN_NUMBERS)
@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64"])
def test_frame_is_read_where_it_lies(make, dtype):
    build, memory = FRAMES_OF_PLAIN_NUMBERS[make]
    frame = build(np.ones((6, 5), dtype=dtype, order="F"))
    column = read_table(frame, None).column(1).values
    assert column.dtype == dtype
    assert np.shares_memory(column, memory(frame))


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64"])
def test_python_side_of_fit_and_predict_makes_no_copy(order, dtype):
    """Less new memory than half a copy of the smallest type; row-wise arrays are small here."""
    X = np.random.default_rng(0).integers(0, 99, (500, 4000)).astype(dtype, order=order)
    y = np.arange(500) % 3
    tracemalloc.start()
    try:
        small(n_estimators=1).fit(X, y).predict(X)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < X.size / 2


# The core allocates where tracemalloc does not look, so this asks the system. Values copied as
# float64 would be 64 MB; a byte per entry of the sparse matrix, 400 MB. The binned matrix is 8 MB.
MEMORY = """
import numpy as np
from scipy import sparse
from mhboost import MHBoostClassifier

def megabytes(key):
    lines = dict(line.split(":") for line in open("/proc/self/status"))
    return int(lines[key].split()[0]) / 1024

rng = np.random.default_rng(0)
values = rng.integers(0, 99, (10000, 800), dtype=np.uint8)
wide = sparse.random_array((2000, 200000), density=1e-4, rng=rng, format="csr")
cases = {
    (dtype, order): values.astype(dtype, order=order)
    for dtype in ("float64", "float32", "uint8") for order in "CF"
}
model = MHBoostClassifier(n_estimators=2, n_inner_nodes=2, n_jobs=1)
y = np.arange(10000) % 3
for case, X in {**cases, "csr": wide, "csc": wide.tocsc()}.items():
    before = megabytes("VmRSS")
    model.fit(X, y[: X.shape[0]]).predict(X)
    growth = megabytes("VmHWM") - before
    assert growth < 50, (case, growth)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="asks /proc for the peak of memory")
def test_neither_dense_nor_sparse_input_is_copied_as_dense_doubles():
    subprocess.run([sys.executable, "-c", MEMORY], check=True)


def test_wide_frame_of_sparse_columns_stays_sparse():
    frame = pd.DataFrame.sparse.from_spmatrix(sparse.eye_array(400, 1000, format="csc"))
    y = np.arange(400) % 3
    assert sparse.issparse(read_table(frame, None).matrix)
    plain = frame.to_numpy()
    assert bits(small().fit(frame, y)) == bits(small().fit(plain, y))
