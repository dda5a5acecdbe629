"""Writing by index against loops."""

import abi
import numpy as np
import pytest

SET, ADD, MULTIPLY, AMAX, AMIN = range(5)
COMBINE = {
    SET: lambda old, new: new,
    ADD: lambda old, new: old + new,
    MULTIPLY: lambda old, new: old * new,
    AMAX: max,
    AMIN: min,
}


@pytest.mark.parametrize("dtype", ["uint8", "int64", "float16", "float32", "float64"])
@pytest.mark.parametrize("mode", COMBINE)
@pytest.mark.parametrize("shape, count, dim", [((7,), 12, 0), ((5, 6), 3, 0), ((5, 6), 9, 1),
                                              ((3, 4, 5), 6, 1)])  # fmt: skip
def test_scatter(shape, count, dim, mode, dtype):
    rng = np.random.default_rng(0)
    size = list(shape)
    size[dim] = count
    index = rng.integers(0, shape[dim], size)
    source = rng.integers(0, 4, [n + 1 for n in size]).astype(dtype)
    out = rng.integers(0, 4, shape).astype(dtype)
    expected = out.copy()
    for at in np.ndindex(*size):
        to = (*at[:dim], index[at], *at[dim + 1 :])
        expected[to] = COMBINE[mode](expected[to], source[at])
    abi.call("scatter", [out], [index, source], dim, mode)
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("dim", [0, 1])
def test_scatter_add_of_many(dim):
    rng = np.random.default_rng(1)
    index = rng.integers(0, 50, (300, 400))
    source = rng.integers(0, 9, (300, 400)).astype(np.float32)
    out = np.zeros((50, 400) if dim == 0 else (300, 50), np.float32)
    expected = out.copy()
    grid = np.indices(index.shape)
    np.add.at(expected, (index, grid[1]) if dim == 0 else (grid[0], index), source)
    abi.call("scatter", [out], [index, source], dim, ADD)
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("dtype", ["bool", "int32", "bfloat16", "float32", "complex64"])
def test_scatter_add_of_every_kind(dtype):
    index = np.array([0, 2, 0])
    values = np.array([1.0, 2.0, 4.0])
    if dtype == "bfloat16":
        out, source = abi.BFloat16(np.ones(3)), abi.BFloat16(values)
        abi.call("scatter", [out], [index, source], 0, ADD)
        np.testing.assert_array_equal(out.numpy(), [6, 1, 3])
        return
    out = np.array([1, 0, 1], dtype)
    abi.call("scatter", [out], [index, values.astype(dtype)], 0, ADD)
    np.testing.assert_array_equal(out, np.array([6, 0, 3], dtype))


def test_nan_wins():
    out = np.zeros(2, np.float32)
    source = np.array([np.nan, 1.0, 5.0], np.float32)
    abi.call("scatter", [out], [np.array([0, 0, 1]), source], 0, AMAX)
    np.testing.assert_array_equal(out, [np.nan, 5.0])


@pytest.mark.parametrize("dtype", ["int64", "float16", "float32", "float64", "complex64"])
@pytest.mark.parametrize("layout", ["C", "F"])
@pytest.mark.parametrize("shape, dim", [((7,), 0), ((5, 6), 0), ((5, 6), 1), ((3, 4, 5), 1),
                                       ((50, 128), 0)])  # fmt: skip
def test_index_add(shape, dim, layout, dtype):
    rng = np.random.default_rng(2)
    index = rng.integers(-shape[dim], shape[dim], 200)
    size = list(shape)
    size[dim] = 200
    source = np.asarray(rng.integers(0, 4, size), dtype, order=layout)
    out = np.asarray(rng.integers(0, 4, shape), dtype, order=layout)
    expected = out.copy()
    for i, row in enumerate(index):
        at = (slice(None),) * dim
        expected[(*at, row)] += source[(*at, i)]
    abi.call("index_add", [out], [index, source], dim)
    np.testing.assert_array_equal(out, expected)


def test_index_out_of_bounds():
    for id, params in (("scatter", (0, ADD)), ("index_add", (0,))):
        message = "index 3 is out of bounds for dimension 0 with size 3"
        with pytest.raises(abi.KernelFailure, match=message) as failure:
            abi.call(id, [np.zeros(3)], [np.array([3]), np.ones(1)], *params)
        assert failure.value.status == abi.INDEX_ERROR


def test_scatter_into_a_scalar():
    out = np.zeros((), np.float32)
    abi.call("scatter", [out], [np.zeros((), np.int64), np.full((), 3, np.float32)], 0, SET)
    assert out == 3
