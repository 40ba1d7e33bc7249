"""The half of the estimator that lasts: model files, pickles and copies, all by the same bytes."""

from __future__ import annotations

import inspect
import os
import warnings
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from ._model_file import disk
from ._model_file.container import ModelFileError
from ._model_file.model import SavedModel, decode_model, encode_model
from ._model_file.values import Notes, NotPortableError
from ._parameters import check_parameters
from .learners import tree_shape

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ._training import Outcome
    from .classifier import MHBoostClassifier

BYTES = "_model_file"  # in a pickled state, in place of the fitted attributes


class Saving(BaseEstimator):
    """Methods of a fitted `MHBoostClassifier`."""

    notes_: dict[str, Any]

    def save(self, path: disk.FilePath, notes: Notes | None = None) -> None:
        """Write the model to a file, for `mhboost.load`.

        The file holds all that predicting needs, the story of the training and the parameters. It
        is written completely or not at all. The same model gives the same bytes.

        Callbacks and the name of a checkpoint are not saved; of a subclass neither its type nor
        parameters of its own. A `weighting` matrix and a `RandomState` cannot be saved: they come
        back as the parameter's default, with a warning here.

        Parameters
        ----------
        path : str or path
            Name of the file. One that exists is replaced.
        notes : dict of str to str or list of str, optional
            What else is to be known of the model, the name of the target for instance. A loaded
            model has it as `notes_`; None keeps those.

        Examples
        --------
        >>> import os, tempfile, mhboost
        >>> model = mhboost.MHBoostClassifier().fit([[1.0], [2.0], [3.0]], ["low", "mid", "high"])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.save(os.path.join(folder, "levels.mhb"))
        ...     loaded = mhboost.load(os.path.join(folder, "levels.mhb"))
        >>> loaded.predict([[1.2], [9.0]]).tolist()
        ['low', 'high']
        """
        check_is_fitted(self)
        if notes is None:
            notes = getattr(self, "notes_", {})
        data, lost = encode_model(self, _signature(), notes)
        for name in lost:
            warnings.warn(
                f"{name}={getattr(self, name)!r:.100} cannot be saved: a loaded model has the "
                "default there. Its predictions are the same.",
                UserWarning,
                stacklevel=2,
            )
        disk.write(path, data)

    def _adopt(self, feature_names: Any, outcome: Outcome) -> None:
        """Set all fitted attributes, and remove those that this fit does not have."""
        self.__dict__.pop("notes_", None)
        set_fitted(self, fitted_attributes(feature_names, outcome))

    def _take(self, saved: SavedModel) -> None:
        """Become the model that was saved."""
        self._adopt(saved.feature_names, saved.outcome)
        if saved.notes:
            self.notes_ = saved.notes

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())
        if "_model" not in state:
            return state
        try:
            data, _ = encode_model(self, _signature(), getattr(self, "notes_", {}))
        except NotPortableError:  # labels of a type of their own: pickle knows what to do
            return state
        return {BYTES: data, **{k: v for k, v in state.items() if k not in (*FITTED, "notes_")}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        own = dict(state)
        data = own.pop(BYTES, None)
        super().__setstate__(own)
        if data is not None:
            with _named("a pickled model"):
                saved = decode_model(data)
            self._take(saved)

    def __copy__(self) -> Any:
        copied = type(self).__new__(type(self))
        copied.__dict__.update(self.__dict__)
        return copied


FITTED = (
    "classes_",
    "n_classes_",
    "n_features_in_",
    "feature_names_in_",
    "n_iter_",
    "best_iteration_",
    "edges_",
    "alphas_",
    "train_score_",
    "validation_score_",
    "temperature_",
    "stop_reason_",
    "_model",
)


def set_fitted(estimator: Any, attributes: dict[str, Any]) -> None:
    """Set fitted attributes, and remove those that this fit does not have."""
    for name, value in attributes.items():
        if value is not None or name == "stop_reason_":
            setattr(estimator, name, value)
        elif hasattr(estimator, name):
            delattr(estimator, name)


def fitted_attributes(feature_names: Any, outcome: Outcome) -> dict[str, Any]:
    """Name what training gave as the estimator shows it."""
    model, validation = outcome.model, outcome.validation_scores
    values = (
        model.problem.public_classes,
        model.problem.n_classes,
        len(model.schema.categories),
        feature_names,
        outcome.n_kept,
        outcome.best,
        outcome.edges,
        outcome.alphas,
        outcome.train_scores,
        validation[0] if len(validation) == 1 else validation or None,
        outcome.temperature,
        outcome.stop_reason,
        model,
    )
    return dict(zip(FITTED, values, strict=True))


def load(path: disk.FilePath) -> MHBoostClassifier:
    """Read a model that `MHBoostClassifier.save` wrote.

    Nothing in the file is executed, and all of it is checked before anything is returned: a file
    from a stranger may be a bad model, but it can do no harm.

    Parameters
    ----------
    path : str or path
        Name of the file.

    Returns
    -------
    MHBoostClassifier
        Fitted, with the parameters of the one that was saved. Predictions are the same bits.

    Raises
    ------
    ModelFileError
        If the file is no model, is damaged, or is of a later format; the message says which
        version of mhboost to install.

    Examples
    --------
    >>> import mhboost
    >>> with open(__file__) as text:
    ...     mhboost.load(text.name)
    Traceback (most recent call last):
    mhboost._model_file.container.ModelFileError: ...: this is no safetensors file (...)
    """
    data = Path(path).read_bytes()
    with _named(os.fspath(path)):
        saved = decode_model(data)
        estimator = _estimator(saved)
    estimator._take(saved)
    return estimator


def _estimator(saved: SavedModel) -> MHBoostClassifier:
    known = {k: v for k, v in saved.parameters.items() if k in _signature().parameters}
    strange = sorted(saved.parameters.keys() - known.keys())
    if strange:
        warnings.warn(
            f"this version of mhboost knows no parameter {strange[0]!r:.60}, which the model was "
            "trained with. Its predictions are the same.",
            UserWarning,
            stacklevel=3,
        )
    try:
        check_parameters(known)
        estimator = _classifier()(**known)
        tree_shape(estimator.base, estimator.n_inner_nodes, estimator.n_terms)
    except (TypeError, ValueError) as error:
        raise ModelFileError(f"its parameters are not allowed: {error}") from error
    return estimator


@contextmanager
def _named(source: str) -> Iterator[None]:
    """Say in a ModelFileError which file it is about."""
    try:
        yield
    except RecursionError as error:
        raise ModelFileError(f"{source}: it is nested too deeply") from error
    except ModelFileError as error:
        raise ModelFileError(f"{source}: {error}") from error


def _classifier() -> type[MHBoostClassifier]:
    from .classifier import MHBoostClassifier  # which inherits from this module

    return MHBoostClassifier


def _signature() -> inspect.Signature:
    return inspect.signature(_classifier())
