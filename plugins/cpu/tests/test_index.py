"""Advanced indexing and assignment against NumPy's."""

import abi
import numpy as np
import pytest

# array, shape of the indices, how many dimensions are indexed
CASES = [
    ((9,), (4,), 1),
    ((5, 6), (7,), 1),
    ((5, 6), (3, 4), 1),
    ((5, 6), (50,), 2),
    ((3, 4, 5), (2, 3), 2),
    ((400, 32), (900,), 1),
    ((4, 3), (), 1),
]


def indices(shape, size, k):
    rng = np.random.default_rng(0)
    return [np.asarray(rng.integers(-shape[d], shape[d], size)) for d in range(k)]


@pytest.mark.parametrize("dtype", ["bool", "float16", "float32", "int64", "complex128"])
@pytest.mark.parametrize("layout", ["C", "F"])
@pytest.mark.parametrize("shape, size, k", CASES)
def test_index(shape, size, k, layout, dtype):
    x = np.asarray(np.arange(np.prod(shape)).reshape(shape) % 100, dtype, order=layout)
    at = indices(shape, size, k)
    expected = x[tuple(at)]
    out = np.zeros(expected.shape, dtype)
    abi.call("index", [out], [x, *at])
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("dtype", ["bool", "float16", "float32", "int64", "complex128"])
@pytest.mark.parametrize("layout", ["C", "F"])
@pytest.mark.parametrize("accumulate", [0, 1])
@pytest.mark.parametrize("shape, size, k", CASES)
def test_index_put(shape, size, k, accumulate, layout, dtype):
    at = tuple(indices(shape, size, k))
    out = np.zeros(shape, dtype, order=layout)
    expected = out.copy()
    count = np.zeros(shape)[at].shape
    value = np.asarray(np.arange(np.prod(count)).reshape(count) % 7, dtype, order=layout)
    if accumulate:
        np.add.at(expected, at, value)
    else:
        expected[at] = value
    abi.call("index_put", [out], [value, *at], accumulate)
    np.testing.assert_array_equal(out, expected)


def test_broadcast_indices_and_values():
    x = np.arange(20.0).reshape(4, 5)
    rows = np.broadcast_to(np.array([[3], [0]]), (2, 3))
    columns = np.broadcast_to(np.array([1, -1, 2]), (2, 3))
    out = np.zeros((2, 3))
    abi.call("index", [out], [x, rows, columns])
    np.testing.assert_array_equal(out, x[[[3], [0]], [1, -1, 2]])
    abi.call("index_put", [x], [np.broadcast_to(np.array(7.0), (2, 3)), rows, columns], 0)
    assert (x[[[3], [0]], [1, -1, 2]] == 7).all() and (x == 7).sum() == 6 + 1


def test_index_out_of_bounds():
    x = np.zeros((4, 5), np.float32)
    message = "index 5 is out of bounds for dimension 1 with size 5"
    at = [np.array([0, 1]), np.array([0, 5])]
    for id, outs, ins, params in (
        ("index", [np.zeros(2, np.float32)], [x, *at], ()),
        ("index_put", [x], [np.zeros(2, np.float32), *at], (1,)),
    ):
        with pytest.raises(abi.KernelFailure, match=message) as failure:
            abi.call(id, outs, ins, *params)
        assert failure.value.status == abi.INDEX_ERROR
