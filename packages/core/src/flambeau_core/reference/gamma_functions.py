"""The gamma function's logarithm and its derivative, computed in float64.

Arguments are shifted up for Stirling's series; log gamma has the power series near its zeros
(Abramowitz and Stegun 6.1.33, 6.1.40, 6.3.18).
"""

from __future__ import annotations

import math
from typing import Any

Array = Any

# log gamma(2 + z) = (1 - gamma) z + sum over k >= 2 of (-1)^k (zeta(k) - 1) z^k / k
LOG_GAMMA_AT_TWO = (
    0.422784335098467139,
    0.322467033424113218,
    -0.0673523010531980951,
    0.0205808084277845479,
    -0.00738555102867398527,
    0.00289051033074152329,
    -0.00119275391170326098,
    0.000509669524743042422,
    -0.00022315475845357938,
    0.0000994575127818085337,
    -0.0000449262367381331417,
    0.0000205072127756706916,
    -9.4394882752683959e-6,
    4.3748667899074878e-6,
    -2.03921575380136624e-6,
    9.55141213040741983e-7,
    -4.49246919876456604e-7,
    2.12071848055546659e-7,
    -1.00432248239680996e-7,
    4.76981016936398057e-8,
    -2.27110946089431649e-8,
    1.08386592148969541e-8,
    -5.18347504197004666e-9,
    2.48367454380247832e-9,
    -1.19214014058609121e-9,
    5.73136724167886201e-10,
    -2.75952288512423315e-10,
    1.33047643742444895e-10,
)

# B(2k) / (2k (2k - 1)) and B(2k) / (2k), k = 1, 2, ...
LOG_GAMMA = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360, 1 / 156)
DIGAMMA = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12)

SHIFT = 10  # arguments below this are moved up before Stirling's series


def lgamma(xp: Any, x: Array) -> Array:
    x = x.astype("float64")
    positive = log_gamma_positive(xp, xp.where(x < 0.5, 1 - x, x))
    fraction = x - xp.floor(x)
    reflected = xp.log(math.pi / xp.abs(xp.sin(math.pi * fraction))) - positive
    value = xp.where(x < 0.5, reflected, positive)
    pole = xp.isinf(x) | ((x <= 0) & (fraction == 0))
    return xp.where(pole, xp.inf, value)


def log_gamma_positive(xp: Any, x: Array) -> Array:
    """For x >= 0.5; near the zeros at 1 and 2 by the series, which keeps relative precision."""
    z = x - xp.where(x < 1.5, 1.0, 2.0)
    near_one = log_gamma_after_two(xp, z) - xp.log1p(xp.where(x < 1.5, z, 0.0))
    return xp.where(x < 2.5, near_one, log_gamma_stirling(xp, x))


def log_gamma_after_two(xp: Any, z: Array) -> Array:
    """log gamma(2 + z) for |z| <= 1/2."""
    series = xp.zeros_like(z)
    for c in reversed(LOG_GAMMA_AT_TWO):
        series = (series + c) * z
    return series


def log_gamma_after_one(xp: Any, z: Array) -> Array:
    """log gamma(1 + z) for z >= 0, with full relative precision."""
    small = xp.minimum(z, 0.5)
    near = log_gamma_after_two(xp, small) - xp.log1p(small)
    return xp.where(z < 0.5, near, lgamma(xp, 1 + z))


def log_gamma_stirling(xp: Any, x: Array) -> Array:
    product = xp.ones_like(x)
    shifted = x
    for _ in range(SHIFT):
        below = shifted < SHIFT
        product = xp.where(below, product * shifted, product)
        shifted = xp.where(below, shifted + 1, shifted)
    stirling = (shifted - 0.5) * xp.log(shifted) - shifted + 0.5 * math.log(2 * math.pi)
    return stirling + log_gamma_correction(xp, shifted) - xp.log(product)


def digamma(xp: Any, x: Array) -> Array:
    x = x.astype("float64")
    positive = digamma_positive(xp, xp.where(x < 0.5, 1 - x, x))
    fraction = x - xp.trunc(x)
    reflected = positive - math.pi / xp.tan(math.pi * fraction)
    value = xp.where(x < 0.5, reflected, positive)
    value = xp.where((x < 0) & (fraction == 0), xp.nan, value)
    return xp.where(x == 0, xp.copysign(xp.inf, -x), xp.where(x == xp.inf, xp.inf, value))


def digamma_positive(xp: Any, x: Array) -> Array:
    total = xp.zeros_like(x)
    shifted = x
    for _ in range(SHIFT):
        below = shifted < SHIFT
        total = xp.where(below, total - 1 / shifted, total)
        shifted = xp.where(below, shifted + 1, shifted)
    series = xp.zeros_like(x)
    for c in reversed(DIGAMMA):
        series = (series + c) / (shifted * shifted)
    return total + xp.log(shifted) - 0.5 / shifted - series


def log_gamma_correction(xp: Any, x: Array) -> Array:
    """log gamma(x) less Stirling's leading terms, for x >= SHIFT."""
    series = xp.zeros_like(x)
    for c in reversed(LOG_GAMMA):
        series = series / (x * x) + c
    return series / x
