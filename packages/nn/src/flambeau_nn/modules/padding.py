"""Borders as layers: constant, zero, reflected, replicated and circular."""

from __future__ import annotations

from collections.abc import Sequence

from flambeau_core import Tensor

from .. import functional as F
from .module import Module

__all__ = [
    "CircularPad1d",
    "CircularPad2d",
    "CircularPad3d",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
]


class _Pad(Module):
    """Border widths of the last dimensions, the last dimension's first; a number for all."""

    spatial_dims: int
    mode = "constant"

    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__()
        widths = (padding,) * 2 * self.spatial_dims if isinstance(padding, int) else tuple(padding)
        self.padding = widths

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, self.mode)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _ConstantPad(_Pad):
    def __init__(self, padding: int | Sequence[int], value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPad):
    """Borders of a constant around the last dimension."""

    spatial_dims = 1


class ConstantPad2d(_ConstantPad):
    """Borders of a constant around the last two dimensions."""

    spatial_dims = 2


class ConstantPad3d(_ConstantPad):
    """Borders of a constant around the last three dimensions."""

    spatial_dims = 3


class _ZeroPad(_ConstantPad):
    def __init__(self, padding: int | Sequence[int]) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ZeroPad1d(_ZeroPad):
    """Borders of zeros around the last dimension."""

    spatial_dims = 1


class ZeroPad2d(_ZeroPad):
    """Borders of zeros around the last two dimensions."""

    spatial_dims = 2


class ZeroPad3d(_ZeroPad):
    """Borders of zeros around the last three dimensions."""

    spatial_dims = 3


class ReflectionPad1d(_Pad):
    """Mirrors (N, C, L) or (C, L) at its ends."""

    spatial_dims = 1
    mode = "reflect"


class ReflectionPad2d(_Pad):
    """Mirrors (N, C, H, W) or (C, H, W) at its edges."""

    spatial_dims = 2
    mode = "reflect"


class ReflectionPad3d(_Pad):
    """Mirrors (N, C, D, H, W) or (C, D, H, W) at its faces."""

    spatial_dims = 3
    mode = "reflect"


class ReplicationPad1d(_Pad):
    """Repeats the end values of (N, C, L) or (C, L)."""

    spatial_dims = 1
    mode = "replicate"


class ReplicationPad2d(_Pad):
    """Repeats the edge values of (N, C, H, W) or (C, H, W)."""

    spatial_dims = 2
    mode = "replicate"


class ReplicationPad3d(_Pad):
    """Repeats the face values of (N, C, D, H, W) or (C, D, H, W)."""

    spatial_dims = 3
    mode = "replicate"


class _CircularPad(_Pad):
    mode = "circular"

    def forward(self, input: Tensor) -> Tensor:
        n = self.spatial_dims
        if input.dim() not in (n + 1, n + 2):
            raise ValueError(f"expected {n + 1}D or {n + 2}D input (got {input.dim()}D input)")
        return super().forward(input)


class CircularPad1d(_CircularPad):
    """Continues (N, C, L) or (C, L) from its other end."""

    spatial_dims = 1


class CircularPad2d(_CircularPad):
    """Continues (N, C, H, W) or (C, H, W) from the opposite edges."""

    spatial_dims = 2


class CircularPad3d(_CircularPad):
    """Continues (N, C, D, H, W) or (C, D, H, W) from the opposite faces."""

    spatial_dims = 3
