"""Sorting and selecting against NumPy's stable sort."""

import abi
import numpy as np
import pytest

DTYPES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64"]
SHAPES = [((), 0), ((1,), 0), ((7,), 0), ((3000,), 0), ((5, 40), 1), ((40, 5), 0), ((3, 500), 1),
          ((2, 300, 4), 1)]  # fmt: skip


def samples(shape, dtype, layout="C"):
    rng = np.random.default_rng(0)
    x = np.asarray(rng.integers(-50, 50, shape), dtype=float)
    if dtype.startswith("float"):
        x = x / 8
        x = np.where(rng.uniform(size=shape) < 0.05, np.nan, x)
        x = np.where(rng.uniform(size=shape) < 0.05, -np.inf, x)
        x = np.where(rng.uniform(size=shape) < 0.1, -0.0, x)
    elif dtype == "bool":
        x = x > 0
    elif dtype == "uint8":
        x = np.abs(x)
    elif dtype in ("int32", "int64"):
        x = x * 10_000_019
    return np.asarray(x, dtype, order=layout)


def order(x, dim, descending):
    """The stable order with NaN largest; descending, equals keep their order, too."""
    x = np.moveaxis(x, dim, -1)
    if not descending:
        return np.moveaxis(np.argsort(x, -1, kind="stable"), -1, dim)
    mirrored = np.argsort(x[..., ::-1], -1, kind="stable")[..., ::-1]
    return np.moveaxis(x.shape[-1] - 1 - mirrored, -1, dim)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", ["C", "F"])
@pytest.mark.parametrize("descending", [0, 1])
@pytest.mark.parametrize("shape, dim", SHAPES)
def test_sort(shape, dim, descending, layout, dtype):
    x = samples(shape, dtype, layout)
    values, places = np.zeros(shape, dtype), np.full(shape, -1, np.int64)
    abi.call("sort", [values, places], [x], dim, descending)
    wide = x.reshape(1) if shape == () else x
    expected = order(wide, dim, descending)
    np.testing.assert_array_equal(places.reshape(wide.shape), expected)
    found = np.take_along_axis(wide, expected, dim).reshape(shape)
    np.testing.assert_array_equal(values, found)
    if dtype.startswith("float"):
        np.testing.assert_array_equal(np.signbit(values), np.signbit(found))


@pytest.mark.parametrize("descending", [0, 1])
@pytest.mark.parametrize("bound", [1, 2**20, 2**41, 2**63 - 1])
def test_integers_of_every_range(bound, descending):
    x = np.random.default_rng(1).integers(-bound, bound, 5000)
    x[7], x[8] = -bound, bound
    values, places = np.zeros_like(x), np.zeros(5000, np.int64)
    abi.call("sort", [values, places], [x], 0, descending)
    expected = order(x, 0, descending)
    np.testing.assert_array_equal(places, expected)
    np.testing.assert_array_equal(values, x[expected])


def test_bfloat16():
    x = abi.BFloat16(np.array([3.0, -1.0, np.nan, 2.0]))
    values, places = abi.BFloat16(np.zeros(4)), np.zeros(4, np.int64)
    abi.call("sort", [values, places], [x], 0, 0)
    np.testing.assert_array_equal(places, [1, 3, 0, 2])
    np.testing.assert_array_equal(values.numpy(), [-1, 2, 3, np.nan])


@pytest.mark.parametrize("dtype", DTYPES[1:])
@pytest.mark.parametrize("largest", [0, 1])
@pytest.mark.parametrize("shape, dim", SHAPES[1:])
@pytest.mark.parametrize("share", [0.02, 0.5, 1.0])
def test_topk(shape, dim, share, largest, dtype):
    x = samples(shape, dtype)
    k = max(1, int(shape[dim] * share))
    size = list(shape)
    size[dim] = k
    values, places = np.zeros(size, dtype), np.full(size, -1, np.int64)
    abi.call("topk", [values, places], [x], k, dim, largest)
    sorted_values = np.take_along_axis(x, order(x, dim, largest), dim)
    np.testing.assert_array_equal(values, np.take(sorted_values, range(k), dim))
    np.testing.assert_array_equal(values, np.take_along_axis(x, places, dim))
    unique = np.sort(places, dim)
    assert (np.diff(unique, axis=dim) > 0).all()


def test_nothing():
    for shape in ((0,), (3, 0), (0, 3)):
        x, places = np.zeros(shape, np.float32), np.zeros(shape, np.int64)
        abi.call("sort", [x.copy(), places], [x], len(shape) - 1, 0)
    abi.call("topk", [np.zeros(0, np.float32), np.zeros(0, np.int64)], [np.ones(3, np.float32)],
             0, 0, 1)  # fmt: skip
