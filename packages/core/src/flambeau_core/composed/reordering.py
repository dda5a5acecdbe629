"""Reversing and rotating the elements along dimensions."""

from __future__ import annotations

from collections.abc import Sequence

import flambeau_core as fb
from flambeau_core.composed.dimensions import wrap_dim, wrap_dims
from flambeau_core.declare import op


@op("flip(Tensor self, int[]* dims) -> Tensor")
def flip(self: fb.Tensor, dims: Sequence[int]) -> fb.Tensor:
    """Copy with the order of the elements along each of ``dims`` reversed."""
    result = self
    for dim in wrap_dims("flip", dims, self.shape):
        if self.dim():
            reverse = fb.arange(self.shape[dim] - 1, -1, -1, device=self.device)
            result = result.index_select(dim, reverse)
    return self.clone() if result is self else result


@op("fliplr(Tensor self) -> Tensor")
def fliplr(self: fb.Tensor) -> fb.Tensor:
    """Copy with the second dimension reversed; needs 2 dimensions or more."""
    if self.dim() < 2:
        raise RuntimeError(f"fliplr: input must be >= 2-D, got shape {tuple(self.shape)}")
    return flip(self, [1])


@op("flipud(Tensor self) -> Tensor")
def flipud(self: fb.Tensor) -> fb.Tensor:
    """Copy with the first dimension reversed; needs 1 dimension or more."""
    if self.dim() < 1:
        raise RuntimeError("flipud: input must be >= 1-D, got a 0-D tensor")
    return flip(self, [0])


@op("rot90(Tensor self, int k=1, int[] dims=[0,1]) -> Tensor")
def rot90(self: fb.Tensor, k: int, dims: Sequence[int]) -> fb.Tensor:
    """Copy rotated ``k`` quarter turns in the plane of ``dims``, from the first to the second."""
    if len(dims) != 2:
        raise RuntimeError(f"rot90: expected 2 rotation dimensions, got {list(dims)}")
    if self.dim() < 2:
        raise RuntimeError(f"rot90: expected 2 or more dimensions, got {self.dim()}")
    first, second = (wrap_dim("rot90", dim, self.shape) for dim in dims)
    if first == second:
        raise RuntimeError(f"rot90: rotation dimensions must differ, got {list(dims)}")
    turns = k % 4
    if turns == 0:
        return self.clone()
    if turns == 1:
        return flip(self, [second]).transpose(first, second)
    if turns == 2:
        return flip(self, [first, second])
    return flip(self, [first]).transpose(first, second)


@op("roll(Tensor self, int[] shifts, int[] dims=[]) -> Tensor")
def roll(self: fb.Tensor, shifts: Sequence[int], dims: Sequence[int]) -> fb.Tensor:
    """Copy shifted along ``dims``, the last elements reappearing in front.

    Without ``dims`` the flattened tensor is rolled and given its shape back.
    """
    if not shifts:
        raise RuntimeError("roll: `shifts` required")
    if not dims:
        if len(shifts) != 1:
            raise RuntimeError(
                f"roll: shifts and dimensions must align. shifts: {len(shifts)}, dims: 0"
            )
        return _roll_one(self.reshape(-1), shifts[0], 0).view(self.shape)
    if len(shifts) != len(dims):
        raise RuntimeError(
            f"roll: shifts and dimensions must align. shifts: {len(shifts)}, dims: {len(dims)}"
        )
    result = self
    if self.dim() == 0:
        raise IndexError(f"roll: dimension {dims[0]} of a tensor that has no dimensions")
    for shift, dim in zip(shifts, dims):
        result = _roll_one(result, shift, dim)
    return result


def _roll_one(x: fb.Tensor, shift: int, dim: int) -> fb.Tensor:
    dim = wrap_dim("roll", dim, x.shape)
    length = x.shape[dim] if x.dim() else 1
    cut = -shift % length if length else 0
    if cut == 0:
        return x.clone()
    return fb.cat([x.narrow(dim, cut, length - cut), x.narrow(dim, 0, cut)], dim)
