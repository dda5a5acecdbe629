"""Running sums, products and extremes along one dimension."""

from __future__ import annotations

from typing import Any

from flambeau_core.reference.precision import Array, load, store
from flambeau_core.reference.reduce import accumulator
from flambeau_core.reference.table import Kernel


def running(name: str) -> Any:
    def kernel(xp: Any, out: Array, x: Array, *, dim: int) -> None:
        x = load(xp, x)
        store(xp, out, getattr(xp, name)(x, axis=dim, dtype=accumulator(x)))

    return kernel


def running_extreme(name: str) -> Any:
    """Values and the position of the latest element that equals them; NaN wins."""

    def kernel(xp: Any, values: Array, indices: Array, x: Array, *, dim: int) -> None:
        x = load(xp, x)
        extremes = getattr(xp, name).accumulate(x, axis=dim)
        shape = [1] * x.ndim
        shape[dim] = x.shape[dim]
        here = xp.arange(x.shape[dim]).reshape(shape)
        hit = (x == extremes) | (x != x)
        indices[...] = xp.maximum.accumulate(xp.where(hit, here, 0), axis=dim)
        store(xp, values, extremes)

    return kernel


KERNELS = {
    "cumsum": Kernel(running("cumsum"), "bifc"),
    "cumprod": Kernel(running("cumprod"), "bifc"),
    "cummax": Kernel(running_extreme("maximum"), "bif"),
    "cummin": Kernel(running_extreme("minimum"), "bif"),
}
