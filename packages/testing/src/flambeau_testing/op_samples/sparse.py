"""Ops on sparse tensors of given values, against the dense matrices that they stand for.

An input is the values at fixed coordinates, some of which repeat.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import flambeau_core as fb
from flambeau_testing.op_samples.declaration import Array, Declaration, Sample

WIDTHS = ("float64", "float32")
SHAPE = (3, 4)
# The fourth is the first again; nothing lies in the second row.
PLACES = np.array([[0, 2, 2, 0, 0], [3, 0, 2, 3, 1]])


def dense(values: Array) -> Array:
    """The matrix of some values, or of slices of them."""
    out = np.zeros((*SHAPE, *values.shape[1:]))
    np.add.at(out, tuple(PLACES), values)
    return out


def stored() -> Array:
    """Which elements are stored."""
    return dense(np.ones(PLACES.shape[1])) > 0


def sparse(values: fb.Tensor) -> fb.Tensor:
    return fb.sparse_coo_tensor(PLACES.tolist(), values, (*SHAPE, *values.shape[1:]))


def whole(x: fb.Tensor) -> fb.Tensor:
    return x.to_dense()


def samples(*shapes: tuple[int, ...], slices: tuple[int, ...] = ()) -> Any:
    """Values, and dense arrays of these shapes."""

    def make(rng: np.random.Generator) -> Iterator[Sample]:
        draws = [rng.uniform(0.5, 1.5, s) for s in ((PLACES.shape[1], *slices), *shapes)]
        yield Sample(tuple(draws))

    return make


def softmax(values: Array, dim: int) -> Array:
    powers = np.where(stored(), np.exp(dense(values)), 0)
    total = powers.sum(dim, keepdims=True)
    return np.asarray(powers / np.where(total == 0, 1, total))


def log_softmax(values: Array, dim: int) -> Array:
    share = softmax(values, dim)
    return np.asarray(np.log(np.where(share == 0, 1, share)))


def row(
    name: str,
    call: Callable[..., fb.Tensor],
    reference: Callable[..., Any],
    *shapes: tuple[int, ...],
    slices: tuple[int, ...] = (),
) -> Declaration:
    made = samples(*shapes, slices=slices)
    return Declaration(name, reference, made, WIDTHS, namespace="sparse", strided=False, call=call)


SHARES = {"softmax": softmax, "log_softmax": log_softmax}


def shares_of(name: str, dim: int) -> Declaration:
    op = getattr(fb.sparse, name)
    return row(f"{name}_{dim}", lambda v: whole(op(sparse(v), dim)), lambda v: SHARES[name](v, dim))


DECLARATIONS = (
    row("to_dense", lambda v: whole(sparse(v)), dense),
    row("to_dense_of_slices", lambda v: whole(sparse(v)), dense, slices=(2,)),
    row("coalesce", lambda v: whole(sparse(v).coalesce()), dense),
    row("values", lambda v: sparse(v).coalesce().values(), lambda v: dense(v)[stored()]),
    row("t", lambda v: whole(sparse(v).t()), lambda v: dense(v).T),
    row("neg", lambda v: whole(-sparse(v)), lambda v: -dense(v)),
    row("square", lambda v: whole(sparse(v).square()), lambda v: dense(v) ** 2),
    row("sin", lambda v: whole(sparse(v).sin()), lambda v: np.sin(dense(v))),
    row("sum", lambda v: fb.sparse.sum(sparse(v)), lambda v: dense(v).sum()),
    row("sum_of_rows", lambda v: whole(fb.sparse.sum(sparse(v), 1)), lambda v: dense(v).sum(1)),
    row("sum_of_columns", lambda v: whole(sparse(v).sum(0)), lambda v: dense(v).sum(0)),
    row(
        "sum_of_slices",
        lambda v: whole(sparse(v).sum((0, 2))),
        lambda v: dense(v).sum((0, 2)),
        slices=(2,),
    ),
    row("add", lambda v, x: x + sparse(v), lambda v, x: x + dense(v), SHAPE),
    row("sub", lambda v, x: x - sparse(v), lambda v, x: x - dense(v), SHAPE),
    row("mul", lambda v, x: whole(sparse(v) * x), lambda v, x: dense(v) * x, SHAPE),
    row("product", lambda v: whole(sparse(v) * sparse(v)), lambda v: dense(v) ** 2),
    row("total", lambda v: whole(sparse(v) + sparse(v) * 2), lambda v: 3 * dense(v)),
    row("div", lambda v: whole(sparse(v) / 4), lambda v: dense(v) / 4),
    row("mm", lambda v, x: fb.sparse.mm(sparse(v), x), lambda v, x: dense(v) @ x, (4, 2)),
    row(
        "mm_mean",
        lambda v, x: fb.sparse.mm(sparse(v), x, "mean"),
        lambda v, x: dense(v) @ x / np.maximum(stored().sum(1, keepdims=True), 1),
        (4, 2),
    ),
    row(
        "mm_amax",
        lambda v, x: fb.sparse.mm(sparse(v), x, "amax"),
        lambda v, x: (dense(v)[:, :, None] * x).max(1),  # all terms are positive
        (4, 2),
    ),
    row("mv", lambda v, x: sparse(v) @ x, lambda v, x: dense(v) @ x, (4,)),
    row("rmatmul", lambda v, x: x @ sparse(v), lambda v, x: x @ dense(v), (2, 3)),
    row(
        "sparse_mm",
        lambda v: whole(sparse(v) @ sparse(v).t()),
        lambda v: dense(v) @ dense(v).T,
    ),
    row(
        "addmm",
        lambda v, c, x: fb.sparse.addmm(c, sparse(v), x, beta=2.0, alpha=0.5),
        lambda v, c, x: 2 * c + 0.5 * dense(v) @ x,
        (3, 2),
        (4, 2),
    ),
    row(
        "sampled_addmm",
        lambda v, a, b: whole(fb.sparse.sampled_addmm(sparse(v), a, b, beta=2.0, alpha=0.5)),
        lambda v, a, b: 2 * dense(v) + 0.5 * (a @ b) * stored(),
        (3, 2),
        (2, 4),
    ),
    row(
        "sparse_mask",
        lambda v, x: whole(x.sparse_mask(sparse(v).coalesce())) + 0 * v.sum(),
        lambda v, x: x * stored(),
        SHAPE,
    ),
    *(shares_of(name, dim) for name in SHARES for dim in (0, 1)),
)
