"""Running totals and extremes."""

import abi
import numpy as np
import pytest

RNG = np.random.default_rng(7)
SHAPES = [(1,), (2500,), (40, 30), (3, 1100), (300, 600), (5, 8, 20), (4, 0)]


def layouts(x):
    return [x, np.asfortranarray(x), np.repeat(x, 2, axis=-1)[..., ::2]]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "int32", "int64",
                                   "complex64", "complex128"])  # fmt: skip
@pytest.mark.parametrize("shape", SHAPES)
def test_sums_and_products(shape, dtype):
    values = RNG.uniform(0.9, 1.1, shape)
    if np.dtype(dtype).kind == "i":
        values = RNG.integers(-3, 4, shape)
    wide = {"f": np.float64, "c": np.complex128, "i": np.int64}[np.dtype(dtype).kind]
    tolerance = {"float16": 2e-3, "float32": 1e-6, "complex64": 1e-6}.get(dtype, 1e-13)
    for x in layouts(values.astype(dtype)):
        for dim in range(len(shape)):
            for id, f in {"cumsum": np.cumsum, "cumprod": np.cumprod}.items():
                out = np.full(shape, 77, dtype)
                abi.call(id, [out], [x], dim)
                with np.errstate(over="ignore"):
                    expected = f(x.astype(wide), dim).astype(dtype)
                np.testing.assert_allclose(out, expected, rtol=tolerance, err_msg=id)


def running(x, dim, largest):
    """Values and the last position of the running extreme, by definition."""
    x = np.moveaxis(x, dim, 0)
    values, indices = x.copy(), np.zeros(x.shape, np.int64)
    for r in range(1, len(x)):
        better = x[r] >= values[r - 1] if largest else x[r] <= values[r - 1]
        take = better | np.isnan(x[r])
        values[r] = np.where(take, x[r], values[r - 1])
        indices[r] = np.where(take, r, indices[r - 1])
    return np.moveaxis(values, 0, dim), np.moveaxis(indices, 0, dim)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "uint8", "int64", "bool"])
@pytest.mark.parametrize("shape", SHAPES)
def test_extremes(shape, dtype):
    x = RNG.integers(0, 9, shape).astype(dtype)
    if x.dtype.kind == "f" and x.size > 20:
        x.reshape(-1)[x.size // 2] = np.nan
    for view in layouts(x):
        for dim in range(len(shape)):
            for id in ("cummax", "cummin"):
                values, indices = np.empty(shape, dtype), np.full(shape, -7, np.int64)
                abi.call(id, [values, indices], [view], dim)
                expected = running(view, dim, id == "cummax")
                np.testing.assert_array_equal(values, expected[0])
                np.testing.assert_array_equal(indices, expected[1])
