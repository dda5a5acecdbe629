"""``finfo`` and ``iinfo``: the limits of the numeric types.

IEEE 754-2019; bfloat16 is float32's upper half.
"""

from __future__ import annotations

from typing import Any

from . import _C

__all__ = ["finfo", "iinfo"]

# mantissa bits after the point, smallest and largest exponent, decimal digits
_FLOATS = {
    "float16": (10, -14, 15, 3),
    "bfloat16": (7, -126, 127, 2),
    "float32": (23, -126, 127, 6),
    "float64": (52, -1022, 1023, 15),
}


class finfo:
    """Limits of a floating-point type.

    Attributes:
        bits, eps, min, max, tiny, smallest_normal, resolution, dtype.

    Example:

        >>> import flambeau as torch
        >>> torch.finfo(torch.float32).eps
        1.1920928955078125e-07
        >>> torch.finfo(torch.float16).max
        65504.0
    """

    def __init__(self, dtype: Any = None) -> None:
        d = dtype if dtype is not None else _C.get_default_dtype()
        d = d.to_real() if d.is_complex else d
        if not d.is_floating_point:
            raise TypeError(
                f"finfo() requires a floating point input type. Use iinfo to handle '{d}'"
            )
        mantissa, low, high, digits = _FLOATS[d.name]
        self.bits = d.itemsize * 8
        self.eps = 2.0**-mantissa
        self.max = (2.0 - self.eps) * 2.0**high
        self.min = -self.max
        self.tiny = self.smallest_normal = 2.0**low
        self.resolution = 10.0**-digits
        self.dtype = d.name

    def __repr__(self) -> str:
        return (
            f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, "
            f"eps={self.eps:g}, smallest_normal={self.smallest_normal:g}, tiny={self.tiny:g}, "
            f"dtype={self.dtype})"
        )


class iinfo:
    """Limits of an integer type.

    Attributes:
        bits, min, max, dtype.

    Example:

        >>> import flambeau as torch
        >>> torch.iinfo(torch.uint8).max
        255
    """

    def __init__(self, dtype: Any) -> None:
        if dtype.is_floating_point or dtype.is_complex or dtype is _C.bool:
            raise TypeError(
                f"iinfo() requires an integer input type. Use finfo to handle '{dtype}'"
            )
        self.bits = dtype.itemsize * 8
        self.min = -(2 ** (self.bits - 1)) if dtype.is_signed else 0
        self.max = 2 ** (self.bits - 1) - 1 if dtype.is_signed else 2**self.bits - 1
        self.dtype = dtype.name

    def __repr__(self) -> str:
        return f"iinfo(min={self.min}, max={self.max}, dtype={self.dtype})"
