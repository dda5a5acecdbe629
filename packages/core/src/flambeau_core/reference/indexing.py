"""Gathering and scattering by int64 index arrays."""

from __future__ import annotations

from typing import Any

from flambeau_core.reference.precision import Array, load, store
from flambeau_core.reference.table import Kernel

SCATTER_UFUNCS = {1: "add", 2: "multiply", 3: "maximum", 4: "minimum"}


def check_bounds(xp: Any, index: Array, size: int, dim: int, lowest: int = 0) -> None:
    """IndexError for the first index value outside [lowest, size)."""
    outside = (index < lowest) | (index >= size)
    if bool(xp.any(outside)):
        value = int(index[outside].reshape(-1)[0])
        raise IndexError(f"index {value} is out of bounds for dimension {dim} with size {size}")


def wrap(xp: Any, index: Array, size: int, dim: int) -> Array:
    """Non-negative positions; negative ones count from the end."""
    check_bounds(xp, index, size, dim, lowest=-size)
    return xp.where(index < 0, index + size, index)


def along(xp: Any, index: Array, dim: int) -> tuple[Array, ...]:
    """Advanced indices that reach, for each place of ``index``, its element along ``dim``."""
    grid = []
    for axis, size in enumerate(index.shape):
        shape = [1] * index.ndim
        shape[axis] = size
        grid.append(index if axis == dim else xp.arange(size).reshape(shape))
    return tuple(grid)


def gather(xp: Any, out: Array, x: Array, index: Array, *, dim: int) -> None:
    if index.ndim == 0:
        check_bounds(xp, index, 1, dim)
        out[...] = x
        return
    check_bounds(xp, index, x.shape[dim], dim)
    out[...] = x[along(xp, index, dim)]


def scatter(xp: Any, out: Array, index: Array, src: Array, *, dim: int, mode: int) -> None:
    if index.ndim == 0:
        check_bounds(xp, index, 1, dim)
        places: tuple[Array, ...] = ()
    else:
        check_bounds(xp, index, out.shape[dim], dim)
        places = along(xp, index, dim)
        if not isinstance(src, (bool, int, float, complex)):
            src = src[tuple(slice(size) for size in index.shape)]
    accumulate(xp, out, places, src, mode)


def accumulate(xp: Any, out: Array, places: tuple[Array, ...], src: Array, mode: int) -> None:
    """Combines ``src`` into ``out`` at the advanced indices, repeated ones in turn."""
    src = load(xp, src)
    held = load(xp, out)
    if held is out:
        held = out.copy()
    if mode == 0:
        held[places] = src
    else:
        getattr(xp, SCATTER_UFUNCS[mode]).at(held, places, src)
    store(xp, out, held)


def index_select(xp: Any, out: Array, x: Array, index: Array, *, dim: int) -> None:
    index = wrap(xp, index, x.shape[dim], dim)
    out[...] = xp.take(x, index, axis=dim)


def index_add(xp: Any, out: Array, index: Array, src: Array, *, dim: int) -> None:
    index = wrap(xp, index, out.shape[dim], dim)
    accumulate(xp, out, (slice(None),) * dim + (index,), src, mode=1)


def index(xp: Any, out: Array, x: Array, *indices: Array) -> None:
    out[...] = x[tuple(wrap(xp, i, x.shape[dim], dim) for dim, i in enumerate(indices))]


def index_put(xp: Any, out: Array, value: Array, *indices: Array, **params: int) -> None:
    places = tuple(wrap(xp, i, out.shape[dim], dim) for dim, i in enumerate(indices))
    accumulate(xp, out, places, value, mode=1 if params["accumulate"] else 0)


def count_nonzero(xp: Any, out: Array, x: Array) -> None:
    out[...] = xp.count_nonzero(load(xp, x))


def nonzero(xp: Any, out: Array, x: Array) -> None:
    out[...] = xp.argwhere(load(xp, x))


KERNELS = {
    "gather": Kernel(gather, "bifc"),
    "scatter": Kernel(scatter, "bifc"),
    "index_select": Kernel(index_select, "bifc"),
    "index_add": Kernel(index_add, "bifc"),
    "index": Kernel(index, "bifc"),
    "index_put": Kernel(index_put, "bifc"),
    "count_nonzero": Kernel(count_nonzero, "bifc"),
    "nonzero": Kernel(nonzero, "bifc"),
}
