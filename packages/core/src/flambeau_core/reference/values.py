"""Moving, filling and selecting values: copy, fill, ranges, where, clamp."""

from __future__ import annotations

from typing import Any

from flambeau_core.reference.precision import Array, is_bfloat16, load, load_all, store
from flambeau_core.reference.table import Kernel


def copy(xp: Any, out: Array, source: Array) -> None:
    store(xp, out, load(xp, source))


def arange(xp: Any, out: Array, *, start: float, step: float, istart: int, istep: int) -> None:
    index = xp.arange(out.shape[0])
    if out.dtype.kind in "iu" and not is_bfloat16(out):
        store(xp, out, istart + istep * index)
    else:
        store(xp, out, start + step * index)


def linspace(xp: Any, out: Array, *, start: float, end: float) -> None:
    count = out.shape[0]
    index = xp.arange(count)
    step = (end - start) / (count - 1) if count > 1 else 0.0
    # counting from the nearer end makes the result symmetric and both ends exact
    store(
        xp,
        out,
        xp.where(index < count // 2, start + step * index, end - step * (count - 1 - index))
        if count > 1
        else xp.full((count,), start),
    )


def where(xp: Any, out: Array, condition: Array, a: Array, b: Array) -> None:
    a, b = load(xp, a), load(xp, b)
    dtype = next((v.dtype for v in (a, b) if hasattr(v, "dtype")), None)
    store(xp, out, xp.where(condition, xp.asarray(a, dtype), xp.asarray(b, dtype)))


def clamp(xp: Any, out: Array, x: Array, low: Array | None, high: Array | None) -> None:
    x, low, high = load_all(xp, x, low, high)
    if low is not None:
        x = xp.maximum(x, low)
    if high is not None:
        x = xp.minimum(x, high)
    store(xp, out, x)


KERNELS = {
    "copy": Kernel(copy, "bifc"),
    "fill": Kernel(copy, "bifc"),
    "arange": Kernel(arange, "if"),
    "linspace": Kernel(linspace, "ifc"),
    "where": Kernel(where, "bifc"),
    "clamp": Kernel(clamp, "bif"),
}
