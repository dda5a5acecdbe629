"""Factorisations, solving, norms and functions of matrices.

Matrices that must be symmetric or positive definite are made so around the op, and of results that
are unique up to signs a function is taken that is not, so that gradients exist in all directions.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import flambeau_core as fb
from flambeau_testing.op_samples.declaration import Array, Declaration, Sample

Shapes = tuple[tuple[int, ...], ...]
Around = Callable[[Callable[..., Any]], Callable[..., Any]]
DTYPES = ("float32", "float64")
SQUARE: tuple[Shapes, ...] = (((3, 3),), ((2, 4, 4),), ((1, 1),), ((0, 3, 3),), ((0, 0),))
TALL: tuple[Shapes, ...] = (((4, 3),), ((2, 3, 2),), ((0, 4, 3),))
WIDE: tuple[Shapes, ...] = (((3, 5),), ((2, 2, 3),))


def matrices(
    name: str,
    reference: Callable[..., Any],
    calls: tuple[Shapes, ...],
    *extra: Any,
    named: dict[str, Any] | None = None,
    shift: float = 0.0,
    around: Around | None = None,
    namespace: str = "linalg",
    **settings: Any,
) -> Declaration:
    """An op on matrices of the given shapes; ``shift`` times the identity keeps them regular.

    ``around`` embeds the op in the function that the reference computes.
    """

    def draw(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        drawn = rng.uniform(-1, 1, shape)
        if shift and len(shape) > 1 and shape[-1] == shape[-2]:
            drawn += shift * np.eye(shape[-1])
        return drawn

    def samples(rng: np.random.Generator) -> list[Sample]:
        return [
            Sample((*(draw(rng, shape) for shape in shapes), *extra), named or {})
            for shapes in calls
        ]

    def embedded(*args: Any, **kwargs: Any) -> Any:
        assert around is not None
        owner = getattr(fb, namespace) if namespace else fb
        return around(getattr(owner, name))(*args, **kwargs)

    return Declaration(
        name,
        reference,
        samples,
        dtypes=DTYPES,
        widen=60,
        namespace=namespace,
        call=None if around is None else embedded,
        **settings,
    )


# ---- special matrices, from any -----------------------------------------------------


def symmetric(a: Any) -> Any:
    return a + a.swapaxes(-2, -1)


def positive(a: Any) -> Any:
    """Positive definite; works on tensors and arrays alike."""
    product = a @ a.swapaxes(-2, -1)
    n = a.shape[-1]
    if isinstance(a, fb.Tensor):
        return product + fb.eye(n, dtype=a.dtype, device=a.device)
    return product + np.eye(n, dtype=a.dtype)


def on(change: Callable[[Any], Any]) -> Around:
    """The op on its changed first argument."""
    return lambda op: lambda a, *rest, **named: op(change(a), *rest, **named)


def first(op: Callable[..., Any]) -> Callable[..., Any]:
    """Only the op's first result."""
    return lambda *args, **named: op(*args, **named)[0]


def lower(a: Any) -> Any:
    return a.tril() if isinstance(a, fb.Tensor) else np.tril(a)


# ---- references ---------------------------------------------------------------------


def adjugate_free_logdet(a: Array) -> Array:
    return np.asarray(np.linalg.slogdet(positive(a))[1])


def eigen_projectors(op: Callable[..., Any]) -> Callable[..., Any]:
    """Eigenvalues, and the squares of the vectors' elements, which have no sign."""

    def function(a: fb.Tensor) -> Any:
        w, V = op(symmetric(a))
        return w, V * V

    return function


def eigen_projectors_reference(a: Array) -> Any:
    w, V = np.linalg.eigh(symmetric(a))
    return w, V * V


def singular_squares(op: Callable[..., Any]) -> Callable[..., Any]:
    def function(a: fb.Tensor) -> Any:
        U, S, Vh = op(a, False)
        return U * U, S, Vh * Vh

    return function


def singular_squares_reference(a: Array) -> Any:
    U, S, Vh = np.linalg.svd(a, full_matrices=False)
    return U * U, S, Vh * Vh


def exponential(a: Array) -> Array:
    total = term = np.broadcast_to(np.eye(a.shape[-1]), a.shape)
    for k in range(1, 60):
        term = term @ a / k
        total = total + term
    return total


def triangular(a: Array, b: Array, *, upper: bool, unitriangular: bool = False) -> Array:
    part = np.triu(a) if upper else np.tril(a)
    if unitriangular:
        n = a.shape[-1]
        part = part * (1 - np.eye(n)) + np.eye(n)
    return np.asarray(np.linalg.solve(part, b))


def packed_lu(a: Array) -> Array:
    """Doolittle's elimination with the largest pivot, one matrix after the other."""
    out = a.copy()
    for index in np.ndindex(a.shape[:-2]):
        lu = out[index]
        for k in range(min(lu.shape)):
            row = k + int(np.abs(lu[k:, k]).argmax())
            lu[[k, row]] = lu[[row, k]]
            lu[k + 1 :, k] /= lu[k, k]
            lu[k + 1 :, k + 1 :] -= np.outer(lu[k + 1 :, k], lu[k, k + 1 :])
    return out


def reflections(a: Array, tau: Array) -> Array:
    """All of Q, ``(..., m, m)``."""
    m = a.shape[-2]
    Q = np.broadcast_to(np.eye(m), (*a.shape[:-2], m, m))
    for i in range(tau.shape[-1]):
        v = np.concatenate([np.zeros_like(a[..., :i, i]), a[..., i:, i]], -1)
        v[..., i] = 1
        H = np.eye(m) - tau[..., i, None, None] * v[..., :, None] * v[..., None, :]
        Q = Q @ H
    return Q


def over_orders(*orders: Any) -> list[Declaration]:
    return [
        matrices(
            "matrix_norm",
            lambda a, p: np.linalg.norm(a, p, axis=(-2, -1)),
            (((3, 4),), ((2, 3, 2),)),
            order,
        )
        for order in orders
    ]


DECLARATIONS = (
    matrices("cholesky", lambda a: np.linalg.cholesky(positive(a)), SQUARE, around=on(positive)),
    matrices(
        "cholesky_solve",
        lambda b, l: np.linalg.solve(lower(l) @ lower(l).swapaxes(-2, -1), b),
        (((3, 2), (3, 3)), ((2, 4, 1), (4, 4))),
        shift=2,
        around=lambda op: lambda b, l: op(b, lower(l)),
        namespace="",
    ),
    matrices(
        "cholesky_inverse",
        lambda l: np.linalg.inv(lower(l) @ lower(l).swapaxes(-2, -1)),
        SQUARE[:3],
        shift=2,
        around=on(lower),
        namespace="",
    ),
    matrices("det", np.linalg.det, SQUARE),
    matrices("det", np.linalg.det, SQUARE, namespace=""),
    matrices("slogdet", np.linalg.slogdet, SQUARE[:3]),
    matrices("logdet", adjugate_free_logdet, SQUARE[:3], around=on(positive), namespace=""),
    matrices("inv", np.linalg.inv, SQUARE, shift=3),
    matrices("inverse", np.linalg.inv, SQUARE, shift=3, namespace=""),
    matrices("solve", np.linalg.solve, (((3, 3), (3, 2)), ((2, 4, 4), (2, 4, 1))), shift=3),
    matrices(
        "solve_triangular",
        triangular,
        (((3, 3), (3, 2)), ((2, 4, 4), (2, 4, 1))),
        named={"upper": True},
        shift=3,
    ),
    matrices(
        "solve_triangular",
        triangular,
        (((3, 3), (3, 2)),),
        named={"upper": False, "unitriangular": True},
    ),
    matrices("eigh", eigen_projectors_reference, SQUARE[:3], around=eigen_projectors),
    matrices("eigvalsh", lambda a: np.linalg.eigvalsh(symmetric(a)), SQUARE, around=on(symmetric)),
    matrices("svd", singular_squares_reference, (*TALL[:2], *WIDE), around=singular_squares),
    matrices("svdvals", lambda a: np.linalg.svd(a, compute_uv=False), (*TALL, *WIDE)),
    matrices("qr", np.linalg.qr, (*TALL[:2], *WIDE, *SQUARE[:3])),
    matrices("qr", np.linalg.qr, (*TALL[:2], *WIDE), namespace=""),
    matrices("lu_factor", packed_lu, (*TALL[:2], *WIDE, *SQUARE[:2]), around=first),
    matrices(
        "householder_product",
        lambda a, tau: reflections(a, tau)[..., : a.shape[-1]],
        (((4, 3), (3,)), ((2, 3, 3), (2, 2))),
    ),
    matrices(
        "ormqr",
        lambda a, tau, c: reflections(a, tau) @ c,
        (((4, 3), (3,), (4, 2)),),
        namespace="",
    ),
    matrices("pinv", np.linalg.pinv, (*TALL[:2], *WIDE)),
    matrices("pinverse", np.linalg.pinv, TALL[:2], namespace=""),
    matrices("matrix_rank", np.linalg.matrix_rank, (*TALL[:2], *SQUARE[:2]), differentiable=False),
    matrices(
        "lstsq",
        lambda a, b: np.linalg.pinv(a) @ b,
        (((4, 3), (4, 2)), ((2, 2, 3), (2, 2, 1))),
        around=first,
    ),
    matrices("matrix_exp", exponential, SQUARE),
    matrices("matrix_power", np.linalg.matrix_power, SQUARE[:3], 3),
    matrices("matrix_power", np.linalg.matrix_power, SQUARE[:2], -2, shift=3),
    matrices("tensorinv", np.linalg.tensorinv, (((2, 3, 6),),), 2),
    matrices("tensorsolve", np.linalg.tensorsolve, (((2, 3, 6), (2, 3)),)),
    matrices("vander", lambda x: np.vander(x, increasing=True), (((4,),),)),
    matrices("vecdot", lambda x, y: (x * y).sum(-1), (((3, 4), (3, 4)), ((2, 1, 3), (4, 3)))),
    matrices("cross", np.cross, (((2, 3), (2, 3)),)),
    matrices("cond", np.linalg.cond, SQUARE[:2], shift=2),
    matrices("cond", np.linalg.cond, SQUARE[:2], 1, shift=2),
    matrices("vector_norm", lambda x, p: np.linalg.norm(x, p), (((5,),),), 3),
    matrices("vector_norm", lambda x, p: np.linalg.norm(x, p), (((5,),),), -math.inf),
    matrices("norm", np.linalg.norm, (((3, 4),),)),
    *over_orders("fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf),
)
