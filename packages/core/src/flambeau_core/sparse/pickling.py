"""Sparse tensors in ``pickle``, ``copy.deepcopy`` and files."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from flambeau_core.pickling import refuse_non_leaf
from flambeau_core.sparse.construction import sparse_coo_tensor
from flambeau_core.sparse.tensor import SparseTensor, make

__all__ = ["deepcopy_sparse", "rebuild_sparse", "reduce_sparse"]


def reduce_sparse(tensor: Any) -> tuple[Any, ...]:
    """The answer of ``__reduce_ex__``; RuntimeError for what autograd computed."""
    refuse_non_leaf(tensor, "pickled")
    return rebuild_sparse, (
        tensor._indices(),
        tensor._values(),
        tuple(tensor.shape),
        tensor._coalesced,
        tensor.requires_grad,
        type(tensor),
    )


def rebuild_sparse(
    indices: Any,
    values: Any,
    shape: tuple[int, ...],
    coalesced: bool,
    requires_grad: bool = False,
    kind: type = SparseTensor,
) -> Any:
    """A tensor of parts from a file, which are checked."""
    checked = sparse_coo_tensor(
        indices, values, shape, is_coalesced=coalesced, check_invariants=True
    )
    made = make(checked._indices(), checked._values(), shape, coalesced, kind)
    return made.requires_grad_(requires_grad)


def deepcopy_sparse(tensor: Any, memo: dict[int, Any]) -> Any:
    """The answer of ``__deepcopy__``."""
    if id(tensor) in memo:
        return memo[id(tensor)]
    refuse_non_leaf(tensor, "copied with deepcopy")
    indices = deepcopy(tensor._stored_indices, memo)
    values = deepcopy(tensor._values(), memo)
    copied = make(indices, values, tensor.shape, tensor._coalesced, type(tensor))
    copied.requires_grad_(tensor.requires_grad)
    memo[id(tensor)] = copied
    return copied


# Files and copies stand above the class, which would have to look up to them.
SparseTensor.__reduce_ex__ = lambda self, protocol: reduce_sparse(self)  # type: ignore[method-assign]
SparseTensor.__deepcopy__ = deepcopy_sparse  # type: ignore[method-assign, assignment]
