"""Comparisons and logical operations against NumPy's."""

import itertools

import abi
import numpy as np
import pytest
from layouts import lay_out

COMPARISONS = {
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater,
    "ge": np.greater_equal, "logical_and": np.logical_and, "logical_or": np.logical_or,
    "logical_xor": np.logical_xor,
}  # fmt: skip
DTYPES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("id", COMPARISONS)
def test_values(id, dtype):
    rng = np.random.default_rng(2)
    for layouts in itertools.product(["contiguous", "transposed", "column", "scalar"], repeat=2):
        a, b = (lay_out(rng.integers(-2, 3, (20, 37)).astype(dtype), k) for k in layouts)
        out = np.empty(a.shape, bool)
        abi.call(id, [out], [a, b])
        np.testing.assert_array_equal(out, COMPARISONS[id](a, b))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("id", COMPARISONS)
def test_nan_and_zeros(id, dtype):
    special = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0]
    a, b = np.array(list(itertools.product(special, special)), dtype).T.copy()
    out = np.empty(a.shape, bool)
    abi.call(id, [out], [a, b])
    np.testing.assert_array_equal(out, COMPARISONS[id](a, b))


@pytest.mark.parametrize("size", [3, 1000, 50000])
def test_host_scalar(size):
    x = np.random.default_rng(3).standard_normal(size).astype(np.float32)
    out = np.empty(size, bool)
    abi.call("gt", [out], [x, np.array(0.25, np.float32)], host_scalars=(1,))
    np.testing.assert_array_equal(out, x > 0.25)
