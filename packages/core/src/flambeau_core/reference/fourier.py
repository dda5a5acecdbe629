"""Discrete Fourier transforms along several axes at once."""

from __future__ import annotations

from typing import Any

from flambeau_core.reference.precision import Array
from flambeau_core.reference.table import Kernel

# The array module scales the forward transform under the name "forward" and the backward one
# under "backward"; the other way round nothing is scaled.


def complex_to_complex(
    xp: Any, out: Array, x: Array, *, dims: tuple[int, ...], forward: int, scale: float
) -> None:
    if forward:
        out[...] = xp.fft.fftn(x, axes=dims, norm="backward")
    else:
        out[...] = xp.fft.ifftn(x, axes=dims, norm="forward")
    if scale != 1:
        out *= scale


def real_to_complex(xp: Any, out: Array, x: Array, *, dims: tuple[int, ...], scale: float) -> None:
    out[...] = xp.fft.rfftn(x, axes=dims, norm="backward")
    if scale != 1:
        out *= scale


def complex_to_real(xp: Any, out: Array, x: Array, *, dims: tuple[int, ...], scale: float) -> None:
    sizes = tuple(out.shape[dim] for dim in dims)
    out[...] = xp.fft.irfftn(x, s=sizes, axes=dims, norm="forward")
    if scale != 1:
        out *= scale


KERNELS = {
    "fft_c2c": Kernel(complex_to_complex, "c"),
    "fft_r2c": Kernel(real_to_complex, "f"),
    "fft_c2r": Kernel(complex_to_real, "c"),
}
