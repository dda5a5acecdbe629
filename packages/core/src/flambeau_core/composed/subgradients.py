"""Roots and powers whose derivative is taken as zero where it would be infinite."""

from __future__ import annotations

from typing import Any

import flambeau_core as fb


def root_with_zero_slope(x: fb.Tensor) -> fb.Tensor:
    """Square root; the derivative at zero is 0."""
    if not (x.requires_grad and fb.is_grad_enabled()):
        return x.sqrt()
    zero = x == 0
    return x.masked_fill(zero, 1).sqrt().masked_fill(zero, 0)


def power_with_zero_slope(x: fb.Tensor, exponent: Any) -> fb.Tensor:
    """``x ** exponent`` for non-negative ``x``; the derivative at zero is 0."""
    if not (x.requires_grad and fb.is_grad_enabled()):
        return x.pow(exponent)
    zero = x == 0
    at_zero = 0.0 if exponent > 0 else 1.0 if exponent == 0 else float("inf")
    return x.masked_fill(zero, 1).pow(exponent).masked_fill(zero, at_zero)


def magnitude(x: fb.Tensor) -> fb.Tensor:
    """``|x|``; the derivative at zero is 0, for complex numbers too."""
    if x.is_complex() and x.requires_grad and fb.is_grad_enabled():
        return root_with_zero_slope(fb.view_as_real(x).square().sum(-1))
    return x.abs()
