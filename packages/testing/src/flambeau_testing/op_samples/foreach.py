"""Ops over lists of tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from flambeau_testing.op_samples.declaration import Array, Declaration, Sample

SHAPES = ((2, 3), (4,), ())


def lists(rng: np.random.Generator, count: int) -> list[list[Array]]:
    return [[rng.uniform(0.5, 1.5, shape) for shape in SHAPES] for _ in range(count)]


def calls(count: int, *rest: Any) -> Callable[[np.random.Generator], Iterator[Sample]]:
    """One call with so many lists, and one for each of the arguments that may follow."""

    def samples(rng: np.random.Generator) -> Iterator[Sample]:
        for last in rest or (None,):
            yield Sample((*lists(rng, count), *(() if last is None else (last,))))

    return samples


def each(function: Callable[..., Any]) -> Callable[..., list[Any]]:
    """A function over the entries of lists; what is no list is the same for all."""

    def over(*operands: Any, **kwargs: Any) -> list[Any]:
        count = len(operands[0])
        columns = [o if isinstance(o, list) else [o] * count for o in operands]
        return [function(*row, **kwargs) for row in zip(*columns)]

    return over


NUMBERS = ([0.5, 2.0, 3.0], 2.0)

DECLARATIONS = (
    Declaration("_foreach_exp", each(np.exp), calls(1)),
    Declaration("_foreach_sqrt", each(np.sqrt), calls(1)),
    Declaration("_foreach_reciprocal", each(np.reciprocal), calls(1)),
    Declaration("_foreach_max", each(np.max), calls(1)),
    Declaration("_foreach_add", each(np.add), calls(1, *NUMBERS)),
    Declaration("_foreach_sub", each(np.subtract), calls(2)),
    Declaration("_foreach_mul", each(np.multiply), calls(1, *NUMBERS)),
    Declaration("_foreach_div", each(np.divide), calls(2)),
    Declaration("_foreach_pow", each(np.power), calls(1, *NUMBERS)),
    Declaration("_foreach_clamp_max", each(np.minimum), calls(1, [0.6, 1.0, 1.4], 1.0)),
    Declaration("_foreach_maximum", each(np.maximum), calls(2)),
    Declaration("_foreach_addcmul", each(lambda x, a, b, v: x + v * a * b), calls(3, *NUMBERS)),
    Declaration("_foreach_addcdiv", each(lambda x, a, b, v: x + v * a / b), calls(3, *NUMBERS)),
    Declaration("_foreach_lerp", each(lambda x, y, w: x + w * (y - x)), calls(2, *NUMBERS)),
)
