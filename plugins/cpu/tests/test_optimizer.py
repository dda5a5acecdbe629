"""Optimizer steps against the update rules written out in float64."""

import abi
import numpy as np
import pytest

TOLERANCE = {"float32": 2e-6, "float64": 1e-14, "float16": 4e-3}


def sgd(p, b, g, lr, momentum, dampening, decay, nesterov, maximize, first):
    g = (-g if maximize else g) + decay * p
    if b is not None:
        b = g if first else momentum * b + (1 - dampening) * g
        g = g + momentum * b if nesterov else b
    return p - lr * g, b


def adam(p, m, v, top, g, lr, beta1, beta2, eps, decay, c1, c2, decoupled, maximize):
    g = -g if maximize else g
    if decoupled:
        p = p * (1 - lr * decay)
    else:
        g = g + decay * p
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * g * g
    top = None if top is None else np.maximum(top, v)
    scale = v if top is None else top
    return p - lr / c1 * m / (np.sqrt(scale) / np.sqrt(c2) + eps), m, v, top


def arrays(dtype, count, size, strided=False):
    rng = np.random.default_rng(0)
    values = [np.abs(rng.standard_normal(size)).astype(dtype) for _ in range(count)]
    if not strided:
        return values
    spread = [np.zeros((size, 2), dtype) for _ in values]
    for wide, value in zip(spread, values):
        wide[:, 1] = value
    return [wide[:, 1] for wide in spread]


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("size", [1, 5, 1003, 40000])
@pytest.mark.parametrize("momentum", [0.0, 0.9])
@pytest.mark.parametrize("flags", [(0, 0, 0), (1, 0, 0), (0, 1, 1), (0, 0, 1)])
def test_sgd(dtype, size, momentum, flags):
    nesterov, maximize, first = flags
    dampening = 0.0 if nesterov else 0.1
    p, b, g = arrays(dtype, 3, size)
    b = b if momentum else None
    hyper = (0.1, momentum, dampening, 0.01, nesterov, maximize, first)
    state = [x if x is None else x.astype(float) for x in (p, b, g)]
    expected_p, expected_b = sgd(*state, *hyper)
    abi.call("sgd_step", [p, b], [g], *hyper)
    np.testing.assert_allclose(p, expected_p, rtol=1e-3 if dtype == "float16" else 1e-6,
                               atol=TOLERANCE[dtype])  # fmt: skip
    if b is not None:
        np.testing.assert_allclose(b, expected_b, rtol=1e-3, atol=TOLERANCE[dtype])


@pytest.mark.parametrize("strided", [False, True])
@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("size", [1, 5, 1003, 40000])
@pytest.mark.parametrize("flags", [(0, 0), (1, 0), (0, 1)])
@pytest.mark.parametrize("amsgrad", [False, True])
def test_adam(dtype, size, flags, amsgrad, strided):
    p, m, v, top, g = arrays(dtype, 5, size, strided)
    top = top if amsgrad else None
    hyper = (0.01, 0.9, 0.999, 1e-8, 0.05, 0.19, 0.002, *flags)
    state = [x if x is None else x.astype(float) for x in (p, m, v, top, g)]
    expected = adam(*state, *hyper)
    abi.call("adam_step", [p, m, v, top], [g], *hyper)
    for got, wanted in zip((p, m, v, top), expected):
        if wanted is not None:
            np.testing.assert_allclose(got, wanted, rtol=2e-3 if dtype == "float16" else 3e-6,
                                       atol=TOLERANCE[dtype])  # fmt: skip


def test_adams_first_step_loses_no_digits_of_one_minus_beta():
    g = np.linspace(0.1, 2.0, 100).astype(np.float32)
    p, m, v = (np.zeros_like(g) for _ in range(3))
    abi.call("adam_step", [p, m, v, None], [g], 0.1, 0.9, 0.999, 1e-8, 0.0, 0.1, 0.001, 0, 0)
    np.testing.assert_allclose(m, 0.1 * g.astype(float), rtol=3e-7)
    np.testing.assert_allclose(v, 0.001 * g.astype(float) ** 2, rtol=3e-7)
    np.testing.assert_allclose(p, -0.1, rtol=3e-7)


def test_a_matrix_and_its_transposed_gradient():
    rng = np.random.default_rng(1)
    p, g = rng.standard_normal((30, 40)), rng.standard_normal((40, 30)).T
    expected = p - 0.5 * g
    abi.call("sgd_step", [p, None], [g], 0.5, 0.0, 0.0, 0.0, 0, 0, 0)
    np.testing.assert_allclose(p, expected, rtol=1e-14)


def test_no_decay_does_not_touch_infinite_parameters():
    p, g = np.array([np.inf, 1.0], np.float32), np.array([1.0, 1.0], np.float32)
    abi.call("sgd_step", [p, None], [g], 0.5, 0.0, 0.0, 0.0, 0, 0, 0)
    np.testing.assert_array_equal(p, [np.inf, 0.5])
