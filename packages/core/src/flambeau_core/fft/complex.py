"""Transforms of complex signals into complex spectra, and back."""

from __future__ import annotations

from collections.abc import Sequence

import flambeau_core as fb
from flambeau_core.declare import op
from flambeau_core.fft.arguments import Sizes, dimensions, length, promoted, resized, scale
from flambeau_core.fft.transforms import complex_to_complex

__all__ = ["fft", "fft2", "fftn", "ifft", "ifft2", "ifftn"]


def _transform(
    name: str, x: fb.Tensor, s: Sizes, dim: Sizes, norm: str | None, *, forward: bool
) -> fb.Tensor:
    dims, sizes = dimensions(name, x, s, dim)
    factor = scale(name, norm, sizes, forward=forward)
    x = resized(promoted(name, x, to_complex=True), dims, sizes)
    return complex_to_complex(x, dims, factor, forward) if dims else x.clone()


@op("fft(Tensor self, int? n=None, int dim=-1, str? norm=None) -> Tensor", namespace="fft")
def fft(self: fb.Tensor, n: int | None, dim: int, norm: str | None) -> fb.Tensor:
    """The transform along ``dim``: ``sum_j x_j exp(-2 pi i j k / n)``, complex."""
    return _transform("fft", self, length("fft", self, n), [dim], norm, forward=True)


@op("ifft(Tensor self, int? n=None, int dim=-1, str? norm=None) -> Tensor", namespace="fft")
def ifft(self: fb.Tensor, n: int | None, dim: int, norm: str | None) -> fb.Tensor:
    """The inverse of ``fft``."""
    return _transform("ifft", self, length("ifft", self, n), [dim], norm, forward=False)


@op(
    "fft2(Tensor self, int[]? s=None, int[] dim=[-2, -1], str? norm=None) -> Tensor",
    namespace="fft",
)
def fft2(self: fb.Tensor, s: Sizes, dim: Sequence[int], norm: str | None) -> fb.Tensor:
    """``fft`` along two dimensions."""
    return _transform("fft2", self, s, dim, norm, forward=True)


@op(
    "ifft2(Tensor self, int[]? s=None, int[] dim=[-2, -1], str? norm=None) -> Tensor",
    namespace="fft",
)
def ifft2(self: fb.Tensor, s: Sizes, dim: Sequence[int], norm: str | None) -> fb.Tensor:
    """The inverse of ``fft2``."""
    return _transform("ifft2", self, s, dim, norm, forward=False)


@op(
    "fftn(Tensor self, int[]? s=None, int[]? dim=None, str? norm=None) -> Tensor",
    namespace="fft",
)
def fftn(self: fb.Tensor, s: Sizes, dim: Sizes, norm: str | None) -> fb.Tensor:
    """``fft`` along several dimensions; all if ``dim`` is None, or the last ``len(s)``."""
    return _transform("fftn", self, s, dim, norm, forward=True)


@op(
    "ifftn(Tensor self, int[]? s=None, int[]? dim=None, str? norm=None) -> Tensor",
    namespace="fft",
)
def ifftn(self: fb.Tensor, s: Sizes, dim: Sizes, norm: str | None) -> fb.Tensor:
    """The inverse of ``fftn``."""
    return _transform("ifftn", self, s, dim, norm, forward=False)
