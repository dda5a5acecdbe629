"""Products of vectors, matrices and tensors beyond ``matmul``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import flambeau_core as fb
from flambeau_core.composed.broadcasting import broadcast_shapes
from flambeau_core.composed.dimensions import wrap_dim
from flambeau_core.declare import op


def _require_vectors(name: str, *vectors: fb.Tensor) -> None:
    for vector in vectors:
        if vector.dim() != 1:
            raise RuntimeError(f"{name}: expected 1-D tensors, but got shape {tuple(vector.shape)}")


@op("outer(Tensor self, Tensor vec2) -> Tensor")
def outer(self: fb.Tensor, vec2: fb.Tensor) -> fb.Tensor:
    """All products of an element of one vector and one of the other, ``(n, m)``."""
    _require_vectors("outer", self, vec2)
    return self.unsqueeze(1) * vec2.unsqueeze(0)


@op("ger(Tensor self, Tensor vec2) -> Tensor")
def ger(self: fb.Tensor, vec2: fb.Tensor) -> fb.Tensor:
    """The same as ``outer``."""
    return outer(self, vec2)


@op("vdot(Tensor self, Tensor other) -> Tensor")
def vdot(self: fb.Tensor, other: fb.Tensor) -> fb.Tensor:
    """Dot product of two vectors, the first conjugated if complex."""
    _require_vectors("vdot", self, other)
    return fb.dot(self.conj_physical() if self.is_complex() else self, other)


@op("inner(Tensor self, Tensor other) -> Tensor")
def inner(self: fb.Tensor, other: fb.Tensor) -> fb.Tensor:
    """Sums of products over the last dimensions, ``(..., n)`` and ``(..., n)``."""
    if self.dim() == 0 or other.dim() == 0:
        return self * other
    if self.shape[-1] != other.shape[-1]:
        raise RuntimeError(
            "inner: the last dimension must match on both input tensors but got shapes "
            f"{tuple(self.shape)} and {tuple(other.shape)}"
        )
    return tensordot(self, other, [[-1], [-1]])


@op("kron(Tensor self, Tensor other) -> Tensor")
def kron(self: fb.Tensor, other: fb.Tensor) -> fb.Tensor:
    """Kronecker product; the tensor with fewer dimensions gets ones in front."""
    ndim = max(self.dim(), other.dim())
    left = [1] * (ndim - self.dim()) + list(self.shape)
    right = [1] * (ndim - other.dim()) + list(other.shape)
    a = self.reshape([n for length in left for n in (length, 1)])
    b = other.reshape([n for length in right for n in (1, length)])
    return (a * b).reshape([m * n for m, n in zip(left, right)])


@op("cross(Tensor self, Tensor other, int? dim=None) -> Tensor")
def cross(self: fb.Tensor, other: fb.Tensor, dim: int | None) -> fb.Tensor:
    """Vector product along a dimension of length 3, by default the first such."""
    if self.dim() != other.dim():
        raise RuntimeError(
            "cross: inputs must have the same number of dimensions, "
            f"got shapes {tuple(self.shape)} and {tuple(other.shape)}"
        )
    shape = broadcast_shapes(self.shape, other.shape)
    if dim is None:
        if 3 not in shape:
            raise RuntimeError(f"cross: no dimension of size 3 in input of shape {tuple(shape)}")
        dim = list(shape).index(3)
    dim = wrap_dim("cross", dim, self.shape)
    if self.shape[dim] != 3 or other.shape[dim] != 3:
        raise RuntimeError(
            f"cross: inputs dimension {dim} must have length 3, "
            f"got shapes {tuple(self.shape)} and {tuple(other.shape)}"
        )
    a, b = self.expand(shape), other.expand(shape)
    following = fb.tensor([1, 2, 0], device=self.device)
    preceding = fb.tensor([2, 0, 1], device=self.device)
    ahead = a.index_select(dim, following) * b.index_select(dim, preceding)
    return ahead - a.index_select(dim, preceding) * b.index_select(dim, following)


@op("tensordot(Tensor a, Tensor b, any dims=2) -> Tensor", method=False)
def tensordot(a: fb.Tensor, b: fb.Tensor, dims: Any) -> fb.Tensor:
    """Sums of products over several dimensions at once.

    ``dims`` is a number n (the last n of ``a``, the first n of ``b``) or two lists of dimensions.
    """
    dims_a, dims_b = _contracted_dims(a, b, dims)
    for i, j in zip(dims_a, dims_b):
        if a.shape[i] == 1:
            b = b.sum(j, True, dtype=b.dtype)
        elif b.shape[j] == 1:
            a = a.sum(i, True, dtype=a.dtype)
        elif a.shape[i] != b.shape[j]:
            raise RuntimeError(
                f"tensordot: contracted dimensions need to match, but first has size "
                f"{a.shape[i]} in dim {i} and second has size {b.shape[j]} in dim {j} "
                f"(shapes {tuple(a.shape)} and {tuple(b.shape)})"
            )
    free_a = [i for i in range(a.dim()) if i not in dims_a]
    free_b = [i for i in range(b.dim()) if i not in dims_b]
    depth = 1
    for i in dims_a:
        depth *= a.shape[i]
    shape_a = [a.shape[i] for i in free_a]
    shape_b = [b.shape[i] for i in free_b]
    left = a.permute(free_a + dims_a).reshape(_count(shape_a), depth)
    right = b.permute(dims_b + free_b).reshape(depth, _count(shape_b))
    return fb.mm(left, right).reshape(shape_a + shape_b)


def _contracted_dims(a: fb.Tensor, b: fb.Tensor, dims: Any) -> tuple[list[int], list[int]]:
    if isinstance(dims, fb.Tensor):
        dims = dims.tolist()
    if isinstance(dims, int):
        if dims < 0:
            raise RuntimeError(f"tensordot: expects dims >= 0, but got dims={dims}")
        if dims > min(a.dim(), b.dim()):
            raise RuntimeError(
                f"tensordot: expects dims <= the number of dimensions, but got dims={dims} and "
                f"shapes {tuple(a.shape)} and {tuple(b.shape)}"
            )
        return list(range(a.dim() - dims, a.dim())), list(range(dims))
    first, second = ([x] if isinstance(x, int) else list(x) for x in dims)
    if len(first) != len(second):
        raise RuntimeError(
            f"tensordot: both dimension lists should have same length, got {first} and {second}"
        )
    return (
        [wrap_dim("tensordot", i, a.shape) for i in first],
        [wrap_dim("tensordot", i, b.shape) for i in second],
    )


def _count(shape: Sequence[int]) -> int:
    count = 1
    for length in shape:
        count *= length
    return count


def _blended(bias: fb.Tensor, product: fb.Tensor, beta: Any, alpha: Any) -> fb.Tensor:
    """``beta * bias + alpha * product``; a zero ``beta`` drops even NaN from ``bias``."""
    dtype = product.dtype
    if not (dtype.is_floating_point or dtype.is_complex):
        kind = bool if dtype == fb.bool else int
        beta, alpha = kind(beta), kind(alpha)
    if alpha != 1:
        product = product * alpha
    if beta == 0:
        return product.clone()
    return (bias if beta == 1 else bias * beta) + product


@op(
    "addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
    inplace=True,
)
def addmv(self: fb.Tensor, mat: fb.Tensor, vec: fb.Tensor, beta: Any, alpha: Any) -> fb.Tensor:
    """``beta * self + alpha * (mat @ vec)`` for a matrix ``(n, m)`` and a vector ``(m,)``."""
    return _blended(self.expand([mat.shape[0]]), fb.mv(mat, vec), beta, alpha)


@op(
    "addr(Tensor self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
    inplace=True,
)
def addr(self: fb.Tensor, vec1: fb.Tensor, vec2: fb.Tensor, beta: Any, alpha: Any) -> fb.Tensor:
    """``beta * self + alpha * outer(vec1, vec2)``."""
    _require_vectors("addr", vec1, vec2)
    product = outer(vec1, vec2)
    integral = not (product.is_floating_point() or product.is_complex())
    for name, factor in (("beta", beta), ("alpha", alpha)):
        if integral and isinstance(factor, float):
            raise RuntimeError(
                f"addr: for integral input tensors, argument {name} must not be a floating point "
                f"number, got {factor}"
            )
    return _blended(self.expand(product.shape), product, beta, alpha)


@op(
    "addbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
    inplace=True,
)
def addbmm(
    self: fb.Tensor, batch1: fb.Tensor, batch2: fb.Tensor, beta: Any, alpha: Any
) -> fb.Tensor:
    """``beta * self + alpha`` times the sum over the batch of ``batch1 @ batch2``."""
    product = fb.bmm(batch1, batch2)
    summed = product.sum(0, dtype=product.dtype)
    return _blended(self.expand(summed.shape), summed, beta, alpha)
