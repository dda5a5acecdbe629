"""Reading arrays in the precision to compute in, and rounding results into outputs.

float16 and bfloat16 compute in float32. A bfloat16 array arrives as uint16: the upper half of
the float32 with the same value.
"""

from __future__ import annotations

from typing import Any

Array = Any


def is_bfloat16(array: Array) -> bool:
    return bool(array.dtype.kind == "u" and array.dtype.itemsize == 2)


def compute_dtype(xp: Any, array: Array) -> Any:
    """The dtype in which the values of ``array`` are computed with."""
    if is_bfloat16(array) or (array.dtype.kind == "f" and array.dtype.itemsize == 2):
        return xp.dtype("float32")
    return array.dtype


def load(xp: Any, array: Array) -> Array:
    """The values of ``array`` in its compute dtype; Python numbers pass unchanged."""
    if isinstance(array, (bool, int, float, complex)):
        return array
    if is_bfloat16(array):
        return (array.astype("uint32") << 16).view("float32")
    if array.dtype.kind == "f" and array.dtype.itemsize == 2:
        return array.astype("float32")
    return array


def load_all(xp: Any, *arrays: Array) -> list[Array]:
    """Loads operands of one dtype; Python numbers take the dtype of the arrays among them."""
    loaded: list[Array] = [None if array is None else load(xp, array) for array in arrays]
    dtype = next((value.dtype for value in loaded if hasattr(value, "dtype")), None)
    return [
        value if value is None or hasattr(value, "dtype") else xp.asarray(value, dtype=dtype)
        for value in loaded
    ]


def store(xp: Any, out: Array, value: Array) -> None:
    """Writes ``value`` into ``out`` with C's conversions, rounding halves to even."""
    out[...] = convert(xp, value, out)


def convert(xp: Any, value: Array, like: Array) -> Array:
    """``value`` in the dtype of the array ``like``."""
    value = xp.asarray(value)
    target = like.dtype
    if value.dtype == target and not is_bfloat16(like):
        return value
    if value.dtype.kind == "c" and target.kind != "c":
        value = value if target.kind == "b" else value.real
    if is_bfloat16(like):
        return bfloat16_bits(xp, value.astype("float32"))
    if target.kind == "f" and target.itemsize == 2:
        return value.astype("float32").astype(target)
    if target.kind in "iu" and target.itemsize < 4 and value.dtype.kind == "f":
        # through int64, so that out-of-range values wrap as they do for integers
        return value.astype("int64").astype(target)
    return value.astype(target)


def bfloat16_bits(xp: Any, value: Array) -> Array:
    """The bit patterns of float32 values rounded to bfloat16, halves to even."""
    bits = xp.ascontiguousarray(value).view("uint32").reshape(value.shape)
    rounded = (bits + ((bits >> 16) & 1) + 0x7FFF) >> 16
    # adding could carry a NaN into infinity
    quiet_nan = (bits >> 16) | 0x40
    return xp.where(xp.isnan(value), quiet_nan, rounded).astype("uint16")
