"""Running sums, products and extremes along a dimension."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from flambeau_testing.op_samples.declaration import Array, Declaration, Sample


def samples(rng: np.random.Generator) -> Iterator[Sample]:
    x = rng.permutation(np.linspace(0.5, 1.5, 24)).reshape(2, 3, 4)
    for dim in (0, 1, -1):
        yield Sample((x, dim))


def running(choose: Callable[..., Any]) -> Callable[[Array, int], tuple[Array, Array]]:
    """Values and positions of the running extreme, found by looking at each prefix."""

    def scan(x: Array, dim: int) -> tuple[Array, Array]:
        moved = np.moveaxis(x, dim, 0)
        positions = np.stack([choose(moved[: n + 1], axis=0) for n in range(len(moved))])
        values = np.take_along_axis(moved, positions, 0)
        return np.moveaxis(values, 0, dim), np.moveaxis(positions, 0, dim)

    return scan


DECLARATIONS = (
    Declaration("cumsum", lambda x, dim: np.cumsum(x, axis=dim), samples, widen=4),
    Declaration("cumprod", lambda x, dim: np.cumprod(x, axis=dim), samples, widen=4),
    Declaration("cummax", running(np.argmax), samples),
    Declaration("cummin", running(np.argmin), samples),
)
