"""The frequencies of a spectrum's points, and the order in which they stand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import flambeau_core as fb
from flambeau_core.declare import op

__all__ = ["fftfreq", "fftshift", "ifftshift", "rfftfreq"]

_OPTIONS = "*, dtype? dtype=None, device? device=None, bool requires_grad=False"


def _scaled(name: str, numbers: fb.Tensor, n: int, d: float, dtype: Any, grad: bool) -> fb.Tensor:
    dtype = fb.get_default_dtype() if dtype is None else dtype
    if not (dtype.is_floating_point or dtype.is_complex):
        raise RuntimeError(f"{name}: requires a floating point or complex dtype, got {dtype}")
    step = 1 / (n * d) if n * d else math.inf
    return (numbers.to(fb.float64) * step).to(dtype).requires_grad_(grad)


@op(f"fftfreq(int n, float d=1.0, {_OPTIONS}) -> Tensor", namespace="fft")
def fftfreq(n: int, d: float, dtype: Any, device: Any, grad: bool) -> fb.Tensor:
    """Frequencies of the points of ``fft``, the negative ones last, in cycles a unit of ``d``.

    ``d`` is the distance of two samples. RuntimeError for a negative ``n`` or an integer dtype.
    """
    if n < 0:
        raise RuntimeError(f"fftfreq: requires a non-negative number of points, got n={n}")
    numbers = fb.arange(n, device=device)
    numbers = fb.where(numbers < (n + 1) // 2, numbers, numbers - n)
    return _scaled("fftfreq", numbers, n, d, dtype, grad)


@op(f"rfftfreq(int n, float d=1.0, {_OPTIONS}) -> Tensor", namespace="fft")
def rfftfreq(n: int, d: float, dtype: Any, device: Any, grad: bool) -> fb.Tensor:
    """Frequencies of the points of ``rfft``, in cycles a unit of ``d``.

    ``d`` is the distance of two samples. RuntimeError for a negative ``n`` or an integer dtype.
    """
    if n < 0:
        raise RuntimeError(f"rfftfreq: requires a non-negative number of points, got n={n}")
    return _scaled("rfftfreq", fb.arange(n // 2 + 1, device=device), n, d, dtype, grad)


@op("fftshift(Tensor self, int[]? dim=None) -> Tensor", namespace="fft")
def fftshift(self: fb.Tensor, dim: Sequence[int] | None) -> fb.Tensor:
    """Rolls the zero frequency to the middle of ``dim`` (of all dimensions if None)."""
    dims = list(range(self.dim())) if dim is None else list(dim)
    return self.roll([self.shape[d] // 2 for d in dims], dims)


@op("ifftshift(Tensor self, int[]? dim=None) -> Tensor", namespace="fft")
def ifftshift(self: fb.Tensor, dim: Sequence[int] | None) -> fb.Tensor:
    """The inverse of ``fftshift``."""
    dims = list(range(self.dim())) if dim is None else list(dim)
    return self.roll([(self.shape[d] + 1) // 2 for d in dims], dims)
