"""Functions of two inputs against float64 or exact integer values."""

import itertools

import abi
import numpy as np
import pytest
from layouts import LAYOUTS, empty_like, lay_out

RNG = np.random.default_rng(1)
FLOATING = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide,
    "div_trunc": lambda a, b: np.trunc(a / b), "div_floor": np.floor_divide,
    "remainder": np.remainder, "fmod": np.fmod, "maximum": np.maximum, "minimum": np.minimum,
    "fmax": np.fmax, "fmin": np.fmin, "atan2": np.arctan2, "hypot": np.hypot,
    "copysign": np.copysign, "logaddexp": np.logaddexp,
}  # fmt: skip
TOLERANCE = {"float32": 1e-6, "float64": 1e-13, "float16": 2e-3}


def check(id, a, b, reference, dtype, **options):
    out = empty_like(a.shape, dtype, "contiguous")
    abi.call(id, [out], [a, b], **options)
    with np.errstate(all="ignore"):
        expected = reference(a.astype(np.float64), b.astype(np.float64)).astype(dtype)
    np.testing.assert_allclose(out, expected, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype] * 0.1)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("id", FLOATING)
def test_values(id, dtype):
    a, b = RNG.uniform(-5, 5, (2, 3, 501)).astype(dtype)
    if id in ("div_trunc", "div_floor", "remainder", "fmod"):
        b = np.round(b * 4) / 4 + np.asarray(0.125, dtype)
        a = np.round(a * 64) / 64
    check(id, a, b, FLOATING[id], dtype)


@pytest.mark.parametrize("layouts", list(itertools.product(LAYOUTS, LAYOUTS)))
@pytest.mark.parametrize("shape", [(4, 5), (37, 90), (2, 3, 700)])
def test_layouts(shape, layouts):
    for dtype in ("float32", "float16"):
        a = lay_out(RNG.standard_normal(shape).astype(dtype), layouts[0])
        b = lay_out(RNG.standard_normal(shape).astype(dtype), layouts[1])
        check("sub", a, b, np.subtract, dtype)
        check("logaddexp", a, b, np.logaddexp, dtype)


@pytest.mark.parametrize("layout", ["contiguous", "transposed", "every_second", "padded_rows"])
def test_strided_output_in_place(layout):
    for other in ("contiguous", "transposed", "row", "column"):
        a = lay_out(RNG.standard_normal((40, 70)).astype(np.float32), layout)
        b = lay_out(RNG.standard_normal((40, 70)).astype(np.float32), other)
        expected = a * b
        abi.call("mul", [a], [a, b])
        np.testing.assert_array_equal(a, expected)


@pytest.mark.parametrize("size", [1, 4, 1000, 70000])
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int32", "int64"])
def test_host_scalars(dtype, size):
    a = (RNG.standard_normal(size) * 8).astype(dtype)
    scalar = np.array(3, dtype)
    for id, function in {"add": np.add, "sub": np.subtract, "mul": np.multiply}.items():
        out = np.empty_like(a)
        abi.call(id, [out], [a, scalar], host_scalars=(1,))
        np.testing.assert_array_equal(out, function(a, scalar), err_msg=id)
        abi.call(id, [out], [scalar, a], host_scalars=(0,))
        np.testing.assert_array_equal(out, function(scalar, a), err_msg=id)


@pytest.mark.parametrize("id", ["maximum", "minimum", "fmax", "fmin", "hypot", "atan2", "add",
                                "div_floor", "remainder", "logaddexp", "div"])  # fmt: skip
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_special_values(id, dtype):
    special = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -2.5]
    a, b = np.array(list(itertools.product(special, special)), dtype).T.copy()
    if id in ("maximum", "minimum", "fmax", "fmin"):
        different = ~((a == 0) & (b == 0))
        a, b = a[different], b[different]
    check(id, a, b, FLOATING[id], dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_powers(dtype):
    a = RNG.uniform(0.01, 20, 999).astype(dtype)
    b = RNG.uniform(-8, 8, 999).astype(dtype)
    check("pow", a, b, np.power, dtype)
    special = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, -2.0, 3.0, 0.5, 2.0]
    a, b = np.array(list(itertools.product(special, special)), dtype).T.copy()
    check("pow", a, b, np.power, dtype)
    for exponent in (2.0, 3.0, -1.0, 0.5, 1.7, 0.0):
        a = RNG.uniform(0.1, 9, (5, 70)).astype(dtype)
        b = np.array(exponent, dtype)
        out = np.empty_like(a)
        abi.call("pow", [out], [a, b], host_scalars=(1,))
        np.testing.assert_allclose(out, a.astype(np.float64) ** exponent, rtol=TOLERANCE[dtype])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_xlogy(dtype):
    a = np.array([0, 0, 0, 2, np.nan, 1, 3], dtype)
    b = np.array([0, np.nan, -1, 3, 1, 0, np.inf], dtype)
    out = np.empty_like(a)
    abi.call("xlogy", [out], [a, b])
    expected = np.array([0, np.nan, 0, 2 * np.log(3), np.nan, -np.inf, np.inf])
    np.testing.assert_allclose(out, expected, rtol=1e-6)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_nextafter(dtype):
    largest = np.finfo(dtype).max
    a = np.array([0, 1, -1, 1, np.nan, -0.0, 0, largest, np.inf, -1, 2, 1e-7], dtype)
    b = np.array([1, 2, 0, 1, 1, 0, -1, np.inf, 0, -2, 1, -1], dtype)
    out = np.empty_like(a)
    abi.call("nextafter", [out], [a, b])
    np.testing.assert_array_equal(out, np.nextafter(a, b))


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "int32", "int64"])
def test_integers_wrap(dtype):
    info = np.iinfo(dtype)
    values = [info.min, info.max, 0, 1, 5, 100, info.max - 3]
    a, b = np.array(list(itertools.product(values, values)), dtype).T.copy()
    with np.errstate(over="ignore"):
        cases = {"add": a + b, "sub": a - b, "mul": a * b, "maximum": np.maximum(a, b),
                 "fmin": np.minimum(a, b), "bitwise_and": a & b, "bitwise_or": a | b,
                 "bitwise_xor": a ^ b}  # fmt: skip
    for id, expected in cases.items():
        out = np.empty_like(a)
        abi.call(id, [out], [a, b])
        np.testing.assert_array_equal(out, expected, err_msg=id)


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "int32", "int64"])
def test_integer_division(dtype):
    info = np.iinfo(dtype)
    values = [v for v in (info.min, -7, -3, -1, 1, 2, 3, 7, info.max) if v >= info.min and v != 0]
    pairs = list(itertools.product([0, *values], values))
    a, b = np.array(pairs, dtype).T.copy()
    exact = [(int(x), int(y)) for x, y in zip(a, b)]

    def wrapped(results):
        span = info.max - info.min + 1
        return np.array([(r - info.min) % span + info.min for r in results], dtype)

    def truncated(x, y):
        return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)

    cases = {"div_floor": [x // y for x, y in exact], "remainder": [x % y for x, y in exact],
             "div_trunc": [truncated(x, y) for x, y in exact],
             "fmod": [x - y * truncated(x, y) for x, y in exact]}  # fmt: skip
    for id, expected in cases.items():
        out = np.empty_like(a)
        abi.call(id, [out], [a, b])
        np.testing.assert_array_equal(out, wrapped(expected), err_msg=id)


@pytest.mark.parametrize("id", ["div_trunc", "div_floor", "remainder", "fmod"])
def test_integer_division_by_zero_is_an_error(id):
    a = np.arange(12, dtype=np.int64).reshape(3, 4)
    b = np.ones((4, 3), np.int64).T
    b[2, 1] = 0
    with pytest.raises(abi.KernelFailure, match="ZeroDivisionError") as failure:
        abi.call(id, [np.empty_like(a)], [a, b])
    assert failure.value.status == abi.ERROR


def test_integer_powers():
    a = np.array([2, -1, 1, 0, -1, 3, -2, 2], np.int64)
    b = np.array([-1, -3, -2, 0, -2, 5, 3, 64], np.int64)
    out = np.empty_like(a)
    abi.call("pow", [out], [a, b])
    np.testing.assert_array_equal(out, [0, -1, 1, 1, 1, 243, -8, 0])


def test_shifts():
    a = np.array([5, -3, -3, 5, 1, -8], np.int32)
    b = np.array([32, -1, 40, 1, 31, 2], np.int32)
    out = np.empty_like(a)
    abi.call("lshift", [out], [a, b])
    np.testing.assert_array_equal(out, [0, 0, 0, 10, -(2**31), -32])
    abi.call("rshift", [out], [a, b])
    np.testing.assert_array_equal(out, [0, -1, -1, 2, 0, -2])


def test_bool():
    a = np.array([False, False, True, True])
    b = np.array([False, True, False, True])
    for id, expected in {
        "add": a | b,
        "mul": a & b,
        "maximum": a | b,
        "bitwise_xor": a ^ b,
    }.items():
        out = np.empty_like(a)
        abi.call(id, [out], [a, b])
        np.testing.assert_array_equal(out, expected, err_msg=id)
