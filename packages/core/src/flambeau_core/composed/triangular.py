"""Upper and lower triangles of matrices."""

from __future__ import annotations

from typing import Any

import flambeau_core as fb
from flambeau_core.declare import op


def _offsets(rows: int, columns: int, device: Any) -> fb.Tensor:
    """``column - row`` of every element, shape ``(rows, columns)``."""
    row = fb.arange(rows, device=device).unsqueeze(1)
    return fb.arange(columns, device=device).unsqueeze(0) - row


def _require_matrix(name: str, x: fb.Tensor) -> None:
    if x.dim() < 2:
        raise RuntimeError(
            f"{name}: input tensor must have at least 2 dimensions, got shape {tuple(x.shape)}"
        )


@op("tril(Tensor self, int diagonal=0) -> Tensor", inplace=True)
def tril(self: fb.Tensor, diagonal: int) -> fb.Tensor:
    """Lower triangle: elements above the given diagonal are zero. Shape ``(..., m, n)``."""
    _require_matrix("tril", self)
    offsets = _offsets(self.shape[-2], self.shape[-1], self.device)
    return self.masked_fill(offsets > diagonal, 0)


@op("triu(Tensor self, int diagonal=0) -> Tensor", inplace=True)
def triu(self: fb.Tensor, diagonal: int) -> fb.Tensor:
    """Upper triangle: elements below the given diagonal are zero. Shape ``(..., m, n)``."""
    _require_matrix("triu", self)
    offsets = _offsets(self.shape[-2], self.shape[-1], self.device)
    return self.masked_fill(offsets < diagonal, 0)


def _triangle_indices(
    name: str, row: int, col: int, offset: int, dtype: Any, device: Any, lower: bool
) -> fb.Tensor:
    if row < 0 or col < 0:
        raise RuntimeError(f"{name}: row and col must be non-negative, got {row} and {col}")
    dtype = fb.int64 if dtype is None else dtype
    if dtype not in (fb.int32, fb.int64):
        raise NotImplementedError(f'"{name}" not implemented for {dtype}')
    offsets = _offsets(row, col, device)
    inside = offsets <= offset if lower else offsets >= offset
    return inside.nonzero().t().contiguous().to(dtype)


@op(
    "tril_indices(int row, int col, int offset=0, *, dtype? dtype=None, device? device=None,"
    ") -> Tensor",
    method=False,
)
def tril_indices(row: int, col: int, offset: int, dtype: Any, device: Any) -> fb.Tensor:
    """Rows and columns, ``(2, count)``, of the lower triangle of a ``row`` x ``col`` matrix."""
    return _triangle_indices("tril_indices", row, col, offset, dtype, device, lower=True)


@op(
    "triu_indices(int row, int col, int offset=0, *, dtype? dtype=None, device? device=None,"
    ") -> Tensor",
    method=False,
)
def triu_indices(row: int, col: int, offset: int, dtype: Any, device: Any) -> fb.Tensor:
    """Rows and columns, ``(2, count)``, of the upper triangle of a ``row`` x ``col`` matrix."""
    return _triangle_indices("triu_indices", row, col, offset, dtype, device, lower=False)
