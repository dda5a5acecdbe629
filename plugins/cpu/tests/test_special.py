"""Special functions against float64 values of their integrals, sums and identities.

Core's tests hold them to published tables; these go through the kernels' dtypes and seams.
"""

import math
from statistics import NormalDist

import abi
import numpy as np
import pytest
from layouts import LAYOUTS, empty_like, lay_out

RNG = np.random.default_rng(0)
TOLERANCE = {"float32": 1e-6, "float64": 2e-13, "float16": 2e-3}
NODES, WEIGHTS = np.polynomial.legendre.leggauss(200)


def each(function):
    return np.vectorize(function, otypes=[np.float64])


def integral(function, end):
    """From 0 to `end` by Gauss's and Legendre's rule."""
    return float((WEIGHTS * function(end / 2 * (1 + NODES))).sum()) * end / 2


def i_scaled(order):
    """DLMF 10.32.3."""
    return each(
        lambda x: integral(
            lambda t: np.exp(x * np.cos(t) - abs(x)) * np.cos(order * t) / math.pi, math.pi
        )
    )


def k_scaled(order):
    """DLMF 10.32.9."""
    return each(
        lambda x: integral(
            lambda t: np.exp(-2 * x * np.sinh(t / 2) ** 2) * np.cosh(order * t),
            2 * math.asinh(math.sqrt(20 / x)),
        )
    )


def j(order):
    """DLMF 10.9.2."""
    return each(lambda x: integral(lambda t: np.cos(order * t - x * np.sin(t)) / math.pi, math.pi))


def digamma(x):
    return np.log(x + 100) - sum(1 / (x + k) for k in range(100)) - tail_of_digamma(x + 100)


def tail_of_digamma(x):
    return 1 / (2 * x) + 1 / (12 * x**2) - 1 / (120 * x**4)


# function, its reference, the interval of the arguments
FUNCTIONS = {
    "i0e": (i_scaled(0), -60, 60), "i1e": (i_scaled(1), 0.5, 60),
    "i0": (lambda x: i_scaled(0)(x) * np.exp(np.abs(x)), -9, 9),
    "i1": (lambda x: i_scaled(1)(x) * np.exp(np.abs(x)), 0.5, 9),
    "scaled_modified_bessel_k0": (k_scaled(0), 0.05, 60),
    "scaled_modified_bessel_k1": (k_scaled(1), 0.05, 60),
    "bessel_j0": (j(0), -2, 2), "bessel_j1": (j(1), 0.5, 3),
    "erfcx": (each(lambda x: math.exp(x * x) * math.erfc(x)), -3, 5),
    "entr": (lambda x: -x * np.log(x), 0.01, 0.9),
    "ndtri": (each(NormalDist().inv_cdf), 0.001, 0.4),
    "erfinv": (each(lambda x: NormalDist().inv_cdf((x + 1) / 2) / math.sqrt(2)), 0.1, 0.99),
    "digamma": (digamma, 2, 40),
}  # fmt: skip


def check(id, reference, values, dtype, layout="contiguous"):
    x = lay_out(values.astype(dtype), layout)
    out = empty_like(x.shape, dtype, "contiguous")
    abi.call(id, [out], [x])
    expected = reference(x.astype(np.float64)).astype(dtype)
    tolerance = TOLERANCE[dtype] * (20 if id in ("ndtri", "erfinv") else 1)
    np.testing.assert_allclose(out, expected, rtol=tolerance, atol=tolerance * 1e-2)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("id", FUNCTIONS)
def test_values(id, dtype):
    reference, low, high = FUNCTIONS[id]
    check(id, reference, np.linspace(low, high, 401), dtype)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("id", ["i0e", "ndtri"])
def test_layouts(id, layout):
    reference, low, high = FUNCTIONS[id]
    for shape in [(1, 1), (5, 7), (3, 0, 4)]:
        check(id, reference, RNG.uniform(low, high, shape), "float64", layout)


def binary(id, a, b, dtype="float64"):
    a, b = np.broadcast_arrays(np.asarray(a, dtype), np.asarray(b, dtype))
    out = np.empty(a.shape, dtype)
    abi.call(id, [out], [np.ascontiguousarray(a), np.ascontiguousarray(b)])
    return out


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_zeta_shifts_by_a_term(dtype):
    q = np.linspace(0.3, 40, 300)[:, None]
    s = np.array([1.1, 2, 3, 8, 9, 20.5])[None]
    difference = binary("zeta", s, q, dtype) - binary("zeta", s, q + 1, dtype)
    tolerance = 2e-5 if dtype == "float32" else 1e-12
    np.testing.assert_allclose(
        difference / binary("zeta", s, q, dtype), q**-s / binary("zeta", s, q), atol=tolerance
    )


def test_incomplete_gamma_of_whole_shapes():
    """Q(n, x) is the Poisson distribution function (DLMF 8.4.10)."""
    n = np.array([1, 2, 5, 9, 10, 11, 40])
    x = np.linspace(0.05, 60, 200)
    for shape in n:
        terms = [np.exp(k * np.log(x) - x - math.lgamma(k + 1)) for k in range(shape)]
        np.testing.assert_allclose(binary("igammac", shape, x), sum(terms), rtol=1e-11, atol=1e-15)
        np.testing.assert_allclose(
            binary("igamma", shape, x) + binary("igammac", shape, x), 1, rtol=1e-14
        )


def test_incomplete_gamma_is_smooth_where_its_methods_meet():
    """The uniform expansion starts at a = 10^4."""
    for step in (-3, -1, 0, 0.5, 2):
        below, above = 1e4, np.nextafter(1e4, 2e4)
        x = 1e4 + step * 100
        for id in ("igamma", "igammac"):
            np.testing.assert_allclose(binary(id, below, x), binary(id, above, x), rtol=3e-12)


def test_airy_equation():
    """Ai'' = x Ai by central differences (DLMF 9.2.1), over the seams at -2 and 2."""
    x, h = np.linspace(-6, 4, 501), 1e-3
    values = []
    for shift in (-h, 0, h):
        out = np.empty_like(x)
        abi.call("airy_ai", [out], [x + shift])
        values.append(out)
    second = (values[0] - 2 * values[1] + values[2]) / h**2
    np.testing.assert_allclose(second, x * values[1], atol=2e-6)


@pytest.mark.parametrize(
    ("id", "value"),
    [
        ("chebyshev_polynomial_t", lambda n, t: math.cos(n * t)),
        ("chebyshev_polynomial_u", lambda n, t: math.sin((n + 1) * t) / math.sin(t)),
        ("chebyshev_polynomial_v", lambda n, t: math.cos((n + 0.5) * t) / math.cos(t / 2)),
        ("chebyshev_polynomial_w", lambda n, t: math.sin((n + 0.5) * t) / math.sin(t / 2)),
    ],
)
def test_chebyshev_polynomials(id, value):
    angles, degrees = [0.3, 1.1, 2.5], np.arange(50.0)
    for t in angles:
        expected = [value(n, t) for n in degrees]
        np.testing.assert_allclose(binary(id, math.cos(t), degrees), expected, atol=1e-12)
    assert binary(id, 0.3, [-1, math.nan, math.inf]).tolist() == [0, 0, 0]
    assert np.isnan(binary(id, 0.3, [2e6])).all()


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "int32", "int64"])
def test_divisors(dtype):
    a, b = RNG.integers(0, 12, 400), RNG.integers(0, 12, 400)
    np.testing.assert_array_equal(binary("gcd", a, b, dtype), np.gcd(a, b))
    np.testing.assert_array_equal(binary("lcm", a, b, dtype), np.lcm(a, b))
    if dtype != "uint8":
        np.testing.assert_array_equal(binary("gcd", -a, b, dtype), np.gcd(a, b))
