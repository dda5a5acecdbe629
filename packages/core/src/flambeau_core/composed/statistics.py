"""Spread, covariance, and reductions that leave NaN out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import flambeau_core as fb
from flambeau_core.composed.subgradients import root_with_zero_slope
from flambeau_core.declare import op


def _spread_arguments(
    name: str, dim: Any, unbiased: Any, correction: Any
) -> tuple[list[int] | None, Any]:
    """Dimensions and correction from the two call forms: ``(unbiased)`` and ``(dim, ...)``."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    if unbiased is not None and not isinstance(unbiased, bool):
        raise TypeError(
            f"{name}(): argument 'unbiased' must be bool, not {type(unbiased).__name__}"
        )
    if unbiased is not None and correction is not None:
        raise TypeError(f"{name}(): give either unbiased or correction")
    if correction is None:
        correction = 1 if unbiased is None or unbiased else 0
    dims = [dim] if isinstance(dim, int) else list(dim) if dim is not None else None
    return dims or None, correction


@op(
    "std(Tensor self, any dim=None, any unbiased=None, bool keepdim=False, *,"
    " any correction=None) -> Tensor"
)
def std(self: fb.Tensor, dim: Any, unbiased: Any, keepdim: bool, correction: Any) -> fb.Tensor:
    """Standard deviation over ``dim`` (all if None), of a sample unless ``unbiased`` is False."""
    dims, correction = _spread_arguments("std", dim, unbiased, correction)
    return root_with_zero_slope(fb.var(self, dims, correction=correction, keepdim=keepdim))


def _mean(x: fb.Tensor, dims: list[int] | None, keepdim: bool) -> fb.Tensor:
    return x.mean(list(range(x.dim())) if dims is None else dims, keepdim)


@op(
    "std_mean(Tensor self, any dim=None, any unbiased=None, bool keepdim=False, *,"
    " any correction=None) -> (Tensor, Tensor)",
    method=False,
)
def std_mean(
    self: fb.Tensor, dim: Any, unbiased: Any, keepdim: bool, correction: Any
) -> tuple[fb.Tensor, fb.Tensor]:
    """Standard deviation and mean over ``dim`` (all if None)."""
    dims, correction = _spread_arguments("std_mean", dim, unbiased, correction)
    return std(self, dims, None, keepdim, correction), _mean(self, dims, keepdim)


@op(
    "var_mean(Tensor self, any dim=None, any unbiased=None, bool keepdim=False, *,"
    " any correction=None) -> (Tensor, Tensor)",
    method=False,
)
def var_mean(
    self: fb.Tensor, dim: Any, unbiased: Any, keepdim: bool, correction: Any
) -> tuple[fb.Tensor, fb.Tensor]:
    """Variance and mean over ``dim`` (all if None)."""
    dims, correction = _spread_arguments("var_mean", dim, unbiased, correction)
    variance = fb.var(self, dims, correction=correction, keepdim=keepdim)
    return variance, _mean(self, dims, keepdim)


@op("nansum(Tensor self, int[]? dim=None, bool keepdim=False, *, dtype? dtype=None) -> Tensor")
def nansum(self: fb.Tensor, dim: Sequence[int] | None, keepdim: bool, dtype: Any) -> fb.Tensor:
    """Sum over ``dim`` (all if None) with NaN counted as zero."""
    if self.is_complex():
        raise RuntimeError("nansum: does not support complex inputs")
    dims = list(dim) if dim else list(range(self.dim()))
    known = self.masked_fill(self.isnan(), 0) if self.is_floating_point() else self
    return known.sum(dims, keepdim, dtype=dtype)


@op("nanmean(Tensor self, int[]? dim=None, bool keepdim=False, *, dtype? dtype=None) -> Tensor")
def nanmean(self: fb.Tensor, dim: Sequence[int] | None, keepdim: bool, dtype: Any) -> fb.Tensor:
    """Mean over ``dim`` (all if None) of the elements that are not NaN."""
    if not self.is_floating_point():
        raise RuntimeError(
            f"nanmean: expected input to have floating point dtype but got {self.dtype}"
        )
    dims = list(dim) if dim else list(range(self.dim()))
    count = (~self.isnan()).sum(dims, keepdim)
    return nansum(self, dims, keepdim, dtype) / count


@op(
    "aminmax(Tensor self, *, int? dim=None, bool keepdim=False) -> (Tensor, Tensor)",
    exact_out=True,
)
def aminmax(self: fb.Tensor, dim: int | None, keepdim: bool) -> Any:
    """Smallest and largest values along ``dim`` (of all elements if None)."""
    if self.numel() == 0 and dim is None:
        raise RuntimeError(
            "aminmax: cannot compute over an empty dimension as there is no identity"
        )
    dims = list(range(self.dim())) if dim is None else [dim]
    return fb.return_types.aminmax(self.amin(dims, keepdim), self.amax(dims, keepdim))


@op("cov(Tensor self, *, int correction=1, Tensor? fweights=None, Tensor? aweights=None) -> Tensor")
def cov(
    self: fb.Tensor, correction: int, fweights: fb.Tensor | None, aweights: fb.Tensor | None
) -> fb.Tensor:
    """Covariance matrix of the rows of ``(variables, observations)``.

    ``fweights`` are the observations' integer multiplicities, ``aweights`` their weights.
    """
    if self.dim() > 2:
        raise RuntimeError(
            f"cov: expected input to have two or fewer dimensions, got shape {tuple(self.shape)}"
        )
    if self.dtype == fb.bool:
        raise RuntimeError("cov: bool dtype is not supported for input")
    x = self.reshape(1, -1) if self.dim() < 2 else self
    weights = _observation_weights(x, fweights, aweights)
    if weights is None:
        total: Any = x.shape[1]
        centre = x.sum(1) / max(total, 1) if total else x.sum(1)
        excess: Any = total - correction
    else:
        total = weights.sum()
        centre = (x * weights).sum(1) / total
        excess = total - correction
        if aweights is not None and correction != 0:
            excess = total - correction * (weights * aweights).sum() / total
    centred = x - centre.unsqueeze(1)
    right = centred if weights is None else centred * weights
    right = right.conj_physical() if right.is_complex() else right
    excess = excess.clamp(min=0) if isinstance(excess, fb.Tensor) else max(excess, 0)
    return (fb.mm(centred, right.t()) / excess).squeeze()


def _observation_weights(
    x: fb.Tensor, fweights: fb.Tensor | None, aweights: fb.Tensor | None
) -> fb.Tensor | None:
    for name, weights in (("fweights", fweights), ("aweights", aweights)):
        if weights is None:
            continue
        if weights.dim() > 1 or weights.numel() != x.shape[1]:
            raise RuntimeError(
                f"cov: expected {name} to be 1-D with {x.shape[1]} elements, one an observation, "
                f"but got shape {tuple(weights.shape)}"
            )
        if weights.is_floating_point() != (name == "aweights"):
            raise RuntimeError(f"cov: {name} has the wrong kind of dtype, {weights.dtype}")
        if bool((weights < 0).any()):
            raise RuntimeError(f"cov: {name} cannot be negative")
    if fweights is None:
        return aweights
    return fweights if aweights is None else fweights * aweights


@op("corrcoef(Tensor self) -> Tensor")
def corrcoef(self: fb.Tensor) -> fb.Tensor:
    """Pearson's correlation matrix of the rows of ``(variables, observations)``."""
    if self.dim() > 2:
        raise RuntimeError(
            f"corrcoef: expected input to have two or fewer dimensions, "
            f"got shape {tuple(self.shape)}"
        )
    covariance = cov(self, 1, None, None)
    if covariance.dim() == 0:
        return covariance / covariance
    deviation = covariance.diagonal().sqrt()
    scaled = covariance / deviation.unsqueeze(1) / deviation.unsqueeze(0)
    return scaled if scaled.is_complex() else scaled.clamp(-1, 1)
