"""Transforms of signals that mirror themselves conjugated, whose spectrum is real, and back."""

from __future__ import annotations

from collections.abc import Sequence

import flambeau_core as fb
from flambeau_core.declare import op
from flambeau_core.fft.arguments import Sizes, length
from flambeau_core.fft.real import half_spectrum, signal_of

__all__ = ["hfft", "hfft2", "hfftn", "ihfft", "ihfft2", "ihfftn"]


@op("hfft(Tensor self, int? n=None, int dim=-1, str? norm=None) -> Tensor", namespace="fft")
def hfft(self: fb.Tensor, n: int | None, dim: int, norm: str | None) -> fb.Tensor:
    """The real spectrum, ``n`` points long, of a signal of which half is given."""
    return signal_of("hfft", self.conj(), length("hfft", self, n), [dim], norm, forward=True)


@op("ihfft(Tensor self, int? n=None, int dim=-1, str? norm=None) -> Tensor", namespace="fft")
def ihfft(self: fb.Tensor, n: int | None, dim: int, norm: str | None) -> fb.Tensor:
    """The inverse of ``hfft``: the first ``n // 2 + 1`` points of the signal."""
    return half_spectrum("ihfft", self, length("ihfft", self, n), [dim], norm, forward=False).conj()


@op(
    "hfft2(Tensor self, int[]? s=None, int[] dim=[-2, -1], str? norm=None) -> Tensor",
    namespace="fft",
)
def hfft2(self: fb.Tensor, s: Sizes, dim: Sequence[int], norm: str | None) -> fb.Tensor:
    """``hfft`` along two dimensions, of a signal halved along the last of ``dim``."""
    return signal_of("hfft2", self.conj(), s, dim, norm, forward=True)


@op(
    "ihfft2(Tensor self, int[]? s=None, int[] dim=[-2, -1], str? norm=None) -> Tensor",
    namespace="fft",
)
def ihfft2(self: fb.Tensor, s: Sizes, dim: Sequence[int], norm: str | None) -> fb.Tensor:
    """The inverse of ``hfft2``."""
    return half_spectrum("ihfft2", self, s, dim, norm, forward=False).conj()


@op(
    "hfftn(Tensor self, int[]? s=None, int[]? dim=None, str? norm=None) -> Tensor",
    namespace="fft",
)
def hfftn(self: fb.Tensor, s: Sizes, dim: Sizes, norm: str | None) -> fb.Tensor:
    """``hfft`` along several dimensions, of a signal halved along the last of them."""
    return signal_of("hfftn", self.conj(), s, dim, norm, forward=True)


@op(
    "ihfftn(Tensor self, int[]? s=None, int[]? dim=None, str? norm=None) -> Tensor",
    namespace="fft",
)
def ihfftn(self: fb.Tensor, s: Sizes, dim: Sizes, norm: str | None) -> fb.Tensor:
    """The inverse of ``hfftn``."""
    return half_spectrum("ihfftn", self, s, dim, norm, forward=False).conj()
