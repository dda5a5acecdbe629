"""Where the extremes stand."""

import abi
import numpy as np
import pytest

RNG = np.random.default_rng(6)
DTYPES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64"]


def check(x, dim):
    shape = [1 if d == dim else n for d, n in enumerate(x.shape)]
    for name, position, value in [("max", np.argmax, np.max), ("min", np.argmin, np.min)]:
        index = np.full(shape, -7, np.int64)
        abi.call("arg" + name, [index], [x], dim)
        np.testing.assert_array_equal(index, position(x, dim, keepdims=True))
        index[...] = -7
        values = np.zeros(shape, x.dtype)
        abi.call(name + "_dim", [values, index], [x], dim)
        np.testing.assert_array_equal(values, value(x, dim, keepdims=True))
        np.testing.assert_array_equal(index, position(x, dim, keepdims=True))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(1,), (9,), (300, 7), (3, 3000), (5, 30, 20), (200000,)])
def test_every_dimension(shape, dtype):
    # Few different values: the first of equals must be found.
    x = RNG.integers(0, 5, shape).astype(dtype)
    for dim in range(len(shape)):
        check(x, dim)
        check(np.asfortranarray(x), dim)
        check(np.repeat(x, 2, axis=-1)[..., ::2], dim)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_the_first_nan_wins(dtype):
    for positions in ([0], [4], [2, 4999], [4999], [3000, 3001]):
        x = RNG.standard_normal((5000, 12)).astype(dtype)
        x[positions] = np.nan
        check(x, 0)
        check(np.ascontiguousarray(x.T), 1)
        x[0] = np.inf
        check(x, 0)


def test_zero_dimensional():
    index = np.array(-1)
    abi.call("argmax", [index], [np.array(3.0)], 0)
    assert index == 0
