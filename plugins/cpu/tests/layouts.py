"""The same values in memory in different ways."""

from __future__ import annotations

import numpy as np

LAYOUTS = ["contiguous", "transposed", "every_second", "padded_rows", "row", "column", "scalar"]


def lay_out(values: np.ndarray, layout: str) -> np.ndarray:
    """A view with the shape of ``values``, which is at least two-dimensional.

    ``row``, ``column`` and ``scalar`` broadcast the first row, column or element.
    """
    if layout == "contiguous":
        return np.ascontiguousarray(values)
    if layout == "transposed":
        return np.ascontiguousarray(values.swapaxes(-1, -2)).swapaxes(-1, -2)
    if layout == "every_second":
        doubled = np.repeat(values, 2, axis=-1)
        return doubled[..., ::2]
    if layout == "padded_rows":
        width = [(0, 0)] * (values.ndim - 1) + [(0, 3)]
        return np.pad(values, width)[..., : values.shape[-1]]
    part = {
        "row": values[..., :1, :],
        "column": values[..., :, :1],
        "scalar": values[..., :1, :1],
    }[layout]
    return np.broadcast_to(np.ascontiguousarray(part), values.shape)


def empty_like(shape: tuple[int, ...], dtype: str, layout: str) -> np.ndarray:
    """An array to write to; what is not written stays recognisable."""
    fill = {"b": True, "f": np.nan, "c": np.nan}.get(np.dtype(dtype).kind, 77)
    return lay_out(np.full(shape, fill, dtype), layout)
