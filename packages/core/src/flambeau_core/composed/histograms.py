"""Counts of values in bins."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import flambeau_core as fb
from flambeau_core.declare import op


@op("histc(Tensor self, int bins=100, Scalar min=0, Scalar max=0) -> Tensor")
def histc(self: fb.Tensor, bins: int, min: float, max: float) -> fb.Tensor:
    """Counts of elements in ``bins`` equal intervals from ``min`` to ``max``, both included.

    Equal bounds mean the smallest and largest element. Elements outside are not counted.
    """
    if not self.is_floating_point():
        raise RuntimeError(f'histc: "histogram_cpu" not implemented for {self.dtype}')
    if bins <= 0:
        raise RuntimeError(f"histc: bins must be > 0, got {bins}")
    x = self.detach().reshape(-1)
    low, high = float(min), float(max)
    if low == high and x.numel():
        low, high = float(x.min().item()), float(x.max().item())
    if low == high:
        low, high = low - 1, high + 1
    if not (abs(low) < float("inf") and abs(high) < float("inf")):
        raise RuntimeError(f"histc: range of [{low}, {high}] is not finite")
    if low > high:
        raise RuntimeError(f"histc: max must be larger than min, got {low} and {high}")
    inside = x.masked_select((x >= low) & (x <= high))
    place = ((inside - low) / (high - low) * bins).to(fb.int64).clamp(max=bins - 1)
    return fb.zeros(bins, dtype=self.dtype, device=self.device).index_add(
        0, place, fb.ones_like(inside)
    )


@op(
    "histogram(Tensor self, any bins, *, any range=None, Tensor? weight=None, bool density=False)"
    " -> (Tensor, Tensor)"
)
def histogram(
    self: fb.Tensor,
    bins: Any,
    range: Sequence[float] | None,
    weight: fb.Tensor | None,
    density: bool,
) -> Any:
    """Sums of weights (1 by default) of the elements in each bin: ``(hist, bin_edges)``.

    ``bins`` is a number of equal bins over ``range`` (by default from the smallest to the largest
    element), or a 1-D tensor of edges. The last bin includes its right edge. With ``density`` the
    sums are divided by their total and the bins' widths.
    """
    points = self.detach().reshape(-1, 1)
    weights = None if weight is None else _checked_weights("histogram", weight, self, self.shape)
    hist, edges = _histogram("histogram", points, [bins], range, weights, density)
    return fb.return_types.histogram(hist, edges[0])


@op(
    "histogramdd(Tensor self, any bins, any range=None, Tensor? weight=None, bool density=False)"
    " -> Tensor",
    method=False,
)
def histogramdd(
    self: fb.Tensor,
    bins: Any,
    range: Sequence[float] | None,
    weight: fb.Tensor | None,
    density: bool,
) -> Any:
    """Histogram of points ``(..., N)`` in N dimensions: ``(hist, bin_edges)``.

    ``bins`` is a number of bins for all dimensions, one number for each, or one 1-D tensor of edges
    for each; ``range`` lists the first and last edge of each dimension; ``weight`` has the input's
    shape without the last dimension. Otherwise as ``histogram``.
    """
    if self.dim() < 2:
        raise RuntimeError(
            f"histogramdd: input should have at least 2 dimensions, got shape {tuple(self.shape)}"
        )
    count = self.shape[-1]
    if isinstance(bins, int):
        bins = [bins] * count
    if not isinstance(bins, (tuple, list)):
        raise TypeError(
            "histogramdd(): bins must be an int, ints or tensors, not " + type(bins).__name__
        )
    if len(bins) != count:
        raise RuntimeError(
            f"histogramdd: the number of bins, {len(bins)}, must be the innermost dimension of "
            f"input of shape {tuple(self.shape)}"
        )
    weights = (
        None if weight is None else _checked_weights("histogramdd", weight, self, self.shape[:-1])
    )
    points = self.detach().reshape(self.shape[:-1].numel(), count)
    edges: Any
    hist, edges = _histogram("histogramdd", points, bins, range, weights, density)
    return fb.return_types.histogramdd(hist, edges)


def _checked_weights(name: str, weight: fb.Tensor, x: fb.Tensor, shape: Sequence[int]) -> fb.Tensor:
    if tuple(weight.shape) != tuple(shape):
        raise RuntimeError(
            f"{name}: expected weight of shape {tuple(shape)} for input of shape "
            f"{tuple(x.shape)}, but got {tuple(weight.shape)}"
        )
    if weight.dtype != x.dtype:
        raise RuntimeError(
            f"{name}: expected input and weight to have one dtype, but got {x.dtype} and "
            f"{weight.dtype}"
        )
    return weight.detach().reshape(-1)


def _histogram(
    name: str,
    points: fb.Tensor,
    bins: Sequence[Any],
    bounds: Sequence[float] | None,
    weights: fb.Tensor | None,
    density: bool,
) -> tuple[fb.Tensor, tuple[fb.Tensor, ...]]:
    """The histogram of points ``(count, N)``, and the edges of each dimension."""
    if points.dtype not in (fb.float32, fb.float64):
        raise NotImplementedError(f'{name}: "histogramdd" not implemented for {points.dtype}')
    if bounds is not None and len(bounds) != 2 * len(bins):
        raise RuntimeError(
            f"{name}: for a {len(bins)}-dimensional histogram range should have {2 * len(bins)} "
            f"elements, but got {len(bounds)}"
        )
    edges = tuple(
        _edges(name, points[:, dim], given, dim, bounds and bounds[2 * dim : 2 * dim + 2])
        for dim, given in enumerate(bins)
    )
    shape = [edge.shape[0] - 1 for edge in edges]
    place = fb.zeros(points.shape[0], dtype=fb.int64, device=points.device)
    inside = fb.ones(points.shape[0], dtype=fb.bool, device=points.device)
    for dim, edge in enumerate(edges):
        x = points[:, dim].contiguous()
        inside &= (x >= edge[0]) & (x <= edge[-1])
        bin_ = (fb.searchsorted(edge, x, right=True) - 1).clamp(0, shape[dim] - 1)
        place = place * shape[dim] + bin_
    share = fb.ones_like(points[:, 0]) if weights is None else weights
    hist = points.new_zeros(math.prod(shape)).index_add(0, place[inside], share[inside])
    hist = hist.reshape(shape)
    if density:
        hist = hist / hist.sum()
        for dim, edge in enumerate(edges):
            widths = [-1 if d == dim else 1 for d in range(len(shape))]
            hist = hist / edge.diff().reshape(widths)
    return hist, edges


def _edges(
    name: str, x: fb.Tensor, bins: Any, dim: int, bounds: Sequence[float] | None
) -> fb.Tensor:
    if isinstance(bins, fb.Tensor):
        if bins.dim() != 1:
            raise RuntimeError(
                f"{name}: bins should have one dimension, but got shape {tuple(bins.shape)} for "
                f"dimension {dim}"
            )
        if bins.dtype != x.dtype:
            raise RuntimeError(
                f"{name}: input and bins should have one dtype, but got {x.dtype} and "
                f"{bins.dtype} for dimension {dim}"
            )
        if bins.shape[0] < 2:
            raise RuntimeError(f"{name}: bins must be > 0, but got no bin for dimension {dim}")
        return bins.detach().clone()
    if not isinstance(bins, int):
        raise TypeError(f"{name}(): bins must be int or Tensor, not {type(bins).__name__}")
    if bins <= 0:
        raise RuntimeError(f"{name}: bins must be > 0, but got {bins} for dimension {dim}")
    if bounds is not None:
        low, high = (float(bound) for bound in bounds)
    elif x.numel():
        low, high = x.min().item(), x.max().item()
    else:
        low, high = 0.0, 1.0
    if not (math.isfinite(low) and math.isfinite(high)):
        raise RuntimeError(f"{name}: dimension {dim}'s range [{low}, {high}] is not finite")
    if low > high:
        raise RuntimeError(
            f"{name}: min should not exceed max, but got min {low} max {high} for dimension {dim}"
        )
    if low == high:
        low, high = low - 0.5, high + 0.5
    return fb.linspace(low, high, bins + 1, dtype=x.dtype, device=x.device)
