"""Joining tensors as rows, columns, layers and blocks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import flambeau_core as fb
from flambeau_core.composed.broadcasting import atleast_1d, atleast_2d, atleast_3d, listed
from flambeau_core.declare import op


def _require_some(name: str, tensors: Sequence[fb.Tensor]) -> None:
    if not tensors:
        raise RuntimeError(f"{name}: expects a non-empty list of tensors")


@op("hstack(Tensor[] tensors) -> Tensor", method=False)
def hstack(tensors: Sequence[fb.Tensor]) -> fb.Tensor:
    """Joins along the second dimension, 1-D tensors along the first."""
    _require_some("hstack", tensors)
    parts = atleast_1d(tensors)
    return fb.cat(parts, 0 if parts[0].dim() == 1 else 1)


@op("vstack(Tensor[] tensors) -> Tensor", method=False)
def vstack(tensors: Sequence[fb.Tensor]) -> fb.Tensor:
    """Joins along the first dimension; 1-D tensors become rows."""
    _require_some("vstack", tensors)
    return fb.cat(atleast_2d(tensors), 0)


@op("row_stack(Tensor[] tensors) -> Tensor", method=False)
def row_stack(tensors: Sequence[fb.Tensor]) -> fb.Tensor:
    """The same as ``vstack``."""
    return vstack(tensors)


@op("dstack(Tensor[] tensors) -> Tensor", method=False)
def dstack(tensors: Sequence[fb.Tensor]) -> fb.Tensor:
    """Joins along the third dimension, after ``atleast_3d``."""
    _require_some("dstack", tensors)
    return fb.cat(atleast_3d(tensors), 2)


@op("column_stack(Tensor[] tensors) -> Tensor", method=False)
def column_stack(tensors: Sequence[fb.Tensor]) -> fb.Tensor:
    """Joins along the second dimension; 0-D and 1-D tensors become columns."""
    _require_some("column_stack", tensors)
    return fb.cat([x.reshape(x.numel(), 1) if x.dim() <= 1 else x for x in tensors], 1)


@op("block_diag(any* tensors) -> Tensor", method=False)
def block_diag(tensors: Any) -> fb.Tensor:
    """Matrix with the given matrices along its diagonal and zeros elsewhere."""
    tensors = listed("block_diag", tensors)
    if not tensors:
        return fb.empty((1, 0))
    for x in tensors:
        if x.dim() > 2:
            raise RuntimeError(
                f"block_diag: input tensors must have 2 or fewer dimensions, "
                f"got shape {tuple(x.shape)}"
            )
    blocks = atleast_2d(tensors)
    dtype = blocks[0].dtype
    for block in blocks[1:]:
        dtype = fb.promote_types(dtype, block.dtype)
    width = sum(block.shape[1] for block in blocks)
    rows, start = [], 0
    for block in blocks:
        height, length = block.shape
        before = block.new_zeros((height, start), dtype=dtype)
        after = block.new_zeros((height, width - start - length), dtype=dtype)
        rows.append(fb.cat([before, block.to(dtype), after], 1))
        start += length
    return fb.cat(rows, 0)
