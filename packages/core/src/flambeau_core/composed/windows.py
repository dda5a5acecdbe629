"""Window functions for the analysis of signals (Harris, 1978)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import flambeau_core as fb
from flambeau_core.declare import op

_OPTIONS = "*, dtype? dtype=None, device? device=None, bool requires_grad=False) -> Tensor"


def _phase(
    name: str, length: int, periodic: bool, dtype: Any, device: Any
) -> tuple[fb.Tensor, Any]:
    """Fractions of the period, in float64, and the dtype of the result."""
    dtype = fb.get_default_dtype() if dtype is None else dtype
    if not dtype.is_floating_point:
        raise RuntimeError(f"{name}: expected a floating point dtype, got {dtype}")
    if length < 0:
        raise RuntimeError(f"{name}: requires non-negative window_length, got {length}")
    steps = max(length if periodic else length - 1, 1)
    return fb.arange(length, dtype=fb.float64, device=device) / steps, dtype


def _cosine_sum(phase: fb.Tensor, coefficients: Sequence[float], dtype: Any) -> fb.Tensor:
    """Alternating sum of cosines of the multiples of the phase; a single point is 1."""
    if phase.shape[0] == 1:
        return fb.ones(1, dtype=dtype, device=phase.device)
    total = fb.zeros_like(phase)
    for order, coefficient in enumerate(coefficients):
        total = total + (-1) ** order * coefficient * (phase * (2 * math.pi * order)).cos()
    return total.to(dtype)


@op(f"hann_window(int window_length, bool periodic=True, {_OPTIONS}", method=False)
def hann_window(
    window_length: int, periodic: bool, dtype: Any, device: Any, grad: bool
) -> fb.Tensor:
    """Raised cosine that is zero at the ends."""
    phase, dtype = _phase("hann_window", window_length, periodic, dtype, device)
    return _cosine_sum(phase, [0.5, 0.5], dtype).requires_grad_(grad)


@op(
    "hamming_window(int window_length, bool periodic=True, float alpha=0.54, float beta=0.46, "
    + _OPTIONS,
    method=False,
)
def hamming_window(
    window_length: int,
    periodic: bool,
    alpha: float,
    beta: float,
    dtype: Any,
    device: Any,
    grad: bool,
) -> fb.Tensor:
    """``alpha - beta * cos``: a raised cosine on a pedestal."""
    phase, dtype = _phase("hamming_window", window_length, periodic, dtype, device)
    return _cosine_sum(phase, [alpha, beta], dtype).requires_grad_(grad)


@op(f"blackman_window(int window_length, bool periodic=True, {_OPTIONS}", method=False)
def blackman_window(
    window_length: int, periodic: bool, dtype: Any, device: Any, grad: bool
) -> fb.Tensor:
    """Sum of three cosines with Blackman's rounded coefficients."""
    phase, dtype = _phase("blackman_window", window_length, periodic, dtype, device)
    return _cosine_sum(phase, [0.42, 0.5, 0.08], dtype).requires_grad_(grad)


@op(f"bartlett_window(int window_length, bool periodic=True, {_OPTIONS}", method=False)
def bartlett_window(
    window_length: int, periodic: bool, dtype: Any, device: Any, grad: bool
) -> fb.Tensor:
    """Triangle that is zero at the ends."""
    phase, dtype = _phase("bartlett_window", window_length, periodic, dtype, device)
    if window_length == 1:
        return fb.ones(1, dtype=dtype, device=device).requires_grad_(grad)
    return (1 - (2 * phase - 1).abs()).to(dtype).requires_grad_(grad)


@op(
    f"kaiser_window(int window_length, bool periodic=True, float beta=12.0, {_OPTIONS}",
    method=False,
)
def kaiser_window(
    window_length: int, periodic: bool, beta: float, dtype: Any, device: Any, grad: bool
) -> fb.Tensor:
    """Ratio of modified Bessel functions, close to the best energy concentration (Kaiser, 1974)."""
    phase, dtype = _phase("kaiser_window", window_length, periodic, dtype, device)
    if window_length == 1:
        return fb.ones(1, dtype=dtype, device=device).requires_grad_(grad)
    inside = (1 - (2 * phase - 1).square()).clamp(min=0)
    window = fb.i0(beta * inside.sqrt()) / fb.i0(fb.full_like(phase[:1], beta))
    return window.to(dtype).requires_grad_(grad)
