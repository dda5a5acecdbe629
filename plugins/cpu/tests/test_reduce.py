"""Reductions against NumPy's in float64, over every set of dimensions."""

import itertools

import abi
import numpy as np
import pytest

RNG = np.random.default_rng(5)
SHAPES = [
    (1,),
    (7,),
    (3000,),
    (5, 7),
    (70, 3),
    (3, 1100),
    (600, 40),
    (40, 700),
    (4, 9, 33),
    (9, 70, 5),
]
ORDERS = ["rows", "columns", "every_second"]


def subsets(ndim):
    dims = range(ndim)
    return [s for r in range(1, ndim + 1) for s in itertools.combinations(dims, r)]


def ordered(values, order):
    if order == "columns":
        return np.asfortranarray(values)
    if order == "every_second":
        return np.repeat(values, 2, axis=-1)[..., ::2]
    return values


def reduced(id, x, dims, dtype, *params):
    shape = [1 if d in dims else n for d, n in enumerate(x.shape)]
    out = np.full(shape, 77, dtype)
    abi.call(id, [out], [x], *params)
    return out


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_floating(dtype, shape, order):
    x = ordered(RNG.uniform(-1, 2, shape).astype(dtype), order)
    wide = x.astype(np.float64)
    rtol = {"float16": 1e-3, "float32": 1e-6, "float64": 1e-13}[dtype]
    for dims in subsets(len(shape)):
        count = np.prod([shape[d] for d in dims])
        size = np.abs(wide).sum(dims, keepdims=True).max()
        cases = {"sum": (wide.sum, size), "mean": (wide.mean, size / count)}
        for id, (expected, scale) in cases.items():
            np.testing.assert_allclose(
                reduced(id, x, dims, dtype), expected(dims, keepdims=True), rtol=rtol,
                atol=rtol * scale, err_msg=id,
            )  # fmt: skip
        for id, expected in {"amax": x.max, "amin": x.min}.items():
            np.testing.assert_array_equal(
                reduced(id, x, dims, dtype), expected(dims, keepdims=True), err_msg=id
            )
        if count > 1:
            np.testing.assert_allclose(
                reduced("var", x, dims, dtype, 1.0), wide.var(dims, keepdims=True, ddof=1),
                rtol=3 * rtol,
            )  # fmt: skip
        for id, expected in {"any": np.any, "all": np.all}.items():
            np.testing.assert_array_equal(
                reduced(id, x, dims, bool), expected(x, dims, keepdims=True), err_msg=id
            )


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(6,), (5, 40), (3, 4, 5)])
def test_products(shape, dtype):
    x = RNG.uniform(0.8, 1.25, shape).astype(dtype)
    for dims in subsets(len(shape)):
        np.testing.assert_allclose(
            reduced("prod", x, dims, dtype), x.astype(np.float64).prod(dims, keepdims=True),
            rtol={"float32": 1e-5, "float64": 1e-13}[dtype],
        )  # fmt: skip


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("dtype", ["bool", "uint8", "int8", "int16", "int32", "int64"])
def test_integers(dtype, order):
    for shape in [(9,), (5, 300), (300, 20), (4, 9, 33)]:
        low, high = (0, 2) if dtype == "bool" else (0 if dtype == "uint8" else -100, 100)
        x = ordered(RNG.integers(low, high, shape).astype(dtype), order)
        wide = x.astype(np.int64)
        for dims in subsets(len(shape)):
            with np.errstate(over="ignore"):
                cases = {"sum": (wide.sum(dims, keepdims=True), np.int64),
                         "prod": (wide.prod(dims, keepdims=True), np.int64),
                         "amax": (x.max(dims, keepdims=True), dtype),
                         "amin": (x.min(dims, keepdims=True), dtype),
                         "any": (np.any(x, dims, keepdims=True), bool),
                         "all": (np.all(x, dims, keepdims=True), bool)}  # fmt: skip
            for id, (expected, result) in cases.items():
                np.testing.assert_array_equal(reduced(id, x, dims, result), expected, err_msg=id)


@pytest.mark.parametrize(
    "shape", [(1 << 21,), (3, 400000), (400000, 3), (20000, 100), (1000, 1000)]
)
def test_large_sums_are_accurate(shape):
    x = RNG.uniform(0, 1, shape).astype(np.float32)
    wide = x.astype(np.float64)
    for dims in subsets(len(shape)):
        np.testing.assert_allclose(
            reduced("sum", x, dims, np.float32), wide.sum(dims, keepdims=True), rtol=2e-7
        )
        np.testing.assert_allclose(
            reduced("var", x, dims, np.float32, 0.0), wide.var(dims, keepdims=True), rtol=1e-6
        )


def test_a_large_sum_in_double_loses_nothing():
    x = RNG.uniform(0, 1, 1 << 21)
    exact = float(np.sum(x.astype(np.longdouble)))
    assert abs(reduced("sum", x, (0,), np.float64)[0] / exact - 1) < 3e-16


def test_variance_far_from_zero():
    x = (1e4 + RNG.standard_normal((3, 5000))).astype(np.float32)
    for dims in subsets(2):
        np.testing.assert_allclose(
            reduced("var", x, dims, np.float32, 1.0),
            x.astype(np.float64).var(dims, keepdims=True, ddof=1), rtol=1e-5,
        )  # fmt: skip


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("size", [5, 100, 5000])
def test_nan_and_infinity(size, dtype):
    for position in (0, size // 2, size - 1):
        for value in (np.nan, np.inf, -np.inf):
            x = np.zeros((size, 6), dtype)
            x[position] = value
            for dims in subsets(2):
                with np.errstate(invalid="ignore"):
                    for id, f in {"amax": np.max, "amin": np.min, "sum": np.sum}.items():
                        np.testing.assert_array_equal(
                            reduced(id, x, dims, dtype), f(x, dims, keepdims=True), err_msg=id
                        )
                    np.testing.assert_array_equal(
                        np.isnan(reduced("var", x, dims, dtype, 0.0)),
                        np.isnan(np.var(x, dims, keepdims=True)),
                    )


def test_empty():
    x = np.zeros((3, 0, 2), np.float32)
    np.testing.assert_array_equal(reduced("sum", x, (1,), np.float32), np.zeros((3, 1, 2)))
    np.testing.assert_array_equal(reduced("prod", x, (1,), np.float32), np.ones((3, 1, 2)))
    assert np.isnan(reduced("mean", x, (1,), np.float32)).all()
    assert np.isnan(reduced("var", x, (0, 1, 2), np.float32, 1.0)).all()
    assert not reduced("any", x, (1,), bool).any()
    assert reduced("all", x, (1,), bool).all()
    assert reduced("sum", x, (0,), np.float32).shape == (1, 0, 2)


def test_variance_without_freedom_is_nan():
    x = np.ones((4, 1), np.float32)
    assert np.isnan(reduced("var", x, (1,), np.float32, 1.0)).all()
    assert np.isposinf(reduced("var", np.float32([[1, 2]]), (1,), np.float32, 2.0)).all()


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex(dtype):
    x = (RNG.standard_normal((30, 50)) + 1j * RNG.standard_normal((30, 50))).astype(dtype)
    for dims in subsets(2):
        tolerance = {"complex64": 1e-5, "complex128": 1e-12}[dtype]
        for id, f in {"sum": np.sum, "mean": np.mean}.items():
            np.testing.assert_allclose(
                reduced(id, x, dims, dtype),
                f(x, dims, keepdims=True),
                rtol=tolerance,
                atol=tolerance,
            )
        np.testing.assert_allclose(
            reduced("prod", x / np.abs(x), dims, dtype),
            np.prod((x / np.abs(x)).astype(np.complex128), dims, keepdims=True),
            atol=1000 * np.finfo(dtype).eps,
        )  # fmt: skip
        assert reduced("any", x, dims, bool).all()


def test_results_do_not_depend_on_the_threads():
    x = RNG.standard_normal((700, 900)).astype(np.float32)
    before = abi.backend.get_num_threads(None)
    results = []
    try:
        for threads in (1, 2, 3):
            abi.backend.set_num_threads(None, threads)
            results.append([reduced(id, x, dims, np.float32, *params)
                            for id, params in (("sum", ()), ("var", (1.0,)))
                            for dims in subsets(2)])  # fmt: skip
    finally:
        abi.backend.set_num_threads(None, before)
    for other in results[1:]:
        for a, b in zip(results[0], other):
            np.testing.assert_array_equal(a, b)
