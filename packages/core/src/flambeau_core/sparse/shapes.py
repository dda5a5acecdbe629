"""Other shapes of sparse tensors: dimensions exchanged, added, indexed, joined."""

from __future__ import annotations

from typing import Any

import flambeau_core as fb
from flambeau_core.sparse.dispatch import implements, is_sparse, refuse
from flambeau_core.sparse.tensor import make

__all__: list[str] = []


def _dim(name: str, dim: int, ndim: int) -> int:
    if not -ndim <= dim < ndim:
        raise IndexError(
            f"{name}: Dimension out of range (expected to be in range of [{-ndim}, {ndim - 1}], "
            f"but got {dim})"
        )
    return dim % ndim


@implements("permute")
def permute(self: Any, *dims: Any, **named: Any) -> Any:
    given = named.get("dims", dims[0] if len(dims) == 1 and not isinstance(dims[0], int) else dims)
    order = [_dim("permute", d, self.ndim) for d in given]
    sparse = self.sparse_dim()
    if sorted(order) != list(range(self.ndim)):
        raise RuntimeError(
            f"permute: the dims {list(given)} are no permutation of those of the shape "
            f"{list(self.shape)}"
        )
    if self.layout is not fb.sparse_coo:
        raise refuse("permute", self)
    if any(d >= sparse for d in order[:sparse]):
        raise RuntimeError("permute: sparse and dense dimensions cannot be exchanged")
    indices = self._stored_indices[order[:sparse]] if sparse else self._stored_indices
    values = self._stored_values.permute(0, *(d - sparse + 1 for d in order[sparse:]))
    kept = self._coalesced and order[:sparse] == list(range(sparse))
    return make(indices, values, [self.shape[d] for d in order], kept)


@implements("transpose", "swapaxes", "swapdims")
def transpose(self: Any, dim0: int, dim1: int) -> Any:
    order = list(range(self.ndim))
    a, b = _dim("transpose", dim0, self.ndim), _dim("transpose", dim1, self.ndim)
    order[a], order[b] = order[b], order[a]
    return permute(self, order)


@implements("t")
def t(self: Any) -> Any:
    if self.ndim > 2:
        raise RuntimeError(
            f"t() expects a tensor with <= 2 dimensions, but self is {self.ndim}D, of shape "
            f"{list(self.shape)}"
        )
    return transpose(self, 0, 1) if self.ndim == 2 else self


@implements("unsqueeze")
def unsqueeze(self: Any, dim: int) -> Any:
    at, sparse = _dim("unsqueeze", dim, self.ndim + 1), self.sparse_dim()
    shape = (*self.shape[:at], 1, *self.shape[at:])
    indices, values = self._stored_indices, self._stored_values
    if at <= sparse:
        row = fb.zeros_like(indices[:1]) if sparse else indices.new_zeros((1, self._nnz()))
        indices = fb.cat([indices[:at], row, indices[at:]])
    else:
        values = values.unsqueeze(at - sparse + 1)
    return make(indices, values, shape, self._coalesced)


@implements("select")
def select(self: Any, dim: int, index: int) -> Any:
    at, sparse = _dim("select", dim, self.ndim), self.sparse_dim()
    size = self.shape[at]
    if not -size <= index < size:
        raise IndexError(
            f"select(): index {index} out of range for tensor of size {list(self.shape)} at "
            f"dimension {at}"
        )
    index %= size
    shape = (*self.shape[:at], *self.shape[at + 1 :])
    indices, values = self._stored_indices, self._stored_values
    if at >= sparse:
        return make(indices, values.select(at - sparse + 1, index), shape, self._coalesced)
    kept = (indices[at] == index).nonzero()[:, 0]
    values = values.index_select(0, kept)
    rest = fb.cat([indices[:at], indices[at + 1 :]]).index_select(1, kept)
    # Without coordinates nothing is left to be sparse in.
    return make(rest, values, shape, self._coalesced) if sparse > 1 else values.sum(0)


@implements("unbind")
def unbind(self: Any, dim: int = 0) -> Any:
    at = _dim("unbind", dim, self.ndim)
    return tuple(select(self, at, i) for i in range(self.shape[at]))


@implements("__getitem__")
def get_item(self: Any, index: Any) -> Any:
    parts = index if isinstance(index, tuple) else (index,)
    if not is_sparse(self) or not all(type(i) is int for i in parts):
        raise refuse("indexing by other than whole numbers")
    if len(parts) > self.ndim:
        raise IndexError(f"too many indices for tensor of shape {list(self.shape)}")
    for i in parts:
        self = select(self, 0, i)
    return self


@implements("index_select")
def index_select(self: Any, dim: int, index: Any) -> Any:
    if not is_sparse(self) or is_sparse(index):
        raise refuse("index_select with a sparse index")
    at, sparse = _dim("index_select", dim, self.ndim), self.sparse_dim()
    index = index.reshape(-1)
    shape = (*self.shape[:at], index.shape[0], *self.shape[at + 1 :])
    indices, values = self._stored_indices, self._stored_values
    if at >= sparse:
        chosen = values.index_select(at - sparse + 1, index)
        return make(indices, chosen, shape, self._coalesced)
    if index.numel() and not (0 <= int(index.min()) and int(index.max()) < self.shape[at]):
        raise IndexError(
            f"index_select(): index out of range for dimension {at} of shape {list(self.shape)}"
        )
    # One pair for each element and each place where its coordinate is asked for.
    element, place = (indices[at].unsqueeze(1) == index).nonzero().unbind(1)
    rows = list(indices.index_select(1, element).unbind(0))
    rows[at] = place
    return make(fb.stack(rows), values.index_select(0, element), shape)


@implements("cat", "concat", "concatenate")
def cat(tensors: Any, dim: int = 0) -> Any:
    first = tensors[0]
    if not all(is_sparse(x) for x in tensors):
        raise RuntimeError("cat: all tensors must be sparse where one is")
    at, sparse = _dim("cat", dim, first.ndim), first.sparse_dim()
    for x in tensors:
        other = [n for d, n in enumerate(x.shape) if d != at]
        if x.sparse_dim() != sparse or other != [n for d, n in enumerate(first.shape) if d != at]:
            raise RuntimeError(
                f"cat: sizes of tensors must match except in dimension {at}: "
                f"{list(first.shape)} and {list(x.shape)}"
            )
    if at >= sparse:
        raise refuse("cat along a dense dimension")
    parts, start = [], 0
    for x in tensors:
        shift = [[start if d == at else 0] for d in range(sparse)]
        parts.append(x._stored_indices + fb.tensor(shift, device=x.device))
        start += x.shape[at]
    values = fb.cat([x._stored_values for x in tensors])
    return make(fb.cat(parts, 1), values, (*first.shape[:at], start, *first.shape[at + 1 :]))


@implements("stack")
def stack(tensors: Any, dim: int = 0) -> Any:
    if not all(is_sparse(x) for x in tensors):
        raise RuntimeError("stack: all tensors must be sparse where one is")
    return cat([unsqueeze(x, dim) for x in tensors], dim)
