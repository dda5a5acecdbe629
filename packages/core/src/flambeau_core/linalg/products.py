"""Products of several matrices, of vectors, and systems of equations over whole tensors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import flambeau_core as fb
from flambeau_core.declare import op
from flambeau_core.linalg.inverse import inv, solve

__all__ = [
    "cross",
    "diagonal",
    "matmul",
    "multi_dot",
    "tensorinv",
    "tensorsolve",
    "vander",
    "vecdot",
]

Tensor = fb.Tensor


@op("matmul(Tensor self, Tensor other) -> Tensor", namespace="linalg")
def matmul(self: Tensor, other: Tensor) -> Tensor:
    """The same as ``flambeau.matmul``."""
    return fb.matmul(self, other)


@op("cross(Tensor self, Tensor other, *, int dim=-1) -> Tensor", namespace="linalg")
def cross(self: Tensor, other: Tensor, dim: int) -> Tensor:
    """Vector product along a dimension of length 3."""
    if self.dim() != other.dim():
        raise RuntimeError(
            "linalg.cross: inputs must have the same number of dimensions, "
            f"got shapes {tuple(self.shape)} and {tuple(other.shape)}"
        )
    return fb.cross(self, other, dim)


@op(
    "diagonal(Tensor A, *, int offset=0, int dim1=-2, int dim2=-1) -> view",
    namespace="linalg",
)
def diagonal(A: Tensor, offset: int, dim1: int, dim2: int) -> Tensor:
    """The diagonals of matrices, as a view."""
    return fb.diagonal(A, offset, dim1, dim2)


@op("vecdot(Tensor x, Tensor y, *, int dim=-1) -> Tensor", namespace="linalg")
def vecdot(x: Tensor, y: Tensor, dim: int) -> Tensor:
    """``sum(conj(x) * y)`` along a dimension, broadcast."""
    for argument in (x, y):
        if not (argument.is_floating_point() or argument.is_complex()):
            raise RuntimeError(
                "linalg.vecdot: Expected a floating point or complex tensor as input. "
                f"Got {argument.dtype}"
            )
    if x.dtype != y.dtype:
        raise RuntimeError(
            f"linalg.vecdot: Expected x and y to have the same dtype, got {x.dtype} and {y.dtype}"
        )
    return (x.conj() * y).sum(dim)


@op("vander(Tensor x, *, int? N=None) -> Tensor", namespace="linalg")
def vander(x: Tensor, N: int | None) -> Tensor:
    """The powers 0 to N - 1 (by default as many as elements) of ``(..., n)``: ``(..., n, N)``."""
    if x.dtype in (fb.bool, fb.float16, fb.bfloat16):
        raise RuntimeError(
            "linalg.vander supports floating point, complex, and integer tensors, "
            f"but got {x.dtype}"
        )
    x = x.reshape([1]) if x.dim() == 0 else x
    count = x.shape[-1] if N is None else N
    if count <= 1:
        raise RuntimeError(
            f"linalg.vander: N must be greater than 1, got {count} for shape {tuple(x.shape)}."
        )
    powers = x.unsqueeze(-1).expand([*x.shape, count - 1]).cumprod(-1)
    return fb.cat([fb.ones_like(powers[..., :1]), powers], -1)


# ---- chains -------------------------------------------------------------------------


def _require_chain(name: str, tensors: Sequence[Tensor]) -> None:
    for i, t in enumerate(tensors):
        end = i in (0, len(tensors) - 1)
        if t.dim() != 2 and not (end and t.dim() == 1):
            expected = "1D or 2D" if end else "2D"
            raise RuntimeError(f"{name}(): tensor {i} must be {expected} but got {t.dim()}D")
        if t.dtype != tensors[0].dtype:
            raise RuntimeError(
                f"{name}(): all tensors must have be the same dtype but tensor 0 is "
                f"{tensors[0].dtype} and tensor {i} {t.dtype}"
            )


def _cheapest_splits(sizes: Sequence[int]) -> list[list[int]]:
    """For matrices ``sizes[i] x sizes[i + 1]``, where to split each run of them.

    Cormen, Leiserson, Rivest and Stein, Introduction to Algorithms, 2009, section 15.2.
    """
    n = len(sizes) - 1
    cost = [[0] * n for _ in range(n)]
    split = [[0] * n for _ in range(n)]
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            cost[i][j], split[i][j] = min(
                (cost[i][k] + cost[k + 1][j] + sizes[i] * sizes[k + 1] * sizes[j + 1], k)
                for k in range(i, j)
            )
    return split


def _chain(name: str, matrices: list[Tensor]) -> Tensor:
    for i, (a, b) in enumerate(zip(matrices, matrices[1:])):
        if a.shape[1] != b.shape[0]:
            raise RuntimeError(
                f"{name}(): tensors {i} and {i + 1} with shapes {list(a.shape)} and "
                f"{list(b.shape)} cannot be multiplied"
            )
    split = _cheapest_splits([m.shape[0] for m in matrices] + [matrices[-1].shape[1]])

    def product(i: int, j: int) -> Tensor:
        if i == j:
            return matrices[i]
        k = split[i][j]
        return product(i, k) @ product(k + 1, j)

    return product(0, len(matrices) - 1)


@op("multi_dot(Tensor[] tensors) -> Tensor", namespace="linalg")
def multi_dot(tensors: Sequence[Tensor]) -> Tensor:
    """The product of two or more matrices in the cheapest order; the ends may be vectors."""
    name = "multi_dot"
    if len(tensors) < 2:
        raise RuntimeError(f"{name}(): expected at least 2 tensors but got {len(tensors)}")
    _require_chain(name, tensors)
    matrices = list(tensors)
    row, column = matrices[0].dim() == 1, matrices[-1].dim() == 1
    if row:
        matrices[0] = matrices[0].unsqueeze(0)
    if column:
        matrices[-1] = matrices[-1].unsqueeze(-1)
    result = _chain(name, matrices)
    if column:
        result = result.squeeze(-1)
    return result.squeeze(0) if row else result


def chain_matmul(*matrices: Tensor, out: Any = None) -> Tensor:
    """The product of one or more matrices in the cheapest order.

    Example:

        >>> import flambeau as torch
        >>> torch.chain_matmul(torch.ones(2, 3), torch.ones(3, 4), torch.ones(4, 5)).shape
        flambeau.Size([2, 5])
    """
    if not matrices:
        raise RuntimeError("chain_matmul(): Expected one or more matrices")
    for i, matrix in enumerate(matrices):
        if matrix.dim() != 2:
            raise RuntimeError(
                f"chain_matmul(): Tensor dimension is {matrix.dim()}, expected 2 instead "
                f"(matrix {i})"
            )
    if len(matrices) == 1:
        return matrices[0]
    whole: Any = multi_dot
    product: Tensor = whole(list(matrices), out=out)
    return product


# ---- systems over whole tensors -----------------------------------------------------


@op("tensorinv(Tensor self, int ind=2) -> Tensor", namespace="linalg")
def tensorinv(self: Tensor, ind: int) -> Tensor:
    """The inverse for ``tensordot`` over the first ``ind`` dimensions."""
    if ind <= 0:
        raise RuntimeError(
            f"linalg.tensorinv: Expected a strictly positive integer for 'ind', but got {ind}"
        )
    rows, columns = math.prod(self.shape[:ind]), math.prod(self.shape[ind:])
    if rows != columns:
        raise RuntimeError(
            "linalg.tensorinv: Expected self to satisfy prod(self.shape[ind:]) == "
            f"prod(self.shape[:ind]), but got {columns} != {rows} (shape {tuple(self.shape)})"
        )
    inverse: Tensor = inv(self.reshape([rows, columns]))
    return inverse.reshape([*self.shape[ind:], *self.shape[:ind]])


@op("tensorsolve(Tensor self, Tensor other, int[]? dims=None) -> Tensor", namespace="linalg")
def tensorsolve(self: Tensor, other: Tensor, dims: Sequence[int] | None) -> Tensor:
    """``X`` with ``tensordot(self, X, X.ndim) == other``; ``dims`` of self move to its end."""
    A = self if dims is None else self.movedim(list(dims), list(range(-len(dims), 0)))
    wanted = list(A.shape[other.dim() :])
    rows, columns = math.prod(A.shape[: other.dim()]), math.prod(wanted)
    if rows != columns:
        raise RuntimeError(
            "linalg.tensorsolve: Expected self to satisfy prod(self.shape[other.ndim:]) == "
            f"prod(self.shape[:other.ndim]), but got {columns} != {rows} "
            f"(shapes {tuple(self.shape)} and {tuple(other.shape)})"
        )
    solution: Tensor = solve(A.reshape([rows, columns]), other.reshape([-1]), left=True)
    return solution.reshape(wanted)
