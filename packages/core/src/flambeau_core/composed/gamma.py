"""Relatives of the gamma function made of the zeta function and of log gamma."""

from __future__ import annotations

import math

import flambeau_core as fb
from flambeau_core.declare import op


def _polygamma(n: int, x: fb.Tensor) -> fb.Tensor:
    if n < 0:
        raise RuntimeError(f"polygamma: polygamma(n, x) does not support negative n, got n={n}")
    if n == 0:
        return x.digamma()
    if n == 1:
        return fb.special.zeta(2, x).masked_fill(x == math.inf, 0)
    # 170! is the largest factorial that is finite.
    factorial = float(math.factorial(n)) if n <= 170 else math.inf
    return fb.special.zeta(n + 1, x) * (factorial if n % 2 else -factorial)


@op("polygamma(int n, Tensor input) -> Tensor")
def polygamma(n: int, input: fb.Tensor) -> fb.Tensor:
    """The ``n``-th derivative of ``digamma``; RuntimeError for negative ``n``."""
    return _polygamma(n, input)


@op("polygamma(Tensor self, int n) -> Tensor", function=False, inplace=True)
def polygamma_method(self: fb.Tensor, n: int) -> fb.Tensor:
    """The ``n``-th derivative of ``digamma``; RuntimeError for negative ``n``."""
    return _polygamma(n, self)


HIGHEST_DIMENSION = 1 << 16  # of a multivariate gamma function, which has as many factors


@op("mvlgamma(Tensor self, int p) -> Tensor", inplace=True)
def mvlgamma(self: fb.Tensor, p: int) -> fb.Tensor:
    """Logarithm of the multivariate gamma function of dimension ``p``.

    Raises:
        RuntimeError: ``p`` is below 1 or above 65536, or the tensor holds truth values.
    """
    if p < 1:
        raise RuntimeError(f"mvlgamma: p has to be greater than or equal to 1, got p={p}")
    if p > HIGHEST_DIMENSION:
        raise RuntimeError(f"mvlgamma: p has to be at most {HIGHEST_DIMENSION}, got p={p}")
    if self.dtype == fb.bool:
        raise RuntimeError("mvlgamma: The input tensor may not be a boolean tensor.")
    total = self.lgamma()
    for k in range(1, p):
        total = total + (self - k / 2).lgamma()
    return total + p * (p - 1) / 4 * math.log(math.pi)
