"""Cross entropy and its gradient against the definition in float64."""

import abi
import numpy as np
import pytest
from differences import gradient

NONE, MEAN, SUM = 0, 1, 2
TOLERANCE = {"float32": 3e-6, "float64": 1e-9, "float16": 4e-3}


def log_softmax(x):
    shifted = x - x.max(1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(1, keepdims=True))


def loss(x, target, weight, reduction, ignore, smoothing):
    """PyTorch's definition: smoothing spreads over all classes, each times its weight."""
    w = np.ones(x.shape[1]) if weight is None else weight.astype(float)
    logs, kept = log_softmax(x), target != ignore
    t = np.where(kept, target, 0)
    own = -w[t] * logs[np.arange(len(t)), t]
    spread = -(logs * w).sum(1)
    rows = np.where(kept, (1 - smoothing) * own + smoothing / x.shape[1] * spread, 0)
    total = w[t][kept].sum()
    return {NONE: rows, MEAN: rows.sum() / total, SUM: rows.sum()}[reduction], total


def run(x, target, weight, reduction, ignore, smoothing, g):
    n = len(target)
    out = np.full((n,) if reduction == NONE else (), np.nan, x.dtype)
    lse, total = np.full(n, np.nan, x.dtype), np.full((), np.nan, x.dtype)
    params = (reduction, ignore, float(smoothing))
    abi.call("cross_entropy", [out, lse, total], [x, target, weight], *params)
    gx = np.full(x.shape, np.nan, x.dtype)
    abi.call("cross_entropy_backward", [gx], [g, x, lse, target, weight, total], *params)
    return out, lse, total, gx


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("reduction", [NONE, MEAN, SUM])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("shape", [(4, 3), (5, 10), (3, 37)])
def test_cross_entropy(shape, smoothing, weighted, reduction, dtype):
    rng = np.random.default_rng(0)
    x = (3 * rng.standard_normal(shape)).astype(dtype)
    target = rng.integers(0, shape[1], shape[0])
    target[1] = -100
    weight = rng.uniform(0.5, 2, shape[1]).astype(dtype) if weighted else None
    g = np.asarray(rng.uniform(0.5, 1, shape[0] if reduction == NONE else ()), dtype)
    out, lse, total, gx = run(x, target, weight, reduction, -100, smoothing, g)
    wide = x.astype(float)
    expected, weight_sum = loss(wide, target, weight, reduction, -100, smoothing)
    check = {"rtol": TOLERANCE[dtype], "atol": 5 * TOLERANCE[dtype]}
    np.testing.assert_allclose(out, expected, **check)
    np.testing.assert_allclose(total, weight_sum, **check)
    np.testing.assert_allclose(lse, np.log(np.exp(wide).sum(1)), **check)
    slope = gradient(lambda v: loss(v, target, weight, reduction, -100, smoothing)[0], wide,
                     g.astype(float))  # fmt: skip
    np.testing.assert_allclose(gx, slope, rtol=0, atol=5 * TOLERANCE[dtype])
    assert (gx[1] == 0).all()


def test_a_training_batch():
    rng = np.random.default_rng(1)
    x, target = rng.standard_normal((64, 10)).astype(np.float32), rng.integers(0, 10, 64)
    out, _, _, gx = run(x, target, None, MEAN, -100, 0.0, np.ones((), np.float32))
    wide = x.astype(float)
    np.testing.assert_allclose(out, loss(wide, target, None, MEAN, -100, 0.0)[0], rtol=1e-6)
    probabilities = np.exp(log_softmax(wide))
    probabilities[np.arange(64), target] -= 1
    np.testing.assert_allclose(gx, probabilities / 64, atol=1e-8)


def test_all_ignored_is_nan():
    x, target = np.zeros((2, 3), np.float32), np.array([-1, -1])
    out, _, total, gx = run(x, target, None, MEAN, -1, 0.0, np.ones((), np.float32))
    assert np.isnan(out) and total == 0 and (gx == 0).all()


@pytest.mark.parametrize("bad", [3, -1])
def test_target_out_of_range(bad):
    x, target = np.zeros((2, 3), np.float32), np.array([0, bad])
    outs = [np.zeros((), np.float32), np.zeros(2, np.float32), np.zeros((), np.float32)]
    with pytest.raises(abi.KernelFailure, match=f"Target {bad} is out of bounds") as failure:
        abi.call("cross_entropy", outs, [x, target, None], MEAN, -100, 0.0)
    assert failure.value.status == abi.INDEX_ERROR


def test_logits_along_columns():
    rng = np.random.default_rng(2)
    x, target = np.asfortranarray(rng.standard_normal((6, 5))), rng.integers(0, 5, 6)
    out, *_ = run(x, target, None, SUM, -100, 0.0, np.ones(()))
    np.testing.assert_allclose(out, loss(x, target, None, SUM, -100, 0.0)[0], rtol=1e-12)
