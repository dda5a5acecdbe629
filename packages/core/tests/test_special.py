"""Special functions against published tables, 50-digit arithmetic and exact identities.

Values beside a table's number are Abramowitz's and Stegun's (1964). "50 digits" marks values
from arithmetic of that precision with mpmath, rounded here. The op samples hold the rest:
gradients, dtypes, layouts.
"""

from __future__ import annotations

import math
from typing import Any

import pytest

import flambeau_core as fb
from flambeau_core import special
from flambeau_testing import gradcheck

INF, NAN = math.inf, math.nan
PI = math.pi


def close(actual: Any, expected: list[float], rtol: float = 2e-14, atol: float = 0.0) -> None:
    for got, wanted in zip(actual.tolist(), expected, strict=True):
        if math.isnan(wanted) or math.isinf(wanted):
            assert got == wanted or (math.isnan(got) and math.isnan(wanted)), (got, wanted)
        else:
            assert got == pytest.approx(wanted, rel=rtol, abs=atol)


def double(*values: float) -> fb.Tensor:
    return fb.tensor(values, dtype=fb.float64)


TABLES = [
    # table 9.1
    ("bessel_j0", (0, 1, 5, 10), (1, 0.765197686557967, -0.177596771314338, -0.245935764451348)),
    ("bessel_j1", (0, 1, 10), (0, 0.440050585744934, 0.0434727461688614)),
    ("bessel_y0", (1, 10), (0.0882569642156769, 0.0556711672835994)),
    ("bessel_y1", (1, 10), (-0.781212821300289, 0.249015424206954)),
    # 50 digits; either side of where the methods change
    ("bessel_j0", (24, 26, 1000), (-0.0562302741668593, 0.155999315522421, 0.0247866861524202)),
    ("bessel_y1", (0.001, 24, 26), (-636.622167231139, 0.0530597761212022, -0.15579655322960265)),
    # table 9.8; 50 digits
    ("i0e", (0, 1, 10), (1, 0.465759607593640, 0.127833337163428)),
    ("i1e", (0, 1, 10), (0, 0.207910415349708, 0.121262681384456)),
    ("i0", (1, -1, 700), (1.266065877752008, 1.266065877752008, 1.52959334767187e302)),
    ("i1", (1, -1, 700), (0.565159103992485, -0.565159103992485, 1.5285003902339e302)),
    (
        "scaled_modified_bessel_k0",
        (0.001, 1, 3),
        (7.03071600237825, 1.14446307980689, 0.697761598043852),
    ),
    (
        "scaled_modified_bessel_k1",
        (0.001, 1, 3),
        (1000.99673455907, 1.63615348626326, 0.806563480128787),
    ),
    ("scaled_modified_bessel_k0", (10, 1000), (0.391631934436599, 0.0396283216007542)),
    # table 10.11; 50 digits
    ("airy_ai", (0, 1, -1), (0.355028053887817, 0.135292416312881, 0.535560883292352)),
    ("airy_ai", (-5, 5, 10), (0.350761009024114, 1.08344428136074e-4, 1.10475325528987e-10)),
    # 50 digits
    (
        "erfcx",
        (-3, -1, 1, 10, 100),
        (
            16205.9888539996,
            5.00898008076228,
            0.427583576155807,
            0.0561409927438226,
            0.00564161378298943,
        ),
    ),
    ("log_ndtr", (-1, -10, -100), (-1.84102164500926, -53.2312851505125, -5005.5242086942051)),
    ("ndtri", (0.5, 0.025, 0.975), (0, -1.95996398454005, 1.95996398454005)),
    ("ndtri", (1e-300, 1e-20, 1e-5), (-37.0470962993612, -9.26234008979841, -4.26489079392282)),
]


@pytest.mark.parametrize(("name", "points", "values"), TABLES)
def test_tables(name: str, points: tuple[float, ...], values: tuple[float, ...]) -> None:
    close(getattr(special, name)(double(*points)), list(values), rtol=2e-14, atol=1e-16)
    single = getattr(special, name)(fb.tensor(points, dtype=fb.float32))
    assert single.dtype == fb.float32
    limited = [v if abs(v) < 3e38 else math.copysign(INF, v) for v in values]
    if name != "ndtri" and name != "bessel_y1":  # 1e-300 is 0 in float32; a zero is near 1000
        close(single, limited, rtol=2e-6, atol=2e-7)


@pytest.mark.parametrize(
    ("name", "at_zero", "at_infinity", "at_minus_infinity"),
    [
        ("entr", 0.0, -INF, -INF),
        ("erfcx", 1.0, 0.0, INF),
        ("i0e", 1.0, 0.0, 0.0),
        ("i1e", 0.0, 0.0, 0.0),
        ("ndtr", 0.5, 1.0, 0.0),
        ("log_ndtr", -math.log(2), 0.0, -INF),
        ("ndtri", -INF, NAN, NAN),
        ("bessel_y0", -INF, NAN, NAN),
        ("bessel_y1", -INF, NAN, NAN),
        ("modified_bessel_k0", INF, 0.0, NAN),
        ("modified_bessel_k1", INF, 0.0, NAN),
        ("scaled_modified_bessel_k0", INF, 0.0, NAN),
        ("scaled_modified_bessel_k1", INF, 0.0, NAN),
        ("spherical_bessel_j0", 1.0, 0.0, 0.0),
    ],
)
def test_ends(name: str, at_zero: float, at_infinity: float, at_minus_infinity: float) -> None:
    value = getattr(special, name)(double(0, INF, -INF, NAN))
    close(value, [at_zero, at_infinity, at_minus_infinity, NAN])


def test_negative_arguments() -> None:
    x = double(0.5, 3.0, 30.0)
    for even in ("bessel_j0", "i0e", "modified_bessel_i0", "spherical_bessel_j0"):
        assert getattr(special, even)(-x).equal(getattr(special, even)(x))
    for odd in ("bessel_j1", "i1", "i1e", "modified_bessel_i1"):
        assert getattr(special, odd)(-x).equal(-getattr(special, odd)(x))
    for undefined in ("bessel_y0", "bessel_y1", "modified_bessel_k0", "modified_bessel_k1"):
        assert getattr(special, undefined)(-x).isnan().all()
    assert special.entr(double(-1.0)).item() == -INF


def test_wronskians() -> None:
    """DLMF 10.5.2 and 10.28.2 hold over the seams of the methods."""
    x = fb.linspace(0.1, 60, 400, dtype=fb.float64)
    s = special
    cross = s.bessel_j1(x) * s.bessel_y0(x) - s.bessel_j0(x) * s.bessel_y1(x)
    assert (cross * x * PI / 2 - 1).abs().max().item() < 1e-13
    cross = s.i0e(x) * s.scaled_modified_bessel_k1(x) + s.i1e(x) * s.scaled_modified_bessel_k0(x)
    assert (cross * x - 1).abs().max().item() < 1e-14


def test_zeta() -> None:
    apery = 1.2020569031595943  # table 23.3
    close(special.zeta(2, double(1, 2, 0.5)), [PI**2 / 6, PI**2 / 6 - 1, PI**2 / 2])
    close(special.zeta(double(3, 4, 6), 1), [apery, PI**4 / 90, PI**6 / 945])
    # Left of 0 the terms that the sum has more: for whole s only.
    close(special.zeta(2, double(-0.5, -1.5)), [PI**2 / 2 + 4, PI**2 / 2 + 4 + 4 / 9])
    close(special.zeta(3, double(-0.5)), [7 * apery - 8], rtol=1e-13)
    close(special.zeta(2, double(0, -1, -2)), [INF, INF, INF])
    close(special.zeta(double(1, 0.5, -1, 2.5), double(2, 2, 2, -0.5)), [INF, NAN, NAN, NAN])
    # Far left in no more time.
    close(special.zeta(2, double(-1e9 + 0.5)), [PI**2], rtol=1e-7)
    with pytest.raises(TypeError):
        special.zeta(2, 3)


def test_zeta_has_no_gradient_by_its_order() -> None:
    s = double(2.0).requires_grad_()
    y = special.zeta(s, 1.5)
    with pytest.raises(NotImplementedError, match="zeta"):
        y.backward()


def test_polygamma() -> None:
    apery = 1.2020569031595943
    x = double(1, 0.5)
    close(fb.polygamma(0, x), [-0.5772156649015329, -0.5772156649015329 - 2 * math.log(2)])
    close(fb.polygamma(1, x), [PI**2 / 6, PI**2 / 2])
    close(x.polygamma(2), [-2 * apery, -14 * apery])
    # 50 digits
    close(
        special.polygamma(3, double(0.1, -0.5, -2.25)),
        [60004.5128767903, 193.409091034002, 1558.45502318871],
    )
    close(fb.polygamma(1, double(-0.5, -2.25)), [8.93480220054468, 19.3794105118691])
    close(fb.polygamma(1, double(0, -3, INF)), [INF, INF, 0])
    close(fb.polygamma(2, double(0, -3)), [-INF, -INF])
    assert fb.polygamma(1, fb.tensor([1, 2])).dtype == fb.float32
    with pytest.raises(RuntimeError, match="negative n"):
        fb.polygamma(-1, x)
    assert x.clone().polygamma_(1).equal(fb.polygamma(1, x))


def test_log_gamma_is_differentiable_to_any_order() -> None:
    x = double(1.0).requires_grad_()
    slopes, y = [], x.lgamma()
    for _ in range(4):
        (y,) = fb.autograd.grad(y, x, create_graph=True)
        slopes.append(y.item())
    apery = 1.2020569031595943
    expected = [-0.5772156649015329, PI**2 / 6, -2 * apery, PI**4 / 15]
    assert slopes == pytest.approx(expected, rel=1e-13)


# a, x and the upper function; 50 digits, or closed forms
UPPER_GAMMA = [
    (1.0, 2.0, math.exp(-2)),
    (3.0, 2.0, 5 * math.exp(-2)),
    (0.5, 4.0, math.erfc(2)),
    (1e-10, 0.5, 5.597735948054988e-11),
    (0.5, 20.0, 2.539628589470865e-10),
    (5.0, 30.0, 3.624300952061488e-09),
    (100.0, 80.0, 0.9828916869648669),
    (100.0, 130.0, 0.002750408367306526),
    (2000.0, 1900.0, 0.9883041796188499),
    (1e6, 1001000.0, 0.1586552136316597),
]


@pytest.mark.parametrize(("a", "x", "upper"), UPPER_GAMMA)
def test_incomplete_gamma(a: float, x: float, upper: float) -> None:
    close(special.gammaincc(double(a), double(x)), [upper], rtol=2e-13)
    close(special.gammainc(double(a), double(x)), [1 - upper], rtol=2e-13)


def test_incomplete_gamma_near_zero() -> None:
    # P(a, x) = x^a / gamma(a + 1) for tiny x
    close(fb.igamma(double(2, 0.5), double(1e-20, 1e-20)), [5e-41, 1e-10 / math.gamma(1.5)])


def test_incomplete_gamma_at_the_ends() -> None:
    a = double(0, 0, 1, 1, 1, INF, INF, -1, 1, NAN)
    x = double(0, 1, 0, INF, -1, 1, INF, 1, NAN, 1)
    close(fb.igamma(a, x), [NAN, 1, 0, 1, NAN, 0, NAN, NAN, NAN, NAN])
    close(fb.igammac(a, x), [NAN, 0, 1, 0, NAN, 1, NAN, NAN, NAN, NAN])


def test_incomplete_gamma_has_no_gradient_by_its_shape() -> None:
    a = double(2.0).requires_grad_()
    for op in (fb.igamma, fb.igammac):
        y = op(a, double(1.0))
        with pytest.raises(NotImplementedError, match=op.__name__):
            y.backward()
    with pytest.raises(NotImplementedError):
        fb.igamma(fb.tensor([1]), fb.tensor([2]))


def test_mvlgamma() -> None:
    # The product of gamma functions at 3, 2.5 and 2, times pi^(3/2)
    expected = math.log(2 * math.gamma(2.5) * PI**1.5)
    close(fb.mvlgamma(double(3.0), 3), [expected])
    close(special.multigammaln(fb.tensor([3]), p=1), [math.log(2)], rtol=1e-7)
    with pytest.raises(RuntimeError, match="p has to be"):
        fb.mvlgamma(double(3.0), 0)
    with pytest.raises(RuntimeError, match="boolean"):
        fb.mvlgamma(fb.tensor([True]), 1)
    with pytest.raises(RuntimeError, match="cast"):
        fb.tensor([3]).mvlgamma_(1)


def test_xlog1py() -> None:
    close(special.xlog1py(double(0, 0, 2, 0), double(-1, NAN, 1e-30, INF)), [0, NAN, 2e-30, 0])
    close(special.xlog1py(2, double(1.0)), [2 * math.log(2)])
    close(special.xlog1py(double(2.0), 1), [2 * math.log(2)])
    with pytest.raises(TypeError):
        special.xlog1py(2, 3)


# Kind and degree, and the polynomial's value at 0.3 and -2 written out (DLMF 18.5).
POLYNOMIALS = [
    ("chebyshev_polynomial_t", 3, lambda x: 4 * x**3 - 3 * x),
    ("chebyshev_polynomial_u", 3, lambda x: 8 * x**3 - 4 * x),
    ("chebyshev_polynomial_v", 2, lambda x: 4 * x**2 - 2 * x - 1),
    ("chebyshev_polynomial_w", 2, lambda x: 4 * x**2 + 2 * x - 1),
    ("shifted_chebyshev_polynomial_t", 2, lambda x: 8 * x**2 - 8 * x + 1),
    ("shifted_chebyshev_polynomial_u", 2, lambda x: 16 * x**2 - 16 * x + 3),
    ("shifted_chebyshev_polynomial_v", 1, lambda x: 4 * x - 3),
    ("shifted_chebyshev_polynomial_w", 1, lambda x: 4 * x - 1),
    ("hermite_polynomial_h", 4, lambda x: 16 * x**4 - 48 * x**2 + 12),
    ("hermite_polynomial_he", 4, lambda x: x**4 - 6 * x**2 + 3),
    ("laguerre_polynomial_l", 3, lambda x: (-(x**3) + 9 * x**2 - 18 * x + 6) / 6),
    ("legendre_polynomial_p", 4, lambda x: (35 * x**4 - 30 * x**2 + 3) / 8),
]


@pytest.mark.parametrize(("name", "degree", "written_out"), POLYNOMIALS)
def test_polynomials(name: str, degree: int, written_out: Any) -> None:
    op = getattr(special, name)
    close(op(double(0.3, -2), degree), [written_out(0.3), written_out(-2)], rtol=1e-13)
    close(op(0.3, double(degree, degree + 0.9)), [written_out(0.3)] * 2, rtol=1e-13)
    close(op(double(0.3), double(-1, 0, NAN, 1e7)), [0, 1, 0, NAN])
    # No gradient, as in PyTorch.
    assert not op(double(0.3).requires_grad_(), degree).requires_grad
    assert op(fb.tensor([1, 2], dtype=fb.uint8), 1).dtype == fb.float32
    with pytest.raises(TypeError):
        op(2, 3)
    with pytest.raises(RuntimeError, match=r"\(2,\).*\(3,\)|\[2\].*\[3\]"):
        op(fb.zeros(2), fb.zeros(3))


def test_high_degrees() -> None:
    angle = 0.7
    x = double(math.cos(angle))
    close(special.chebyshev_polynomial_t(x, 1000), [math.cos(1000 * angle)], rtol=1e-10)
    expected = math.sin(1001 * angle) / math.sin(angle)
    close(special.chebyshev_polynomial_u(x, 1000), [expected], rtol=1e-10)


def test_names_of_the_main_namespace() -> None:
    """They are the same ops."""
    other = {
        "expit": "sigmoid",
        "gammainc": "igamma",
        "gammaincc": "igammac",
        "gammaln": "lgamma",
        "multigammaln": "mvlgamma",
        "psi": "digamma",
    }
    for name in special.__all__:
        main = getattr(fb, other.get(name, name), None)
        assert main is None or main is getattr(special, name), name
    for name, main_name in other.items():
        assert getattr(special, name) is getattr(fb, main_name)


@pytest.mark.parametrize("name", ["i0e", "ndtr", "airy_ai", "zeta", "modified_bessel_k0"])
def test_out(name: str) -> None:
    op = getattr(special, name)
    arguments = (double(0.5, 2.0),) if name != "zeta" else (2, double(0.5, 2.0))
    out = fb.empty(0, dtype=fb.float64)
    assert op(*arguments, out=out) is out
    assert out.equal(op(*arguments))


def test_logit_has_its_slope_at_both_ends() -> None:
    x = double(0, 0.25, 1).requires_grad_()
    y = x.logit()
    y.sum().backward()
    close(y.detach(), [-INF, math.log(1 / 3), INF])
    assert x.grad is not None
    close(x.grad, [INF, 16 / 3, INF])


def test_sinc_keeps_its_digits_near_zero() -> None:
    x = fb.tensor([1e-3, 0.0], requires_grad=True)
    fb.sinc(x).sum().backward()
    assert x.grad is not None
    close(x.grad, [-(PI**2) / 3 * 1e-3, 0.0], rtol=1e-5)


def test_gradients_where_formulas_divide_by_zero() -> None:
    x = double(0.0).requires_grad_()
    for op in (special.i1, special.i1e):
        (slope,) = fb.autograd.grad(op(x), x)
        assert slope.item() == 0.5
    assert gradcheck(lambda x: special.log_ndtr(x), [double(-1.5, -0.5, -30.0).requires_grad_()])


def test_divisors() -> None:
    a = fb.tensor([0, 4, -6, 0, 12])
    b = fb.tensor([0, 6, 4, -5, 18])
    assert fb.gcd(a, b).tolist() == [0, 2, 2, 5, 6]
    assert fb.lcm(a, b).tolist() == [0, 12, 12, 0, 36]
    assert a.clone().gcd_(b).tolist() == [0, 2, 2, 5, 6]
    assert a.clone().lcm_(b).tolist() == [0, 12, 12, 0, 36]
    least = fb.tensor([-128], dtype=fb.int8)
    assert fb.gcd(least, fb.tensor([6], dtype=fb.int8)).tolist() == [2]
    assert fb.gcd(fb.tensor([4]), fb.tensor([6], dtype=fb.uint8)).dtype == fb.int64
    with pytest.raises(TypeError):
        fb.gcd(a, 2)
    for wrong in (fb.ones(2), fb.ones(2, dtype=fb.bool)):
        with pytest.raises(NotImplementedError):
            fb.lcm(wrong, wrong)


def test_degrees_beyond_int64_count_as_negative() -> None:
    x, n = fb.tensor([0.5, 0.5]), fb.tensor([1e20, -1.0])
    for name in ("chebyshev_polynomial_v", "hermite_polynomial_h", "legendre_polynomial_p"):
        assert getattr(special, name)(x, n).tolist() == [0.0, 0.0]


def test_logit_outside_of_its_domain_has_no_slope() -> None:
    x = fb.tensor([-0.5, 0.5, 1.5], requires_grad=True)
    (grad,) = fb.autograd.grad(fb.logit(x).sum(), x)
    close(grad, [NAN, 4.0, NAN])
    (grad,) = fb.autograd.grad(fb.logit(x, eps=0.25).sum(), x)
    close(grad, [0.0, 4.0, 0.0])
