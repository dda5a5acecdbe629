"""Matrix products with a sparse factor."""

from __future__ import annotations

from typing import Any

import flambeau_core as fb
from flambeau_core.sparse.coalescing import coalesce
from flambeau_core.sparse.dispatch import implements, is_sparse, keeps_layout, refuse
from flambeau_core.sparse.tensor import make

keeps_layout("matmul", "mm", "addmm")

__all__ = ["addmm", "matmul", "mm", "sampled_addmm"]


def _check_factors(name: str, a: Any, b: Any) -> None:
    if a.shape[-1] != b.shape[-2 if b.ndim > 1 else 0]:
        raise RuntimeError(
            f"{name}: mat1 and mat2 shapes cannot be multiplied ({list(a.shape)} and "
            f"{list(b.shape)})"
        )
    if a.dtype != b.dtype:
        raise RuntimeError(
            f"{name}: expected both factors to have the same dtype, but got {a.dtype} and {b.dtype}"
        )
    for x in (a, b):
        if is_sparse(x) and (x.ndim != 2 or x.dense_dim()):
            raise refuse(f"{name} with a sparse factor that is no matrix of numbers")


def _sparse_dense(a: Any, b: Any) -> Any:
    """[m, k] sparse @ [k, n] or [k]."""
    row, column = a._stored_indices.unbind(0)
    values = a._stored_values.reshape(-1, *[1] * (b.ndim - 1))
    terms = values * b.index_select(0, column)
    return terms.new_zeros((a.shape[0], *b.shape[1:])).index_add(0, row, terms)


def _dense_sparse(a: Any, b: Any) -> Any:
    """[*, m, k] or [k] @ [k, n] sparse."""
    row, column = b._stored_indices.unbind(0)
    terms = a.index_select(-1, row) * b._stored_values
    return terms.new_zeros((*a.shape[:-1], b.shape[1])).index_add(a.ndim - 1, column, terms)


def _sparse_sparse(a: Any, b: Any) -> Any:
    """[m, k] @ [k, n], a sum over the pairs of elements that meet, by rows of b."""
    a, b = coalesce(a), coalesce(b)
    row, inner = a._stored_indices.unbind(0)
    length = fb.bincount(b._stored_indices[0], minlength=b.shape[0])
    first = length.cumsum(0) - length
    meets = length.index_select(0, inner)
    left = fb.arange(a._nnz(), device=a.device).repeat_interleave(meets)
    start = (first.index_select(0, inner) - (meets.cumsum(0) - meets)).index_select(0, left)
    right = start + fb.arange(left.shape[0], device=a.device)
    column = b._stored_indices[1].index_select(0, right)
    values = a._stored_values.index_select(0, left) * b._stored_values.index_select(0, right)
    indices = fb.stack([row.index_select(0, left), column])
    return coalesce(make(indices, values, (a.shape[0], b.shape[1])))


@implements("matmul")
def matmul(self: Any, other: Any) -> Any:
    if self.ndim == 0 or other.ndim == 0:
        raise RuntimeError(
            "matmul: both arguments need at least one dimension, but the shapes are "
            f"{list(self.shape)} and {list(other.shape)}"
        )
    _check_factors("matmul", self, other)
    if is_sparse(self) and is_sparse(other):
        return _sparse_sparse(self, other)
    if is_sparse(other):
        return _dense_sparse(self, other)
    if other.ndim > 2:
        return _dense_sparse(other.mT, self.t()).mT
    return _sparse_dense(self, other)


def _require_matrices(name: str, a: Any, b: Any) -> None:
    if a.ndim != 2 or b.ndim != 2:
        raise RuntimeError(
            f"{name}: expected two matrices, but the shapes are {list(a.shape)} and {list(b.shape)}"
        )


@implements("mm")
def matrix_product(self: Any, mat2: Any) -> Any:
    _require_matrices("mm", self, mat2)
    return matmul(self, mat2)


def mm(mat1: Any, mat2: Any, reduce: str = "sum") -> Any:
    """The product of two matrices, one of them sparse: dense, or sparse where both are.

    Args:
        mat1: [m, k].
        mat2: [k, n].
        reduce: ``"sum"``; of a sparse and a dense matrix also ``"mean"``, ``"amax"`` or
            ``"amin"``, over the terms of the elements that are stored.

    Raises:
        RuntimeError: the shapes or dtypes do not fit, or there is no such ``reduce``.
        NotImplementedError: neither is sparse.
    """
    _require_sparse("sparse.mm", mat1, mat2)
    if reduce == "sum":
        return fb.mm(mat1, mat2)
    if reduce not in ("mean", "amax", "amin"):
        raise RuntimeError(f"sparse.mm: reduce must be sum, mean, amax or amin, got {reduce!r}")
    _require_matrices("sparse.mm", mat1, mat2)
    _check_factors("sparse.mm", mat1, mat2)
    if not is_sparse(mat1) or is_sparse(mat2):
        raise refuse(f"sparse.mm with reduce={reduce!r} of other than a sparse and a dense matrix")
    return _reduced(coalesce(mat1), mat2, reduce)


def _reduced(a: Any, b: Any, reduce: str) -> Any:
    """The mean or an extreme of the terms of each element; zero where there are none."""
    row, column = a._stored_indices.unbind(0)
    terms = a._stored_values.unsqueeze(1) * b.index_select(0, column)
    blank = terms.new_zeros((a.shape[0], b.shape[1]))
    spread = row.unsqueeze(1).expand(terms.shape)
    return blank.scatter_reduce(0, spread, terms, reduce, include_self=False)


def _require_sparse(name: str, *factors: Any) -> None:
    if not any(is_sparse(x) for x in factors):
        raise refuse(f"{name} of dense tensors")


@implements("mv")
def mv(self: Any, vec: Any) -> Any:
    if self.ndim != 2 or vec.ndim != 1:
        raise RuntimeError(
            f"mv: expected a matrix and a vector, but the shapes are {list(self.shape)} and "
            f"{list(vec.shape)}"
        )
    return matmul(self, vec)


@implements("addmm", "sspaddmm")
def scaled_sum(self: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    _require_matrices("addmm", mat1, mat2)
    product = matmul(mat1, mat2) if alpha == 1 else matmul(mat1, mat2) * alpha
    scaled = self if beta == 1 else self * beta
    if is_sparse(product) != is_sparse(scaled):
        raise refuse("addmm of a sparse and a dense term")
    return scaled + product


def addmm(mat: Any, mat1: Any, mat2: Any, *, beta: Any = 1.0, alpha: Any = 1.0) -> Any:
    """``beta * mat + alpha * (mat1 @ mat2)``: all sparse, or a dense sum with one sparse factor.

    Raises:
        RuntimeError: the shapes or dtypes do not fit.
        NotImplementedError: neither factor is sparse, or only one of the two terms.
    """
    _require_sparse("sparse.addmm", mat1, mat2)
    return fb.addmm(mat, mat1, mat2, beta=beta, alpha=alpha)


def sampled_addmm(
    self: Any, mat1: Any, mat2: Any, *, beta: Any = 1.0, alpha: Any = 1.0, out: Any = None
) -> Any:
    """``alpha * (mat1 @ mat2) * spy(self) + beta * self``, only where self has elements.

    Args:
        self: sparse, [m, n].
        mat1: dense, [m, k].
        mat2: dense, [k, n].

    Raises:
        RuntimeError: the shapes do not fit.
        NotImplementedError: another layout.
    """
    if not is_sparse(self) or self.dense_dim() or is_sparse(mat1) or is_sparse(mat2):
        raise refuse("sampled_addmm of other than a sparse matrix and two dense ones")
    _require_matrices("sampled_addmm", mat1, mat2)
    _check_factors("sampled_addmm", mat1, mat2)
    if tuple(self.shape) != (mat1.shape[0], mat2.shape[1]):
        raise RuntimeError(
            f"sampled_addmm: self has the shape {list(self.shape)}, the product "
            f"{[mat1.shape[0], mat2.shape[1]]}"
        )
    own = coalesce(self)
    row, column = own._stored_indices.unbind(0)
    products = (mat1.index_select(0, row) * mat2.index_select(1, column).t()).sum(1)
    result = own._like(own._stored_values * beta + products * alpha)
    return result if out is None else out._become("sampled_addmm", result)
