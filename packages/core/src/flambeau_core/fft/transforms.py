"""The three linear maps that every transform is made of, with their gradients.

Each multiplies its result by ``scale`` and divides by nothing. The gradient is the adjoint map, in
the convention that the gradient of a complex number is that of its real and imaginary parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import flambeau_core as fb
from flambeau_core import _C
from flambeau_core.declare import primitive


@primitive("_fft_c2c(Tensor self, int[] dim, float scale, bool forward) -> Tensor", function=False)
def complex_to_complex(
    self: fb.Tensor, dim: Sequence[int], scale: float, forward: bool
) -> fb.Tensor:
    """Sums over ``dim`` with ``exp(-2 pi i k n / N)`` (``+`` unless ``forward``)."""
    out = fb.empty(self.shape, dtype=self.dtype, device=self.device)
    _C.launch("fft_c2c", [out], [self], (dim, forward, scale))
    return out


@complex_to_complex.gradient
def _(grad_outputs: Any, inputs: Any, outputs: Any, needs: Any) -> fb.Tensor:
    _, dim, scale, forward = inputs
    return complex_to_complex(grad_outputs[0], dim, scale, not forward)


@primitive("_fft_r2c(Tensor self, int[] dim, float scale) -> Tensor", function=False)
def real_to_complex(self: fb.Tensor, dim: Sequence[int], scale: float) -> fb.Tensor:
    """The forward transform of real numbers: the first half along the last of ``dim``."""
    shape = list(self.shape)
    shape[dim[-1]] = shape[dim[-1]] // 2 + 1
    out = fb.empty(shape, dtype=self.dtype.to_complex(), device=self.device)
    _C.launch("fft_r2c", [out], [self], (dim, scale))
    return out


@real_to_complex.gradient
def _(grad_outputs: Any, inputs: Any, outputs: Any, needs: Any) -> fb.Tensor:
    x, dim, scale = inputs
    size = x.shape[dim[-1]]
    return complex_to_real(_inner_times(0.5, grad_outputs[0], dim[-1], size), dim, scale, size)


@primitive("_fft_c2r(Tensor self, int[] dim, float scale, int size) -> Tensor", function=False)
def complex_to_real(self: fb.Tensor, dim: Sequence[int], scale: float, size: int) -> fb.Tensor:
    """The backward transform of one half of a Hermitian spectrum, ``size`` points long.

    The half is that along the last of ``dim``; imaginary parts that a Hermitian spectrum does not
    have are passed over.
    """
    shape = list(self.shape)
    shape[dim[-1]] = size
    out = fb.empty(shape, dtype=self.dtype.to_real(), device=self.device)
    _C.launch("fft_c2r", [out], [self], (dim, scale))
    return out


@complex_to_real.gradient
def _(grad_outputs: Any, inputs: Any, outputs: Any, needs: Any) -> fb.Tensor:
    _, dim, scale, size = inputs
    return _inner_times(2.0, real_to_complex(grad_outputs[0], dim, scale), dim[-1], size)


def _inner_times(factor: float, half: fb.Tensor, dim: int, size: int) -> fb.Tensor:
    """The spectrum with ``factor`` at the frequencies that stand for two of a whole spectrum."""
    weights = fb.full((half.shape[dim],), factor, dtype=half.dtype.to_real(), device=half.device)
    weights[0] = 1
    if size % 2 == 0:
        weights[-1] = 1
    return half * weights.reshape(-1, *[1] * (half.dim() - 1 - dim))
