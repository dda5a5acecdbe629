"""Complex functions against NumPy's in complex128."""

import abi
import numpy as np
import pytest
from layouts import lay_out

RNG = np.random.default_rng(12)
UNARY = {
    "neg": np.negative, "square": np.square, "reciprocal": lambda x: 1 / x, "sqrt": np.sqrt,
    "rsqrt": lambda x: 1 / np.sqrt(x), "exp": np.exp, "exp2": np.exp2, "log": np.log,
    "log2": np.log2, "log10": np.log10, "sin": np.sin, "cos": np.cos, "tan": np.tan,
    "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "asin": np.arcsin, "acos": np.arccos,
    "atan": np.arctan, "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)), "conj_physical": np.conj,
}  # fmt: skip
BINARY = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "pow": np.power}
TOLERANCE = {"complex64": 1e-5, "complex128": 1e-12}


def numbers(dtype, shape=(20, 35)):
    return (RNG.uniform(-2, 2, shape) + 1j * RNG.uniform(-2, 2, shape)).astype(dtype)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("id", UNARY)
def test_unary(id, dtype):
    for layout in ("contiguous", "transposed", "every_second", "row"):
        x = lay_out(numbers(dtype), layout)
        out = np.zeros(x.shape, dtype)
        abi.call(id, [out], [x])
        expected = UNARY[id](x.astype(np.complex128))
        np.testing.assert_allclose(out, expected, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_magnitude_and_angle_are_real(dtype):
    x = numbers(dtype).T
    out = np.zeros(x.shape, x.real.dtype)
    abi.call("abs", [out], [x])
    np.testing.assert_allclose(out, np.abs(x), rtol=TOLERANCE[dtype])
    abi.call("angle", [out], [x])
    np.testing.assert_allclose(out, np.angle(x), rtol=TOLERANCE[dtype])


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("id", BINARY)
def test_binary(id, dtype):
    for other in ("contiguous", "transposed", "row", "column", "scalar"):
        a, b = numbers(dtype), lay_out(numbers(dtype), other)
        out = np.zeros(a.shape, dtype)
        abi.call(id, [out], [a, b])
        expected = BINARY[id](a.astype(np.complex128), b.astype(np.complex128))
        np.testing.assert_allclose(out, expected, rtol=TOLERANCE[dtype] * 10)


def test_division_of_large_and_small_numbers():
    a = np.array([1e300 + 1e300j, 1e-300j, 1 + 2j])
    b = np.array([2e300 + 1e300j, 1e-300 + 1e-300j, 4j])
    out = np.empty_like(a)
    abi.call("div", [out], [a, b])
    np.testing.assert_allclose(out, [0.6 + 0.2j, 0.5 + 0.5j, 0.5 - 0.25j], rtol=1e-14)


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_fused_forms(dtype):
    a, b, c = (numbers(dtype) for _ in range(3))
    v = np.array(1 - 2j, dtype)
    out = np.empty_like(a)
    abi.call("add_scaled", [out], [a, b, v], host_scalars=(2,))
    np.testing.assert_allclose(out, a + b * v, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])
    abi.call("addcmul", [out], [a, b, c, v], host_scalars=(3,))
    np.testing.assert_allclose(out, a + v * b * c, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype] * 9)
    abi.call("addcdiv", [out], [a, b, c, v], host_scalars=(3,))
    np.testing.assert_allclose(
        out, a + v * (b / c), rtol=TOLERANCE[dtype] * 9, atol=TOLERANCE[dtype] * 9
    )


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_comparisons_and_tests(dtype):
    a = np.array([0, 1, 1j, np.nan, np.inf * 1j, 1], dtype)
    b = np.array([0, 1, 1, np.nan, np.inf * 1j, 0], dtype)
    for id, expected in {"eq": a == b, "ne": a != b, "logical_and": (a != 0) & (b != 0)}.items():
        out = np.empty(a.shape, bool)
        abi.call(id, [out], [a, b])
        np.testing.assert_array_equal(out, expected)
    for id, expected in {"isnan": np.isnan(a), "isinf": np.isinf(a), "isfinite": np.isfinite(a),
                         "logical_not": a == 0}.items():  # fmt: skip
        out = np.empty(a.shape, bool)
        abi.call(id, [out], [a])
        np.testing.assert_array_equal(out, expected)
