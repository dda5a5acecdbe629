"""A small network trained on the device, held to the same steps taken by hand with NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import flambeau_core as fb
from flambeau_testing.conformance.capabilities import Capabilities

pytestmark = pytest.mark.flambeau_conformance

STEPS, RATE = 30, 0.5


def points() -> tuple[Any, Any, list[Any]]:
    """Two interleaved classes of points, and the weights to start from."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(40, 2))
    y = (x[:, 0] * x[:, 1] > 0).astype(float).reshape(-1, 1)
    shapes = ((2, 8), (8,), (8, 1), (1,))
    return x, y, [rng.normal(size=shape) for shape in shapes]


def by_hand() -> tuple[list[float], list[Any]]:
    """Losses and final weights of gradient descent, with the gradient written out."""
    x, y, (w1, b1, w2, b2) = points()
    losses = []
    for _ in range(STEPS):
        hidden = np.tanh(x @ w1 + b1)
        out = 1 / (1 + np.exp(-(hidden @ w2 + b2)))
        losses.append(float(np.mean((out - y) ** 2)))
        g_out = 2 * (out - y) / y.size * out * (1 - out)
        g_hidden = g_out @ w2.T * (1 - hidden**2)
        w2, b2 = w2 - RATE * hidden.T @ g_out, b2 - RATE * g_out.sum(0)
        w1, b1 = w1 - RATE * x.T @ g_hidden, b1 - RATE * g_hidden.sum(0)
    return losses, [w1, b1, w2, b2]


class TestTraining:
    @pytest.mark.parametrize(("dtype", "tolerance"), [("float64", 1e-9), ("float32", 1e-3)])
    def test_gradient_descent(
        self, device: str, capabilities: Capabilities, dtype: str, tolerance: float
    ) -> None:
        if reason := capabilities.why_not(dtype):
            pytest.skip(reason)
        kind = getattr(fb, dtype)
        x, y, start = points()
        inputs, targets = (fb.from_numpy(a).to(kind).to(device) for a in (x, y))
        weights = [fb.from_numpy(w).to(kind).to(device).requires_grad_() for w in start]
        losses = []
        for _ in range(STEPS):
            w1, b1, w2, b2 = weights
            out = (fb.tanh(inputs @ w1 + b1) @ w2 + b2).sigmoid()
            loss = ((out - targets) ** 2).mean()
            losses.append(loss.item())
            for weight in weights:
                weight.grad = None
            loss.backward()
            with fb.no_grad():
                for weight in weights:
                    assert weight.grad is not None
                    weight -= RATE * weight.grad
        expected_losses, expected = by_hand()
        assert losses == pytest.approx(expected_losses, rel=tolerance)
        for weight, wanted in zip(weights, expected):
            found = weight.detach().cpu().numpy()
            assert np.allclose(found, wanted, rtol=tolerance, atol=tolerance)
