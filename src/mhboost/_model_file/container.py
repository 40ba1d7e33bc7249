"""Bytes <-> a header and named arrays, in the safetensors format.

Writing narrows: whole numbers to the smallest type that holds them, real ones to float32 where
that is exact. Reading widens again, and checks type, shape and range of each array that is asked
for; `Reader.finish` refuses what nobody asked for.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, deserialize
from safetensors.numpy import save

Array = NDArray[Any]
Header = dict[str, Any]

KEY = "mhboost"  # of the header among the container's metadata
DTYPES = {
    "U8": np.uint8,
    "U16": np.uint16,
    "U32": np.uint32,
    "I8": np.int8,
    "I16": np.int16,
    "I32": np.int32,
    "F32": np.float32,
    "F64": np.float64,
}


class ModelFileError(ValueError):
    """A file that is no model of this library, is damaged, or is too new.

    Examples
    --------
    >>> from mhboost import ModelFileError
    >>> issubclass(ModelFileError, ValueError)
    True
    """


def require(condition: object, what: str) -> None:
    """Raise a `ModelFileError` that says `what`, unless the condition holds."""
    if not condition:
        raise ModelFileError(what)


# --- writing --------------------------------------------------------------------------------------


def pack(header: Header, arrays: Mapping[str, Array]) -> bytes:
    """Write a header and arrays.

    Parameters
    ----------
    header : dict
        What JSON can hold.
    arrays : mapping
        Names and arrays of the types of `DTYPES`.

    Returns
    -------
    bytes
        The same for the same arguments. The header is one entry of the metadata, because the
        container does not promise an order of several.

    Examples
    --------
    >>> header, reader = unpack(pack({"format": 1}, {"x": np.arange(3, dtype=np.uint8)}))
    >>> header, reader.whole("x").tolist()
    ({'format': 1}, [0, 1, 2])
    """
    text = json.dumps(header, allow_nan=False, separators=(",", ":"))
    named = {name: np.ascontiguousarray(arrays[name]) for name in sorted(arrays)}
    return bytes(save(named, metadata={KEY: text}))


def narrow(values: Array) -> Array:
    """Give whole numbers the smallest type: unsigned, or signed if one is negative."""
    signed = bool((values < 0).any())
    types = (np.int8, np.int16, np.int32) if signed else (np.uint8, np.uint16, np.uint32)
    low, high = (values.min(), values.max()) if values.size else (0, 0)
    fits = [t for t in types if np.iinfo(t).min <= low and high <= np.iinfo(t).max]
    return values.astype(fits[0])


def narrow_real(values: Array) -> Array:
    """Make float32 of float64 if no number changes."""
    with np.errstate(over="ignore"):
        short = values.astype(np.float32)
    return short if np.array_equal(short, values) else values


def pack_bits(bits: Array) -> Array:
    """Put truth values into bytes along the last axis, the first one lowest."""
    return np.packbits(bits.astype(bool), axis=-1, bitorder="little")


# --- reading --------------------------------------------------------------------------------------


def unpack(data: bytes) -> tuple[Header, Reader]:
    """Read what `pack` wrote.

    Parameters
    ----------
    data : bytes
        From anywhere.

    Returns
    -------
    header : dict
        As it was given to `pack`.
    reader : Reader
        Of the arrays.
    """
    try:
        entries = deserialize(data)  # type: ignore[no-untyped-call]
    except SafetensorError as error:
        raise ModelFileError(f"this is no safetensors file ({error})") from error
    length = int.from_bytes(data[:8], "little")
    metadata = json.loads(data[8 : 8 + length]).get("__metadata__")
    text = metadata.get(KEY) if isinstance(metadata, dict) else None
    require(isinstance(text, str), "this is a safetensors file, but not of mhboost")
    return _parse(str(text)), Reader({name: _array(name, entry) for name, entry in entries})


def _parse(text: str) -> Header:
    def refuse(constant: str) -> None:
        raise ModelFileError(f"the header holds {constant}")

    try:
        header = json.loads(text, parse_constant=refuse)
    except RecursionError as error:
        raise ModelFileError("the header is nested too deeply") from error
    except ModelFileError:
        raise
    except ValueError as error:
        raise ModelFileError(f"the header is no JSON ({error})") from error
    require(isinstance(header, dict), "the header is no JSON object")
    return dict(header)


def _array(name: str, entry: Mapping[str, Any]) -> Array:
    require(entry["dtype"] in DTYPES, f"array {name!r:.60} has type {entry['dtype']}")
    require(max(entry["shape"], default=0) < 2**31, f"array {name!r:.60} is too large")
    dtype = np.dtype(DTYPES[entry["dtype"]]).newbyteorder("<")
    return np.frombuffer(entry["data"], dtype=dtype).reshape(entry["shape"])


class Reader:
    """Hands out arrays of a file, each once and checked.

    Parameters
    ----------
    arrays : dict
        Names and arrays as they were stored.
    """

    def __init__(self, arrays: dict[str, Array]) -> None:
        self._arrays = arrays

    def has(self, name: str) -> bool:
        """Whether there is an array of this name, not read yet."""
        return name in self._arrays

    def finish(self) -> None:
        """Refuse arrays that nobody has read."""
        require(not self._arrays, f"array {next(iter(self._arrays), '')!r:.60} is not known")

    def _take(self, name: str, shape: tuple[int | None, ...], kinds: str) -> Array:
        require(name in self._arrays, f"array '{name}' is missing")
        array = self._arrays.pop(name)
        right = array.ndim == len(shape) and all(
            wanted is None or wanted == got for wanted, got in zip(shape, array.shape, strict=True)
        )
        wanted = " x ".join("any" if size is None else str(size) for size in shape)
        require(right, f"array '{name}' has shape {array.shape}, wanted is {wanted}")
        require(array.dtype.kind in kinds, f"array '{name}' has type {array.dtype}")
        return array

    def whole(self, name: str, length: int | None = None) -> NDArray[np.int64]:
        """Read whole numbers that are not negative."""
        return self._take(name, (length,), "u").astype(np.int64)

    def signed(self, name: str, length: int | None = None) -> NDArray[np.int64]:
        """Read whole numbers."""
        return self._take(name, (length,), "iu").astype(np.int64)

    def real(self, name: str, *shape: int | None) -> NDArray[np.float64]:
        """Read real numbers that may be infinite or not numbers at all."""
        return self._take(name, shape, "f").astype(np.float64)

    def finite(self, name: str, *shape: int | None) -> NDArray[np.float64]:
        """Read real numbers, all finite."""
        values = self.real(name, *shape)
        require(np.isfinite(values).all(), f"array '{name}' holds a number that is not finite")
        return values

    def bytes(self, name: str, *shape: int | None) -> NDArray[np.uint8]:
        """Read bytes as they are."""
        array = self._take(name, shape, "u")
        require(array.dtype == np.uint8, f"array '{name}' has type {array.dtype}")
        return array

    def bits(self, name: str, *shape: int) -> NDArray[np.uint8]:
        """Read truth values, as zeros and ones."""
        *rows, n = shape
        packed = self.bytes(name, *rows, -(-n // 8))
        bits = np.unpackbits(packed, axis=-1, bitorder="little")
        require(not bits[..., n:].any(), f"array '{name}' has bits set beyond its end")
        return bits[..., :n]
