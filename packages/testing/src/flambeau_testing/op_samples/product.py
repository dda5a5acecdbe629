"""Matrix products."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from flambeau_testing.op_samples.declaration import Declaration, Sample

Shapes = tuple[tuple[int, ...], ...]


def product(
    name: str, reference: Callable[..., Any], *calls: Shapes, **settings: Any
) -> Declaration:
    """An op on arrays of each of the given shapes."""

    def samples(rng: np.random.Generator) -> list[Sample]:
        return [Sample(tuple(rng.uniform(-1, 1, shape) for shape in shapes)) for shapes in calls]

    return Declaration(name, reference, samples, widen=8, **settings)


def linear(x: Any, weight: Any, bias: Any = 0.0) -> Any:
    return x @ weight.T + bias


DECLARATIONS = (
    product(
        "matmul",
        np.matmul,
        ((3, 4), (4, 2)),
        ((3, 4), (4,)),
        ((4,), (4, 2)),
        ((4,), (4,)),
        ((2, 3, 4), (2, 4, 5)),
        ((2, 1, 3, 4), (3, 4, 2)),
        ((3, 4), (2, 4, 2)),
        ((0, 4), (4, 2)),
    ),
    product("mm", np.matmul, ((3, 4), (4, 2)), ((1, 7), (7, 1))),
    product("bmm", np.matmul, ((2, 3, 4), (2, 4, 5))),
    product("mv", np.matmul, ((3, 4), (4,))),
    product("dot", np.dot, ((5,), (5,))),
    product("outer", np.outer, ((3,), (4,))),
    product("addmm", lambda c, a, b: c + a @ b, ((3, 2), (3, 4), (4, 2)), ((2,), (3, 4), (4, 2))),
    product("baddbmm", lambda c, a, b: c + a @ b, ((2, 3, 2), (2, 3, 4), (2, 4, 2))),
    product("linear", linear, ((5, 3), (2, 3), (2,)), ((2, 5, 3), (4, 3)), namespace="nn_ops"),
    Declaration(
        "einsum",
        np.einsum,
        lambda rng: [
            Sample(("ij,jk->ik", rng.uniform(-1, 1, (3, 4)), rng.uniform(-1, 1, (4, 2)))),
            Sample(("bij,bj->bi", rng.uniform(-1, 1, (2, 3, 4)), rng.uniform(-1, 1, (2, 4)))),
            Sample(("ii", rng.uniform(-1, 1, (3, 3)))),
        ],
        widen=8,
    ),
)
