"""Sums, products and quotients of sparse tensors with one another, with dense ones and numbers."""

from __future__ import annotations

from typing import Any

import flambeau_core as fb
from flambeau_core.sparse.coalescing import coalesce, linear_index
from flambeau_core.sparse.dispatch import implements, is_sparse, keeps_layout, refuse
from flambeau_core.sparse.gathering import gathered
from flambeau_core.sparse.tensor import make

__all__: list[str] = []

keeps_layout("add", "sub", "rsub", "mul")


def _is_number(x: Any) -> bool:
    return not isinstance(x, fb.Tensor) or (not is_sparse(x) and x.ndim == 0)


def _check_same_shape(name: str, a: Any, b: Any) -> None:
    if a.shape != b.shape:
        raise RuntimeError(
            f"{name}: sparse tensors do not broadcast: the shapes are {list(a.shape)} and "
            f"{list(b.shape)}"
        )


def _check_same_dims(name: str, a: Any, b: Any) -> None:
    _check_same_shape(name, a, b)
    if a.sparse_dim() != b.sparse_dim():
        raise RuntimeError(
            f"{name}: the tensors must have the same number of sparse dimensions, but have "
            f"{a.sparse_dim()} and {b.sparse_dim()}"
        )


@implements("add")
def add(self: Any, other: Any, *, alpha: Any = 1) -> Any:
    if not is_sparse(other) or _is_number(self):
        raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
    if not is_sparse(self):
        return fb.add(self, other.to_dense(), alpha=alpha)
    _check_same_dims("add", self, other)
    added = other._stored_values if alpha == 1 else other._stored_values * alpha
    dtype = fb.promote_types(self.dtype, added.dtype)
    indices = fb.cat([self._stored_indices, other._stored_indices], 1)
    values = fb.cat([self._stored_values.to(dtype), added.to(dtype)])
    both = self._coalesced and other._coalesced
    total = make(indices, values, self.shape)
    return coalesce(total) if both else total


@implements("sub")
def sub(self: Any, other: Any, *, alpha: Any = 1) -> Any:
    return add(self, other, alpha=-alpha)


@implements("rsub")
def rsub(self: Any, other: Any, *, alpha: Any = 1) -> Any:
    return add(other, self, alpha=-alpha)


@implements("add_")
def add_(self: Any, other: Any, *, alpha: Any = 1) -> Any:
    """Into a dense tensor, whose other elements are not touched."""
    if is_sparse(self):
        return self._become("add_", self._in_layout(add(self, other, alpha=alpha)))
    _check_same_shape("add_", self, other)
    values = other._stored_values.to(self.dtype)
    if other.sparse_dim() == 0:
        return self.add_(values.sum(0), alpha=alpha)
    if other.sparse_dim() == 1:
        return self.index_add_(0, other._stored_indices[0], values, alpha=alpha)
    scaled = values if alpha == 1 else values * alpha
    return self.index_put_(tuple(other._stored_indices.unbind(0)), scaled, accumulate=True)


@implements("sub_")
def sub_(self: Any, other: Any, *, alpha: Any = 1) -> Any:
    return add_(self, other, alpha=-alpha)


@implements("mul")
def mul(self: Any, other: Any) -> Any:
    if not is_sparse(self):
        self, other = other, self
    if _is_number(other):
        return self._like(self._stored_values * other)
    if is_sparse(other):
        return _product(self, other)
    if fb.broadcast_shapes(self.shape, other.shape) != self.shape:
        raise RuntimeError(
            f"mul: a dense tensor of shape {list(other.shape)} does not broadcast to the sparse "
            f"one's shape {list(self.shape)}"
        )
    return self._like(self._stored_values * gathered(other.expand(self.shape), self))


def _product(a: Any, b: Any) -> Any:
    """Elementwise, at the coordinates that both have."""
    _check_same_dims("mul", a, b)
    a, b = coalesce(a), coalesce(b)
    if not a._nnz() or not b._nnz():
        nothing = a._stored_values[:0] * b._stored_values[:0]
        return make(a._stored_indices[:, :0], nothing, a.shape, True)
    sizes = a.shape[: a.sparse_dim()]
    mine, its = linear_index(a._stored_indices, sizes), linear_index(b._stored_indices, sizes)
    place = fb.searchsorted(its, mine).clamp(max=its.shape[0] - 1)
    kept = (its.index_select(0, place) == mine).nonzero()[:, 0]
    values = a._stored_values.index_select(0, kept)
    values = values * b._stored_values.index_select(0, place.index_select(0, kept))
    return make(a._stored_indices.index_select(1, kept), values, a.shape, True)


@implements("mul_")
def mul_(self: Any, other: Any) -> Any:
    if is_sparse(self):
        return self._become("mul_", self._in_layout(mul(self, other)))
    return self.copy_(mul(self, other).to_dense())


@implements("div", "true_divide", "divide")
def div(self: Any, other: Any, *, rounding_mode: Any = None) -> Any:
    if not is_sparse(self):
        raise refuse("div by a sparse tensor")
    if not _is_number(other):
        raise RuntimeError(
            "Sparse division requires a scalar or zero-dim dense tensor divisor (got shape "
            f"{list(other.shape)} for divisor)"
        )
    if rounding_mode is None:
        return self._like(self._stored_values / other)
    whole = coalesce(self)
    return whole._like(fb.div(whole._stored_values, other, rounding_mode=rounding_mode))


@implements("pow")
def power(self: Any, exponent: Any) -> Any:
    if not is_sparse(self) or not _is_number(exponent):
        raise refuse("pow with a tensor as exponent")
    if not float(exponent) > 0:
        raise RuntimeError("pow: of a sparse tensor the exponent must be positive, as 0 ** 0 is 1")
    whole = coalesce(self)
    return whole._like(whole._stored_values**exponent)
