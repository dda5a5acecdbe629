"""The Airy function Ai of real arguments, computed in float64.

The power series near the origin (DLMF 9.4.1), else the integral 9.5.8 with t = s^6, which the
trapezoidal rule integrates with an exponentially small error; negative arguments are taken from
the two rays beside them (9.2.14).
"""

from __future__ import annotations

import math
from typing import Any

Array = Any

NEAR = 2.0
AT_ZERO, SLOPE = 0.355028053887817239, 0.258819403792806798
NODES, END = 33, 1.86  # exp(-s^6) vanishes at END


def series(x: Array) -> Array:
    cube = x * x * x
    even, odd = 1.0 + 0.0 * x, 1.0 + 0.0 * x
    for k in range(14, 0, -1):
        even = 1 + cube * even / (3 * k * (3 * k - 1))
        odd = 1 + cube * odd / (3 * k * (3 * k + 1))
    return AT_ZERO * even - SLOPE * x * odd


def integral(xp: Any, zeta: Array) -> Array:
    """That of exp(-t) t^(-1/6) (2 + t / zeta)^(-1/6), with the constant before it."""
    step = END / NODES
    total = xp.zeros_like(zeta)
    for k in range(1, NODES + 1):
        s = k * step
        t = s**6
        total = total + s**4 * math.exp(-t) * (2 + t / zeta) ** (-1 / 6)
    return total * (6 * step / (math.sqrt(math.pi) * 48 ** (1 / 6) * math.gamma(5 / 6)))


def airy_ai(xp: Any, x: Array) -> Array:
    x = x.astype("float64")
    size = xp.maximum(xp.abs(x), NEAR)
    zeta = 2 / 3 * size * xp.sqrt(size)
    scale = zeta ** (-1 / 6)
    decay = xp.exp(-zeta) * scale * integral(xp, zeta)
    ray = integral(xp, 1j * zeta)
    turn = math.pi / 4 - zeta
    wave = 2 * scale * (xp.cos(turn) * ray.real - xp.sin(turn) * ray.imag)
    far = xp.where(x > 0, decay, wave)
    value = xp.where(xp.abs(x) <= NEAR, series(xp.clip(x, -NEAR, NEAR)), far)
    return xp.where(xp.isinf(x), xp.nan, value)  # as in PyTorch
