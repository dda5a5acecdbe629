"""Sums and norms of sparse tensors."""

from __future__ import annotations

from typing import Any

import flambeau_core as fb
from flambeau_core.sparse.coalescing import coalesce
from flambeau_core.sparse.dispatch import implements, is_sparse, refuse
from flambeau_core.sparse.tensor import make

__all__ = ["sum"]


@implements("sum")
def total(self: Any, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Any:
    """Over all dimensions, or over some: then sparse as long as a sparse dimension is left."""
    values = self._stored_values
    if dim is None or (not isinstance(dim, int) and not len(dim)):
        whole = values.sum(dtype=dtype)
        return whole.reshape((1,) * self.ndim) if keepdim else whole
    dims = _normalised(dim, self.ndim)
    sparse = self.sparse_dim()
    within = [d - sparse + 1 for d in dims if d >= sparse]
    values = values.sum(within, keepdim, dtype=dtype) if within else values
    if not within and dtype is not None:
        values = values.to(dtype)
    if not within and not values.is_floating_point() and not values.is_complex():
        values = values.to(dtype or fb.int64)
    summed = {d for d in dims if d < sparse}
    shape = [1 if d in dims else n for d, n in enumerate(self.shape) if keepdim or d not in dims]
    if len(summed) == sparse and not keepdim:
        return values.sum(0)
    indices = self._stored_indices
    if not summed:
        return make(indices, values, shape, self._coalesced)
    if keepdim:
        rows = [fb.zeros_like(r) if d in summed else r for d, r in enumerate(indices.unbind(0))]
        return make(fb.stack(rows), values, shape)
    kept = [r for d, r in enumerate(indices.unbind(0)) if d not in summed]
    return coalesce(make(fb.stack(kept), values, shape))


def sum(input: Any, dim: Any = None, dtype: Any = None) -> Any:
    """The sum of a sparse tensor over all dimensions, or over some.

    Returns:
        A dense tensor where all sparse dimensions are summed, else a sparse one.

    Raises:
        NotImplementedError: the input is not sparse.
        IndexError: there is no such dimension.
    """
    if not is_sparse(input):
        raise refuse("sparse.sum of a dense tensor")
    return total(input, dim, dtype=dtype)


def _normalised(dim: Any, ndim: int) -> list[int]:
    given = [dim] if isinstance(dim, int) else list(dim)
    for d in given:
        if not -ndim <= d < ndim:
            raise IndexError(
                f"sum: Dimension out of range (expected to be in range of [{-ndim}, {ndim - 1}], "
                f"but got {d})"
            )
    dims = [d % ndim for d in given]
    if len(set(dims)) != len(dims):
        raise RuntimeError(f"sum: a dim appears multiple times in the list of dims {given}")
    return dims


@implements("norm")
def norm(self: Any, p: Any = "fro", dim: Any = None, keepdim: bool = False) -> Any:
    if dim is not None:
        raise refuse("norm over some dimensions")
    return coalesce(self)._stored_values.flatten().norm(2 if p in ("fro", None) else p)


@implements("any")
def any_true(self: Any, dim: Any = None, keepdim: bool = False) -> Any:
    if dim is not None:
        raise refuse("any over some dimensions")
    return coalesce(self)._stored_values.any()
