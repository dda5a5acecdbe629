"""Negative log-likelihood and its gradient against the definition."""

import abi
import numpy as np
import pytest

NONE, MEAN, SUM = 0, 1, 2


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("reduction", [NONE, MEAN, SUM])
@pytest.mark.parametrize("weighted", [False, True])
def test_nll_loss(weighted, reduction, dtype):
    rng = np.random.default_rng(0)
    x = np.log(rng.uniform(0.1, 1, (6, 4))).astype(dtype)
    target = np.array([0, 3, 1, -100, 2, 3])
    weight = rng.uniform(0.5, 2, 4).astype(dtype) if weighted else None
    w = np.ones(4) if weight is None else weight.astype(float)
    kept = target != -100
    t = np.where(kept, target, 0)
    rows = np.where(kept, -w[t] * x[np.arange(6), t].astype(float), 0)
    total = w[t][kept].sum()
    expected = {NONE: rows, MEAN: rows.sum() / total, SUM: rows.sum()}[reduction]
    out, weight_sum = np.zeros(np.shape(expected), dtype), np.zeros((), dtype)
    abi.call("nll_loss", [out, weight_sum], [x, target, weight], reduction, -100)
    tolerance = {"float32": 1e-6, "float64": 1e-14, "float16": 2e-3}[dtype]
    np.testing.assert_allclose(out, expected, rtol=tolerance)
    np.testing.assert_allclose(weight_sum, total, rtol=tolerance)

    g = np.asarray(rng.uniform(1, 2, np.shape(expected)), dtype)
    gx = np.full(x.shape, np.nan, dtype)
    abi.call("nll_loss_backward", [gx], [g, target, weight, weight_sum], reduction, -100)
    slope = np.zeros((6, 4))
    scale = g.astype(float) / (total if reduction == MEAN else 1) * np.ones(6)
    slope[np.arange(6)[kept], t[kept]] = (-w[t] * scale)[kept]
    np.testing.assert_allclose(gx, slope, rtol=3 * tolerance)


def test_target_out_of_range():
    outs = [np.zeros((), np.float32), np.zeros((), np.float32)]
    x = np.zeros((1, 3), np.float32)
    with pytest.raises(abi.KernelFailure, match="Target 3 is out of bounds") as failure:
        abi.call("nll_loss", outs, [x, np.array([3]), None], MEAN, -100)
    assert failure.value.status == abi.INDEX_ERROR
