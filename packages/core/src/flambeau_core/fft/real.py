"""Transforms of real signals into the half of their spectrum that says all, and back."""

from __future__ import annotations

from collections.abc import Sequence

import flambeau_core as fb
from flambeau_core.declare import op
from flambeau_core.fft.arguments import (
    Sizes,
    dimensions,
    length,
    promoted,
    real_input,
    resized,
    scale,
)
from flambeau_core.fft.transforms import complex_to_real, real_to_complex

__all__ = ["half_spectrum", "irfft", "irfft2", "irfftn", "rfft", "rfft2", "rfftn", "signal_of"]


def half_spectrum(
    name: str, x: fb.Tensor, s: Sizes, dim: Sizes, norm: str | None, *, forward: bool
) -> fb.Tensor:
    """The forward transform of a real signal, scaled as ``norm`` scales that direction."""
    x = real_input(name, x)
    dims, sizes = dimensions(name, x, s, dim)
    _check_any(name, dims)
    factor = scale(name, norm, sizes, forward=forward)
    return real_to_complex(resized(x, dims, sizes), dims, factor)


def signal_of(
    name: str, x: fb.Tensor, s: Sizes, dim: Sizes, norm: str | None, *, forward: bool
) -> fb.Tensor:
    """The backward transform of half a spectrum, scaled as ``norm`` scales that direction."""
    x = promoted(name, x, to_complex=True)
    dims, sizes = dimensions(name, x, s, dim, halved=True)
    _check_any(name, dims)
    factor = scale(name, norm, sizes, forward=forward)
    x = resized(x, dims, [*sizes[:-1], sizes[-1] // 2 + 1])
    return complex_to_real(x, dims, factor, sizes[-1])


def _check_any(name: str, dims: Sequence[int]) -> None:
    if not dims:
        raise RuntimeError(f"{name}: must transform at least one dimension")


@op("rfft(Tensor self, int? n=None, int dim=-1, str? norm=None) -> Tensor", namespace="fft")
def rfft(self: fb.Tensor, n: int | None, dim: int, norm: str | None) -> fb.Tensor:
    """The first ``n // 2 + 1`` points of ``fft`` of a real signal; the others mirror them."""
    return half_spectrum("rfft", self, length("rfft", self, n), [dim], norm, forward=True)


@op("irfft(Tensor self, int? n=None, int dim=-1, str? norm=None) -> Tensor", namespace="fft")
def irfft(self: fb.Tensor, n: int | None, dim: int, norm: str | None) -> fb.Tensor:
    """The inverse of ``rfft``: a real signal of ``n`` points, by default an even number."""
    return signal_of("irfft", self, length("irfft", self, n), [dim], norm, forward=False)


@op(
    "rfft2(Tensor self, int[]? s=None, int[] dim=[-2, -1], str? norm=None) -> Tensor",
    namespace="fft",
)
def rfft2(self: fb.Tensor, s: Sizes, dim: Sequence[int], norm: str | None) -> fb.Tensor:
    """``fft2`` of a real signal, half of it along the last of ``dim``."""
    return half_spectrum("rfft2", self, s, dim, norm, forward=True)


@op(
    "irfft2(Tensor self, int[]? s=None, int[] dim=[-2, -1], str? norm=None) -> Tensor",
    namespace="fft",
)
def irfft2(self: fb.Tensor, s: Sizes, dim: Sequence[int], norm: str | None) -> fb.Tensor:
    """The inverse of ``rfft2``; ``s`` are the lengths of the signal."""
    return signal_of("irfft2", self, s, dim, norm, forward=False)


@op(
    "rfftn(Tensor self, int[]? s=None, int[]? dim=None, str? norm=None) -> Tensor",
    namespace="fft",
)
def rfftn(self: fb.Tensor, s: Sizes, dim: Sizes, norm: str | None) -> fb.Tensor:
    """``fftn`` of a real signal, half of it along the last dimension that is transformed."""
    return half_spectrum("rfftn", self, s, dim, norm, forward=True)


@op(
    "irfftn(Tensor self, int[]? s=None, int[]? dim=None, str? norm=None) -> Tensor",
    namespace="fft",
)
def irfftn(self: fb.Tensor, s: Sizes, dim: Sizes, norm: str | None) -> fb.Tensor:
    """The inverse of ``rfftn``; ``s`` are the lengths of the signal."""
    return signal_of("irfftn", self, s, dim, norm, forward=False)
