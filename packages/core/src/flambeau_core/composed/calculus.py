"""Differences and integrals of sampled functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import flambeau_core as fb
from flambeau_core.composed.dimensions import wrap_dim, wrap_dims
from flambeau_core.declare import op


@op("diff(Tensor self, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None) -> Tensor")
def diff(
    self: fb.Tensor, n: int, dim: int, prepend: fb.Tensor | None, append: fb.Tensor | None
) -> fb.Tensor:
    """The ``n``-th difference along ``dim``, after joining ``prepend`` and ``append``."""
    if self.dim() == 0:
        raise RuntimeError("diff: expects input to be at least one-dimensional")
    if n < 0:
        raise RuntimeError(f"diff: order must be non-negative but got {n}")
    dim = wrap_dim("diff", dim, self.shape)
    for name, edge in (("prepend", prepend), ("append", append)):
        if edge is not None and edge.dim() != self.dim():
            raise RuntimeError(
                f"diff: expects {name} to have the same number of dimensions as input, "
                f"got shapes {tuple(edge.shape)} and {tuple(self.shape)}"
            )
    if n == 0:
        return self.clone()
    parts = [x for x in (prepend, self, append) if x is not None]
    x = fb.cat(parts, dim) if len(parts) > 1 else self
    n = min(n, x.shape[dim])
    if n == 0:
        return x.clone()
    for _ in range(n):
        length = max(x.shape[dim] - 1, 0)
        later, earlier = x.narrow(dim, min(1, x.shape[dim]), length), x.narrow(dim, 0, length)
        x = later.logical_xor(earlier) if x.dtype == fb.bool else later - earlier
    return x


def _panels(name: str, y: fb.Tensor, x: fb.Tensor | None, dx: Any, dim: int) -> fb.Tensor:
    """Areas of the trapezoids between neighbouring samples along ``dim``."""
    dim = wrap_dim(name, dim, y.shape)
    count = y.shape[dim] - 1
    height = y.narrow(dim, 1, count) + y.narrow(dim, 0, count)
    if x is None:
        return height * (dx / 2)
    if x.dim() == 1:
        if x.shape[0] != y.shape[dim]:
            raise RuntimeError(
                f"{name}: there must be one `x` value for each sample point, got {x.shape[0]} "
                f"values for shape {tuple(y.shape)} along dim {dim}"
            )
        shape = [1] * y.dim()
        shape[dim] = x.shape[0]
        x = x.reshape(shape)
    elif x.dim() < y.dim():
        x = x.reshape([1] * (y.dim() - x.dim()) + list(x.shape))
    axis = dim - y.dim() + x.dim()
    width = x.narrow(axis, 1, x.shape[axis] - 1) - x.narrow(axis, 0, x.shape[axis] - 1)
    return height * width / 2


def _spacing(name: str, x: Any, dx: Any) -> tuple[fb.Tensor | None, Any]:
    """Sample points and spacing; a number given for ``x`` is the spacing."""
    if x is not None and dx is not None:
        raise TypeError(f"{name}(): give either x or dx")
    if isinstance(x, fb.Tensor) or x is None:
        return x, 1 if dx is None else dx
    return None, x


@op("trapezoid(Tensor y, any x=None, *, any dx=None, int dim=-1) -> Tensor", method=False)
def trapezoid(y: fb.Tensor, x: Any, dx: Any, dim: int) -> fb.Tensor:
    """Integral along ``dim`` by the trapezoidal rule; samples stand at ``x`` or ``dx`` apart."""
    x, dx = _spacing("trapezoid", x, dx)
    if y.shape[dim] == 0:
        return y.sum(dim) * 0.0
    return _panels("trapezoid", y, x, dx, dim).sum(dim)


@op("trapz(Tensor y, any x=None, *, any dx=None, int dim=-1) -> Tensor", method=False)
def trapz(y: fb.Tensor, x: Any, dx: Any, dim: int) -> fb.Tensor:
    """The same as ``trapezoid``."""
    return trapezoid(y, x, dx, dim)


@op(
    "cumulative_trapezoid(Tensor y, any x=None, *, any dx=None, int dim=-1) -> Tensor",
    method=False,
)
def cumulative_trapezoid(y: fb.Tensor, x: Any, dx: Any, dim: int) -> fb.Tensor:
    """Running integral along ``dim`` by the trapezoidal rule, one element shorter than ``y``."""
    x, dx = _spacing("cumulative_trapezoid", x, dx)
    if y.shape[dim] == 0:
        return y * 0.0
    return _panels("cumulative_trapezoid", y, x, dx, dim).cumsum(dim)


@op(
    "gradient(Tensor self, *, any spacing=None, any dim=None, int edge_order=1) -> Tensor[]",
    method=False,
)
def gradient(self: fb.Tensor, spacing: Any, dim: Any, edge_order: int) -> tuple[fb.Tensor, ...]:
    """Derivatives along each of ``dim`` (all by default), by second-order central differences.

    ``spacing`` is one distance between samples, one for each dimension, or a 1-D tensor of
    coordinates for each dimension. ``edge_order`` (1 or 2) is the order of accuracy at the edges.
    """
    dims = _gradient_dims(self, spacing, dim, edge_order)
    if spacing is None:
        spacing = 1
    if isinstance(spacing, fb.Tensor) and spacing.dim() == 0:
        spacing = spacing.item()
    if not isinstance(spacing, (tuple, list)):
        spacing = [spacing] * len(dims)
    if not (self.is_floating_point() or self.is_complex() or self.dtype == fb.bool):
        self = self.to(fb.get_default_dtype())
    return tuple(
        _differences(self.movedim(d, -1), distance, edge_order).movedim(-1, d)
        for d, distance in zip(dims, spacing)
    )


def _gradient_dims(x: fb.Tensor, spacing: Any, dim: Any, edge_order: int) -> list[int]:
    if isinstance(spacing, fb.Tensor) and spacing.dim() > 0:
        raise TypeError("gradient(): argument 'spacing' must be a number or a sequence")
    chosen: Sequence[int] = (
        range(x.dim()) if dim is None else [dim] if isinstance(dim, int) else dim
    )
    if isinstance(spacing, (tuple, list)):
        tensors = [isinstance(distance, fb.Tensor) for distance in spacing]
        if any(tensors) and not all(tensors):
            raise TypeError("gradient(): argument 'spacing' must hold numbers or tensors, not both")
        if len(spacing) != len(chosen):
            raise RuntimeError(
                f"gradient: expected spacing to be a number or one distance for each of "
                f"{len(chosen)} dimensions of input of shape {tuple(x.shape)}, but got "
                f"{len(spacing)}"
            )
        for distance in spacing:
            if isinstance(distance, fb.Tensor) and distance.dim() != 1:
                raise RuntimeError(
                    f"gradient: expected each element of spacing to have one dimension, but got "
                    f"shape {tuple(distance.shape)}"
                )
    if edge_order not in (1, 2):
        raise RuntimeError(f"gradient: edge_order must be 1 or 2, got {edge_order}")
    dims = wrap_dims("gradient", chosen, x.shape)
    for d in dims:
        if x.shape[d] < edge_order + 1:
            raise RuntimeError(
                f"gradient: expected each dimension to have at least edge_order + 1 = "
                f"{edge_order + 1} elements, but got shape {tuple(x.shape)}"
            )
    return dims


def _differences(y: fb.Tensor, spacing: Any, edge_order: int) -> fb.Tensor:
    """Derivative along the last dimension: the slopes of parabolas through three samples."""
    widths = spacing.diff() if isinstance(spacing, fb.Tensor) else None
    slopes = (y[..., 1:] - y[..., :-1]) / (spacing if widths is None else widths)
    left, right = slopes[..., :-1], slopes[..., 1:]
    # How far along from the middle of its left panel to that of its right one a sample is.
    share: Any = 0.5 if widths is None else widths[:-1] / (widths[:-1] + widths[1:])
    inner = left + (right - left) * share
    first, last = slopes[..., :1], slopes[..., -1:]
    if edge_order == 2:
        at_first, at_last = (share, share) if widths is None else (share[:1], 1 - share[-1:])
        first = first - (right - left)[..., :1] * at_first
        last = last + (right - left)[..., -1:] * at_last
    return fb.cat([first, inner, last], -1)
