"""Norms of vectors and matrices, and condition numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import flambeau_core as fb
from flambeau_core.composed.dimensions import wrap_dim, wrap_dims
from flambeau_core.composed.vector_norms import vector_norm as norm_along
from flambeau_core.declare import op
from flambeau_core.linalg.arguments import (
    BY_FUNCTION,
    LOW_BY_KERNEL,
    real_dtype,
    require_matrix,
    require_number_type,
    require_square,
)
from flambeau_core.linalg.inverse import inverted
from flambeau_core.linalg.svd import values as singular_values

__all__ = ["cond", "matrix_norm", "norm", "vector_norm"]

Tensor = fb.Tensor


def _converted(name: str, x: Tensor, dtype: Any) -> Tensor:
    """The input in the dtype to compute in, which may not be narrower."""
    if not (x.is_floating_point() or x.is_complex()):
        raise RuntimeError(
            f"{name}: Expected a floating point or complex tensor as input. Got {x.dtype}"
        )
    if dtype is None:
        return x
    if not (dtype.is_floating_point or dtype.is_complex):
        raise RuntimeError(f"{name}: dtype should be floating point or complex, but got {dtype}")
    if dtype.is_complex != x.is_complex():
        kind = "complex" if x.is_complex() else "real"
        raise RuntimeError(f"{name}: dtype should be {kind} for {kind} inputs, but got {dtype}")
    if fb.promote_types(x.dtype, dtype) != dtype:
        raise RuntimeError(
            f"{name}: the dtype of the input ({x.dtype}) should be convertible without narrowing "
            f"to the specified dtype ({dtype})"
        )
    return x.to(dtype)


def _require_identity(name: str, x: Tensor, ord: float, dims: Sequence[int] | None) -> None:
    """The largest of no elements does not exist."""
    if x.numel() or not (ord < 0 or ord == math.inf):
        return
    if dims is None or len(dims) == 0:
        raise RuntimeError(
            f"{name} cannot compute the {ord} norm on an empty tensor because the operation does "
            f"not have an identity, got shape {tuple(x.shape)}"
        )
    for dim in dims:
        if x.shape[dim] == 0:
            raise RuntimeError(
                f"{name} cannot compute the {ord} norm on the dimension {dim} because this "
                f"dimension is empty and the operation does not have an identity, "
                f"got shape {tuple(x.shape)}"
            )


@op(
    "vector_norm(Tensor self, Scalar ord=2, int[]? dim=None, bool keepdim=False, *,"
    " dtype? dtype=None) -> Tensor",
    namespace="linalg",
    full_precision=True,
)
def vector_norm(
    self: Tensor, ord: float, dim: Sequence[int] | None, keepdim: bool, dtype: Any
) -> Tensor:
    """``sum(|x| ** ord) ** (1 / ord)`` over ``dim``, all if None; 0 counts what is not 0.

    ``inf`` is the largest size and ``-inf`` the smallest. Computed in ``dtype`` if given.
    """
    return _vector_norm("linalg.vector_norm", self, ord, dim, keepdim, dtype)


def _vector_norm(
    name: str, x: Tensor, ord: float, dim: Sequence[int] | None, keepdim: bool, dtype: Any
) -> Tensor:
    x = _converted(name, x, dtype)
    dims = None if dim is None or len(dim) == 0 else wrap_dims(name, list(dim), x.dim())
    _require_identity(name, x, ord, dims)
    return norm_along(x, ord, dims, keepdim)


# ---- matrices -----------------------------------------------------------------------


def _matrix_dims(name: str, x: Tensor, dim: Sequence[int]) -> tuple[int, int]:
    require_matrix(name, x)
    if len(dim) != 2:
        raise RuntimeError(f"{name}: dim must be a 2-tuple. Got {list(dim)}")
    first, second = (wrap_dim(name, d, x.dim()) for d in dim)
    if first == second:
        raise RuntimeError(f"{name}: dims must be different. Got {tuple(dim)}")
    return first, second


def matrix_norm_of(
    name: str, x: Tensor, ord: Any, dim: Sequence[int], keepdim: bool, dtype: Any
) -> Tensor:
    """The norm of the matrices in two dimensions."""
    first, second = _matrix_dims(name, x, dim)
    x = _converted(name, x, dtype)
    if ord == "fro":
        return norm_along(x, 2, [first, second], keepdim)
    if ord in ("nuc", 2, -2):
        require_number_type(name, x)
        S = singular_values(x.movedim([first, second], [-2, -1]), name)
        norm = S.sum(-1) if ord == "nuc" else S.amin(-1) if ord == -2 else _largest(S, -1)
        for kept in sorted([first, second]) if keepdim else []:
            norm = norm.unsqueeze(kept)
        return norm
    if isinstance(ord, str) or abs(ord) not in (1, math.inf):
        raise RuntimeError(f"{name}: Order {ord} not supported.")
    summed, picked = (first, second) if abs(ord) == 1 else (second, first)
    sums = norm_along(x, 1, [summed], True)
    norm = _largest(sums, picked) if ord > 0 else sums.amin(picked)
    if keepdim:
        return norm.unsqueeze(picked)
    return norm.squeeze(summed - (picked < summed))


def _largest(x: Tensor, dim: int) -> Tensor:
    """The largest of sizes, of which there may be none."""
    return x.amax(dim) if x.shape[dim] else x.sum(dim)


@op(
    "matrix_norm(Tensor self, any ord='fro', int[] dim=[-2, -1], bool keepdim=False, *,"
    " dtype? dtype=None) -> Tensor",
    namespace="linalg",
    full_precision=True,
)
def matrix_norm(self: Tensor, ord: Any, dim: Sequence[int], keepdim: bool, dtype: Any) -> Tensor:
    """The norm of the matrices in two dimensions.

    ``ord`` is "fro" (all elements as one vector), "nuc" (sum of the singular values), 2 or -2
    (the largest, the smallest), 1 or -1 (the largest, the smallest sum of a column), inf or -inf
    (of a row).
    """
    return matrix_norm_of("linalg.matrix_norm", self, ord, dim, keepdim, dtype)


@op(
    "norm(Tensor self, any ord=None, int[]? dim=None, bool keepdim=False, *, dtype? dtype=None)"
    " -> Tensor",
    namespace="linalg",
    full_precision=True,
)
def norm(self: Tensor, ord: Any, dim: Sequence[int] | None, keepdim: bool, dtype: Any) -> Tensor:
    """``vector_norm`` over one dimension, or over all without ``ord``; ``matrix_norm`` over two."""
    if ord is None:
        return _vector_norm("linalg.vector_norm", self, 2, dim, keepdim, dtype)
    if dim is None:
        if self.dim() not in (1, 2):
            raise RuntimeError(
                "linalg.norm: If dim is not specified but ord is, the input must be 1D or 2D. "
                f"Got {self.dim()}D (shape {tuple(self.shape)})."
            )
        dim = list(range(self.dim()))
    elif len(dim) not in (1, 2):
        raise RuntimeError(
            f"linalg.norm: If dim is specified, it must be of length 1 or 2. Got {list(dim)}"
        )
    if len(dim) == 2 or isinstance(ord, str):
        return matrix_norm_of("linalg.matrix_norm", self, ord, dim, keepdim, dtype)
    return _vector_norm("linalg.vector_norm", self, ord, dim, keepdim, dtype)


# ---- condition numbers --------------------------------------------------------------


@op("cond(Tensor self, any p=None) -> Tensor", namespace="linalg", full_precision=True)
def cond(self: Tensor, p: Any) -> Tensor:
    """How much a matrix magnifies errors: its norm times that of its inverse.

    ``p`` is an order of ``matrix_norm``; None is 2, the quotient of the largest and smallest
    singular values, which need not be of square matrices. Infinite for singular matrices.
    """
    name = "linalg.cond"
    require_matrix(name, self)
    if p is None or p in (2, -2):
        if self.numel() == 0:
            return self.new_zeros(self.shape[:-2], dtype=real_dtype(self))
        require_number_type(name, self, LOW_BY_KERNEL)
        S = singular_values(self, name)
        return S[..., -1] / S[..., 0] if p == -2 else S[..., 0] / S[..., -1]
    if not isinstance(p, str) and abs(p) not in (1, math.inf):
        raise RuntimeError(f"{name} got an invalid norm type: {p}")
    require_square(f"{name}(ord={p})", self)
    require_number_type(name, self, LOW_BY_KERNEL if p == "nuc" else BY_FUNCTION)
    if isinstance(p, str) and p not in ("fro", "nuc"):
        raise RuntimeError(f"{name} got an invalid norm type: {p}")
    if self.numel() == 0:
        return self.new_zeros(self.shape[:-2], dtype=real_dtype(self))
    inverse, info = inverted(self, None)
    inverse = fb.where(info[..., None, None] != 0, fb.zeros_like(inverse), inverse)
    product = matrix_norm_of(name, self, p, [-2, -1], False, None) * matrix_norm_of(
        name, inverse, p, [-2, -1], False, None
    )
    return product.masked_fill(info != 0, math.inf)
