"""Batch normalization and its gradients against the definition in float64."""

import abi
import numpy as np
import pytest
from differences import gradient

TOLERANCE = {"float32": 5e-6, "float64": 1e-8, "float16": 1e-2}
SHAPES = [(4, 3, 1), (2, 3, 5), (3, 2, 40), (64, 20, 1), (1, 2, 3)]


def over_channels(values):
    return np.asarray(values, float).reshape(1, -1, 1)


def normalize(x, weight, bias, mean=None, var=None, eps=1e-5):
    mean = x.mean((0, 2)) if mean is None else mean
    var = x.var((0, 2)) if var is None else var
    unit = (x - over_channels(mean)) / np.sqrt(over_channels(var) + eps)
    if weight is None:
        return unit
    return unit * over_channels(weight) + over_channels(bias)


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("affine", [True, False])
@pytest.mark.parametrize("layout", ["rows", "columns"])
@pytest.mark.parametrize("shape", SHAPES)
def test_batch_norm(shape, layout, affine, training, dtype):
    rng = np.random.default_rng(0)
    c, count = shape[1], shape[0] * shape[2]
    order = "F" if layout == "columns" else "C"
    x = np.asarray(2 * rng.standard_normal(shape) + 1, dtype, order=order)
    g = np.asarray(rng.standard_normal(shape), dtype, order=order)
    weight = rng.standard_normal(c).astype(dtype) if affine else None
    bias = rng.standard_normal(c).astype(dtype) if affine else None
    running = [rng.standard_normal(c).astype(dtype), rng.uniform(1, 2, c).astype(dtype)]
    before = [v.astype(float) for v in running]
    stat = "float64" if dtype == "float64" else "float32"
    y, mean, rstd = np.zeros(shape, dtype), np.zeros(c, stat), np.zeros(c, stat)
    abi.call("batch_norm", [y, mean, rstd, *running], [x, weight, bias], training, 0.1, 1e-5)
    wide, wide_g = x.astype(float), g.astype(float)
    fixed = (None, None) if training else tuple(before)
    check = {"rtol": TOLERANCE[dtype], "atol": 4 * TOLERANCE[dtype]}
    np.testing.assert_allclose(y, normalize(wide, weight, bias, *fixed), **check)
    if training:
        moments = wide.mean((0, 2)), wide.var((0, 2)) * count / (count - 1)
        for now, old, new in zip(running, before, moments):
            np.testing.assert_allclose(now, 0.9 * old + 0.1 * new, **check)
    else:
        np.testing.assert_array_equal(running, before)

    gx = np.full(shape, np.nan, dtype)
    gw, gb = (np.zeros(c, dtype), np.zeros(c, dtype)) if affine else (None, None)
    abi.call("batch_norm_backward", [gx, gw, gb], [g, x, mean, rstd, weight], training)
    if affine:
        unit = normalize(wide, None, None, *fixed)
        loose = {"rtol": TOLERANCE[dtype] * 10, "atol": TOLERANCE[dtype] * 10}
        np.testing.assert_allclose(gw, (wide_g * unit).sum((0, 2)), **loose)
        np.testing.assert_allclose(gb, wide_g.sum((0, 2)), **loose)
    if count < 100:
        slope = gradient(lambda v: normalize(v, weight, bias, *fixed), wide, wide_g)
        np.testing.assert_allclose(gx, slope, rtol=0, atol=20 * TOLERANCE[dtype])


def test_without_running_statistics_and_a_large_mean():
    x = (np.arange(12, dtype=np.float32) + 4096).reshape(2, 1, 6)
    y, mean, rstd = np.zeros_like(x), np.zeros(1, np.float32), np.zeros(1, np.float32)
    abi.call("batch_norm", [y, mean, rstd, None, None], [x, None, None], 1, 0.1, 0.0)
    np.testing.assert_allclose(rstd, 1 / np.sqrt(np.arange(12.0).var()), rtol=1e-6)
