"""Matrices from diagonals and diagonals from matrices."""

from __future__ import annotations

from typing import Any

import flambeau_core as fb
from flambeau_core.composed.dimensions import wrap_dim
from flambeau_core.declare import op


@op(
    "eye(int n, int? m=None, *, dtype? dtype=None, device? device=None,"
    " bool requires_grad=False) -> Tensor",
    method=False,
    exact_out=True,
)
def eye(n: int, m: int | None, dtype: Any, device: Any, grad: bool) -> fb.Tensor:
    """Identity matrix of shape ``(n, m)``; ``m`` is ``n`` if not given."""
    m = n if m is None else m
    if n < 0 or m < 0:
        raise RuntimeError(f"eye: n and m must be non-negative, got n={n} and m={m}")
    result = fb.zeros((n, m), dtype=dtype, device=device)
    if result.numel():
        result.diagonal().fill_(1)
    return result.requires_grad_() if grad else result


@op("diag_embed(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> Tensor")
def diag_embed(self: fb.Tensor, offset: int, dim1: int, dim2: int) -> fb.Tensor:
    """Batch of matrices with the last dimension of the input on a diagonal.

    ``(..., n)`` gives ``(..., n + |offset|, n + |offset|)`` with the new dimensions at
    ``dim1`` and ``dim2``.
    """
    ndim = self.dim() + 1
    first, second = wrap_dim("diag_embed", dim1, ndim), wrap_dim("diag_embed", dim2, ndim)
    if first == second:
        raise RuntimeError(f"diag_embed: dim1 and dim2 must differ, both are {dim1}")
    length = self.shape[-1]
    size = length + abs(offset)
    column = fb.arange(size, device=self.device).unsqueeze(0)
    row = fb.arange(size, device=self.device).unsqueeze(1)
    on_diagonal = column - row == offset
    # Element i of the diagonal stands in row i + max(-offset, 0): a gather along rows or columns.
    padding = self.new_zeros((*self.shape[:-1], abs(offset)))
    padded = fb.cat([padding, self] if offset < 0 else [self, padding], -1).unsqueeze(-1)
    matrices = padded.expand(*self.shape[:-1], size, size).masked_fill(~on_diagonal, 0)
    order = [d for d in range(ndim) if d not in (first, second)]
    destination = [*order, first, second]
    inverse = [destination.index(d) for d in range(ndim)]
    return matrices.permute(inverse)


@op("diag(Tensor self, int diagonal=0) -> Tensor")
def diag(self: fb.Tensor, diagonal: int) -> fb.Tensor:
    """A vector gives the matrix with that diagonal, a matrix its diagonal as a new vector."""
    if self.dim() == 1:
        return diag_embed(self, diagonal, -2, -1)
    if self.dim() == 2:
        return self.diagonal(diagonal).clone()
    raise RuntimeError(f"diag: expected a 1-D or 2-D tensor, got shape {tuple(self.shape)}")


@op("diagflat(Tensor self, int offset=0) -> Tensor")
def diagflat(self: fb.Tensor, offset: int) -> fb.Tensor:
    """Matrix with the flattened input on its diagonal."""
    return diag_embed(self.reshape(-1), offset, -2, -1)


@op("trace(Tensor self) -> Tensor")
def trace(self: fb.Tensor) -> fb.Tensor:
    """Sum of the diagonal of a matrix; integers are summed as int64."""
    if self.dim() != 2:
        raise RuntimeError(f"trace: expected a matrix, got shape {tuple(self.shape)}")
    return self.diagonal().sum()


@op("diagonal_scatter(Tensor self, Tensor src, int offset=0, int dim1=0, int dim2=1) -> Tensor")
def diagonal_scatter(
    self: fb.Tensor, src: fb.Tensor, offset: int, dim1: int, dim2: int
) -> fb.Tensor:
    """Copy of the input with ``src`` written on the given diagonal."""
    result = self.clone()
    target = result.diagonal(offset, dim1, dim2)
    if target.shape != src.shape:
        raise RuntimeError(
            f"diagonal_scatter: expected src to have the shape of the diagonal, "
            f"{tuple(target.shape)}, but got {tuple(src.shape)}"
        )
    target.copy_(src)
    return result


@op("fill_diagonal_(Tensor self, Scalar fill_value, bool wrap=False) -> Tensor", function=False)
def fill_diagonal_(self: fb.Tensor, fill_value: float, wrap: bool) -> fb.Tensor:
    """Fills the main diagonal in place; ``wrap`` goes on below the last row of a tall matrix."""
    if self.dim() < 2:
        raise RuntimeError(f"fill_diagonal_: expected 2 or more dimensions, got {self.dim()}")
    if self.dim() > 2 and len(set(self.shape)) > 1:
        raise RuntimeError(
            f"fill_diagonal_: dimensions must have one length, got shape {tuple(self.shape)}"
        )
    step = sum(self.stride())
    rows, columns = self.shape[0], self.shape[-1]
    length = min(self.shape)
    blocks = 1 if not wrap or self.dim() > 2 else -(-rows // (columns + 1))
    for block in range(max(blocks, 1)):
        start = block * (columns + 1)
        count = min(length, rows - start)
        if count > 0:
            offset = self.storage_offset() + start * self.stride(0)
            self.as_strided((count,), (step,), offset).fill_(fill_value)
    return self
