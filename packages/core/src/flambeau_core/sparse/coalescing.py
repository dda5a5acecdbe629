"""Sorting coordinates and adding up the values of those that repeat."""

from __future__ import annotations

from typing import Any

import flambeau_core as fb
from flambeau_core.sparse.dispatch import implements
from flambeau_core.sparse.tensor import make

__all__ = ["coalesce", "linear_index", "scattered"]


def linear_index(indices: Any, sizes: Any) -> Any:
    """One number for each coordinate, in row-major order, [nnz]."""
    if not len(sizes):
        return fb.zeros(indices.shape[1], dtype=fb.int64, device=indices.device)
    flat, *rows = indices.unbind(0)
    for size, row in zip(sizes[1:], rows):
        flat = flat * size + row
    return flat


def scattered(values: Any, positions: Any, count: int) -> Any:
    """Values [nnz, *] added up at their positions, [count, *]; of truth values any."""
    if values.dtype == fb.bool:
        return scattered(values.to(fb.int64), positions, count) > 0
    return values.new_zeros((count, *values.shape[1:])).index_add(0, positions, values)


@implements("coalesce")
def coalesce(self: Any) -> Any:
    if self._coalesced:
        return self
    flat = linear_index(self._stored_indices, self.shape[: self.sparse_dim()])
    distinct, group = fb.unique(flat, return_inverse=True)
    count = distinct.shape[0]
    # Each group's coordinates are those of any of its members.
    order = fb.arange(flat.shape[0], device=flat.device)
    member = fb.zeros_like(distinct).index_copy(0, group, order)
    indices = self._stored_indices.index_select(1, member)
    return make(indices, scattered(self._stored_values, group, count), self.shape, True)
