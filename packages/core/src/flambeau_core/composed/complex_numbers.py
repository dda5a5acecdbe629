"""Complex numbers from their parts, and their parts."""

from __future__ import annotations

import flambeau_core as fb
from flambeau_core.declare import op


def _check_parts(name: str, first: fb.Tensor, second: fb.Tensor) -> None:
    if first.dtype not in (fb.float16, fb.float32, fb.float64):
        raise RuntimeError(
            f"{name}: expected both inputs to be float16, float32 or float64 tensors, but got "
            f"{first.dtype} and {second.dtype}"
        )
    if first.dtype != second.dtype:
        raise RuntimeError(
            f"{name}: expected a second argument of type {first.dtype}, like the first, but got "
            f"{second.dtype}"
        )


@op("complex(Tensor real, Tensor imag) -> Tensor", exact_out=True)
def complex_(real: fb.Tensor, imag: fb.Tensor) -> fb.Tensor:
    """Complex numbers of two real tensors of one dtype, which broadcast."""
    _check_parts("complex", real, imag)
    return fb.view_as_complex(fb.stack(fb.broadcast_tensors(real, imag), -1))


@op("polar(Tensor abs, Tensor angle) -> Tensor", exact_out=True)
def polar(radius: fb.Tensor, angle: fb.Tensor) -> fb.Tensor:
    """Complex numbers ``abs * (cos(angle) + i sin(angle))`` of two tensors of one dtype."""
    _check_parts("polar", radius, angle)
    return complex_(radius * angle.cos(), radius * angle.sin())


@op("real(Tensor self) -> view", method=False)
def real(self: fb.Tensor) -> fb.Tensor:
    """The real part, a view; a real tensor itself."""
    return self.real


@op("imag(Tensor self) -> view", method=False)
def imag(self: fb.Tensor) -> fb.Tensor:
    """The imaginary part, a view. Raises RuntimeError for a real tensor."""
    return self.imag


@op("isreal(Tensor self) -> bool tensor")
def isreal(self: fb.Tensor) -> fb.Tensor:
    """Where the imaginary part is zero; everywhere in a real tensor."""
    if self.is_complex():
        return self.imag == 0
    return fb.ones_like(self, dtype=fb.bool)


@op("adjoint(Tensor self) -> view")
def adjoint(self: fb.Tensor) -> fb.Tensor:
    """The last two dimensions exchanged, and conjugated. Raises RuntimeError for a vector."""
    return self.mH if self.dim() != 0 else self


@op("resolve_conj(Tensor self) -> view")
def resolve_conj(self: fb.Tensor) -> fb.Tensor:
    """The tensor itself: conjugates are never postponed here."""
    return self


@op("resolve_neg(Tensor self) -> view")
def resolve_neg(self: fb.Tensor) -> fb.Tensor:
    """The tensor itself: negations are never postponed here."""
    return self
