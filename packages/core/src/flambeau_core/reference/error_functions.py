"""The error function and its relatives, computed in float64.

erfc follows the single Chebyshev expansion over [0, inf) of Shepherd and Laframboise (Math.
Comp. 36, 1981); its coefficients and those of erf on [-1, 1] were computed for this file in
50-digit arithmetic.
"""

from __future__ import annotations

import math
from typing import Any

Array = Any

# erf(x) / x over u = 2 x^2 - 1
ERF = (
    0.975476939382654096,
    -0.142261205103713642,
    0.0100355821875997956,
    -0.000576876469976748477,
    0.000027419931252196061,
    -1.10431755073445076e-6,
    3.84887554203450369e-8,
    -1.1808582533875467e-9,
    3.23342158260509096e-11,
    -7.99101594700454876e-13,
    1.79907251139614556e-14,
    -3.71863548781869264e-16,
    7.10359900371425297e-18,
)

# (1 + 2 x) exp(x^2) erfc(x) over t = (x - 3.75) / (x + 3.75)
ERFC = (
    1.17757893456740175,
    -0.00459005458064647733,
    -0.0842491333665179156,
    0.0592099399981918905,
    -0.0266586684353057523,
    0.00907499767070526509,
    -0.00241316354041760819,
    0.000490775836525808632,
    -0.0000691697330250120637,
    4.13902798607301017e-6,
    7.74038306619849067e-7,
    -2.18864010492343957e-7,
    1.07649994656709104e-8,
    4.5219598112182869e-9,
    -7.75440020883135111e-10,
    -6.31808834088668449e-11,
    2.8687950109306699e-11,
    1.94558685457773472e-13,
    -9.65469674843343891e-13,
    3.25254814814873984e-14,
    3.34781194828680539e-14,
    -1.8645628804193131e-15,
    -1.25079505306886471e-15,
    7.4182352566240433e-17,
    5.06814890479611129e-17,
    -2.23705665943599844e-18,
    -2.18734294430301544e-18,
)


def chebyshev(coefficients: tuple[float, ...], t: Array) -> Array:
    """Clenshaw's recurrence for sum c_k T_k(t)."""
    second = first = 0.0 * t
    for c in coefficients[:0:-1]:
        first, second = 2 * t * first - second + c, first
    return t * first - second + coefficients[0]


def erf(xp: Any, x: Array) -> Array:
    x = x.astype("float64")
    small = xp.clip(x, -1, 1)
    near = small * chebyshev(ERF, 2 * small * small - 1)
    far = xp.sign(x) * (1 - erfc_positive(xp, xp.abs(x)))
    return xp.where(xp.abs(x) <= 1, near, far)


def erfc(xp: Any, x: Array) -> Array:
    x = x.astype("float64")
    tail = erfc_positive(xp, xp.abs(x))
    return xp.where(xp.abs(x) <= 0.5, 1 - erf(xp, x), xp.where(x < 0, 2 - tail, tail))


def exp_square(xp: Any, x: Array, sign: float) -> Array:
    """exp(sign x^2) for x >= 0, from a short head whose square is exact: x^2 loses no digits."""
    head = xp.floor(x * 65536) / 65536
    return xp.exp(sign * head * head) * xp.exp(sign * (x - head) * (x + head))


def erfcx_positive(xp: Any, x: Array) -> Array:
    """exp(x^2) erfc(x) for x >= 0, finite."""
    return chebyshev(ERFC, (x - 3.75) / (x + 3.75)) / (1 + 2 * x)


def erfc_positive(xp: Any, x: Array) -> Array:
    """erfc for x >= 0, with full relative precision until it underflows."""
    bounded = xp.minimum(x, 40.0)
    return erfcx_positive(xp, bounded) * exp_square(xp, bounded, -1.0)


def erfcx(xp: Any, x: Array) -> Array:
    x = x.astype("float64")
    size = xp.abs(x)
    tail = erfcx_positive(xp, xp.minimum(size, 1e300))
    # exp(30^2) overflows
    grown = 2 * exp_square(xp, xp.minimum(size, 30.0), 1.0) - tail
    return xp.where(x < 0, grown, xp.where(x == xp.inf, 0.0, tail))


def erf_inverse(xp: Any, magnitude: Array, complement: Array) -> Array:
    """The x >= 0 with erf(x) = magnitude and erfc(x) = complement, each exact where it is small.

    Winitzki's approximation starts Halley's iteration, on erf near the origin, else on erfc.
    """
    logarithm = xp.log(xp.maximum(complement * (1 + magnitude), 1e-320))
    centre = 2 / (math.pi * 0.147) + logarithm / 2
    x = xp.sqrt(xp.maximum(xp.sqrt(centre * centre - logarithm / 0.147) - centre, 0))
    for _ in range(5):
        error = xp.where(magnitude < 0.5, erf(xp, x) - magnitude, complement - erfc_positive(xp, x))
        step = error / (2 / math.sqrt(math.pi) * xp.exp(-x * x))
        x = x - step / (1 + x * step)
    return xp.where(complement == 0, xp.inf, x)


def erfinv(xp: Any, y: Array) -> Array:
    y = y.astype("float64")
    magnitude = xp.abs(y)
    x = erf_inverse(xp, magnitude, 1 - magnitude)
    return xp.where(magnitude > 1, xp.nan, xp.copysign(x, y))


def ndtri(xp: Any, p: Array) -> Array:
    p = p.astype("float64")
    tail = xp.minimum(p, 1 - p)
    x = math.sqrt(2) * erf_inverse(xp, xp.abs(2 * p - 1), 2 * tail)
    return xp.where((p < 0) | (p > 1), xp.nan, xp.where(p < 0.5, -x, x))


def entr(xp: Any, x: Array) -> Array:
    x = x.astype("float64")
    return xp.where(x > 0, -x * xp.log(x), xp.where(x == 0, 0.0, xp.where(x < 0, -xp.inf, x)))
