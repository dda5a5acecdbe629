"""Borders of a constant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import flambeau_core as fb
from flambeau_core.declare import op


@op("constant_pad_nd(Tensor self, int[] pad, Scalar value=0) -> Tensor", method=False)
def constant_pad_nd(self: fb.Tensor, pad: Sequence[int], value: Any) -> fb.Tensor:
    """Adds borders filled with ``value`` to the last dimensions; negative widths take away.

    ``pad`` lists the widths before and after, the last dimension first. Raises RuntimeError for
    an odd number of widths, more than there are dimensions, or a width that takes too much.
    """
    if len(pad) % 2:
        raise RuntimeError(f"constant_pad_nd: length of pad must be even, but it is {len(pad)}")
    if len(pad) > 2 * self.dim():
        raise RuntimeError(
            f"constant_pad_nd: expected at most two widths a dimension of input of shape "
            f"{tuple(self.shape)}, but got pad={tuple(pad)}"
        )
    shape = list(self.shape)
    source = [slice(None)] * self.dim()
    target = [slice(None)] * self.dim()
    for dim, before, after in zip(range(self.dim() - 1, -1, -1), pad[::2], pad[1::2]):
        size = shape[dim] + before + after
        if size < 0:
            raise RuntimeError(
                f"constant_pad_nd: the widths {before} and {after} take more than dimension {dim} "
                f"of input of shape {tuple(self.shape)} holds"
            )
        source[dim] = slice(max(-before, 0), shape[dim] - max(-after, 0))
        target[dim] = slice(max(before, 0), size - max(after, 0))
        shape[dim] = size
    if all(width <= 0 for width in pad):
        return self[tuple(source)].clone()
    result = self.new_full(shape, value)
    result[tuple(target)] = self[tuple(source)]
    return result
