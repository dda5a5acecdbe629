"""Reading and writing by index."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from flambeau_testing.op_samples.declaration import Array, Constant, Declaration, Sample


def gather_samples(rng: np.random.Generator) -> Iterator[Sample]:
    x = rng.uniform(-2, 2, (3, 4))
    yield Sample((x, 1, Constant(rng.integers(0, 4, (3, 2)))))
    yield Sample((x, 0, Constant(rng.integers(0, 3, (5, 4)))))


def scatter_samples(rng: np.random.Generator) -> Iterator[Sample]:
    """Every place is written once, so that the order of writing does not matter."""
    x = rng.uniform(-2, 2, (3, 5))
    rows = np.stack([rng.permutation(5)[:4] for _ in range(3)])
    yield Sample((x, 1, Constant(rows), rng.uniform(-2, 2, (3, 4))))


def scatter_add_samples(rng: np.random.Generator) -> Iterator[Sample]:
    x = rng.uniform(-2, 2, (3, 5))
    yield Sample((x, 1, Constant(rng.integers(0, 5, (3, 6))), rng.uniform(-2, 2, (3, 6))))
    yield Sample((x, 0, Constant(rng.integers(0, 3, (4, 5))), rng.uniform(-2, 2, (4, 5))))


def scatter(x: Array, dim: int, index: Array, source: Array) -> Array:
    result = x.copy()
    np.put_along_axis(result, index, source, dim)
    return result


def scatter_add(x: Array, dim: int, index: Array, source: Array) -> Array:
    result = x.copy()
    for place in np.ndindex(*index.shape):
        target = list(place)
        target[dim] = index[place]
        result[tuple(target)] += source[place]
    return result


def select_samples(rng: np.random.Generator) -> Iterator[Sample]:
    x = rng.uniform(-2, 2, (3, 4))
    yield Sample((x, 0, Constant(np.array([2, 0, 2]))))
    yield Sample((x, -1, Constant(np.array([1, 3]))))
    yield Sample((x, 0, Constant(np.array([], dtype=np.int64))))


def index_add_samples(rng: np.random.Generator) -> Iterator[Sample]:
    x = rng.uniform(-2, 2, (3, 4))
    yield Sample((x, 0, Constant(np.array([2, 0, 2])), rng.uniform(-2, 2, (3, 4))))
    yield Sample((x, 1, Constant(np.array([1, 1])), rng.uniform(-2, 2, (3, 2))))


def index_add(x: Array, dim: int, index: Array, source: Array) -> Array:
    result = np.moveaxis(x.copy(), dim, 0)
    np.add.at(result, index, np.moveaxis(source, dim, 0))
    return np.moveaxis(result, 0, dim)


def masked_fill_samples(rng: np.random.Generator) -> Iterator[Sample]:
    x = rng.uniform(-2, 2, (3, 4))
    yield Sample((x, Constant(rng.integers(0, 2, (3, 4)).astype(bool)), 0.5))
    yield Sample((x, Constant(rng.integers(0, 2, (4,)).astype(bool)), -1))


def masked_select_samples(rng: np.random.Generator) -> Iterator[Sample]:
    yield Sample((rng.uniform(-2, 2, (3, 4)), Constant(rng.integers(0, 2, (3, 4)).astype(bool))))


def reading(index: Callable[[Any], Any]) -> Callable[..., Any]:
    """The same subscript serves tensors and arrays."""
    return lambda x, *more: x[index(*more)]


def subscript(name: str, index: Callable[..., Any], *more: Any) -> Declaration:
    return Subscript(
        name,
        reading(index),
        lambda rng: [Sample((rng.uniform(-2, 2, (4, 3, 5)), *map(Constant, more)))],
    )


class Subscript(Declaration):
    """A declaration whose op is a subscript, the same on tensors as on arrays."""

    @property
    def function(self) -> Callable[..., Any]:
        return self.reference


MASK = np.arange(12).reshape(4, 3) % 3 == 1
DECLARATIONS = (
    Declaration("gather", lambda x, dim, i: np.take_along_axis(x, i, dim), gather_samples),
    Declaration("scatter", scatter, scatter_samples),
    Declaration("scatter_add", scatter_add, scatter_add_samples),
    Declaration("index_select", lambda x, dim, i: np.take(x, i, dim), select_samples),
    Declaration("index_add", index_add, index_add_samples),
    Declaration("masked_fill", lambda x, m, v: np.where(m, v, x), masked_fill_samples),
    Declaration("masked_select", lambda x, mask: x[mask], masked_select_samples),
    Declaration(
        "nonzero",
        lambda x: np.stack(np.nonzero(x), axis=-1),
        lambda rng: [Sample((rng.integers(0, 2, (3, 4)).astype(float),))],
        differentiable=False,
    ),
    subscript("x[1]", lambda: 1),
    subscript("x[-2:, ::2]", lambda: (slice(-2, None), slice(None, None, 2))),
    subscript("x[..., None, 0]", lambda: (..., None, 0)),
    subscript("x[index]", lambda i: i, np.array([[3, 0], [-1, 1]])),
    subscript("x[:, index, index]", lambda i, j: (slice(None), i, j), [0, 2, 1], [4, 4, 0]),
    subscript("x[index, :, index]", lambda i, j: (i, slice(None), j), [0, 3], [1, -1]),
    subscript("x[mask]", lambda mask: mask, MASK),
)
