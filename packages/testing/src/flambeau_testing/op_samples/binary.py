"""Elementwise functions of two tensors, with broadcasting."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from flambeau_testing.op_samples.declaration import (
    FLOATS,
    INTEGERS,
    Array,
    Declaration,
    Sample,
)

# Pairs of shapes: equal, broadcast on either side, in both directions, scalar, empty.
SHAPES = (
    ((4, 3), (4, 3)),
    ((4, 3), (3,)),
    ((1, 3), (4, 1)),
    ((2, 1, 3), (4, 1)),
    ((), (5,)),
    ((0, 3), (3,)),
)
Range = tuple[float, float]


def pairs(left: Range, right: Range) -> Callable[[np.random.Generator], Iterator[Sample]]:
    def samples(rng: np.random.Generator) -> Iterator[Sample]:
        for a, b in SHAPES:
            yield Sample((rng.uniform(*left, a), rng.uniform(*right, b)))

    return samples


def integer_pairs(low: int, high: int, lowest: int | None = None) -> Any:
    """Whole numbers, the second of them from `lowest` on."""

    def samples(rng: np.random.Generator) -> Iterator[Sample]:
        for a, b in SHAPES:
            left = rng.integers(low, high, a).astype(float)
            right = rng.integers(low if lowest is None else lowest, high, b).astype(float)
            yield Sample((left, right))

    return samples


def with_numbers(left: Range, numbers: tuple[float, ...]) -> Any:
    """Python numbers on the right."""

    def samples(rng: np.random.Generator) -> Iterator[Sample]:
        for number in numbers:
            yield Sample((rng.uniform(*left, (3, 4)), number))

    return samples


def on_integers(function: Callable[..., Any]) -> Callable[[Array, Array], Array]:
    return lambda a, b: np.asarray(function(a.astype("int64"), b.astype("int64")), dtype=float)


def xlogy(x: Array, y: Array) -> Array:
    return np.where(x == 0, 0.0, x * np.log(y))


def binary(
    name: str, reference: Callable[..., Any], left: Range, right: Range, **settings: Any
) -> Declaration:
    return Declaration(name, reference, pairs(left, right), **settings)


ANY, POSITIVE, FAR = (-3, 3), (0.4, 3), (1.5, 4)
DECLARATIONS = (
    binary("add", np.add, ANY, ANY),
    binary("sub", np.subtract, ANY, ANY),
    binary("mul", np.multiply, ANY, ANY),
    binary("div", np.divide, ANY, FAR),
    binary("pow", np.power, POSITIVE, ANY, widen=4),
    binary("maximum", np.maximum, ANY, ANY),
    binary("minimum", np.minimum, ANY, ANY),
    binary("fmax", np.fmax, ANY, ANY),
    binary("fmin", np.fmin, ANY, ANY),
    binary("atan2", np.arctan2, FAR, ANY),
    binary("hypot", np.hypot, FAR, ANY),
    binary("copysign", np.copysign, POSITIVE, FAR),
    binary("logaddexp", np.logaddexp, ANY, ANY),
    binary("xlogy", xlogy, POSITIVE, POSITIVE),
    binary("fmod", np.fmod, (0.1, 1.4), FAR, dtypes=FLOATS),
    binary("remainder", np.mod, (0.1, 1.4), FAR, dtypes=FLOATS),
    binary("floor_divide", np.floor_divide, (5, 8), FAR, dtypes=("float64",), differentiable=False),
    *(
        Declaration(name, reference, integer_pairs(0, 9, lowest), INTEGERS, differentiable=False)
        for name, reference, lowest in (
            ("add", np.add, None),
            ("mul", np.multiply, None),
            ("maximum", np.maximum, None),
            ("remainder", np.mod, 1),
            ("floor_divide", np.floor_divide, 1),
            ("bitwise_and", on_integers(np.bitwise_and), None),
            ("bitwise_or", on_integers(np.bitwise_or), None),
            ("bitwise_xor", on_integers(np.bitwise_xor), None),
        )
    ),
    *(
        Declaration(
            name, on_integers(reference), integer_pairs(0, 4), INTEGERS, differentiable=False
        )
        for name, reference in (
            ("bitwise_left_shift", np.left_shift),
            ("bitwise_right_shift", np.right_shift),
        )
    ),
    Declaration("add", np.add, with_numbers(ANY, (2, 0.5, -1)), FLOATS),
    Declaration("mul", np.multiply, with_numbers(ANY, (2, 0.5)), FLOATS),
    Declaration("pow", np.power, with_numbers(POSITIVE, (2, 3, 0.5, -1)), FLOATS, widen=4),
)
