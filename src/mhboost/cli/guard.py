"""A user's mistake becomes one line and an exit code.

1    files, columns, data           2    options           130    Ctrl-C
"""

from __future__ import annotations

import functools
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import ParamSpec

import typer

from .._model_file.container import ModelFileError
from ..readers import FileError

__all__ = ["MistakeError", "UsageMistakeError", "guarded", "mistakes"]

P = ParamSpec("P")
FAILED, USAGE, INTERRUPTED = 1, 2, 130


class MistakeError(ValueError):
    """Something that the user can put right; the message says how."""

    exit_code = FAILED


class UsageMistakeError(MistakeError):
    """Options that cannot be, whatever the data."""

    exit_code = USAGE


@contextmanager
def mistakes(kind: type[MistakeError] = MistakeError) -> Iterator[None]:
    """Around the estimator: what it refuses is a mistake of the user."""
    try:
        yield
    except (TypeError, ValueError) as error:
        raise kind(str(error)) from error


def guarded(command: Callable[P, None]) -> Callable[P, None]:
    """Make a command fail with one line.

    Parameters
    ----------
    command : callable
        The command.

    Returns
    -------
    callable
        With the same signature.
    """

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        try:
            with warnings.catch_warnings():
                warnings.showwarning = _show_warning  # type: ignore[assignment]
                warnings.simplefilter("default")
                command(*args, **kwargs)
        except (FileError, MistakeError, ModelFileError) as error:
            code = error.exit_code if isinstance(error, MistakeError) else FAILED
            raise _failed(str(error), code) from error
        except BrokenPipeError as error:  # `mhboost ... | head`
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(FAILED) from error
        except OSError as error:
            name = f"{error.filename}: " if error.filename else ""
            raise _failed(f"{name}{error.strerror or error}") from error
        except MemoryError as error:
            raise _failed(f"there is not enough memory {error}".strip()) from error
        except KeyboardInterrupt as error:
            print("interrupted: nothing was written", file=sys.stderr)
            raise typer.Exit(INTERRUPTED) from error

    return run


def _failed(message: str, code: int = FAILED) -> typer.Exit:
    print(f"error: {message}", file=sys.stderr, flush=True)
    return typer.Exit(code)


def _show_warning(message: Warning | str, category: type[Warning], *_: object) -> None:
    if issubclass(category, UserWarning):
        print(f"note: {message}", file=sys.stderr, flush=True)
