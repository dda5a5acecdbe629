"""Layer normalization and its gradients against the definition in float64."""

import abi
import numpy as np
import pytest
from differences import gradient

TOLERANCE = {"float32": 5e-6, "float64": 1e-8, "float16": 1e-2}


def normalize(x, weight, bias, eps=1e-5):
    unit = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + eps)
    return unit * (1 if weight is None else weight) + (0 if bias is None else bias)


def columns(x, layout):
    return np.asfortranarray(x) if layout == "columns" else x


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("affine", ["none", "weight", "both"])
@pytest.mark.parametrize("layout", ["rows", "columns"])
@pytest.mark.parametrize("shape", [(1, 1), (5, 7), (3, 40), (700, 33)])
def test_layer_norm(shape, layout, affine, dtype):
    rng = np.random.default_rng(0)
    x = columns((2 * rng.standard_normal(shape) + 1).astype(dtype), layout)
    g = columns(rng.standard_normal(shape).astype(dtype), layout)
    weight = rng.standard_normal(shape[1]).astype(dtype) if affine != "none" else None
    bias = rng.standard_normal(shape[1]).astype(dtype) if affine == "both" else None
    stat = "float64" if dtype == "float64" else "float32"
    y, mean, rstd = np.zeros(shape, dtype), np.zeros(shape[0], stat), np.zeros(shape[0], stat)
    abi.call("layer_norm", [y, mean, rstd], [x, weight, bias], 1e-5)
    wide, wide_g = x.astype(float), g.astype(float)
    w = None if weight is None else weight.astype(float)
    check = {"rtol": TOLERANCE[dtype], "atol": TOLERANCE[dtype]}
    np.testing.assert_allclose(y, normalize(wide, w, bias), **check)
    np.testing.assert_allclose(mean, wide.mean(1), **check)
    np.testing.assert_allclose(rstd, 1 / np.sqrt(wide.var(1) + 1e-5), **check)

    gx = np.full(shape, np.nan, dtype)
    gw = np.zeros(shape[1], dtype) if weight is not None else None
    gb = np.zeros(shape[1], dtype) if bias is not None else None
    abi.call("layer_norm_backward", [gx, gw, gb], [g, x, mean, rstd, weight])
    unit = normalize(wide, None, None)
    loose = {"rtol": 1e-2 if dtype == "float16" else 1e-4, "atol": 10 * TOLERANCE[dtype]}
    if gw is not None:
        np.testing.assert_allclose(gw, (wide_g * unit).sum(0), **loose)
    if gb is not None:
        np.testing.assert_allclose(gb, wide_g.sum(0), **loose)
    if shape[0] < 10:
        slope = gradient(lambda v: normalize(v, w, bias), wide, wide_g)
        np.testing.assert_allclose(gx, slope, rtol=10 * TOLERANCE[dtype],
                                   atol=10 * TOLERANCE[dtype])  # fmt: skip
    else:
        assert np.isfinite(gx).all()


def test_a_large_mean_does_not_spoil_the_variance():
    x = (np.arange(8, dtype=np.float32) + 4096).reshape(1, 8)
    y, mean, rstd = np.zeros_like(x), np.zeros(1, np.float32), np.zeros(1, np.float32)
    abi.call("layer_norm", [y, mean, rstd], [x, None, None], 0.0)
    np.testing.assert_allclose(rstd, 1 / np.sqrt(np.arange(8.0).var()), rtol=1e-6)


def test_only_the_weights_gradient():
    rng = np.random.default_rng(1)
    x, g = rng.standard_normal((4, 6)), rng.standard_normal((4, 6))
    gw, gb = np.zeros(6), np.zeros(6)
    stats = [x.mean(1), 1 / np.sqrt(x.var(1) + 1e-5)]
    abi.call("layer_norm_backward", [None, gw, gb], [g, x, *stats, np.ones(6)])
    np.testing.assert_allclose(gw, (g * normalize(x, None, None)).sum(0), rtol=1e-12)
    np.testing.assert_allclose(gb, g.sum(0), rtol=1e-12)
