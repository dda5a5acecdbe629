"""Medians, quantiles, modes and the k-th smallest values."""

from __future__ import annotations

from typing import Any

import flambeau_core as fb
from flambeau_core.composed.dimensions import wrap_dim
from flambeau_core.declare import op


def _require_order(name: str, x: fb.Tensor) -> None:
    if x.is_complex() or x.dtype == fb.bool:
        raise RuntimeError(f'"{name}" not implemented for {x.dtype}')


def _taken(x: fb.Tensor, index: fb.Tensor, dim: int, keepdim: bool) -> tuple[fb.Tensor, fb.Tensor]:
    """Values of ``x`` at ``index`` of length 1 along ``dim``, and the index."""
    values = x.gather(dim, index)
    if keepdim or x.dim() == 0:
        return values, index
    return values.squeeze(dim), index.squeeze(dim)


def _require_elements(name: str, x: fb.Tensor, dim: int) -> None:
    if x.dim() and x.shape[dim] == 0:
        raise IndexError(
            f"{name}: Expected reduction dim {dim} to have non-zero size, "
            f"got shape {tuple(x.shape)}"
        )


def _all_scalars(x: fb.Tensor) -> fb.Tensor:
    return fb.zeros(x.shape, dtype=fb.int64, device=x.device)


def _median_index(x: fb.Tensor, dim: int, skip_nan: bool) -> fb.Tensor:
    """Place of the lower median, length 1 along ``dim``; NaN comes first unless skipped."""
    order = x.detach().argsort(dim=dim, stable=True)
    length = x.shape[dim]
    middle = order.narrow(dim, (length - 1) // 2, 1)
    if not x.is_floating_point():
        return middle
    missing = x.isnan()
    known = length - missing.sum(dim, True)
    if skip_nan:
        place = (known - 1).clamp(min=0).div(2, rounding_mode="floor")
        return order.gather(dim, place)
    first_missing = order.gather(dim, known.clamp(max=length - 1))
    return fb.where(known < length, first_missing, middle)


def _median_of_all(x: fb.Tensor, skip_nan: bool) -> fb.Tensor:
    if x.numel() == 0:
        return fb.full((), float("nan"), device=x.device).to(x.dtype)
    flat = x.reshape(-1)
    return flat.gather(0, _median_index(flat, 0, skip_nan)).squeeze(0)


def _median_along(
    name: str, x: fb.Tensor, dim: int, keepdim: bool, skip_nan: bool
) -> tuple[fb.Tensor, fb.Tensor]:
    dim = wrap_dim(name, dim, x.shape)
    _require_elements(name, x, dim)
    if x.dim() == 0:
        return x.clone(), _all_scalars(x)
    return _taken(x, _median_index(x, dim, skip_nan), dim, keepdim)


@op("median(Tensor self, int? dim=None, bool keepdim=False) -> (Tensor, Tensor)")
def median(self: fb.Tensor, dim: int | None, keepdim: bool) -> Any:
    """Median (the lower one of two) of all elements, or values and indices along ``dim``.

    NaN makes the result NaN.
    """
    _require_order("median", self)
    if dim is None:
        return _median_of_all(self, skip_nan=False)
    return fb.return_types.median(*_median_along("median", self, dim, keepdim, skip_nan=False))


@op("nanmedian(Tensor self, int? dim=None, bool keepdim=False) -> (Tensor, Tensor)")
def nanmedian(self: fb.Tensor, dim: int | None, keepdim: bool) -> Any:
    """Like ``median``, leaving NaN out."""
    _require_order("nanmedian", self)
    if dim is None:
        return _median_of_all(self, skip_nan=True)
    return fb.return_types.nanmedian(*_median_along("nanmedian", self, dim, keepdim, skip_nan=True))


@op("kthvalue(Tensor self, int k, int dim=-1, bool keepdim=False) -> (Tensor, Tensor)")
def kthvalue(self: fb.Tensor, k: int, dim: int, keepdim: bool) -> Any:
    """The ``k``-th smallest values along ``dim``, counted from 1, and where they stand."""
    _require_order("kthvalue", self)
    dim = wrap_dim("kthvalue", dim, self.shape)
    _require_elements("kthvalue", self, dim)
    length = self.shape[dim] if self.dim() else 1
    if not 1 <= k <= length:
        raise RuntimeError(f"kthvalue: selected number k={k} out of range for dimension {dim}")
    if self.dim() == 0:
        return fb.return_types.kthvalue(self.clone(), _all_scalars(self))
    order = self.detach().argsort(dim=dim, stable=True)
    return fb.return_types.kthvalue(*_taken(self, order.narrow(dim, k - 1, 1), dim, keepdim))


@op("mode(Tensor self, int dim=-1, bool keepdim=False) -> (Tensor, Tensor)")
def mode(self: fb.Tensor, dim: int, keepdim: bool) -> Any:
    """The most frequent values along ``dim``, the smallest of equally frequent ones."""
    if self.is_complex():
        raise RuntimeError(f'"mode" not implemented for {self.dtype}')
    dim = wrap_dim("mode", dim, self.shape)
    _require_elements("mode", self, dim)
    if self.dim() == 0:
        return fb.return_types.mode(self.clone(), _all_scalars(self))
    ordered, order = self.detach().movedim(dim, -1).sort(-1)
    ordered = ordered.contiguous()
    start = fb.searchsorted(ordered, ordered, right=False)
    end = fb.searchsorted(ordered, ordered, right=True)
    best = (end - start).argmax(-1, True)
    last = end.gather(-1, best) - 1
    index = order.gather(-1, last.clamp(min=0)).movedim(-1, dim)
    return fb.return_types.mode(*_taken(self, index, dim, keepdim))


@op("msort(Tensor self) -> Tensor")
def msort(self: fb.Tensor) -> fb.Tensor:
    """Sorted along the first dimension."""
    return self.clone() if self.dim() == 0 else self.sort(0).values


def _quantile(
    name: str, x: fb.Tensor, q: Any, dim: int | None, keepdim: bool, how: str, skip_nan: bool
) -> fb.Tensor:
    if x.dtype not in (fb.float32, fb.float64):
        raise RuntimeError(f"{name}: input tensor must be either float or double dtype")
    if x.numel() == 0:
        raise RuntimeError(f"{name}: input tensor must be non-empty")
    q = _checked_fractions(name, q, x)
    if how not in ("linear", "lower", "higher", "midpoint", "nearest"):
        raise RuntimeError(
            f"{name}: interpolation must be one of linear, lower, higher, midpoint or nearest, "
            f"but got {how}"
        )
    if dim is not None:
        dim = wrap_dim(name, dim, x.shape)
    if dim is None or x.dim() == 0:
        flat, kept = x.reshape(-1), [1] * x.dim()
    else:
        flat = x.movedim(dim, -1)
        kept = [1 if i == dim else x.shape[i] for i in range(x.dim())]
    values = _interpolated(flat.sort(-1).values, q.reshape(-1), how, skip_nan)
    values = values.movedim(-1, 0)
    if keepdim:
        values = values.reshape([values.shape[0], *kept])
    return values.squeeze(0) if q.dim() == 0 else values


def _checked_fractions(name: str, q: Any, x: fb.Tensor) -> fb.Tensor:
    if not isinstance(q, fb.Tensor):
        if not 0 <= q <= 1:
            raise RuntimeError(f"{name}: q must be in the range [0, 1] but got {q}")
        return fb.tensor(float(q), dtype=x.dtype, device=x.device)
    if q.dim() > 1:
        raise RuntimeError(f"{name}: q must be a scalar or 1D tensor, got shape {tuple(q.shape)}")
    if q.dtype != x.dtype:
        raise RuntimeError(
            f"{name}: q tensor must be same dtype as the input tensor, {x.dtype}, got {q.dtype}"
        )
    if bool(((q < 0) | (q > 1)).any()):
        raise RuntimeError(f"{name}: q values must be in the range [0, 1]")
    return q


def _interpolated(ordered: fb.Tensor, q: fb.Tensor, how: str, skip_nan: bool) -> fb.Tensor:
    """Quantiles along the last dimension of sorted values, ``(..., len(q))``."""
    length = ordered.shape[-1]
    missing = ordered.isnan()
    if skip_nan:
        top = (length - missing.sum(-1, True) - 1).clamp(min=0)
        rank = q * top
    else:
        top = fb.full([*ordered.shape[:-1], 1], length - 1, device=ordered.device)
        rank = (q * (length - 1)).expand([*ordered.shape[:-1], q.shape[0]])
        rank = rank.masked_fill(missing.any(-1, True), length - 1)
    if how == "lower":
        rank = rank.floor()
    elif how == "higher":
        rank = rank.ceil()
    elif how == "nearest":
        rank = rank.round()
    below = rank.floor().to(fb.int64)
    lower = ordered.gather(-1, below)
    if how not in ("linear", "midpoint"):
        return lower
    upper = ordered.gather(-1, fb.minimum(rank.ceil().to(fb.int64), top))
    share = rank - below if how == "linear" else (rank > below).to(rank.dtype) * 0.5
    return fb.lerp(lower, upper, share)


@op(
    "quantile(Tensor self, Operand q, int? dim=None, bool keepdim=False, *,"
    " str interpolation='linear') -> Tensor"
)
def quantile(
    self: fb.Tensor, q: Any, dim: int | None, keepdim: bool, interpolation: str
) -> fb.Tensor:
    """Quantiles ``q`` (a fraction or a 1-D tensor of them) along ``dim``, of all if None.

    A 1-D ``q`` adds a dimension in front. NaN makes the result NaN.
    """
    return _quantile("quantile", self, q, dim, keepdim, interpolation, skip_nan=False)


@op(
    "nanquantile(Tensor self, Operand q, int? dim=None, bool keepdim=False, *,"
    " str interpolation='linear') -> Tensor"
)
def nanquantile(
    self: fb.Tensor, q: Any, dim: int | None, keepdim: bool, interpolation: str
) -> fb.Tensor:
    """Like ``quantile``, leaving NaN out."""
    return _quantile("nanquantile", self, q, dim, keepdim, interpolation, skip_nan=True)
