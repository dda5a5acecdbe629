"""Distinct elements, and counts of elements in bins."""

from __future__ import annotations

from typing import Any

import flambeau_core as fb
from flambeau_core.composed.dimensions import wrap_dim
from flambeau_core.declare import op


def _result(values: fb.Tensor, inverse: fb.Tensor | None, counts: fb.Tensor | None) -> Any:
    parts = [x for x in (values, inverse, counts) if x is not None]
    return values if len(parts) == 1 else tuple(parts)


def _group_starts(different: fb.Tensor, length: int) -> fb.Tensor:
    """Marks the first of each group, from marks of elements unlike the one before."""
    first = fb.ones(min(length, 1), dtype=fb.bool, device=different.device)
    return fb.cat([first, different], 0)


def _grouped(starts: fb.Tensor) -> tuple[fb.Tensor, fb.Tensor, fb.Tensor]:
    """First position, and size, of each group; and the group of each position."""
    first = starts.nonzero().squeeze(1)
    group = starts.to(fb.int64).cumsum(0) - 1
    ends = fb.cat([first[1:], fb.full((1,), starts.shape[0], device=starts.device)], 0)
    counts = ends - first if first.shape[0] else first
    return first, counts, group


def _differences(rows: fb.Tensor) -> fb.Tensor:
    """Where each slice along dimension 0, but the first, is unlike the one before."""
    if rows.shape[0] == 0:
        return fb.zeros(0, dtype=fb.bool, device=rows.device)
    unlike = rows[1:] != rows[:-1]
    if unlike.dim() == 1:
        return unlike
    return unlike.reshape(unlike.shape[0], _width(rows)).any(1)


def _width(rows: fb.Tensor) -> int:
    width = 1
    for length in rows.shape[1:]:
        width *= length
    return width


def _row_order(rows: fb.Tensor) -> fb.Tensor:
    """Stable lexicographic order of the slices along dimension 0."""
    order = fb.arange(rows.shape[0], device=rows.device)
    columns = rows.reshape(rows.shape[0], _width(rows))
    for column in range(columns.shape[1] - 1, -1, -1):
        keys = columns.select(1, column).index_select(0, order)
        order = order.index_select(0, keys.argsort(dim=0, stable=True))
    return order


def _as_rows(name: str, x: fb.Tensor, dim: int | None) -> tuple[fb.Tensor, int]:
    if dim is None:
        return x.reshape(-1), 0
    dim = wrap_dim(name, dim, x.shape)
    rows = x.reshape(1) if x.dim() == 0 else x.movedim(dim, 0)
    if rows.shape[0] == 0 or _width(rows) != 0:
        return rows, dim
    raise RuntimeError(f"{name}: there is a dimension of size 0 in shape {tuple(x.shape)}")


def _sortable(x: fb.Tensor) -> fb.Tensor:
    return x.to(fb.uint8) if x.dtype == fb.bool else x


@op(
    "unique(Tensor self, bool sorted=True, bool return_inverse=False, bool return_counts=False,"
    " int? dim=None) -> any"
)
def unique(
    self: fb.Tensor, sorted: bool, return_inverse: bool, return_counts: bool, dim: int | None
) -> Any:
    """Distinct elements in order, or distinct slices along ``dim``.

    Optionally also each element's place among them, and how often each occurs.
    """
    rows, dim_or_first = _as_rows("unique", self, dim)
    plain = _sortable(rows.detach())
    order = _row_order(plain) if dim is not None else plain.argsort(dim=0, stable=True)
    ordered = plain.index_select(0, order)
    first, counts, group = _grouped(_group_starts(_differences(ordered), ordered.shape[0]))
    values = rows.index_select(0, order.index_select(0, first))
    inverse = None
    if return_inverse:
        inverse = fb.empty_like(group).scatter(0, order, group)
        inverse = inverse.reshape(self.shape) if dim is None else inverse
    values = values if dim is None else _restored(values, self, dim_or_first)
    return _result(values, inverse, counts if return_counts else None)


def _restored(rows: fb.Tensor, x: fb.Tensor, dim: int) -> fb.Tensor:
    return rows if x.dim() == 0 else rows.movedim(0, dim)


@op(
    "unique_consecutive(Tensor self, bool return_inverse=False, bool return_counts=False,"
    " int? dim=None) -> any"
)
def unique_consecutive(
    self: fb.Tensor, return_inverse: bool, return_counts: bool, dim: int | None
) -> Any:
    """The elements, or slices along ``dim``, without those equal to the one before.

    Optionally also each element's place in the result, and the length of each run.
    """
    rows, dim_or_first = _as_rows("unique_consecutive", self, dim)
    starts = _group_starts(_differences(rows.detach()), rows.shape[0])
    first, counts, group = _grouped(starts)
    values = rows.index_select(0, first)
    inverse = group.reshape(self.shape) if dim is None else group
    values = values if dim is None else _restored(values, self, dim_or_first)
    return _result(values, inverse if return_inverse else None, counts if return_counts else None)


@op(
    "bucketize(Operand self, Tensor boundaries, *, bool out_int32=False, bool right=False)"
    " -> Tensor",
    method=False,
)
def bucketize(self: Any, boundaries: fb.Tensor, out_int32: bool, right: bool) -> fb.Tensor:
    """Index of the bucket, between sorted 1-D ``boundaries``, that each value falls into."""
    if boundaries.dim() != 1:
        raise RuntimeError(
            f"bucketize: boundaries tensor must be 1 dimension, got {tuple(boundaries.shape)}"
        )
    if not isinstance(self, fb.Tensor):
        self = fb.tensor(self, device=boundaries.device)
    return fb.searchsorted(boundaries, self, out_int32=out_int32, right=right)
