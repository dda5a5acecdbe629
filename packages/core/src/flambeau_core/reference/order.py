"""Sorting and searching."""

from __future__ import annotations

from typing import Any

from flambeau_core.reference.precision import Array, load, load_all
from flambeau_core.reference.table import Kernel


def sort(xp: Any, values: Array, indices: Array, x: Array, *, dim: int, descending: int) -> None:
    """Stable both ways; NaN counts as the largest value."""
    keys = load(xp, x)
    if descending:
        # sorting the mirrored array and mirroring back keeps equal elements in their order
        keys = xp.flip(keys, axis=dim)
    order = xp.argsort(keys, axis=dim, kind="stable")
    if descending:
        order = xp.flip(x.shape[dim] - 1 - order, axis=dim)
    values[...] = xp.take_along_axis(x, order, axis=dim)
    indices[...] = order


def searchsorted(xp: Any, out: Array, ordered: Array, values: Array, *, right: int) -> None:
    ordered, values = load_all(xp, ordered, values)
    side = "right" if right else "left"
    if ordered.ndim == 1:
        out[...] = xp.searchsorted(ordered, values, side=side)
        return
    rows = ordered.reshape(-1, ordered.shape[-1])
    wanted = values.reshape(rows.shape[0], -1) if values.size else values.reshape(0, 0)
    found = [xp.searchsorted(row, want, side=side) for row, want in zip(rows, wanted)]
    if found:
        out[...] = xp.stack(found).reshape(out.shape)


KERNELS = {
    "sort": Kernel(sort, "bif"),
    "searchsorted": Kernel(searchsorted, "bif"),
}
