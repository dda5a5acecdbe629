"""Between dense and sparse tensors."""

from __future__ import annotations

import math
from typing import Any

import flambeau_core as fb
from flambeau_core.sparse.coalescing import linear_index, scattered
from flambeau_core.sparse.dispatch import implements, is_sparse, refuse
from flambeau_core.sparse.gathering import gathered
from flambeau_core.sparse.tensor import make

__all__ = ["dense_to_sparse", "gathered", "masked", "to_dense"]


@implements("to_dense")
def to_dense(self: Any, dtype: Any = None, *, masked_grad: Any = None) -> Any:
    sizes = self.shape[: self.sparse_dim()]
    flat = linear_index(self._stored_indices, sizes)
    dense = scattered(self._stored_values, flat, math.prod(sizes)).reshape(self.shape)
    return dense if dtype is None else dense.to(dtype)


def dense_to_sparse(
    self: Any,
    sparse_dim: int | None = None,
    layout: Any = None,
    blocksize: Any = None,
    dense_dim: int | None = None,
) -> Any:
    """The elements of a dense tensor that are not zero.

    Args:
        sparse_dim: how many dimensions, from the front, have coordinates; a slice over the others
            is stored whole unless it is all zeros. By default all of them.
        layout: ``sparse_coo`` or, of a matrix, ``sparse_csr``.
        blocksize: of block-sparse layouts: None.
        dense_dim: the same as a sparse_dim of ``ndim - dense_dim``.

    Raises:
        RuntimeError: ``sparse_dim`` is none of 1 to ``ndim``.
        NotImplementedError: another layout.
    """
    if layout is fb.sparse_csr and sparse_dim is None:
        return self.to_sparse_csr(dense_dim)
    if layout not in (None, fb.sparse_coo) or blocksize is not None:
        raise NotImplementedError(f"to_sparse: there are no tensors of the layout {layout}")
    ndim = self.ndim
    if sparse_dim is None:
        sparse_dim = ndim - (dense_dim or 0)
    if not (0 < sparse_dim <= ndim or sparse_dim == ndim == 0):
        raise RuntimeError(
            f"to_sparse: sparse_dim must be in [{min(1, ndim)}, {ndim}] for an input of shape "
            f"{list(self.shape)}, but is {sparse_dim}"
        )
    if not ndim:
        kept = (self != 0).reshape(1).nonzero()[:, 0]
        values = self.reshape(1).index_select(0, kept)
        return make(fb.zeros((0, kept.shape[0]), dtype=fb.int64), values, (), True)
    stored = self != 0
    if sparse_dim < ndim:
        stored = stored.flatten(sparse_dim).any(-1)
    indices = stored.nonzero().t().contiguous()
    return make(indices, self[tuple(indices.unbind(0))], self.shape, True)


@implements("sparse_mask")
def masked(self: Any, mask: Any) -> Any:
    if not is_sparse(mask):
        raise refuse("sparse_mask with a dense mask")
    if self.shape != mask.shape:
        raise RuntimeError(
            "sparse_mask(): operands have incompatible sizes; self has size "
            f"{list(self.shape)} but mask has size {list(mask.shape)}"
        )
    dense = self.to_dense() if is_sparse(self) else self
    values = gathered(dense, mask)
    return make(mask._stored_indices, values, mask.shape, mask._coalesced)
