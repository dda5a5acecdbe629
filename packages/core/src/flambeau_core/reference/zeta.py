"""Hurwitz's zeta function, computed in float64."""

from __future__ import annotations

import math
from typing import Any

Array = Any

HEAD = 10  # terms summed one by one
# B(2j) / (2j)!
BERNOULLI = (
    1 / 12,
    -1 / 720,
    1 / 30240,
    -1 / 1209600,
    1 / 47900160,
    -691 / 1307674368000,
    1 / 74724249600,
    -3617 / 10670622842880000,
    43867 / 5109094217170944000,
    -174611 / 802857662698291200000,
)


def zeta_positive(xp: Any, s: Array, q: Array) -> Array:
    """For s > 1 and q > 0 by Euler's and Maclaurin's formula; NaN at infinity, as in PyTorch."""
    head = xp.zeros_like(q)
    for k in range(HEAD):
        head = head + (q + k) ** -s
    end = q + HEAD
    power = end**-s
    series, rising = 0.5 * power, s * power / end
    for j, c in enumerate(BERNOULLI):
        series = series + c * rising
        rising = rising * ((s + 2 * j + 1) * (s + 2 * j + 2) / (end * end))
    tail = series + power * end / (s - 1)
    # where the asymptotic series is of no use (s far above q), the tail is negligible
    return head + xp.where(s <= 2 * math.pi * end, tail, 0.0)


def zeta(xp: Any, s: Array, q: Array) -> Array:
    """Below 0 for whole s only: the poles left of 0 are seen from their other side."""
    s, q = xp.broadcast_arrays(s.astype("float64"), q.astype("float64"))
    floor = xp.floor(q)
    right = zeta_positive(xp, s, xp.where(q > 0, q, q - floor))
    # -q less its whole part, which is exact also for small q
    below = xp.where(q < 0, -q - (-floor - 1), 0.5)
    sign = xp.where(xp.fmod(s, 2) == 0, 1.0, -1.0)
    beyond = xp.where(q < 0, below - floor, 1.0)
    left = sign * (zeta_positive(xp, s, below) - zeta_positive(xp, s, beyond))
    value = xp.where(q > 0, right, right + left)
    value = xp.where((q < 0) & (s != xp.floor(s)), xp.nan, value)
    value = xp.where((q <= 0) & (q == floor), xp.inf, value)
    return xp.where(s == 1, xp.inf, xp.where(s < 1, xp.nan, value))
