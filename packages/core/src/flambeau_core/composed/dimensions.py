"""Checks of dimension arguments that many composed ops make."""

from __future__ import annotations

from collections.abc import Sequence


def wrap_dim(op: str, dim: int, ndim: int) -> int:
    """``dim`` counted from the front; a 0-dim tensor counts as having one dimension.

    Raises IndexError if it is out of range.
    """
    count = max(ndim, 1)
    if not -count <= dim < count:
        raise IndexError(
            f"{op}: Dimension out of range (expected to be in range of [{-count}, {count - 1}], "
            f"but got {dim})"
        )
    return dim % count


def wrap_dims(op: str, dims: Sequence[int], ndim: int) -> list[int]:
    """Each of ``dims`` counted from the front. Raises RuntimeError if one appears twice."""
    wrapped = [wrap_dim(op, dim, ndim) for dim in dims]
    for dim in wrapped:
        if wrapped.count(dim) > 1:
            raise RuntimeError(f"{op}: dim {dim} appears multiple times in the list of dims")
    return wrapped
