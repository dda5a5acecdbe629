"""Equality, exact and approximate, and membership."""

from __future__ import annotations

from typing import Any

import flambeau_core as fb
from flambeau_core.declare import op


@op("equal(Tensor self, Tensor other) -> bool")
def equal(self: fb.Tensor, other: fb.Tensor) -> bool:
    """True if both tensors have the same shape and elements; NaN equals nothing."""
    return tuple(self.shape) == tuple(other.shape) and bool((self == other).all())


@op(
    "isclose(Tensor self, Tensor other, float rtol=1e-5, float atol=1e-8,"
    " bool equal_nan=False) -> Tensor"
)
def isclose(
    self: fb.Tensor, other: fb.Tensor, rtol: float, atol: float, equal_nan: bool
) -> fb.Tensor:
    """Where ``|self - other| <= atol + rtol * |other|``, or both are equal."""
    if self.dtype != other.dtype:
        raise RuntimeError(f"isclose: {self.dtype} did not match {other.dtype}")
    for name, value in (("rtol", rtol), ("atol", atol)):
        if value < 0:
            raise RuntimeError(
                f"isclose: {name} must be greater than or equal to zero, got {value}"
            )
    close = self == other
    inexact = self.is_floating_point() or self.is_complex()
    if equal_nan and inexact:
        close = close | (self.isnan() & other.isnan())
    if rtol == 0 and atol == 0:
        return close
    if not inexact:
        self, other = self.to(fb.float64), other.to(fb.float64)
    error = (self - other).abs()
    return close | (error.isfinite() & (error <= atol + (rtol * other).abs()))


@op(
    "allclose(Tensor self, Tensor other, float rtol=1e-5, float atol=1e-8,"
    " bool equal_nan=False) -> bool"
)
def allclose(self: fb.Tensor, other: fb.Tensor, rtol: float, atol: float, equal_nan: bool) -> bool:
    """True if ``isclose`` holds everywhere."""
    return bool(isclose(self, other, rtol, atol, equal_nan).all())


@op(
    "isin(Operand elements, Operand test_elements, *, bool assume_unique=False,"
    " bool invert=False) -> Tensor",
    method=False,
)
def isin(elements: Any, test_elements: Any, assume_unique: bool, invert: bool) -> fb.Tensor:
    """Where ``elements`` occur among ``test_elements``; ``invert`` asks where they do not."""
    if not isinstance(elements, fb.Tensor):
        if not isinstance(test_elements, fb.Tensor):
            raise TypeError("isin: one of elements and test_elements must be a Tensor")
        elements = fb.tensor(elements, device=test_elements.device)
    tests = fb.as_tensor(test_elements, device=elements.device)
    if elements.is_complex() or tests.is_complex():
        raise RuntimeError("isin: complex tensors are not supported")
    dtype = fb.promote_types(elements.dtype, tests.dtype)
    x, ordered = elements.to(dtype), tests.to(dtype).reshape(-1)
    if dtype == fb.bool:
        x, ordered = x.to(fb.uint8), ordered.to(fb.uint8)
    if ordered.numel() == 0:
        return fb.full(x.shape, invert, dtype=fb.bool, device=x.device)
    ordered = ordered.sort(0).values
    place = fb.searchsorted(ordered, x.reshape(-1).contiguous()).clamp(max=ordered.shape[0] - 1)
    found = (ordered.index_select(0, place) == x.reshape(-1)).reshape(x.shape)
    return ~found if invert else found
