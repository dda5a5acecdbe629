"""Elementwise functions of three tensors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from flambeau_testing.op_samples.declaration import Array, Constant, Declaration, Sample


def where_samples(rng: np.random.Generator) -> Iterator[Sample]:
    for condition, a, b in (((3, 4), (3, 4), (3, 4)), ((4,), (3, 1), ()), ((0,), (0,), (0,))):
        mask = rng.integers(0, 2, condition).astype(bool)
        yield Sample((Constant(mask), rng.uniform(-2, 2, a), rng.uniform(-2, 2, b)))


def fused_samples(rng: np.random.Generator) -> Iterator[Sample]:
    for a, b, c in (((3, 4), (3, 4), (3, 4)), ((3, 1), (4,), (3, 4))):
        args = (rng.uniform(-2, 2, a), rng.uniform(-2, 2, b), rng.uniform(0.5, 2, c))
        yield Sample(args)
        yield Sample(args, {"value": 0.5})


def lerp_samples(rng: np.random.Generator) -> Iterator[Sample]:
    ends = rng.uniform(-2, 2, (3, 4)), rng.uniform(-2, 2, (3, 4))
    yield Sample((*ends, 0.25))
    yield Sample((*ends, rng.uniform(0, 1, (3, 4))))


def clamp_samples(rng: np.random.Generator) -> Iterator[Sample]:
    x = rng.uniform(-2, 2, (3, 5))
    yield Sample((x, -1.03, 0.97))
    yield Sample((x,), {"min": 0.31})
    yield Sample((x,), {"max": 0.29})
    yield Sample((x, rng.uniform(-2, -1, (5,)), rng.uniform(1, 2, (3, 1))))


def clamp(x: Array, min: Any = None, max: Any = None) -> Array:
    x = x if min is None else np.maximum(x, min)
    return x if max is None else np.minimum(x, max)


DECLARATIONS = (
    Declaration("where", np.where, where_samples),
    Declaration("addcmul", lambda a, b, c, value=1: a + value * b * c, fused_samples),
    Declaration("addcdiv", lambda a, b, c, value=1: a + value * b / c, fused_samples),
    Declaration("lerp", lambda a, b, w: a + w * (b - a), lerp_samples),
    Declaration("clamp", clamp, clamp_samples),
)
