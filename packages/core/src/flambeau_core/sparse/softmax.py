"""Softmax over the elements that are stored; the others count as minus infinity."""

from __future__ import annotations

from typing import Any

import flambeau_core as fb
from flambeau_core.sparse.coalescing import coalesce, linear_index
from flambeau_core.sparse.dispatch import is_sparse, refuse

__all__ = ["log_softmax", "softmax"]


def softmax(input: Any, dim: int, *, dtype: Any = None) -> Any:
    """Softmax along a dimension, over the stored elements alone.

    Raises:
        NotImplementedError: the input is not sparse.
        IndexError: there is no such dimension.
    """
    return _normalised("softmax", input, dim, dtype)


def log_softmax(input: Any, dim: int, *, dtype: Any = None) -> Any:
    """The logarithm of :func:`softmax`."""
    return _normalised("log_softmax", input, dim, dtype)


def _normalised(name: str, input: Any, dim: int, dtype: Any) -> Any:
    if not is_sparse(input):
        raise refuse(f"sparse.{name} of a dense tensor")
    if not -input.ndim <= dim < input.ndim:
        raise IndexError(f"{name}: dimension {dim} out of range for shape {list(input.shape)}")
    dim %= input.ndim
    x = coalesce(input if dtype is None else input.to(dtype))
    values, sparse = x._stored_values, x.sparse_dim()
    if dim >= sparse:
        return x._like(getattr(fb, name)(values, dim - sparse + 1))
    if not x._nnz():
        return x
    # Elements that agree in all other coordinates form a group.
    others = [d for d in range(sparse) if d != dim]
    flat = linear_index(x._stored_indices[others], [x.shape[d] for d in others])
    distinct, group = fb.unique(flat, return_inverse=True)
    blank = values.new_zeros((distinct.shape[0], *values.shape[1:]))
    spread = group.reshape(-1, *[1] * (values.ndim - 1)).expand(values.shape)
    largest = blank.scatter_reduce(0, spread, values.detach(), "amax", include_self=False)
    shifted = values - largest.index_select(0, group)
    total = blank.index_add(0, group, shifted.exp()).index_select(0, group)
    return x._like(shifted.exp() / total if name == "softmax" else shifted - total.log())
