"""Losses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from flambeau_testing.op_samples.declaration import Array, Constant, Declaration, Sample

CLASSES = 4


def reduced(losses: Array, reduction: str, weights: Any = None) -> Any:
    if reduction == "none":
        return losses
    if reduction == "sum":
        return losses.sum()
    return losses.sum() / weights.sum() if weights is not None else losses.mean()


def nll_loss(
    scores: Array,
    target: Array,
    weight: Any = None,
    ignore_index: int = -100,
    reduction: str = "mean",
) -> Any:
    kept = target != ignore_index
    safe = np.where(kept, target, 0)
    weights = (np.ones(scores.shape[1]) if weight is None else weight)[safe] * kept
    picked = np.take_along_axis(scores, np.expand_dims(safe, 1), 1).squeeze(1)
    return reduced(-weights * picked, reduction, weights)


def cross_entropy(
    x: Array,
    target: Array,
    weight: Any = None,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Any:
    scores = x - x.max(1, keepdims=True)
    scores = scores - np.log(np.exp(scores).sum(1, keepdims=True))
    exact = nll_loss(scores, target, weight, ignore_index, reduction)
    if not label_smoothing:
        return exact
    kept = target != ignore_index
    weights = np.ones(x.shape[1]) if weight is None else weight
    total = weights[np.where(kept, target, 0)] * kept
    shape = (1, -1, *[1] * (x.ndim - 2))
    smooth = reduced(-(scores * weights.reshape(shape)).sum(1) * kept, reduction, total)
    return (1 - label_smoothing) * exact + label_smoothing * smooth / x.shape[1]


def class_samples(smoothing: bool) -> Callable[[np.random.Generator], Iterator[Sample]]:
    def samples(rng: np.random.Generator) -> Iterator[Sample]:
        x = rng.uniform(-2, 2, (5, CLASSES))
        target = Constant(np.array([0, 3, 1, 1, 2]))
        weight = Constant(np.array([0.5, 1.0, 2.0, 0.25]))
        for reduction in ("mean", "sum", "none"):
            yield Sample((x, target), {"reduction": reduction})
        yield Sample((x, target, weight))
        yield Sample((x, Constant(np.array([0, -100, 1, -100, 2]))))
        yield Sample(
            (x, Constant(np.array([0, 2, 1, 2, 2]))), {"ignore_index": 2, "reduction": "sum"}
        )
        image = rng.uniform(-2, 2, (2, CLASSES, 3, 2))
        yield Sample((image, Constant(rng.integers(0, CLASSES, (2, 3, 2)))))
        if smoothing:
            yield Sample((x, target), {"label_smoothing": 0.1})
            yield Sample((x, target, weight), {"label_smoothing": 0.2})

    return samples


def pair_samples(rng: np.random.Generator) -> Iterator[Sample]:
    for reduction in ("mean", "sum", "none"):
        args = (rng.uniform(-2, 2, (3, 4)), rng.uniform(0.1, 0.9, (3, 4)))
        yield Sample(args, {"reduction": reduction})


def mse_loss(x: Array, y: Array, reduction: str = "mean") -> Any:
    return reduced((x - y) ** 2, reduction)


def bce_with_logits(
    x: Array, y: Array, weight: Any = 1.0, pos_weight: Any = 1.0, reduction: str = "mean"
) -> Any:
    positive, negative = np.log1p(np.exp(-x)), np.log1p(np.exp(x))
    return reduced(weight * (pos_weight * y * positive + (1 - y) * negative), reduction)


def bce_samples(rng: np.random.Generator) -> Iterator[Sample]:
    yield from pair_samples(rng)
    x, y = rng.uniform(-2, 2, (3, 4)), rng.uniform(0.1, 0.9, (3, 4))
    weights = {
        "weight": Constant(rng.uniform(0.5, 2, 4)),
        "pos_weight": Constant(rng.uniform(0.5, 2, 4)),
    }
    yield Sample((x, y), weights)


def loss(name: str, reference: Callable[..., Any], samples: Any) -> Declaration:
    return Declaration(name, reference, samples, namespace="nn_ops", widen=8)


DECLARATIONS = (
    loss("cross_entropy", cross_entropy, class_samples(smoothing=True)),
    loss("nll_loss", nll_loss, class_samples(smoothing=False)),
    loss("mse_loss", mse_loss, pair_samples),
    loss("binary_cross_entropy_with_logits", bce_with_logits, bce_samples),
)
