"""Ops that leave out what a mask says, against NumPy's masked arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from flambeau_testing.op_samples.declaration import Array, Constant, Declaration, Sample

WIDTHS = ("float64", "float32")
# No row or column is left out altogether.
MASK = np.array([[True, False, True, True], [False, True, True, False], [True, True, False, True]])


def calls(*dims: Any, before: tuple[Any, ...] = ()) -> Callable[..., Iterator[Sample]]:
    """One call a dimension, with a mask of the same shape and one that is broadcast."""

    def samples(rng: np.random.Generator) -> Iterator[Sample]:
        x = rng.permutation(np.linspace(0.5, 1.5, 12)).reshape(3, 4)
        for dim in dims:
            # The one that is broadcast leaves something along the dimension too.
            for mask in (MASK, MASK[:, :1] if dim == 0 else MASK[1]):
                yield Sample((x, *before, dim), {"mask": Constant(mask)})

    return samples


def left(x: Array, mask: Array) -> Any:
    return np.ma.array(x, mask=~np.broadcast_to(mask, x.shape))


def reduction(name: str, **settings: Any) -> Callable[..., Array]:
    """The method of that name of NumPy's masked arrays."""

    def reference(x: Array, dim: Any, *, mask: Array) -> Array:
        return np.asarray(getattr(left(x, mask), name)(axis=dim, **settings))

    return reference


def norm(x: Array, order: float, dim: Any, *, mask: Array) -> Array:
    powers = left(np.abs(x) ** order, mask).sum(axis=dim)
    return np.asarray(powers ** (1 / order))


def normalize(x: Array, order: float, dim: int, *, mask: Array) -> Array:
    lengths = np.expand_dims(norm(x, order, dim, mask=mask), dim)
    return np.where(mask, x, 0) / lengths


def shares(sign: int) -> Callable[..., Array]:
    def reference(x: Array, dim: int, *, mask: Array) -> Array:
        powers = np.where(mask, np.exp(sign * x), 0)
        return np.asarray(powers / powers.sum(dim, keepdims=True))

    return reference


def log_shares(x: Array, dim: int, *, mask: Array) -> Array:
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(shares(1)(x, dim, mask=mask)))


def logsumexp(x: Array, dim: Any, *, mask: Array) -> Array:
    return np.asarray(np.log(left(np.exp(x), mask).sum(axis=dim)))


def running(name: str, fill: float) -> Callable[..., Array]:
    def reference(x: Array, dim: int, *, mask: Array) -> Array:
        return np.asarray(getattr(np, name)(np.where(mask, x, fill), axis=dim))

    return reference


def lower_median(x: Array, dim: int, *, mask: Array) -> Array:
    values = np.sort(np.where(mask, x, np.inf), dim)
    count = np.broadcast_to(mask, x.shape).sum(dim, keepdims=True)
    return np.take_along_axis(values, (count - 1) // 2, dim).squeeze(dim)


def pairs(rng: np.random.Generator) -> Iterator[Sample]:
    x, y = rng.uniform(-1, 1, (3, 4)), rng.uniform(-1, 1, (3, 4))
    other = ~MASK
    other[0] = True
    yield Sample((x, y), {"input_mask": Constant(MASK), "other_mask": Constant(other)})


def logaddexp(x: Array, y: Array, *, input_mask: Array, other_mask: Array) -> Array:
    terms = np.where(input_mask, np.exp(x), 0) + np.where(other_mask, np.exp(y), 0)
    return np.asarray(np.log(terms))


def declared(
    name: str,
    reference: Callable[..., Any],
    samples: Callable[[np.random.Generator], Iterator[Sample]],
) -> Declaration:
    return Declaration(name, reference, samples, WIDTHS, namespace="masked")


DECLARATIONS = (
    declared("sum", reduction("sum"), calls(0, -1, (0, 1), None)),
    declared("prod", reduction("prod"), calls(0, -1)),
    declared("mean", reduction("mean"), calls(0, -1, (0, 1), None)),
    declared("amax", reduction("max"), calls(0, -1)),
    declared("amin", reduction("min"), calls(0, -1)),
    declared("var", reduction("var", ddof=1), calls(0, (0, 1))),
    declared("std", reduction("std", ddof=1), calls(0, (0, 1))),
    declared("median", lower_median, calls(0, -1)),
    declared("norm", norm, calls(0, (0, 1), before=(3.0,))),
    declared("normalize", normalize, calls(0, -1, before=(2.0,))),
    declared("logsumexp", logsumexp, calls(0, (0, 1))),
    declared("logaddexp", logaddexp, pairs),
    declared("softmax", shares(1), calls(0, -1)),
    declared("softmin", shares(-1), calls(0, -1)),
    declared("cumsum", running("cumsum", 0), calls(0, -1)),
    declared("cumprod", running("cumprod", 1), calls(0, -1)),
)
