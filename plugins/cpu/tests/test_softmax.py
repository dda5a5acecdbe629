"""Softmax, its logarithm and both gradients against the definition in float64."""

import abi
import numpy as np
import pytest

TOLERANCE = {"float32": 1e-6, "float64": 1e-14, "float16": 2e-3}
SHAPES = [((), 0), ((1,), 0), ((7,), 0), ((5, 10), 1), ((64, 10), 0), ((3, 1000), 1),
          ((40, 33), 0), ((4, 5, 6), 1), ((2, 9, 50), 1), ((300, 129), 1)]  # fmt: skip


def softmax(x, dim):
    e = np.exp(x - x.max(dim, keepdims=True))
    return e / e.sum(dim, keepdims=True)


def samples(shape, dtype, layout):
    rng = np.random.default_rng(0)
    x = [np.asarray(4 * rng.standard_normal(shape)) for _ in range(2)]
    if layout == "transposed":
        return [np.asfortranarray(v, dtype) for v in x]
    return [np.asarray(v, dtype) for v in x]


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("layout", ["contiguous", "transposed"])
@pytest.mark.parametrize("shape, dim", SHAPES)
def test_softmax_and_gradient(shape, dim, layout, dtype):
    g, x = samples(shape, dtype, layout)
    wide_g, wide_x = np.asarray(g, float), np.asarray(x, float)
    if shape == ():
        wide_g, wide_x = wide_g.reshape(1), wide_x.reshape(1)
    y = softmax(wide_x, dim)
    out = np.full(shape, np.nan, dtype)
    abi.call("softmax", [out], [x], dim)
    np.testing.assert_allclose(out, y.reshape(shape), rtol=1e-3 if dtype == "float16" else 3e-6,
                               atol=TOLERANCE[dtype] / 100)  # fmt: skip
    saved = np.asarray(y.reshape(shape), dtype)
    abi.call("softmax_backward", [out], [g, saved], dim)
    s = saved.astype(float).reshape(y.shape)
    expected = s * (wide_g - (wide_g * s).sum(dim, keepdims=True))
    np.testing.assert_allclose(out, expected.reshape(shape), rtol=0, atol=4 * TOLERANCE[dtype])

    log_y = np.log(y)
    abi.call("log_softmax", [out], [x], dim)
    np.testing.assert_allclose(out, log_y.reshape(shape), rtol=2e-3 if dtype == "float16" else 1e-6,
                               atol=10 * TOLERANCE[dtype])  # fmt: skip
    saved = np.asarray(log_y.reshape(shape), dtype)
    abi.call("log_softmax_backward", [out], [g, saved], dim)
    s = saved.astype(float).reshape(y.shape)
    expected = wide_g - np.exp(s) * wide_g.sum(dim, keepdims=True)
    np.testing.assert_allclose(out, expected.reshape(shape), rtol=2e-3,
                               atol=100 * TOLERANCE[dtype])  # fmt: skip


@pytest.mark.parametrize("shape, dim", [((2, 40), 1), ((40, 40), 0)])
def test_special_values(shape, dim):
    x = np.zeros(shape, np.float32)
    x[0, :] = -np.inf
    out = np.empty_like(x)
    abi.call("softmax", [out], [x], dim)
    if dim == 1:
        assert np.isnan(out[0]).all()
        np.testing.assert_allclose(out[1], 1 / 40, rtol=1e-6)
    else:
        assert (out[0] == 0).all()
        np.testing.assert_allclose(out[1:], 1 / 39, rtol=1e-6)
    x[1, 3] = np.nan
    abi.call("softmax", [out], [x], dim)
    assert np.isnan(out[1] if dim else out[:, 3]).all()
    large = np.array([[1e4, 0.0, -1e4]], np.float32)
    out = np.empty_like(large)
    abi.call("softmax", [out], [large], 1)
    np.testing.assert_array_equal(out, [[1, 0, 0]])


def test_empty():
    out = np.zeros((0, 3), np.float32)
    abi.call("softmax", [out], [out.copy()], 1)
    out = np.zeros((3, 0), np.float32)
    abi.call("softmax", [out], [out.copy()], 1)
