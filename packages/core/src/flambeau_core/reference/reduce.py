"""Reductions. The output keeps every dimension; those reduced have size 1."""

from __future__ import annotations

from typing import Any

from flambeau_core.reference.precision import Array, load, store
from flambeau_core.reference.table import Kernel


def reduced_axes(out: Array) -> tuple[int, ...]:
    """Every axis of size 1 in the output; reducing one that was 1 before changes nothing."""
    return tuple(axis for axis, size in enumerate(out.shape) if size == 1)


def accumulator(x: Array) -> str | None:
    """Sums and products run in the widest dtype of their kind."""
    return {"b": "int64", "i": "int64", "u": "int64", "f": "float64", "c": "complex128"}[
        x.dtype.kind
    ]


def total(xp: Any, out: Array, x: Array) -> None:
    x = load(xp, x)
    store(xp, out, xp.sum(x, axis=reduced_axes(out), dtype=accumulator(x), keepdims=True))


def product(xp: Any, out: Array, x: Array) -> None:
    x = load(xp, x)
    store(xp, out, xp.prod(x, axis=reduced_axes(out), dtype=accumulator(x), keepdims=True))


def extreme(name: str) -> Any:
    """amax, amin, any, all under the array module's name; NaN wins in the first two."""

    def kernel(xp: Any, out: Array, x: Array) -> None:
        store(xp, out, getattr(xp, name)(load(xp, x), axis=reduced_axes(out), keepdims=True))

    return kernel


def position(name: str) -> Any:
    """argmax, argmin: the first of equals, NaN before everything."""

    def kernel(xp: Any, out: Array, x: Array, *, dim: int) -> None:
        out[...] = xp.expand_dims(getattr(xp, name)(load(xp, x), axis=dim), dim)

    return kernel


def extreme_and_position(name: str) -> Any:
    """The value at argmax or argmin, and where it is."""

    def kernel(xp: Any, values: Array, indices: Array, x: Array, *, dim: int) -> None:
        indices[...] = xp.expand_dims(getattr(xp, name)(load(xp, x), axis=dim), dim)
        values[...] = xp.take_along_axis(x, indices, axis=dim)

    return kernel


KERNELS = {
    "sum": Kernel(total, "bifc"),
    "prod": Kernel(product, "bifc"),
    "amax": Kernel(extreme("amax"), "bif"),
    "amin": Kernel(extreme("amin"), "bif"),
    "any": Kernel(extreme("any"), "bifc"),
    "all": Kernel(extreme("all"), "bifc"),
    "argmax": Kernel(position("argmax"), "bif"),
    "argmin": Kernel(position("argmin"), "bif"),
    "max_dim": Kernel(extreme_and_position("argmax"), "bif"),
    "min_dim": Kernel(extreme_and_position("argmin"), "bif"),
}
