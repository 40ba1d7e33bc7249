"""y of any container -> `Outputs`: checked labels, one vector per output or one matrix of numbers.

list of vectors     labels of any type; a list of one is an ordinary y
ndarray (n, M)      several outputs of numbers, M > 1
csr_array (n, L)    a sparse indicator
"""

from __future__ import annotations

import warnings
from numbers import Real
from typing import Any, TypeAlias

import numpy as np
from scipy import sparse
from sklearn.exceptions import DataConversionWarning
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import check_classification_targets, unique_labels

from ._frames import Array, Column, frame_columns, is_frame, is_missing, series_column

Outputs: TypeAlias = "list[Array] | Array | sparse.csr_array"


def read_labels(y: Any, name: str = "y") -> Outputs:
    """Check y and take its container off.

    Parameters
    ----------
    y : array-like, series, data frame or sparse array
        Labels as the user gave them.
    name : str
        What to call y in an error.

    Returns
    -------
    list of ndarray, ndarray or csr_array
        See the module's text. A matrix of one column becomes a vector, with a warning.

    Examples
    --------
    >>> read_labels(["b", "a"])
    [array(['b', 'a'], dtype='<U1')]
    >>> read_labels([[1, 2], [3, 4]])
    array([[1, 2],
           [3, 4]])
    """
    if y is None:
        raise ValueError(f"This estimator requires y to be passed, but the target {name} is None.")
    if sparse.issparse(y):
        return _sparse_outputs(y, name)
    outputs = [_plain(labels) for labels in _outputs(y, name)]
    if len(outputs) > 1 and all(labels.dtype.kind in "biuf" for labels in outputs):
        is_matrix = isinstance(y, np.ndarray) and y.dtype.kind != "O"
        matrix = y if is_matrix else np.column_stack(outputs)
        assert_all_finite(matrix, input_name=name)
        return matrix
    for labels in outputs:
        check_labels(labels, name)
    return outputs


def rows_decided_right(y: Any, predicted: Array) -> Array:
    """Compare true labels with predicted ones.

    Parameters
    ----------
    y : array-like, series, data frame or sparse array
        True labels; some may be of classes that training had not.
    predicted : ndarray of shape (n,) or (n, M)
        Labels from a model.

    Returns
    -------
    ndarray of bool
        Which rows are right in all outputs.

    Examples
    --------
    >>> rows_decided_right([[0, 1], [1, 1]], np.array([[0, 1], [0, 1]]))
    array([ True, False])
    """
    outputs: Any = read_labels(y)
    if sparse.issparse(outputs):
        outputs = outputs.toarray()
    truth = list(outputs if isinstance(outputs, list) else outputs.T)
    answers = [_plain(labels) for labels in predicted.reshape(len(predicted), -1).T]
    if (len(truth), len(truth[0])) != (len(answers), len(predicted)):
        raise ValueError(
            f"y must have {len(predicted)} rows and {len(answers)} outputs, as predicted; "
            f"got {len(truth[0])} rows and {len(truth)} outputs."
        )
    right = np.ones(len(predicted), dtype=bool)
    for labels, answer in zip(truth, answers, strict=True):
        unique_labels(labels, answer)  # refuses to compare strings with numbers
        right &= labels == answer
    return right


def check_labels(labels: Array, name: str) -> None:
    """Refuse a vector that cannot be class labels.

    Parameters
    ----------
    labels : ndarray of shape (n,)
        One output.
    name : str
        What to call y in an error.
    """
    if labels.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {name} has type {labels.dtype}.")
    if labels.dtype.kind == "O" and any(map(is_missing, labels)):
        raise ValueError(f"Input {name} contains NaN or None; every row needs a label.")
    if labels.dtype.kind == "f":
        assert_all_finite(labels, input_name=name)
    try:
        if len(labels):
            check_classification_targets(labels)
    except (TypeError, ValueError) as error:
        raise type(error)(
            f"{name} must hold class labels; got {labels[:3].tolist()}: {error}"
        ) from error


def n_outputs(outputs: Outputs) -> int:
    """Count the outputs.

    Parameters
    ----------
    outputs : list of ndarray, ndarray or csr_array
        What `read_labels` returned.

    Returns
    -------
    int
        1 for an ordinary y.
    """
    return len(outputs) if isinstance(outputs, list) else int(outputs.shape[1])


def _sparse_outputs(y: Any, name: str) -> sparse.csr_array:
    matrix = sparse.csr_array(y, copy=True)
    assert_all_finite(matrix.data, input_name=name)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    return matrix


def _outputs(y: Any, name: str) -> list[Array]:
    if is_frame(y):
        columns = [_labels_of(column, name) for column in frame_columns(y)]
        return _not_a_column_vector(columns, name)
    series = series_column(y)
    if series is not None:
        return [_labels_of(series, name)]
    try:
        array = np.asarray(y)
    except ValueError as error:
        raise ValueError(f"{name} must be an array of labels: {error}") from error
    if array.ndim == 1:
        return [array]
    if array.ndim == 2 and array.shape[1] > 0:
        return _not_a_column_vector(list(array.T), name)
    raise ValueError(
        f"{name} should be a 1d array of labels, or an array of shape (n_samples, n_outputs); "
        f"got an array of shape {array.shape} instead."
    )


def _plain(labels: Array) -> Array:
    """Give Python numbers and truth values in an object array the type of their own."""
    is_plain = labels.dtype.kind == "O" and all(isinstance(x, (Real, np.bool_)) for x in labels)
    return np.asarray(labels.tolist()) if is_plain and len(labels) else labels


def _labels_of(column: Column, name: str) -> Array:
    if column.labels is None:
        return column.values
    if (column.values < 0).any():
        raise ValueError(f"Input {name} contains missing values; every row needs a label.")
    return np.asarray(column.labels.tolist())[column.values]


def _not_a_column_vector(columns: list[Array], name: str) -> list[Array]:
    if len(columns) == 1:
        warnings.warn(
            f"A column-vector {name} was passed when a 1d array was expected. Please change the "
            f"shape of {name} to (n_samples,), for example using ravel().",
            DataConversionWarning,
            stacklevel=2,
        )
    return columns
