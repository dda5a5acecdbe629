"""Activations, normalisation, convolution and pooling."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from flambeau_testing.op_samples.declaration import Array, Constant, Declaration, Sample
from flambeau_testing.op_samples.unary import between, elementwise


def sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def gelu(x: Array, approximate: str = "none") -> Array:
    if approximate == "tanh":
        inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
        return 0.5 * x * (1 + np.tanh(inner))
    return 0.5 * x * (1 + elementwise(math.erf)(x / math.sqrt(2)))


def softmax(x: Array, dim: int) -> Array:
    powers = np.exp(x - x.max(axis=dim, keepdims=True))
    return powers / powers.sum(axis=dim, keepdims=True)


def along_dimensions(rng: np.random.Generator) -> Iterator[Sample]:
    for shape, dim in (((3, 5), 1), ((3, 5), 0), ((2, 3, 4), 1), ((2, 3, 4), -1)):
        yield Sample((rng.uniform(-3, 3, shape), dim))


def gelu_samples(rng: np.random.Generator) -> Iterator[Sample]:
    for approximate in ("none", "tanh"):
        yield Sample((rng.uniform(-3, 3, (3, 5)),), {"approximate": approximate})


def layer_norm(
    x: Array, shape: tuple[int, ...], weight: Any = 1.0, bias: Any = 0.0, eps: float = 1e-5
) -> Array:
    axes = tuple(range(x.ndim - len(shape), x.ndim))
    mean, variance = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
    return (x - mean) / np.sqrt(variance + eps) * weight + bias


def layer_norm_samples(rng: np.random.Generator) -> Iterator[Sample]:
    x = rng.uniform(-2, 2, (4, 3, 5))
    yield Sample((x, (5,)))
    yield Sample((x, (5,), rng.uniform(0.5, 2, 5), rng.uniform(-1, 1, 5)))
    yield Sample((x, (3, 5), rng.uniform(0.5, 2, (3, 5)), rng.uniform(-1, 1, (3, 5))))


def over_channels(values: Array, ndim: int) -> Array:
    return values.reshape(1, -1, *[1] * (ndim - 2))


def batch_norm(
    x: Array,
    running_mean: Any,
    running_var: Any,
    weight: Array,
    bias: Array,
    training: bool,
    eps: float = 1e-5,
) -> Array:
    axes = (0, *range(2, x.ndim))
    mean = x.mean(axes) if training else running_mean
    variance = x.var(axes) if training else running_var
    scale = over_channels(weight / np.sqrt(variance + eps), x.ndim)
    return (x - over_channels(mean, x.ndim)) * scale + over_channels(bias, x.ndim)


def batch_norm_samples(rng: np.random.Generator) -> Iterator[Sample]:
    for shape in ((6, 3), (4, 3, 2, 5)):
        x, weight, bias = rng.uniform(-2, 2, shape), rng.uniform(0.5, 2, 3), rng.uniform(-1, 1, 3)
        yield Sample((x, None, None, weight, bias), {"training": True})
        if shape == (6, 3):
            mean, variance = np.array([0.1, -0.2, 0.3]), np.array([1.0, 0.5, 2.0])
            fixed = (Constant(mean), Constant(variance))
            yield Sample((x, *fixed, weight, bias), {"training": False})


def group_norm(x: Array, groups: int, weight: Array, bias: Array, eps: float = 1e-5) -> Array:
    grouped = x.reshape(x.shape[0], groups, -1)
    mean, variance = grouped.mean(-1, keepdims=True), grouped.var(-1, keepdims=True)
    normal = ((grouped - mean) / np.sqrt(variance + eps)).reshape(x.shape)
    return normal * over_channels(weight, x.ndim) + over_channels(bias, x.ndim)


def group_norm_samples(rng: np.random.Generator) -> Iterator[Sample]:
    x = rng.uniform(-2, 2, (2, 4, 3, 2))
    for groups in (1, 2, 4):
        yield Sample((x, groups, rng.uniform(0.5, 2, 4), rng.uniform(-1, 1, 4)))


def windows(x: Array, kernel: tuple[int, ...], stride: int, dilation: int = 1) -> Iterator[Any]:
    """Each output position with the slice of the trailing dimensions that it sees."""
    sizes = x.shape[-len(kernel) :]
    spans = [dilation * (k - 1) + 1 for k in kernel]
    counts = [(n - span) // stride + 1 for n, span in zip(sizes, spans)]
    for place in np.ndindex(*counts):
        cut = [slice(p * stride, p * stride + span, dilation) for p, span in zip(place, spans)]
        seen = (..., *cut)
        yield (..., *place), x[seen], counts


def pad_spatial(x: Array, amount: int, ndim: int, value: float = 0.0) -> Array:
    return np.pad(x, [(0, 0)] * 2 + [(amount, amount)] * ndim, constant_values=value)


def convolution(
    x: Array,
    weight: Array,
    bias: Any = None,
    stride: int = 1,
    padding: int = 0,
    dilation: int = 1,
    groups: int = 1,
) -> Array:
    """Cross-correlation by its definition, one output position at a time."""
    ndim = weight.ndim - 2
    x = pad_spatial(x, padding, ndim)
    parts = []
    for g in range(groups):
        inside = np.split(x, groups, axis=1)[g]
        kernel = np.split(weight, groups, axis=0)[g]
        result: Any = None
        for place, window, counts in windows(inside, weight.shape[2:], stride, dilation):
            if result is None:
                result = np.zeros((x.shape[0], kernel.shape[0], *counts))
            axes = tuple(range(1, window.ndim))
            result[place] = np.tensordot(window, kernel, (axes, axes))
        parts.append(result)
    total = np.concatenate(parts, axis=1)
    return total if bias is None else total + over_channels(bias, total.ndim)


def convolution_samples(ndim: int) -> Callable[[np.random.Generator], Iterator[Sample]]:
    def samples(rng: np.random.Generator) -> Iterator[Sample]:
        side = {1: 9, 2: 5, 3: 4}[ndim]
        x = rng.uniform(-1, 1, (2, 4, *[side] * ndim))
        dense = rng.uniform(-1, 1, (3, 4, *[3] * ndim))
        bias = rng.uniform(-1, 1, 3)
        yield Sample((x, dense, bias))
        yield Sample((x, dense), {"stride": 2, "padding": 1})
        if ndim < 3:
            yield Sample((x, dense, bias), {"padding": 2, "dilation": 2})
            grouped = rng.uniform(-1, 1, (4, 2, *[2] * ndim))
            yield Sample((x, grouped), {"groups": 2})

    return samples


def pooling(reduce: Callable[..., Any], value: float) -> Callable[..., Array]:
    def pool(x: Array, kernel_size: int, stride: int | None = None, padding: int = 0) -> Array:
        x = pad_spatial(x, padding, 2, value)
        result: Any = None
        for place, window, counts in windows(x, (kernel_size, kernel_size), stride or kernel_size):
            if result is None:
                result = np.zeros((*x.shape[:2], *counts))
            result[place] = reduce(window, axis=(-2, -1))
        return np.asarray(result)

    return pool


def pooling_samples(rng: np.random.Generator) -> Iterator[Sample]:
    x = rng.permutation(np.linspace(-2, 2, 2 * 2 * 6 * 6)).reshape(2, 2, 6, 6)
    yield Sample((x, 2))
    yield Sample((x, 3), {"stride": 2, "padding": 1})
    yield Sample((x, 2), {"stride": 1})


def adaptive_average(x: Array, size: tuple[int, int]) -> Array:
    """Output cell i averages the inputs from floor(i n / m) up to ceil((i + 1) n / m)."""
    rows, columns = x.shape[-2:]
    result = np.zeros((*x.shape[:-2], *size))
    for i, j in np.ndindex(*size):
        down = slice(i * rows // size[0], -((-(i + 1) * rows) // size[0]))
        across = slice(j * columns // size[1], -((-(j + 1) * columns) // size[1]))
        result[..., i, j] = x[..., down, across].mean((-2, -1))
    return result


def adaptive_samples(rng: np.random.Generator) -> Iterator[Sample]:
    x = rng.uniform(-2, 2, (2, 3, 5, 7))
    for size in ((1, 1), (2, 3), (5, 7)):
        yield Sample((x, size))


def embedding_samples(rng: np.random.Generator) -> Iterator[Sample]:
    table = rng.uniform(-2, 2, (6, 3))
    yield Sample((Constant(np.array([[0, 5], [2, 2]])), table))
    yield Sample((Constant(np.array(4)), table))


def op(name: str, reference: Callable[..., Any], samples: Any, **settings: Any) -> Declaration:
    return Declaration(name, reference, samples, namespace="nn_ops", **settings)


SOME = between(0.05, 3)
EVERY = between(-3, 3)
DECLARATIONS = (
    op("relu", lambda x: np.maximum(x, 0), SOME),
    op("relu", lambda x: np.maximum(x, 0), between(-3, -0.05)),
    op("sigmoid", sigmoid, EVERY),
    op("tanh", np.tanh, EVERY),
    op("gelu", gelu, gelu_samples),
    op("silu", lambda x: x * sigmoid(x), EVERY),
    op("softplus", lambda x: np.log1p(np.exp(x)), EVERY),
    op("leaky_relu", lambda x: np.where(x > 0, x, 0.01 * x), SOME),
    op("leaky_relu", lambda x: np.where(x > 0, x, 0.01 * x), between(-3, -0.05)),
    op("elu", lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))), EVERY),
    op("softmax", softmax, along_dimensions, widen=4),
    op("log_softmax", lambda x, dim: np.log(softmax(x, dim)), along_dimensions, widen=4),
    op("layer_norm", layer_norm, layer_norm_samples, widen=8),
    op("batch_norm", batch_norm, batch_norm_samples, widen=8),
    op("group_norm", group_norm, group_norm_samples, widen=8),
    op("conv1d", convolution, convolution_samples(1), widen=8),
    op("conv2d", convolution, convolution_samples(2), widen=8),
    op("conv3d", convolution, convolution_samples(3), widen=8),
    op("max_pool2d", pooling(np.max, -np.inf), pooling_samples),
    op("avg_pool2d", pooling(np.mean, 0.0), pooling_samples, widen=4),
    op("adaptive_avg_pool2d", adaptive_average, adaptive_samples, widen=4),
    op("embedding", lambda index, table: table[index], embedding_samples),
)
