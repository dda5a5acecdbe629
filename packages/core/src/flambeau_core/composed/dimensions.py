"""Checks of dimension arguments that many composed ops make."""

from __future__ import annotations

from collections.abc import Sequence


def wrap_dim(op: str, dim: int, shape: int | Sequence[int]) -> int:
    """``dim`` counted from the front; a 0-dim tensor counts as having one dimension.

    ``shape`` is the tensor's, or the number of its dimensions. Raises IndexError if ``dim`` is
    out of range.
    """
    count = max(shape if isinstance(shape, int) else len(shape), 1)
    if not -count <= dim < count:
        note = "" if isinstance(shape, int) else f" (input of shape {list(shape)})"
        raise IndexError(
            f"{op}: Dimension out of range (expected to be in range of [{-count}, {count - 1}], "
            f"but got {dim}){note}"
        )
    return dim % count


def wrap_dims(op: str, dims: Sequence[int], shape: int | Sequence[int]) -> list[int]:
    """Each of ``dims`` counted from the front. Raises RuntimeError if one appears twice."""
    wrapped = [wrap_dim(op, dim, shape) for dim in dims]
    for dim in wrapped:
        if wrapped.count(dim) > 1:
            raise RuntimeError(f"{op}: dim {dim} appears multiple times in the list of dims")
    return wrapped
