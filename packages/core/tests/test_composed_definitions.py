"""Definitions of ops that have kernels too: both give the same values and gradients.

The definitions' derivatives are held to finite differences in test_composed_gradients; here
whatever kernel the backend has is held to the definition.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import flambeau_core as fb
from flambeau_core import nn_ops
from flambeau_core.composed import (
    activations,
    convolution,
    losses,
    neural,
    normalization,
    optimizer_steps,
    pooling,
    reductions,
    softmax,
    ternary,
)

TOLERANCE = {fb.float64: 1e-10, fb.float32: 2e-5, fb.float16: 1e-2, fb.bfloat16: 8e-2}
CLASSES = [2, 0, 3, -100, 1]
PICTURE = (2, 4, 5, 6)


def sample(shape: Sequence[int], place: int, dtype: Any) -> fb.Tensor:
    """Fixed irregular numbers between -2 and 2."""
    count = int(np.prod(shape))
    values = np.sin(np.arange(count) * 2.3 + place * 0.7) * 2
    return fb.from_numpy(values.reshape(shape)).to(dtype)


def classes() -> fb.Tensor:
    return fb.tensor(CLASSES)


def reduction_cases() -> dict[str, Any]:
    cases: dict[str, Any] = {}
    for how in ("none", "mean", "sum"):
        cases[f"mse_loss-{how}"] = (
            lambda x, t, how=how: losses.mse_loss(x, t, how),
            lambda x, t, how=how: nn_ops.mse_loss(x, t, reduction=how),
            [(3, 4), (3, 4)],
        )
        cases[f"nll_loss-{how}"] = (
            lambda x, w, how=how: losses.nll_loss(x, classes(), w.detach(), -100, how),
            lambda x, w, how=how: nn_ops.nll_loss(x, classes(), w.detach(), reduction=how),
            [(5, 4), (4,)],
        )
        for smoothing in (0.0, 0.2):
            cases[f"cross_entropy-{how}-{smoothing}"] = (
                lambda x, how=how, s=smoothing: losses.cross_entropy(
                    x, classes(), None, -100, how, s
                ),
                lambda x, how=how, s=smoothing: nn_ops.cross_entropy(
                    x, classes(), reduction=how, label_smoothing=s
                ),
                [(5, 4)],
            )
        cases[f"binary_cross_entropy_with_logits-{how}"] = (
            lambda x, t, how=how: losses.binary_cross_entropy_with_logits(x, t, None, None, how),
            lambda x, t, how=how: nn_ops.binary_cross_entropy_with_logits(x, t, reduction=how),
            [(3, 4), (3, 4)],
        )
    return cases


def convolution_cases() -> dict[str, Any]:
    cases: dict[str, Any] = {}
    for ndim, conv in ((1, nn_ops.conv1d), (2, nn_ops.conv2d), (3, nn_ops.conv3d)):
        for stride, padding, dilation, groups in ((1, 0, 1, 1), (2, 1, 1, 2), (1, 2, 2, 1)):
            setting = ([stride] * ndim, [padding] * ndim, [dilation] * ndim, groups)
            cases[f"conv{ndim}d-{stride}-{padding}-{dilation}-{groups}"] = (
                lambda x, w, b, s=setting: convolution.convolution(x, w, b, *s),
                lambda x, w, b, s=setting, c=conv: c(x, w, b, *s),
                [(2, 4, *[6, 5, 4][:ndim]), (6, 4 // groups, *[2, 3, 2][:ndim]), (6,)],
            )
    cases["conv_transpose2d"] = (
        lambda g, w: convolution.convolution_backward_input(
            g, w, [2, 3, 8, 6], [2, 1], [1, 0], [1, 2], 1
        ),
        lambda g, w: nn_ops.conv_transpose2d(g, w, None, [2, 1], [1, 0], [1, 0], 1, [1, 2]),
        [(2, 4, 4, 4), (4, 3, 3, 2)],
    )
    return cases


CASES: dict[str, Any] = {
    "sigmoid": (activations.sigmoid, fb.sigmoid, [(3, 4)]),
    "relu": (activations.relu, fb.relu, [(3, 4)]),
    "silu": (activations.silu, nn_ops.silu, [(3, 4)]),
    "gelu": (lambda x: activations.gelu(x, 0), nn_ops.gelu, [(3, 4)]),
    "gelu-tanh": (
        lambda x: activations.gelu(x, 1),
        lambda x: nn_ops.gelu(x, approximate="tanh"),
        [(3, 4)],
    ),
    "softplus": (
        lambda x: activations.softplus(x, 2.0, 3.0),
        lambda x: nn_ops.softplus(x, 2.0, 3.0),
        [(3, 4)],
    ),
    "leaky_relu": (
        lambda x: activations.leaky_relu(x, 0.2),
        lambda x: nn_ops.leaky_relu(x, 0.2),
        [(3, 4)],
    ),
    "elu": (
        lambda x: activations.elu(x, 1.5, 1.0, 1.0),
        lambda x: nn_ops.elu(x, 1.5),
        [(3, 4)],
    ),
    "add_scaled": (
        lambda a, b: ternary.add_scaled(a, b, 1.5),
        lambda a, b: fb.add(a, b, alpha=1.5),
        [(3, 4), (3, 4)],
    ),
    "addcmul": (
        lambda a, b, c: ternary.addcmul(a, b, c, 0.5),
        lambda a, b, c: fb.addcmul(a, b, c, value=0.5),
        [(4,), (4,), (4,)],
    ),
    "lerp": (ternary.lerp, fb.lerp, [(4,), (4,), (4,)]),
    "mean": (
        lambda x: reductions.mean(x, [1], False),
        lambda x: x.mean(1),
        [(3, 4)],
    ),
    "var": (
        lambda x: reductions.var(x, None, 1, False),
        lambda x: x.var(),
        [(3, 4)],
    ),
    "max_dim": (
        lambda x: reductions.max_dim(x, 1, False),
        lambda x: x.max(1),
        [(3, 4)],
    ),
    "min_dim": (
        lambda x: reductions.min_dim(x, 0, True),
        lambda x: x.min(0, keepdim=True),
        [(3, 4)],
    ),
    "topk": (
        lambda x: reductions.topk(x, 2, 1, False, True),
        lambda x: x.topk(2, 1, largest=False),
        [(3, 4)],
    ),
    "linear": (neural.linear, nn_ops.linear, [(2, 3, 4), (5, 4), (5,)]),
    "embedding": (
        lambda w: neural.embedding(fb.tensor([[0, 2], [1, 1]]), w, 1),
        lambda w: nn_ops.embedding(fb.tensor([[0, 2], [1, 1]]), w, 1),
        [(3, 2)],
    ),
    "softmax": (lambda x: softmax.softmax(x, 1), lambda x: x.softmax(1), [(3, 4, 2)]),
    "log_softmax": (lambda x: softmax.log_softmax(x, -1), lambda x: x.log_softmax(-1), [(3, 4)]),
    "layer_norm": (
        lambda x, w, b: normalization.layer_norm(x, [4, 2], w, b, 1e-5),
        lambda x, w, b: nn_ops.layer_norm(x, [4, 2], w, b),
        [(3, 4, 2), (4, 2), (4, 2)],
    ),
    "batch_norm": (
        lambda x, w, b: normalization.batch_norm(x, None, None, w, b, True, 0.1, 1e-5),
        lambda x, w, b: nn_ops.batch_norm(x, None, None, w, b, True),
        [(3, 2, 5), (2,), (2,)],
    ),
    "max_pool2d": (
        lambda x: pooling.max_pool2d(x, [3, 2], [2, 2], [1, 0], [1, 1], True),
        lambda x: nn_ops.max_pool2d_with_indices(x, [3, 2], [2, 2], [1, 0], 1, True),
        [PICTURE],
    ),
    "avg_pool2d": (
        lambda x: pooling.avg_pool2d(x, [3, 2], [2, 2], [1, 1], True, False, None),
        lambda x: nn_ops.avg_pool2d(x, [3, 2], [2, 2], [1, 1], True, False),
        [PICTURE],
    ),
    "adaptive_avg_pool2d": (
        lambda x: pooling.adaptive_avg_pool2d(x, [3, 4]),
        lambda x: nn_ops.adaptive_avg_pool2d(x, [3, 4]),
        [PICTURE],
    ),
    **convolution_cases(),
    **reduction_cases(),
}


def outputs(result: Any) -> list[fb.Tensor]:
    return [result] if isinstance(result, fb.Tensor) else list(result)


def assert_same(actual: fb.Tensor, expected: fb.Tensor, tolerance: float) -> None:
    assert actual.dtype == expected.dtype
    assert tuple(actual.shape) == tuple(expected.shape)
    np.testing.assert_allclose(
        actual.detach().to(fb.float64).numpy(),
        expected.detach().to(fb.float64).numpy(),
        rtol=tolerance,
        atol=tolerance,
    )


def values_and_gradients(
    function: Callable[..., Any], shapes: Sequence[Sequence[int]], dtype: Any
) -> tuple[list[fb.Tensor], list[fb.Tensor]]:
    leaves = [sample(shape, i, dtype).requires_grad_() for i, shape in enumerate(shapes)]
    results = outputs(function(*leaves))
    total = fb.zeros((), dtype=fb.float64)
    for result in results:
        if result.is_floating_point():
            weights = fb.arange(result.numel()).to(fb.float64).cos().reshape(result.shape)
            total = total + (result.to(fb.float64) * weights).sum()
    gradients = fb.autograd.grad(total, leaves, allow_unused=True)
    return results, [x for x in gradients if x is not None]


@pytest.mark.parametrize("dtype", TOLERANCE, ids=str)
@pytest.mark.parametrize("name", CASES)
def test_kernel_agrees_with_definition(name: str, dtype: Any) -> None:
    definition, op, shapes = CASES[name]
    results, gradients = values_and_gradients(op, shapes, dtype)
    expected, expected_gradients = values_and_gradients(definition, shapes, dtype)
    assert len(results) == len(expected)
    assert len(gradients) == len(expected_gradients)
    for actual, wanted in zip(results, expected):
        assert_same(actual, wanted, TOLERANCE[dtype])
    for actual, wanted in zip(gradients, expected_gradients):
        assert_same(actual, wanted, TOLERANCE[dtype] * 4)


@pytest.mark.parametrize("training", [True, False])
def test_running_statistics(training: bool) -> None:
    x, weight = sample((4, 3, 2), 0, fb.float64), sample((3,), 1, fb.float64)
    results = []
    for op in (normalization.batch_norm, nn_ops.batch_norm):
        mean, var = fb.full((3,), 0.5, dtype=fb.float64), fb.full((3,), 2.0, dtype=fb.float64)
        y = op(x, mean, var, weight, None, training, 0.25, 1e-5)
        results.append((y, mean, var))
    for actual, wanted in zip(results[1], results[0]):
        assert_same(actual, wanted, 1e-12)
    batch_mean = x.numpy().mean((0, 2))
    expected = 0.75 * 0.5 + 0.25 * batch_mean if training else np.full(3, 0.5)
    np.testing.assert_allclose(results[0][1].numpy(), expected)


def test_special_values() -> None:
    inf, nan = float("inf"), float("nan")
    x = fb.tensor([inf, -inf, nan, 1000.0, -1000.0])
    assert activations.sigmoid(x).tolist()[:2] == [1.0, 0.0]
    assert activations.relu(x).tolist()[:2] == [inf, 0.0]
    assert activations.relu(x)[2].isnan().item()
    assert activations.softplus(x, 1.0, 20.0).tolist()[3:] == [1000.0, 0.0]
    assert softmax.softmax(fb.tensor([1000.0, 1000.0]), 0).tolist() == [0.5, 0.5]
    assert softmax.logsumexp(fb.tensor([-inf, -inf]), [0], False).item() == -inf
    assert softmax.logsumexp(fb.tensor([inf, 1.0]), [0], False).item() == inf


def test_max_pool_of_minus_infinity_points_inside() -> None:
    x = fb.full((1, 1, 2, 2), -float("inf"))
    values, index = pooling.max_pool2d(x, [2, 2], [2, 2], [1, 1], [1, 1], False)
    assert values.flatten().tolist() == [-float("inf")] * 4
    assert index.flatten().tolist() == [0, 1, 2, 3]


def test_class_out_of_range() -> None:
    with pytest.raises(IndexError, match="Target 4"):
        losses.nll_loss(fb.zeros(2, 4), fb.tensor([0, 4]), None, -100, "mean")


def test_dropout_scales_what_it_keeps() -> None:
    fb.manual_seed(1)
    x = fb.ones(10_000)
    y = neural.dropout(x, 0.25, True)
    kept = y != 0
    assert abs(kept.to(fb.float64).mean().item() - 0.75) < 0.025
    np.testing.assert_allclose(y.masked_select(kept).numpy(), 1 / 0.75, rtol=1e-6)
    assert neural.dropout(x, 1.0, True).abs().sum().item() == 0
    assert neural.dropout(x, 0.5, False) is x


def test_sgd_by_hand() -> None:
    """Two steps of p <- p - lr b, b <- momentum b + g + decay p, by hand."""
    p, buffer = fb.tensor([1.0], dtype=fb.float64), fb.zeros(1, dtype=fb.float64)
    g = fb.tensor([0.5], dtype=fb.float64)
    optimizer_steps.sgd_step(p, g, buffer, 0.1, 0.9, 0.0, 0.2, False, False, True)
    assert p.item() == pytest.approx(1 - 0.1 * 0.7)
    optimizer_steps.sgd_step(p, g, buffer, 0.1, 0.9, 0.0, 0.2, False, False, False)
    assert buffer.item() == pytest.approx(0.9 * 0.7 + 0.5 + 0.2 * 0.93)
    assert p.item() == pytest.approx(0.93 - 0.1 * buffer.item())


def test_adam_by_hand() -> None:
    """The first step of Adam is lr g / (|g| + eps), whatever the gradient's size."""
    p, m, v = (fb.tensor([x], dtype=fb.float64) for x in (1.0, 0.0, 0.0))
    g = fb.tensor([25.0], dtype=fb.float64)
    step = (0.1, 0.9, 0.999, 1e-8, 0.0, 1 - 0.9, 1 - 0.999, False, False)
    optimizer_steps.adam_step(p, g, m, v, None, *step)
    assert p.item() == pytest.approx(0.9)
    assert m.item() == pytest.approx(2.5)
    assert v.item() == pytest.approx(0.625)
