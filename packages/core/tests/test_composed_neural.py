"""Composed neural-network ops, against their formulas in NumPy."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import flambeau_core as fb
from flambeau_core import nn_ops


def numbers(*shape: int) -> fb.Tensor:
    count = int(np.prod(shape))
    return fb.from_numpy((np.cos(np.arange(count) * 1.7) * 2).reshape(shape))


def close(result: fb.Tensor, expected: Any) -> None:
    assert tuple(result.shape) == np.shape(expected)
    np.testing.assert_allclose(result.numpy(), expected, rtol=1e-10, atol=1e-10)


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


CURVES: dict[str, tuple[tuple[Any, ...], Callable[[float], float]]] = {
    "relu6": ((), lambda x: min(max(x, 0), 6)),
    "hardtanh": ((-0.5, 2.0), lambda x: min(max(x, -0.5), 2.0)),
    "hardsigmoid": ((), lambda x: min(max(x + 3, 0), 6) / 6),
    "hardswish": ((), lambda x: x * min(max(x + 3, 0), 6) / 6),
    "mish": ((), lambda x: x * math.tanh(math.log1p(math.exp(x)))),
    "logsigmoid": ((), lambda x: math.log(sigmoid(x))),
    "softsign": ((), lambda x: x / (1 + abs(x))),
    "tanhshrink": ((), lambda x: x - math.tanh(x)),
    "hardshrink": ((1.0,), lambda x: x if abs(x) > 1 else 0),
    "softshrink": ((1.0,), lambda x: math.copysign(max(abs(x) - 1, 0), x)),
    "threshold": ((0.5, 9.0), lambda x: x if x > 0.5 else 9.0),
}


@pytest.mark.parametrize("name", CURVES)
def test_activation(name: str) -> None:
    arguments, formula = CURVES[name]
    points = [-20.0, -7.5, -3.0, -1.0, -0.5, 0.0, 0.25, 0.5, 1.0, 2.0, 3.0, 6.0, 7.5, 19.0]
    x = fb.tensor(points, dtype=fb.float64)
    result = getattr(nn_ops, name)(x, *arguments)
    np.testing.assert_allclose(result.numpy(), [formula(v) for v in points], rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("name", ["relu6", "hardswish", "mish"])
def test_activation_in_place(name: str) -> None:
    x = numbers(4)
    expected = getattr(nn_ops, name)(x)
    assert getattr(nn_ops, name)(x, inplace=True) is x
    close(x, expected.numpy())
    leaf = numbers(4).requires_grad_()
    written = leaf * 1
    getattr(nn_ops, name)(written, inplace=True)
    (slope,) = fb.autograd.grad(written.sum(), [leaf])
    (wanted,) = fb.autograd.grad(getattr(nn_ops, name)(leaf).sum(), [leaf])
    close(slope, wanted.numpy())


def test_gates() -> None:
    x = numbers(2, 4)
    a = x.numpy()
    close(nn_ops.glu(x), a[:, :2] / (1 + np.exp(-a[:, 2:])))
    with pytest.raises(RuntimeError, match="even"):
        nn_ops.glu(numbers(2, 3))
    weight = fb.tensor([0.1, 0.2, 0.3, 0.4], dtype=fb.float64)
    close(nn_ops.prelu(x, weight), np.where(a > 0, a, a * weight.numpy()))
    with pytest.raises(RuntimeError, match="3 and channel size = 4"):
        nn_ops.prelu(x, weight[:3])


def attention(q: Any, k: Any, v: Any, mask: Any, scale: float) -> Any:
    scores = np.matmul(q, np.swapaxes(k, -1, -2)) * scale + mask
    powers = np.exp(scores - scores.max(-1, keepdims=True))
    return np.matmul(powers / powers.sum(-1, keepdims=True), v)


def test_attention() -> None:
    q, k, v = numbers(2, 3, 4), numbers(2, 5, 4) + 0.1, numbers(2, 5, 3)
    arrays = [x.numpy() for x in (q, k, v)]
    close(nn_ops.scaled_dot_product_attention(q, k, v), attention(*arrays, 0, 0.5))
    close(nn_ops.scaled_dot_product_attention(q, k, v, scale=2.0), attention(*arrays, 0, 2.0))
    causal = np.where(np.tril(np.ones((3, 5))) > 0, 0, -np.inf)
    close(
        nn_ops.scaled_dot_product_attention(q, k, v, is_causal=True),
        attention(*arrays, causal, 0.5),
    )
    close(
        nn_ops.scaled_dot_product_attention(q, k, v, attn_mask=fb.tensor(causal == 0)),
        attention(*arrays, causal, 0.5),
    )
    bias = numbers(3, 5)
    close(
        nn_ops.scaled_dot_product_attention(q, k, v, attn_mask=bias),
        attention(*arrays, bias.numpy(), 0.5),
    )


def test_attention_to_nothing_is_zero() -> None:
    q, k, v = numbers(2, 4), numbers(3, 4), numbers(3, 2)
    mask = fb.tensor([[True, True, True], [False, False, False]])
    result = nn_ops.scaled_dot_product_attention(q, k, v, attn_mask=mask)
    assert result[1].tolist() == [0.0, 0.0]
    assert bool(result[0].isfinite().all())


def test_attention_shares_heads() -> None:
    q, k, v = numbers(1, 4, 3, 2), numbers(1, 2, 3, 2), numbers(1, 2, 3, 2)
    shared = nn_ops.scaled_dot_product_attention(q, k, v, enable_gqa=True)
    apart = nn_ops.scaled_dot_product_attention(
        q, k.repeat_interleave(2, 1), v.repeat_interleave(2, 1)
    )
    close(shared, apart.numpy())


def test_normalizations() -> None:
    x = numbers(2, 4, 3)
    a = x.numpy()
    grouped = a.reshape(2, 2, 6)
    mean, var = grouped.mean(2, keepdims=True), grouped.var(2, keepdims=True)
    expected = ((grouped - mean) / np.sqrt(var + 1e-5)).reshape(a.shape)
    weight = fb.tensor([1.0, 2.0, 3.0, 4.0], dtype=fb.float64)
    close(nn_ops.group_norm(x, 2, weight), expected * weight.numpy()[:, None])
    mean, var = a.mean(2, keepdims=True), a.var(2, keepdims=True)
    close(nn_ops.instance_norm(x), (a - mean) / np.sqrt(var + 1e-5))
    root = np.sqrt((a * a).mean(2, keepdims=True) + 1e-3)
    close(nn_ops.rms_norm(x, [3], eps=1e-3), a / root)
    with pytest.raises(RuntimeError, match="num_groups=3"):
        nn_ops.group_norm(x, 3)


def test_local_response_norm() -> None:
    x = numbers(1, 4, 2)
    a = x.numpy()
    padded = np.pad(a * a, ((0, 0), (1, 1), (0, 0)))
    mean = sum(padded[:, i : i + 4] for i in range(3)) / 3
    close(nn_ops.local_response_norm(x, 3, 0.1, 0.5, 2.0), a / (2 + 0.1 * mean) ** 0.5)


def columns(
    a: Any, kernel: tuple[int, int], stride: tuple[int, int], dilation: tuple[int, int]
) -> Any:
    """Windows of ``(C, H, W)`` one after the other, as the columns of a matrix."""
    spans = [dilation[i] * (kernel[i] - 1) + 1 for i in range(2)]
    windows = []
    for top in range(0, a.shape[1] - spans[0] + 1, stride[0]):
        for left in range(0, a.shape[2] - spans[1] + 1, stride[1]):
            rows = slice(top, top + spans[0], dilation[0])
            windows.append(a[:, rows, left : left + spans[1] : dilation[1]].reshape(-1))
    return np.stack(windows, 1)


def test_columns_of_windows() -> None:
    x = numbers(2, 3, 5, 6)
    padded = np.pad(x.numpy(), ((0, 0), (0, 0), (1, 1), (0, 0)))
    expected = np.stack([columns(a, (2, 3), (2, 1), (1, 2)) for a in padded])
    result = nn_ops.im2col(x, (2, 3), dilation=(1, 2), padding=(1, 0), stride=(2, 1))
    close(result, expected)
    # Folding is the transpose of unfolding: <im2col(x), y> = <x, col2im(y)>.
    y = numbers(*result.shape) + 0.5
    image = nn_ops.col2im(y, (5, 6), (2, 3), dilation=(1, 2), padding=(1, 0), stride=(2, 1))
    assert (result * y).sum().item() == pytest.approx((x * image).sum().item())
    with pytest.raises(RuntimeError, match="windows"):
        nn_ops.col2im(y, (5, 5), (2, 3), dilation=(1, 2), padding=(1, 0), stride=(2, 1))


def test_pools_in_one_dimension() -> None:
    x = fb.tensor([[[1.0, 5.0, 2.0, 4.0, 3.0]]])
    assert nn_ops.max_pool1d(x, 2).tolist() == [[[5.0, 4.0]]]
    values, index = nn_ops.max_pool1d(x, 3, 1, 1, return_indices=True)
    assert values.tolist() == [[[5.0, 5.0, 5.0, 4.0, 4.0]]]
    assert index.tolist() == [[[1, 1, 1, 3, 3]]]
    assert nn_ops.avg_pool1d(x, 2, ceil_mode=True).tolist() == [[[3.0, 3.0, 3.0]]]
    assert nn_ops.avg_pool1d(x, 3, 2, 1, count_include_pad=False).tolist() == [
        [[3.0, pytest.approx(11 / 3), 3.5]]
    ]
    assert nn_ops.adaptive_avg_pool1d(x, 2).tolist() == [[[pytest.approx(8 / 3), 3.0]]]
    with pytest.raises(RuntimeError, match="half"):
        nn_ops.max_pool1d(x, 2, padding=2)


def test_similarity() -> None:
    a, b = numbers(2, 3), numbers(2, 3) + 0.4
    x, y = a.numpy(), b.numpy()
    norms = np.linalg.norm(x, axis=1) * np.linalg.norm(y, axis=1)
    close(nn_ops.cosine_similarity(a, b), (x * y).sum(1) / norms)
    close(nn_ops.pairwise_distance(a, b), np.linalg.norm(x - y + 1e-6, axis=1))


def test_channels() -> None:
    x = fb.arange(16).reshape(1, 4, 2, 2)
    shuffled = nn_ops.pixel_shuffle(x, 2)
    assert shuffled[0, 0].tolist() == [[0, 4, 1, 5], [8, 12, 9, 13], [2, 6, 3, 7], [10, 14, 11, 15]]
    assert nn_ops.pixel_unshuffle(shuffled, 2).tolist() == x.tolist()
    swapped = nn_ops.channel_shuffle(x, 2)
    assert swapped.tolist() == x[:, [0, 2, 1, 3]].tolist()
    with pytest.raises(RuntimeError, match="square"):
        nn_ops.pixel_shuffle(x, 3)


def test_one_hot() -> None:
    assert nn_ops.one_hot(fb.tensor([0, 2])).tolist() == [[1, 0, 0], [0, 0, 1]]
    assert tuple(nn_ops.one_hot(fb.tensor([[1]]), 4).shape) == (1, 1, 4)
    for values, classes, message in (
        ([-1], -1, "non-negative"),
        ([3], 3, "smaller"),
        ([1], 0, "positive"),
    ):
        with pytest.raises(RuntimeError, match=message):
            nn_ops.one_hot(fb.tensor(values), classes)


def test_binary_cross_entropy() -> None:
    p = fb.tensor([0.0, 0.25, 1.0], dtype=fb.float64)
    target = fb.tensor([0.0, 1.0, 0.0], dtype=fb.float64)
    close(
        nn_ops.binary_cross_entropy(p, target, reduction="none"),
        [0.0, -math.log(0.25), 100.0],
    )
    with pytest.raises(RuntimeError, match="between 0 and 1"):
        nn_ops.binary_cross_entropy(p + 1, target)


@pytest.mark.parametrize("name", ["hardtanh", "relu6", "hardsigmoid", "softshrink"])
def test_steps_of_nan_are_flat(name: str) -> None:
    x = fb.tensor([math.nan, 0.75, 9.0], requires_grad=True)
    result = getattr(nn_ops, name)(x)
    assert result.isnan().tolist() == [True, False, False]
    (grad,) = fb.autograd.grad(result.sum(), x)
    assert grad[0] == 0 and grad[1] != 0


def test_relu_of_nan_has_its_slope_above_zero() -> None:
    x = fb.tensor([math.nan, 0.0, 2.0], requires_grad=True)
    (grad,) = fb.autograd.grad(fb.relu(x).sum(), x)
    assert grad.tolist() == [1.0, 0.0, 1.0]
    (grad,) = fb.autograd.grad(fb.hardshrink(x).sum(), x)
    assert grad.tolist() == [0.0, 0.0, 1.0]


def test_hard_steps_of_whole_numbers() -> None:
    x = fb.tensor([-9, 2, 7])
    assert nn_ops.hardtanh(x, -3, 4).tolist() == [-3, 2, 4]
    assert nn_ops.relu6(x).tolist() == [0, 2, 6] and nn_ops.relu6(x).dtype == fb.int64


def test_ctc_gradient_is_that_of_normalized_rows() -> None:
    """Also of rows that do not sum to 1: the row's probabilities less those of the labels."""
    logs = fb.tensor([[[-0.5, -2.0, -3.0]]], dtype=fb.float64, requires_grad=True)
    loss = nn_ops.ctc_loss(logs, fb.tensor([[1]]), [1], [1], reduction="sum")
    assert loss.item() == 2.0
    (grad,) = fb.autograd.grad(loss, logs)
    close(grad, [[[math.exp(-0.5), math.exp(-2.0) - 1, math.exp(-3.0)]]])


def test_batch_norm_of_nothing() -> None:
    assert fb.nn_ops.batch_norm(fb.ones(0), None, None, training=True).shape == (0,)
    with pytest.raises(IndexError, match="batch_norm"):
        fb.nn_ops.batch_norm(fb.ones(3), None, None, training=True)
