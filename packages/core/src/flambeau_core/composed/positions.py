"""Positions of elements: counted flat, by dimension, or of those that are not zero."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import flambeau_core as fb
from flambeau_core.declare import op


@op("nonzero_static(Tensor self, *, int size, int fill_value=-1) -> new tensor")
def nonzero_static(self: fb.Tensor, size: int, fill_value: int) -> fb.Tensor:
    """The first ``size`` rows of ``nonzero``, filled up with ``fill_value`` where it has fewer."""
    if size < 0:
        raise RuntimeError(f"nonzero_static: size must not be negative, got {size}")
    found = self.nonzero()[:size]
    missing = size - found.shape[0]
    return fb.cat([found, found.new_full((missing, self.dim()), fill_value)])


@op("unravel_index(Tensor indices, any shape) -> Tensor[]", method=False)
def unravel_index(indices: fb.Tensor, shape: Any) -> tuple[fb.Tensor, ...]:
    """The coordinates, one tensor a dimension, of flat indices into a tensor of ``shape``."""
    if indices.is_floating_point() or indices.is_complex() or indices.dtype == fb.bool:
        raise TypeError(
            f"unravel_index: expected 'indices' to be integer dtype, but got {indices.dtype}"
        )
    sizes = [shape] if isinstance(shape, int) else shape
    if isinstance(sizes, fb.Tensor) or not isinstance(sizes, Sequence):
        raise TypeError(
            f"unravel_index: expected 'shape' to be int or sequence of ints, but got {type(shape)}"
        )
    for size in sizes:
        if not isinstance(size, int):
            raise TypeError(
                f"unravel_index: expected 'shape' to only contain ints, but got {type(size)}"
            )
        if size < 0:
            raise ValueError(f"unravel_index: 'shape' cannot have negative values, got {shape}")
    rest = indices.to(fb.int64)
    coordinates = []
    for size in reversed(sizes):
        coordinates.append(rest.remainder(size))
        rest = rest.div(size, rounding_mode="floor")
    return tuple(reversed(coordinates))
