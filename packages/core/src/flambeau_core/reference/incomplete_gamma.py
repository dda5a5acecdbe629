"""The regularised incomplete gamma functions, computed in float64.

P by its power series, Q by Legendre's continued fraction or, near the origin, by a series of its
own (DLMF 8.7.1, 8.9.2); above a = 10^4 both by Temme's uniform expansion (DLMF 8.12).
"""

from __future__ import annotations

import math
from typing import Any

from flambeau_core.reference.error_functions import erfc
from flambeau_core.reference.gamma_functions import SHIFT, log_gamma_after_one, log_gamma_correction

Array = Any

UNIFORM_ABOVE = 1e4
MOST_TERMS = 5000  # some 9 sqrt(a) are needed
PRECISION = 1e-17

# Expansions at 0 of the first two coefficient functions of the uniform expansion (DLMF 8.12.14)
FIRST = (-1 / 3, 1 / 12, -2 / 135, 1 / 864, 1 / 2835, -139 / 777600, 1 / 25515)
SECOND = (-1 / 540, -1 / 288, 1 / 378, -77 / 77760)


def polynomial(coefficients: tuple[float, ...], x: Array) -> Array:
    result = 0.0 * x
    for c in reversed(coefficients):
        result = result * x + c
    return result


def log_distance(xp: Any, mu: Array) -> Array:
    """mu - log(1 + mu), without cancellation near 0."""
    series = 0.0 * mu
    for k in range(18, 1, -1):
        series = 1 / k - mu * series
    return xp.where(xp.abs(mu) < 0.1, mu * mu * series, mu - xp.log1p(mu))


def power_ratio(xp: Any, a: Array, x: Array) -> Array:
    """x^a exp(-x) / gamma(a + 1)."""
    large = xp.maximum(a, SHIFT)
    distance = large * log_distance(xp, (x - large) / large)
    stirling = xp.exp(-distance - log_gamma_correction(xp, large)) / xp.sqrt(2 * math.pi * large)
    direct = xp.exp(a * xp.log(x) - x - log_gamma_after_one(xp, a))
    return xp.where(a >= SHIFT, stirling, direct)


def lower_series(xp: Any, a: Array, x: Array) -> Array:
    """P for x <= max(a, 1)."""
    term = total = xp.ones_like(x)
    for k in range(1, MOST_TERMS):
        term = term * (x / (a + k))
        total = total + term
        if not bool(xp.any(term > PRECISION * total)):
            break
    return power_ratio(xp, a, x) * total


def upper_fraction(xp: Any, a: Array, x: Array) -> Array:
    """Q for x >= max(a, 1), by Lentz's method as Thompson and Barnett (1986) gave it."""
    b = x + 1 - a
    d = 1 / b
    c = xp.full_like(x, 1e300)
    fraction = d
    for k in range(1, MOST_TERMS):
        numerator = -k * (k - a)
        b = b + 2
        d = 1 / (numerator * d + b)
        c = b + numerator / c
        fraction = fraction * (c * d)
        if not bool(xp.any(xp.abs(c * d - 1) > 1e-16)):
            break
    return power_ratio(xp, a, x) * a * fraction


def upper_series(xp: Any, a: Array, x: Array) -> Array:
    """Q for a <= 1 and x <= 1, accurate also where it is small."""
    sign_power, total = xp.ones_like(x), xp.zeros_like(x)
    for k in range(1, 20):
        sign_power = sign_power * (-x / k)
        total = total + sign_power / (a + k)
    exponent = a * xp.log(x) - log_gamma_after_one(xp, a)
    return -xp.expm1(exponent) - xp.exp(exponent) * a * total


def uniform(xp: Any, a: Array, x: Array) -> tuple[Array, Array]:
    """P and Q for large a: an error function and a small correction."""
    mu = (x - a) / a
    half_square = log_distance(xp, mu)
    eta = xp.copysign(xp.sqrt(2 * half_square), mu)
    near = xp.abs(eta) < 0.1
    e, m = xp.where(near, 1.0, eta), xp.where(near, 1.0, mu)
    first = xp.where(near, polynomial(FIRST, eta), 1 / m - 1 / e)
    closed = 1 / e**3 - 1 / m**3 - 1 / m**2 - 1 / (12 * m)
    second = xp.where(near, polynomial(SECOND, eta), closed)
    correction = xp.exp(-a * half_square) / xp.sqrt(2 * math.pi * a) * (first + second / a)
    middle = eta * xp.sqrt(a / 2)
    return 0.5 * erfc(xp, -middle) - correction, 0.5 * erfc(xp, middle) + correction


def both(xp: Any, a: Array, x: Array) -> tuple[Array, Array]:
    """P and Q: each computed where it is the smaller one or easy, else from the other."""
    a, x = xp.broadcast_arrays(a.astype("float64"), x.astype("float64"))
    plain = xp.isfinite(a) & xp.isfinite(x) & (a > 0) & (x > 0)
    large = plain & (a > UNIFORM_ABOVE)
    right = plain & ~large & (x > xp.maximum(a, 1))
    left = plain & ~large & ~right
    corner = left & (a <= 1) & (x <= 1)
    p = lower_series(xp, xp.where(left, a, 1.0), xp.where(left, x, 0.5))
    q = upper_fraction(xp, xp.where(right, a, 1.0), xp.where(right, x, 2.0))
    small_q = upper_series(xp, xp.where(corner, a, 1.0), xp.where(corner, x, 0.5))
    far_p, far_q = uniform(xp, xp.where(large, a, 1e5), xp.where(large, x, 1e5))
    p, q = xp.where(right, 1 - q, p), xp.where(right, q, xp.where(corner, small_q, 1 - p))
    p, q = xp.where(large, far_p, p), xp.where(large, far_q, q)
    all_below = (x == xp.inf) | (a == 0)
    p = xp.where(plain, p, xp.where(all_below, 1.0, 0.0))
    q = xp.where(plain, q, xp.where(all_below, 0.0, 1.0))
    undefined = xp.isnan(a) | xp.isnan(x) | (a < 0) | (x < 0)
    undefined |= ((a == 0) & (x == 0)) | (xp.isinf(a) & xp.isinf(x))
    return xp.where(undefined, xp.nan, p), xp.where(undefined, xp.nan, q)


def igamma(xp: Any, a: Array, x: Array) -> Array:
    return both(xp, a, x)[0]


def igammac(xp: Any, a: Array, x: Array) -> Array:
    return both(xp, a, x)[1]
