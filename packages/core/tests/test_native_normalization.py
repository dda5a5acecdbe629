"""Normalizations that give their statistics: values against their definition."""

from __future__ import annotations

import numpy as np
import pytest

import flambeau_core as fb

X = np.random.default_rng(1).normal(size=(2, 6, 3))
EPS = 0.5


def close(mine: fb.Tensor, theirs: np.ndarray) -> None:
    assert tuple(mine.shape) == theirs.shape
    np.testing.assert_allclose(mine.detach().numpy(), theirs, rtol=1e-9, atol=1e-12)


def normal(axes: tuple[int, ...]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    mean = X.mean(axes, keepdims=True)
    rstd = 1 / np.sqrt(X.var(axes, keepdims=True) + EPS)
    return (X - mean) * rstd, mean, rstd


def test_layer() -> None:
    weight = fb.tensor([1.0, 2.0, 3.0], dtype=fb.float64)
    y, mean, rstd = fb.native_layer_norm(fb.tensor(X), [3], weight, None, EPS)
    expected = normal((2,))
    close(y, expected[0] * [1, 2, 3])
    close(mean, expected[1])
    close(rstd, expected[2])


def test_batch() -> None:
    running = [fb.zeros(6, dtype=fb.float64), fb.ones(6, dtype=fb.float64)]
    y, mean, rstd = fb.native_batch_norm(fb.tensor(X), None, None, *running, True, 1.0, EPS)
    expected = normal((0, 2))
    close(y, expected[0])
    close(mean, expected[1].reshape(-1))
    close(rstd, expected[2].reshape(-1))
    close(running[0], X.mean((0, 2)))
    _, mean, rstd = fb.native_batch_norm(fb.tensor(X), None, None, *running, False, 1.0, EPS)
    assert mean.numel() == rstd.numel() == 0


def test_group() -> None:
    x = fb.tensor(X, requires_grad=True)
    y, mean, rstd = fb.native_group_norm(x, None, None, 2, 6, 3, 2, EPS)
    grouped = X.reshape(2, 2, 9)
    close(mean, grouped.mean(2))
    close(rstd, 1 / np.sqrt(grouped.var(2) + EPS))
    close(
        y,
        ((grouped - grouped.mean(2, keepdims=True)) * rstd.detach().numpy()[..., None]).reshape(
            X.shape
        ),
    )
    assert fb.allclose(y, fb.nn_ops.group_norm(x, 2, None, None, EPS))
    assert mean.requires_grad and rstd.requires_grad
    with pytest.raises(RuntimeError, match="divisible"):
        fb.native_group_norm(x, None, None, 2, 6, 3, 4, EPS)
    with pytest.raises(RuntimeError, match="elements"):
        fb.native_group_norm(x, None, None, 2, 6, 4, 2, EPS)


@pytest.mark.parametrize("dtype", [fb.float16, fb.bfloat16, fb.float32])
def test_statistics_have_the_dtype_of_the_input(dtype: fb.dtype) -> None:
    x = fb.arange(12.0).reshape(3, 4).to(dtype)
    assert [t.dtype for t in fb.native_layer_norm(x, [4], None, None, 1e-5)] == [dtype] * 3
    parts = fb.native_batch_norm(x, None, None, None, None, True, 0.1, 1e-5)
    assert [t.dtype for t in parts] == [dtype] * 3
