"""Functions of three and four inputs."""

import itertools

import abi
import numpy as np
import pytest
from layouts import lay_out

RNG = np.random.default_rng(4)
LAYOUTS = ["contiguous", "transposed", "row", "scalar"]


def operands(count, dtype, layouts, shape=(21, 66)):
    return [lay_out((RNG.standard_normal(shape) * 9).astype(dtype), k) for k in layouts[:count]]


def compare(out, expected):
    single = {"float16": 2e-2, "float32": 2e-5, "float64": 1e-13}.get(out.dtype.name, 0)
    np.testing.assert_allclose(out, expected, rtol=single, atol=single * 10)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "int64"])
@pytest.mark.parametrize("layouts", list(itertools.product(LAYOUTS, repeat=3)))
def test_add_scaled_and_addcmul(dtype, layouts):
    wide = np.float64 if np.dtype(dtype).kind == "f" else np.int64
    a, b, c = operands(3, dtype, layouts)
    out = np.empty(a.shape, dtype)
    abi.call("add_scaled", [out], [a, b, c])
    compare(out, (a.astype(wide) + b.astype(wide) * c.astype(wide)).astype(dtype))
    value = np.array(2, dtype)
    abi.call("addcmul", [out], [a, b, c, value], host_scalars=(3,))
    compare(out, (a.astype(wide) + 2 * b.astype(wide) * c.astype(wide)).astype(dtype))


@pytest.mark.parametrize("size", [1, 5, 1000, 40000])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
def test_add_scaled_by_a_host_scalar(dtype, size):
    a, b = (RNG.standard_normal((2, size)) * 9).astype(dtype)
    out = np.empty_like(a)
    abi.call("add_scaled", [out], [a, b, np.array(-3, dtype)], host_scalars=(2,))
    np.testing.assert_allclose(out, a - 3 * b, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_addcdiv(dtype):
    a, b, c = operands(3, dtype, LAYOUTS)
    out = np.empty(a.shape, dtype)
    abi.call("addcdiv", [out], [a, b, c, np.array(0.5, dtype)], host_scalars=(3,))
    compare(out, a + 0.5 * (b.astype(np.float64) / c))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_lerp_meets_both_ends(dtype):
    a, b = operands(2, dtype, ["contiguous", "transposed"])
    out = np.empty(a.shape, dtype)
    for weight in (0.0, 0.3, 0.5, 0.9, 1.0, 2.0):
        abi.call("lerp", [out], [a, b, np.array(weight, dtype)], host_scalars=(2,))
        compare(out, a + weight * (b.astype(np.float64) - a))
    abi.call("lerp", [out], [a, b, np.ones_like(a)])
    np.testing.assert_array_equal(out, b)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32", "uint8"])
@pytest.mark.parametrize("layouts", list(itertools.product(LAYOUTS[:2], LAYOUTS, LAYOUTS)))
def test_clamp(dtype, layouts):
    x = lay_out(RNG.integers(0, 50, (30, 41)).astype(dtype), layouts[0])
    low = lay_out(RNG.integers(0, 20, (30, 41)).astype(dtype), layouts[1])
    high = lay_out(RNG.integers(10, 40, (30, 41)).astype(dtype), layouts[2])
    out = np.empty(x.shape, dtype)
    abi.call("clamp", [out], [x, low, high])
    np.testing.assert_array_equal(out, np.minimum(np.maximum(x, low), high))
    abi.call("clamp", [out], [x, None, high])
    np.testing.assert_array_equal(out, np.minimum(x, high))
    abi.call("clamp", [out], [x, low, None])
    np.testing.assert_array_equal(out, np.maximum(x, low))


@pytest.mark.parametrize("size", [6, 5000])
def test_clamp_between_host_scalars(size):
    x = np.resize(np.array([np.nan, -np.inf, np.inf, -3, 0.5, 9], np.float32), size)
    low, high = np.array(-1, np.float32), np.array(2, np.float32)
    out = np.empty_like(x)
    abi.call("clamp", [out], [x, low, high], host_scalars=(1, 2))
    np.testing.assert_array_equal(out, np.clip(x, -1, 2))
    abi.call("clamp", [out], [x, None, high], host_scalars=(2,))
    np.testing.assert_array_equal(out, np.minimum(x, 2))
    abi.call("clamp", [out], [x, np.array(np.nan, np.float32), high], host_scalars=(1, 2))
    assert np.isnan(out).all()


@pytest.mark.parametrize("dtype", ["bool", "float16", "int16", "float32", "float64", "complex128"])
@pytest.mark.parametrize("layouts", list(itertools.product(LAYOUTS, repeat=3)))
def test_where(dtype, layouts):
    condition = lay_out(RNG.standard_normal((23, 57)) > 0, layouts[0])
    a, b = (lay_out((RNG.standard_normal((23, 57)) * 9).astype(dtype), k) for k in layouts[1:])
    out = np.empty(a.shape, dtype)
    abi.call("where", [out], [condition, a, b])
    np.testing.assert_array_equal(out, np.where(condition, a, b))
