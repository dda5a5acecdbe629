"""Functions of one input against float64 values."""

import math

import abi
import numpy as np
import pytest
from layouts import LAYOUTS, empty_like, lay_out

RNG = np.random.default_rng(0)


def each(function):
    return np.vectorize(function, otypes=[np.float64])


def sigmoid(x):
    return np.where(x < 0, np.exp(x) / (1 + np.exp(x)), 1 / (1 + np.exp(-x)))


def gelu(x):
    return 0.5 * x * each(math.erfc)(-x / math.sqrt(2))


# function, its reference, the interval of the arguments
FUNCTIONS = {
    "neg": (np.negative, -5, 5), "abs": (np.abs, -5, 5), "sign": (np.sign, -5, 5),
    "square": (np.square, -5, 5), "reciprocal": (np.reciprocal, 0.1, 5),
    "sqrt": (np.sqrt, 0, 50), "rsqrt": (lambda x: 1 / np.sqrt(x), 0.01, 50),
    "exp": (np.exp, -80, 80), "exp2": (np.exp2, -120, 120), "expm1": (np.expm1, -30, 80),
    "log": (np.log, 1e-3, 9), "log2": (np.log2, 1e-3, 9), "log10": (np.log10, 1e-3, 9),
    "log1p": (np.log1p, -0.99, 9), "sin": (np.sin, -900, 900), "cos": (np.cos, -900, 900),
    "tan": (np.tan, -1.5, 1.5), "asin": (np.arcsin, -1, 1), "acos": (np.arccos, -1, 1),
    "atan": (np.arctan, -9, 9), "sinh": (np.sinh, -20, 20), "cosh": (np.cosh, -20, 20),
    "tanh": (np.tanh, -9, 9), "asinh": (np.arcsinh, -99, 99), "acosh": (np.arccosh, 1, 99),
    "atanh": (np.arctanh, -0.99, 0.99), "erf": (each(math.erf), -4, 4),
    "erfc": (each(math.erfc), -4, 9), "lgamma": (each(math.lgamma), 0.1, 40),
    "floor": (np.floor, -9, 9), "ceil": (np.ceil, -9, 9), "trunc": (np.trunc, -9, 9),
    "round": (np.round, -9, 9), "sigmoid": (sigmoid, -80, 80),
    "relu": (lambda x: np.maximum(x, 0), -5, 5),
    "silu": (lambda x: x * sigmoid(x), -40, 40), "angle": (np.angle, -5, 5),
}  # fmt: skip
TOLERANCE = {"float32": 1e-6, "float64": 1e-13, "float16": 2e-3}


def check(id, reference, values, dtype, layout, *params):
    x = lay_out(values.astype(dtype), layout)
    out = empty_like(x.shape, dtype, "contiguous")
    abi.call(id, [out], [x], *params)
    with np.errstate(all="ignore"):
        expected = reference(x.astype(np.float64)).astype(dtype)
    tolerance = TOLERANCE[dtype]
    np.testing.assert_allclose(out, expected, rtol=tolerance, atol=tolerance * 1e-2)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("id", FUNCTIONS)
def test_values(id, dtype):
    reference, low, high = FUNCTIONS[id]
    if dtype == "float16":
        low, high = max(low, -9), min(high, 9)
    values = RNG.uniform(low, high, (3, 1001))
    values[0] = np.linspace(low, high, 1001)
    check(id, reference, values, dtype, "contiguous")


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("id", ["neg", "exp", "floor", "tan"])
@pytest.mark.parametrize("shape", [(1, 1), (5, 7), (33, 70), (2, 19, 600), (3, 0, 4), (40, 3000)])
def test_layouts(shape, id, layout):
    reference, low, high = FUNCTIONS[id]
    for dtype in ("float32", "float16"):
        check(id, reference, RNG.uniform(max(low, -9), min(high, 9), shape), dtype, layout)


def test_permuted_dimensions():
    x = RNG.standard_normal((6, 20, 5, 33)).astype(np.float32)
    for order in [(0, 2, 3, 1), (3, 2, 1, 0), (1, 0, 3, 2), (2, 3, 0, 1)]:
        view = x.transpose(order)
        out = np.empty(view.shape, np.float32)
        abi.call("neg", [out], [view])
        np.testing.assert_array_equal(out, -view)


@pytest.mark.parametrize("layout", ["contiguous", "transposed", "every_second"])
def test_output_may_be_the_input(layout):
    values = RNG.standard_normal((50, 70))
    x = lay_out(values.astype(np.float32), layout)
    abi.call("exp", [x], [x])
    np.testing.assert_allclose(x, np.exp(values), rtol=1e-6)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    "id", [i for i in FUNCTIONS if i not in ("lgamma", "angle", "sign", "erfc", "erf")]
)
def test_special_values(id, dtype):
    info = np.finfo(dtype)
    values = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, info.tiny, info.smallest_subnormal,
              -info.smallest_subnormal, info.max, info.min, 0.5, 2.5, -2.5]  # fmt: skip
    x = np.array(values, dtype)
    out = np.empty_like(x)
    abi.call(id, [out], [x])
    with np.errstate(all="ignore"):
        expected = FUNCTIONS[id][0](
            x.astype(np.longdouble if id == "expm1" else np.float64)
        ).astype(dtype)
    np.testing.assert_allclose(out, expected, rtol=TOLERANCE[dtype], atol=0)
    zeros = expected == 0
    np.testing.assert_array_equal(np.signbit(out[zeros]), np.signbit(expected[zeros]))


def test_erf_and_its_complement_at_the_ends():
    x = np.array([np.inf, -np.inf, np.nan, 0.0, 30.0, -30.0], np.float32)
    out = np.empty_like(x)
    abi.call("erf", [out], [x])
    np.testing.assert_array_equal(out, np.array([1, -1, np.nan, 0, 1, -1], np.float32))
    abi.call("erfc", [out], [x])
    np.testing.assert_array_equal(out, np.array([0, 2, np.nan, 1, 0, 2], np.float32))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_erfinv_inverts_erf(dtype):
    y = np.concatenate([np.linspace(-3.5, 3.5, 99), [1e-5, -1e-9]])
    x = each(math.erf)(y).astype(dtype)
    out = np.empty_like(x)
    abi.call("erfinv", [out], [x])
    back = each(math.erf)(out.astype(np.float64))
    np.testing.assert_allclose(back, x, rtol=TOLERANCE[dtype])
    ends = np.array([1, -1, 1.5, 0, np.nan], dtype)
    out = np.empty_like(ends)
    abi.call("erfinv", [out], [ends])
    np.testing.assert_array_equal(out, np.array([np.inf, -np.inf, np.nan, 0, np.nan]))


def test_digamma_at_known_points():
    euler = 0.57721566490153286061
    points = {1: -euler, 2: 1 - euler, 5: 25 / 12 - euler, 0.5: -euler - 2 * math.log(2),
              0.25: -euler - math.pi / 2 - 3 * math.log(2), -0.5: 2 - euler - 2 * math.log(2),
              0: -math.inf, -3: math.nan, math.inf: math.inf}  # fmt: skip
    x = np.array(list(points), np.float64)
    out = np.empty_like(x)
    abi.call("digamma", [out], [x])
    np.testing.assert_allclose(out, list(points.values()), rtol=1e-13)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_gelu(dtype):
    x = np.concatenate([np.linspace(-9, 9, 2001), [np.nan, np.inf, 0]])
    check("gelu", gelu, x[None], dtype, "contiguous", 0)
    inner = lambda x: math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)  # noqa: E731
    check("gelu", lambda x: x * sigmoid(2 * inner(x)), x[None], dtype, "contiguous", 1)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_activations_with_parameters(dtype):
    x = np.linspace(-30, 30, 1003)[None]
    check("leaky_relu", lambda x: np.where(x > 0, x, 0.2 * x), x, dtype, "contiguous", 0.2)
    check("softplus", lambda x: np.where(2 * x > 20, x, np.log1p(np.exp(2 * x)) / 2), x, dtype,
          "contiguous", 2.0, 20.0)  # fmt: skip
    check("elu", lambda x: 1.5 * np.where(x > 0, x, 0.7 * np.expm1(0.5 * x)), x, dtype,
          "contiguous", 0.7, 1.5, 0.5)  # fmt: skip


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "int32", "int64"])
def test_integers(dtype):
    info = np.iinfo(dtype)
    x = np.array([info.min, info.max, 0, 1, 7, 100], dtype)
    out = np.empty_like(x)
    with np.errstate(over="ignore"):
        cases = {"neg": np.negative(x), "abs": np.abs(x), "square": x * x, "sign": np.sign(x),
                 "bitwise_not": ~x, "floor": x, "relu": np.maximum(x, 0)}  # fmt: skip
    for id, expected in cases.items():
        abi.call(id, [out], [x])
        np.testing.assert_array_equal(out, expected, err_msg=id)


def test_logical_negation_of_bool():
    x = np.array([True, False, True])
    out = np.empty_like(x)
    abi.call("bitwise_not", [out], [x])
    np.testing.assert_array_equal(out, ~x)


def test_bfloat16_rounds_to_nearest_even():
    x = abi.BFloat16(RNG.uniform(-3, 3, (5, 300)).astype(np.float32))
    out = abi.BFloat16(np.zeros((5, 300), np.float32))
    abi.call("exp", [out], [x])
    np.testing.assert_array_equal(out.bits, abi.BFloat16(np.exp(x.numpy())).bits)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int32", "uint8", "bool"])
def test_tests(dtype):
    values = [0, 1, 100] if dtype in ("uint8", "bool", "int32") else [
        0.0, -0.0, 1.0, -2.0, np.nan, -np.nan, np.inf, -np.inf]  # fmt: skip
    x = np.array(values, dtype)
    cases = {"logical_not": x == 0, "isnan": np.isnan(x), "isinf": np.isinf(x),
             "isfinite": np.isfinite(x)}  # fmt: skip
    if x.dtype.kind == "f":
        cases["signbit"] = np.signbit(x)
    for id, expected in cases.items():
        out = np.empty(x.shape, bool)
        abi.call(id, [out], [x])
        np.testing.assert_array_equal(out, expected, err_msg=id)
