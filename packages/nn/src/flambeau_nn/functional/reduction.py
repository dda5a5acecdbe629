"""How a loss is reduced to its result."""

from __future__ import annotations

import warnings

from flambeau_core import Tensor

__all__ = [
    "legacy_reduction",
    "reduced",
]


def legacy_reduction(size_average: bool | None, reduce: bool | None) -> str:
    """The reduction that the two older arguments stand for; warns that they are old."""
    average = True if size_average is None else size_average
    reducing = True if reduce is None else reduce
    reduction = ("mean" if average else "sum") if reducing else "none"
    warnings.warn(
        "size_average and reduce args will be deprecated, please use "
        f"reduction='{reduction}' instead.",
        stacklevel=3,
    )
    return reduction


def check_reduction(reduction: str) -> None:
    """Raises ValueError for a word that names no reduction."""
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{reduction} is not a valid value for reduction")


def reduced(loss: Tensor, reduction: str) -> Tensor:
    if reduction == "mean":
        return loss.mean()
    if reduction == "sum":
        return loss.sum()
    check_reduction(reduction)
    return loss
