"""searchsorted and bincount against NumPy's."""

import abi
import numpy as np
import pytest

DTYPES = ["uint8", "int8", "int32", "int64", "float16", "float32", "float64"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("right", [0, 1])
@pytest.mark.parametrize("n, m", [(1, 1), (0, 4), (10, 30), (1000, 5000)])
def test_one_sorted_row(n, m, right, dtype):
    rng = np.random.default_rng(0)
    row = np.sort(rng.integers(0, 60, n)).astype(dtype)
    values = rng.integers(0, 70, (2, m)).astype(dtype)
    out = np.full(values.shape, -1, np.int64)
    abi.call("searchsorted", [out], [row, values], right)
    expected = np.searchsorted(row, values, "right" if right else "left")
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("right", [0, 1])
@pytest.mark.parametrize("layout", ["C", "F"])
def test_a_sorted_row_for_each_row(layout, right):
    rng = np.random.default_rng(1)
    rows = np.asarray(np.sort(rng.standard_normal((3, 4, 20)), -1), order=layout)
    values = np.asarray(rng.standard_normal((3, 4, 7)), order=layout)
    out = np.zeros(values.shape, np.int64)
    abi.call("searchsorted", [out], [rows, values], right)
    for at in np.ndindex(3, 4):
        expected = np.searchsorted(rows[at], values[at], "right" if right else "left")
        np.testing.assert_array_equal(out[at], expected)


def test_nan_goes_to_the_end():
    row, out = np.array([0.0, 1.0, 2.0]), np.zeros(1, np.int64)
    for right in (0, 1):
        abi.call("searchsorted", [out], [row, np.array([np.nan])], right)
        assert out == 3


@pytest.mark.parametrize("weights", [None, "float32", "float64"])
@pytest.mark.parametrize("n", [0, 1, 1000])
def test_bincount(n, weights):
    rng = np.random.default_rng(2)
    x = rng.integers(0, 9, n)
    w = None if weights is None else rng.integers(0, 9, n).astype(weights)
    out = np.zeros(12, weights or np.int64)
    abi.call("bincount", [out], [x, w])
    np.testing.assert_array_equal(out, np.bincount(x, w, minlength=12))


def test_bincount_of_a_negative_value():
    with pytest.raises(abi.KernelFailure, match="bincount: value -1 is outside"):
        abi.call("bincount", [np.zeros(3, np.int64)], [np.array([1, -1]), None])
