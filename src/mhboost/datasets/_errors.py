"""What can go wrong on the way to a data set."""

__all__ = [
    "DatasetMismatchError",
    "DatasetMissingError",
    "SourceError",
    "UnpublishedCutWarning",
]


class DatasetMissingError(LookupError):
    """No source has the data set; the message says why, source by source, and how to get it.

    A `LookupError` and not an `OSError`: a file is only one of the places that were searched, and
    trying again does not help.
    """


class DatasetMismatchError(ValueError):
    """The file in the folder is not the published cut; the message says what differs."""


class UnpublishedCutWarning(UserWarning):
    """The counts of a downloaded copy are right, its content is not that of the published cut."""


class SourceError(Exception):
    """One source does not have the data set; the message is the reason."""
