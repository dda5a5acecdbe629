"""The classical orthogonal polynomials by their three-term recurrences (DLMF 18.9), in float64."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Array = Any

HIGHEST_DEGREE = 10**6


def recurrence(
    first: Callable[[Array], Array],
    following: Callable[[int, Array, Array, Array], Array],
) -> Callable[[Any, Array, Array], Array]:
    """The polynomials with p(0) = 1, p(1) and p(k + 1) from (k, x, p(k), p(k - 1)).

    Degrees count by their whole part; negative ones, NaN and those beyond int64 give 0, as in
    PyTorch, those too high to compute NaN.
    """

    def polynomial(xp: Any, x: Array, n: Array) -> Array:
        x, n = xp.broadcast_arrays(x.astype("float64"), n.astype("float64"))
        n = xp.where(n < 2.0**63, xp.trunc(n), -1)
        countable = (n >= 0) & (n <= HIGHEST_DEGREE)
        top = int(xp.max(xp.where(countable, n, 0))) if n.size else 0
        previous, current = xp.ones_like(x), first(x)
        result = xp.where(n < 0, 0.0, xp.where(n == 0, 1.0, xp.where(n == 1, current, xp.nan)))
        for k in range(1, top):
            previous, current = current, following(k, x, current, previous)
            result = xp.where(n == k + 1, current, result)
        return result

    return polynomial


def chebyshev(first: Callable[[Array], Array]) -> Callable[[Any, Array, Array], Array]:
    """The four kinds differ in p(1) alone."""
    return recurrence(first, lambda k, x, p, before: 2 * x * p - before)


chebyshev_polynomial_t = chebyshev(lambda x: x)
chebyshev_polynomial_u = chebyshev(lambda x: 2 * x)
chebyshev_polynomial_v = chebyshev(lambda x: 2 * x - 1)
chebyshev_polynomial_w = chebyshev(lambda x: 2 * x + 1)
hermite_polynomial_h = recurrence(
    lambda x: 2 * x, lambda k, x, p, before: 2 * x * p - 2 * k * before
)
hermite_polynomial_he = recurrence(lambda x: x, lambda k, x, p, before: x * p - k * before)
laguerre_polynomial_l = recurrence(
    lambda x: 1 - x, lambda k, x, p, before: ((2 * k + 1 - x) * p - k * before) / (k + 1)
)
legendre_polynomial_p = recurrence(
    lambda x: x, lambda k, x, p, before: ((2 * k + 1) * x * p - k * before) / (k + 1)
)
