"""Special functions: references from definitions by integrals and sums, and from ``math``."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.polynomial import chebyshev, hermite, hermite_e, laguerre, legendre

from flambeau_testing.op_samples.binary import integer_pairs, on_integers, pairs
from flambeau_testing.op_samples.declaration import (
    INTEGERS,
    Array,
    Constant,
    Declaration,
    Sample,
)
from flambeau_testing.op_samples.unary import between, elementwise

NORMAL = NormalDist()


def integrate(function: Callable[[Array], Array], low: float, high: float) -> float:
    """By Gauss's and Legendre's rule of 60 points in each of eight parts."""
    nodes, weights = legendre.leggauss(60)
    ends = np.linspace(low, high, 9)
    total = 0.0
    for a, b in zip(ends[:-1], ends[1:], strict=True):
        total += float((weights * function((a + b) / 2 + (b - a) / 2 * nodes)).sum()) * (b - a) / 2
    return total


def modified_first(order: int, scaled: bool) -> Callable[[Array], Array]:
    """DLMF 10.32.3."""

    def value(x: float) -> float:
        shift = abs(x) if scaled else 0.0
        return integrate(
            lambda t: np.exp(x * np.cos(t) - shift) * np.cos(order * t) / math.pi, 0, math.pi
        )

    return elementwise(value)


def modified_second(order: int, scaled: bool) -> Callable[[Array], Array]:
    """DLMF 10.32.9."""

    def value(x: float) -> float:
        shift = x if scaled else 0.0
        end = math.acosh(1 + 40 / x)
        return integrate(lambda t: np.exp(shift - x * np.cosh(t)) * np.cosh(order * t), 0, end)

    return elementwise(value)


def first_kind(order: int) -> Callable[[Array], Array]:
    """DLMF 10.9.2."""
    return elementwise(
        lambda x: integrate(lambda t: np.cos(order * t - x * np.sin(t)) / math.pi, 0, math.pi)
    )


def second_kind(order: int) -> Callable[[Array], Array]:
    """DLMF 10.9.7."""

    def value(x: float) -> float:
        waves = integrate(lambda t: np.sin(x * np.sin(t) - order * t), 0, math.pi)
        sign = (-1) ** order
        decay = integrate(
            lambda t: (np.exp(order * t) + sign * np.exp(-order * t)) * np.exp(-x * np.sinh(t)),
            0,
            math.asinh(45 / x),
        )
        return (waves - decay) / math.pi

    return elementwise(value)


def airy(x: float) -> float:
    """DLMF 9.5.4, along the line from infinity at -pi/3 to 0 and on to infinity at pi/3."""
    turn = np.exp(1j * math.pi / 3)
    return integrate(
        lambda t: (np.exp((t * turn) ** 3 / 3 - x * t * turn) * turn).imag / math.pi, 0, 8
    )


def zeta(s: float, q: Array) -> Array:
    """The sum over 2000 terms, and what Euler's and Maclaurin's formula adds for the others."""
    end: Array = q + 2000
    head = sum((q + k) ** -s for k in range(2000))
    return head + end ** (1 - s) / (s - 1) + end**-s / 2 + s * end ** (-s - 1) / 12


def polygamma(n: int, x: Array) -> Array:
    return (-1) ** (n + 1) * math.factorial(n) * zeta(n + 1, x)


def mvlgamma(x: Array, p: int) -> Array:
    log_gamma = elementwise(math.lgamma)
    total: Array = sum((log_gamma(x - k / 2) for k in range(p)), np.zeros(x.shape))
    return total + p * (p - 1) / 4 * math.log(math.pi)


def lower_gamma(a: Array, x: Array) -> Array:
    """The integral of the density, by powers u of t = u^4, which are smooth at 0."""

    def value(a: float, x: float) -> float:
        area = integrate(lambda u: 4 * u ** (4 * a - 1) * np.exp(-(u**4)), 0, x**0.25)
        return area / math.gamma(a)

    return np.vectorize(value, otypes=[float])(a, x) if np.broadcast(a, x).size else a * x


def gamma_samples(rng: np.random.Generator) -> Iterator[Sample]:
    for a, x in (((4, 3), (4, 3)), ((3,), (4, 3)), ((), (5,)), ((3,), (0, 3))):
        yield Sample((Constant(rng.uniform(0.4, 6, a)), rng.uniform(0.2, 8, x)))


def with_number(number: Any, low: float, high: float, first: bool) -> Any:
    """The number before or after tensors of some shapes."""

    def samples(rng: np.random.Generator) -> Iterator[Sample]:
        for shape in ((3, 4), (), (0, 2)):
            x = rng.uniform(low, high, shape)
            yield Sample((number, x) if first else (x, number))

    return samples


def degrees(rng: np.random.Generator) -> Iterator[Sample]:
    """Points and degrees that broadcast."""
    for shape in ((6,), (3, 1)):
        yield Sample((rng.uniform(-1.5, 1.5, shape), Constant(np.arange(6.0))))


def polynomial(evaluate: Callable[[Any, Any], Any], scale: float = 1.0, shift: float = 0.0) -> Any:
    """p_n at x from NumPy's sums over polynomials of a kind."""
    return np.vectorize(
        lambda x, n: float(evaluate(scale * x + shift, [0.0] * int(n) + [1.0])), otypes=[float]
    )


def second_chebyshev(x: float, c: list[float]) -> float:
    """U as the derivative of T (DLMF 18.9.21)."""
    n = len(c)
    return float(chebyshev.chebval(x, chebyshev.chebder([0.0] * n + [1.0]))) / n


def third_chebyshev(x: float, c: list[float]) -> float:
    return second_chebyshev(x, c) - (second_chebyshev(x, c[1:]) if len(c) > 1 else 0.0)


def fourth_chebyshev(x: float, c: list[float]) -> float:
    return second_chebyshev(x, c) + (second_chebyshev(x, c[1:]) if len(c) > 1 else 0.0)


def special(
    name: str, reference: Callable[..., Any], low: float, high: float, **settings: Any
) -> Declaration:
    return Declaration(name, reference, between(low, high), namespace="special", **settings)


CHEBYSHEV = (
    ("t", chebyshev.chebval),
    ("u", second_chebyshev),
    ("v", third_chebyshev),
    ("w", fourth_chebyshev),
)
POLYNOMIALS = (
    *((f"chebyshev_polynomial_{kind}", polynomial(p)) for kind, p in CHEBYSHEV),
    *((f"shifted_chebyshev_polynomial_{kind}", polynomial(p, 2, -1)) for kind, p in CHEBYSHEV),
    ("hermite_polynomial_h", polynomial(hermite.hermval)),
    ("hermite_polynomial_he", polynomial(hermite_e.hermeval)),
    ("laguerre_polynomial_l", polynomial(laguerre.lagval)),
    ("legendre_polynomial_p", polynomial(legendre.legval)),
)

DECLARATIONS = (
    Declaration("i0", modified_first(0, False), between(-3, 3), inplace=True),
    Declaration("sinc", np.sinc, between(-2, 2), inplace=True),
    Declaration("logit", lambda x: np.log(x / (1 - x)), between(0, 1), inplace=True),
    special("i0e", modified_first(0, True), 0.1, 4),
    special("i1", modified_first(1, False), 0.2, 3),
    special("i1e", modified_first(1, True), 0.2, 4),
    special("entr", lambda x: -x * np.log(x), 0.1, 3),
    special("erfcx", elementwise(lambda x: math.exp(x * x) * math.erfc(x)), -1.5, 2.5),
    special("ndtr", elementwise(NORMAL.cdf), -3, 3),
    special("ndtri", elementwise(NORMAL.inv_cdf), 0.02, 0.98, widen=4),
    special("log_ndtr", elementwise(lambda x: math.log(NORMAL.cdf(x))), -4, 3),
    *(
        special(name, reference, low, high, differentiable=False, widen=4)
        for name, reference, low, high in (
            ("bessel_j0", first_kind(0), -9, 9),
            ("bessel_j1", first_kind(1), -9, 9),
            ("bessel_y0", second_kind(0), 0.3, 9),
            ("bessel_y1", second_kind(1), 0.3, 9),
            ("modified_bessel_i0", modified_first(0, False), -3, 3),
            ("modified_bessel_i1", modified_first(1, False), -3, 3),
            ("modified_bessel_k0", modified_second(0, False), 0.2, 6),
            ("modified_bessel_k1", modified_second(1, False), 0.2, 6),
            ("scaled_modified_bessel_k0", modified_second(0, True), 0.2, 6),
            ("scaled_modified_bessel_k1", modified_second(1, True), 0.2, 6),
            ("airy_ai", elementwise(airy), -4, 4),
            ("spherical_bessel_j0", lambda x: np.sin(x) / x, 0.2, 9),
        )
    ),
    *(
        Declaration(name, reference, degrees, namespace="special", differentiable=False, widen=4)
        for name, reference in POLYNOMIALS
    ),
    Declaration("igamma", lower_gamma, gamma_samples, ("float64", "float32"), inplace=False),
    Declaration(
        "igammac", lambda a, x: 1 - lower_gamma(a, x), gamma_samples, ("float64", "float32")
    ),
    Declaration("zeta", zeta, with_number(2.5, 0.3, 6, True), namespace="special"),
    Declaration("polygamma", polygamma, with_number(1, 0.6, 6, True), widen=4),
    Declaration("polygamma", polygamma, with_number(3, 1, 6, True), widen=4),
    Declaration("mvlgamma", mvlgamma, with_number(3, 1.5, 6, False), inplace=True, widen=4),
    Declaration(
        "xlog1py", lambda x, y: x * np.log1p(y), pairs((0.4, 3), (-0.5, 3)), namespace="special"
    ),
    Declaration("isposinf", np.isposinf, between(-2, 2), differentiable=False),
    Declaration("isneginf", np.isneginf, between(-2, 2), differentiable=False),
    Declaration("gcd", on_integers(np.gcd), integer_pairs(0, 60), INTEGERS, False, inplace=False),
    Declaration("lcm", on_integers(np.lcm), integer_pairs(0, 11), INTEGERS, False, inplace=False),
)
