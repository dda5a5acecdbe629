"""Bessel functions of orders 0 and 1 of real arguments, computed in float64.

The numbers of equations are the DLMF's: power series near the origin, asymptotic series far from
it. Between them J and Y come from Miller's backward recurrence, K from its integral.
"""

from __future__ import annotations

import math
from typing import Any

Array = Any

EULER = 0.57721566490153286
FAR = 25.0  # J and Y: asymptotic from here
TOP_ORDER = 64  # J of this order vanishes up to FAR
SCALED_FAR = 20.0  # I: asymptotic from here
NODES = 32


def asymptotic_terms(xp: Any, order: int, x: Array, count: int) -> list[Array]:
    """a_k(order) / x^k for k < count (10.17.1)."""
    terms = [xp.ones_like(x)]
    for k in range(1, count):
        terms.append(terms[-1] * ((4 * order * order - (2 * k - 1) ** 2) / (8 * k * x)))
    return terms


def modified_series(order: int, x: Array, count: int) -> Array:
    """I by its power series (10.25.2), whose terms have one sign."""
    z = x * x / 4
    series = 1.0 + 0.0 * x
    for k in range(count, 0, -1):
        series = 1 + z * series / (k * (k + order))
    return series * (x / 2) ** order


def i_scaled(xp: Any, size: Array, order: int) -> Array:
    """I(x) exp(-x) for x >= 0."""
    near = xp.minimum(size, SCALED_FAR)
    far = xp.maximum(size, SCALED_FAR)
    series = modified_series(order, near, 48) * xp.exp(-near)
    terms = asymptotic_terms(xp, order, far, 26)
    tail = sum((-1) ** k * term for k, term in enumerate(terms))
    return xp.where(size <= SCALED_FAR, series, tail / xp.sqrt(2 * math.pi * far))


def i0e(xp: Any, x: Array) -> Array:
    return i_scaled(xp, xp.abs(x.astype("float64")), 0)


def i1e(xp: Any, x: Array) -> Array:
    x = x.astype("float64")
    return xp.copysign(i_scaled(xp, xp.abs(x), 1), x)


def grown(xp: Any, scaled: Array, x: Array) -> Array:
    """A scaled value times exp(|x|), in two factors, since that overflows before I does.

    At infinity it is NaN, as in PyTorch.
    """
    root = xp.exp(xp.abs(x.astype("float64")) / 2)
    return scaled * root * root


def i0(xp: Any, x: Array) -> Array:
    return grown(xp, i0e(xp, x), x)


def i1(xp: Any, x: Array) -> Array:
    return grown(xp, i1e(xp, x), x)


def k_series(xp: Any, x: Array, order: int) -> Array:
    """K for 0 < x <= 2 (10.31.1, 10.31.2)."""
    z, term, harmonic, total = x * x / 4, 1.0 + 0.0 * x, 0.0, 0.0 * x
    for k in range(20):
        harmonic += 1 / k if k else 0
        psi = harmonic - EULER
        total = total + term * (psi if order == 0 else psi + psi + 1 / (k + 1))
        term = term * z / ((k + 1) * (k + 1 + order))
    logarithm = xp.log(x / 2) * modified_series(order, x, 20)
    return total - logarithm if order == 0 else 1 / x + logarithm - x / 4 * total


def k_integral(xp: Any, x: Array, order: int) -> Array:
    """K(x) exp(x) for x > 2 by the trapezoidal rule (10.32.9), which converges exponentially."""
    step = 2 * xp.arcsinh(xp.sqrt(20 / x)) / NODES  # to where the integrand is exp(-40)
    total = 0.5 + 0.0 * x
    for k in range(1, NODES + 1):
        t = k * step
        total = total + xp.exp(-2 * x * xp.sinh(t / 2) ** 2) * xp.cosh(order * t)
    return total * step


def k_scaled(xp: Any, x: Array, order: int) -> Array:
    x = x.astype("float64")
    near = xp.where((x > 0) & (x <= 2), x, 1.0)
    far = xp.where((x > 2) & (x < xp.inf), x, 3.0)
    close = k_series(xp, near, order) * xp.exp(near)
    value = xp.where(x <= 2, close, k_integral(xp, far, order))
    value = xp.where(x == xp.inf, 0.0, xp.where(x == 0, xp.inf, value))
    return xp.where((x < 0) | xp.isnan(x), xp.nan, value)


def scaled_modified_bessel_k0(xp: Any, x: Array) -> Array:
    return k_scaled(xp, x, 0)


def scaled_modified_bessel_k1(xp: Any, x: Array) -> Array:
    return k_scaled(xp, x, 1)


def j_by_order(xp: Any, x: Array) -> list[Array]:
    """J of orders 0 to TOP_ORDER for 0 <= x <= FAR, by Miller's algorithm (3.6, 10.12.4).

    It runs on J_n(x) n! / (x/2)^n, so that nothing overflows for small x.
    """
    z = x * x / 4
    scaled = [1.0 + 0.0 * x, 1.0 + 0.0 * x]
    for n in range(TOP_ORDER, 0, -1):
        scaled.append(scaled[-1] - z / (n * (n + 1)) * scaled[-2])
    scaled = scaled[:0:-1]
    weight, values = 1.0 + 0.0 * x, []
    for n, value in enumerate(scaled):
        values.append(value * weight)
        weight = weight * (x / 2) / (n + 1)
    norm = values[0] + 2 * sum(values[2::2])
    return [value / norm for value in values]


def y_near(xp: Any, x: Array, order: int) -> Array:
    """Y for 0 < x <= FAR by Neumann's expansion (10.8.3 and Abramowitz and Stegun 9.1.88)."""
    j = j_by_order(xp, x)
    total = 0.0 * x
    for k in range(1, TOP_ORDER // 2):
        weight = (order + 2 * k) / (k * (k + order))
        total = total + (-1) ** k * weight * j[2 * k + order]
    logarithm = xp.log(x / 2) + EULER - order
    head = logarithm * j[order] - total
    return 2 / math.pi * (head - j[0] / x if order else head)


def far(xp: Any, x: Array, order: int, second: bool) -> Array:
    """J or Y by Hankel's expansion (10.17.3, 10.17.4)."""
    terms = asymptotic_terms(xp, order, x, 24)
    p = sum((-1) ** k * term for k, term in enumerate(terms[::2]))
    q = sum((-1) ** k * term for k, term in enumerate(terms[1::2]))
    # cos and sin of x - (order / 2 + 1 / 4) pi, times the root of 2
    cos, sin = xp.cos(x) + xp.sin(x), xp.sin(x) - xp.cos(x)
    if order:
        cos, sin = sin, -cos
    wave = p * sin + q * cos if second else p * cos - q * sin
    return wave / xp.sqrt(math.pi * x)


def j(xp: Any, x: Array, order: int) -> Array:
    x = x.astype("float64")
    size = xp.abs(x)
    value = xp.where(
        size <= FAR,
        j_by_order(xp, xp.minimum(size, FAR))[order],
        far(xp, xp.maximum(size, FAR), order, False),
    )
    return xp.copysign(1.0, x) * value if order else value


def y(xp: Any, x: Array, order: int) -> Array:
    x = x.astype("float64")
    near = y_near(xp, xp.where((x > 0) & (x <= FAR), x, 1.0), order)
    value = xp.where(x <= FAR, near, far(xp, xp.maximum(x, FAR), order, True))
    return xp.where(x == 0, -xp.inf, xp.where(x < 0, xp.nan, value))


def bessel_j0(xp: Any, x: Array) -> Array:
    return j(xp, x, 0)


def bessel_j1(xp: Any, x: Array) -> Array:
    return j(xp, x, 1)


def bessel_y0(xp: Any, x: Array) -> Array:
    return y(xp, x, 0)


def bessel_y1(xp: Any, x: Array) -> Array:
    return y(xp, x, 1)
