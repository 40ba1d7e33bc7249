"""Files of predictions, written part after part, and there completely or not at all."""

from __future__ import annotations

import os
import secrets
import sys
from pathlib import Path
from types import TracebackType
from typing import Any

import pyarrow as pa
from pyarrow import csv, ipc, parquet

from .guard import UsageMistakeError

__all__ = ["Output"]

ENDINGS = {".csv": "csv", ".parquet": "parquet", ".arrow": "arrow", ".feather": "arrow"}


class Output:
    """Where predictions go.

    Parameters
    ----------
    path : path or None
        Its ending says the format; None is CSV on the standard output.
    """

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.format = "csv" if path is None else ENDINGS.get(path.suffix.lower(), "")
        if not self.format:
            raise UsageMistakeError(f"--out must end with {', '.join(ENDINGS)}; got {path}")
        self.n_rows = 0
        self._writer: Any = None
        self._file: Any = None
        self._temporary: Path | None = None

    def write(self, rows: pa.Table) -> None:
        """Add rows; all tables have the same columns."""
        if self._writer is None:
            self._open(rows.schema)
        self._writer.write_table(rows)
        self.n_rows += rows.num_rows

    def _open(self, schema: pa.Schema) -> None:
        if self.path is None:
            sys.stdout.flush()
            self._file = getattr(sys.stdout, "buffer", sys.stdout)
        else:
            target = Path(os.path.realpath(self.path))
            self._temporary = target.with_name(f".{target.name}.{secrets.token_hex(8)}.tmp")
            self._file = open(self._temporary, "xb")  # noqa: SIM115
        if self.format == "csv":
            options = csv.WriteOptions(quoting_style="needed")
            self._writer = csv.CSVWriter(self._file, schema, write_options=options)
        elif self.format == "parquet":
            self._writer = parquet.ParquetWriter(self._file, schema)
        else:
            self._writer = ipc.new_file(self._file, schema)

    def __enter__(self) -> Output:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._writer is None:
            return
        if self._temporary is None:
            if error is None:
                self._writer.close()
                self._file.flush()
            return
        try:
            self._writer.close()
            if error is None:
                self._file.flush()
                os.fsync(self._file.fileno())
                self._file.close()
                os.replace(self._temporary, os.path.realpath(self.path or ""))
        finally:
            self._file.close()
            self._temporary.unlink(missing_ok=True)
