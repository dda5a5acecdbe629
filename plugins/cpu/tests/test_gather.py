"""Reading by index against NumPy's take and take_along_axis."""

import abi
import numpy as np
import pytest

DTYPES = ["bool", "uint8", "int16", "float32", "int64", "complex128"]


def values(shape, dtype, layout="C"):
    rng = np.random.default_rng(0)
    return np.asarray(rng.integers(0, 100, shape), dtype, order=layout)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", ["C", "F"])
@pytest.mark.parametrize(
    "shape, count, dim",
    [((7,), 4, 0), ((5, 6), 3, 0), ((5, 6), 9, 1), ((3, 4, 5), 6, 1), ((2, 40000), 30000, 1)],
)
def test_gather(shape, count, dim, layout, dtype):
    rng = np.random.default_rng(1)
    x = values(shape, dtype, layout)
    size = list(shape)
    size[dim] = count
    index = np.asarray(rng.integers(0, shape[dim], size), order=layout)
    out = np.zeros(size, dtype)
    abi.call("gather", [out], [x, index], dim)
    np.testing.assert_array_equal(out, np.take_along_axis(x, index, dim))


def test_gather_of_a_corner():
    """The index may be smaller than the input in the other dimensions."""
    x = values((5, 6), "float32")
    index = np.array([[1, 5], [0, 2]])
    out = np.zeros((2, 2), np.float32)
    abi.call("gather", [out], [x, index], 1)
    np.testing.assert_array_equal(out, [[x[0, 1], x[0, 5]], [x[1, 0], x[1, 2]]])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", ["C", "F"])
@pytest.mark.parametrize("shape, dim", [((7,), 0), ((5, 6), 0), ((5, 6), 1), ((3, 4, 5), 1),
                                       ((500, 128), 0)])  # fmt: skip
def test_index_select(shape, dim, layout, dtype):
    rng = np.random.default_rng(2)
    x = values(shape, dtype, layout)
    index = rng.integers(-shape[dim], shape[dim], 300)
    expected = np.take(x, index, dim)
    out = np.zeros(expected.shape, dtype)
    abi.call("index_select", [out], [x, index], dim)
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("id, bad", [("gather", 3), ("gather", -1), ("index_select", 3),
                                     ("index_select", -4)])  # fmt: skip
def test_index_out_of_bounds(id, bad):
    x, out = np.zeros(3, np.float32), np.zeros(2, np.float32)
    message = f"index {bad} is out of bounds for dimension 0 with size 3"
    with pytest.raises(abi.KernelFailure, match=message) as failure:
        abi.call(id, [out], [x, np.array([0, bad])], 0)
    assert failure.value.status == abi.INDEX_ERROR
