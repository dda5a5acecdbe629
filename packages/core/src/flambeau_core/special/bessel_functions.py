"""Bessel functions made of others. Like PyTorch's, these have no gradients."""

from __future__ import annotations

import flambeau_core as fb
from flambeau_core import _C
from flambeau_core.declare import op

__all__ = [
    "airy_ai",
    "bessel_j0",
    "bessel_j1",
    "bessel_y0",
    "bessel_y1",
    "i0e",
    "i1",
    "i1e",
    "modified_bessel_i0",
    "modified_bessel_i1",
    "modified_bessel_k0",
    "modified_bessel_k1",
    "scaled_modified_bessel_k0",
    "scaled_modified_bessel_k1",
    "spherical_bessel_j0",
]

airy_ai = _C.find_op("special_airy_ai")
bessel_j0 = _C.find_op("special_bessel_j0")
bessel_j1 = _C.find_op("special_bessel_j1")
bessel_y0 = _C.find_op("special_bessel_y0")
bessel_y1 = _C.find_op("special_bessel_y1")
i0e = _C.find_op("special_i0e")
i1 = _C.find_op("special_i1")
i1e = _C.find_op("special_i1e")
scaled_modified_bessel_k0 = _C.find_op("special_scaled_modified_bessel_k0")
scaled_modified_bessel_k1 = _C.find_op("special_scaled_modified_bessel_k1")


@op("modified_bessel_i0(Tensor self) -> Tensor", namespace="special")
def modified_bessel_i0(self: fb.Tensor) -> fb.Tensor:
    """The modified Bessel function of the first kind of order 0 (``i0`` has a gradient)."""
    return fb.i0(self.detach())


@op("modified_bessel_i1(Tensor self) -> Tensor", namespace="special")
def modified_bessel_i1(self: fb.Tensor) -> fb.Tensor:
    """The modified Bessel function of the first kind of order 1 (``i1`` has a gradient)."""
    return i1(self.detach())


@op("modified_bessel_k0(Tensor self) -> Tensor", namespace="special")
def modified_bessel_k0(self: fb.Tensor) -> fb.Tensor:
    """The modified Bessel function of the second kind of order 0; NaN for negative elements."""
    return scaled_modified_bessel_k0(self) * (-self.detach().to(_floating(self))).exp()


@op("modified_bessel_k1(Tensor self) -> Tensor", namespace="special")
def modified_bessel_k1(self: fb.Tensor) -> fb.Tensor:
    """The modified Bessel function of the second kind of order 1; NaN for negative elements."""
    return scaled_modified_bessel_k1(self) * (-self.detach().to(_floating(self))).exp()


@op("spherical_bessel_j0(Tensor x) -> Tensor", namespace="special")
def spherical_bessel_j0(x: fb.Tensor) -> fb.Tensor:
    """``sin(x) / x``, 1 at zero and 0 at infinity."""
    x = x.detach().to(_floating(x))
    return (x.sin() / x).masked_fill(x == 0, 1).masked_fill(x.isinf(), 0)


def _floating(x: fb.Tensor) -> fb.dtype:
    return x.dtype if x.is_floating_point() or x.is_complex() else fb.get_default_dtype()
