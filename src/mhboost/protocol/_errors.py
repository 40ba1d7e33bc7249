"""What a user can get wrong."""

__all__ = ["ExperimentError"]


class ExperimentError(ValueError):
    """The experiment cannot be run as it is written; the message says why."""
