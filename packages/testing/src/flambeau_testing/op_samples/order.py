"""Sorting, the greatest values, and searching in sorted ones."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from flambeau_testing.op_samples.declaration import Array, Constant, Declaration, Sample


def distinct(rng: np.random.Generator, *shape: int) -> Array:
    return rng.permutation(np.linspace(-2, 2, int(np.prod(shape)))).reshape(shape)


def sort_samples(rng: np.random.Generator) -> Iterator[Sample]:
    x = distinct(rng, 3, 4, 2)
    yield Sample((x,))
    yield Sample((x, 1))
    yield Sample((x,), {"dim": 0, "descending": True})


def sort(x: Array, dim: int = -1, descending: bool = False) -> tuple[Array, Array]:
    positions = np.argsort(-x if descending else x, axis=dim, kind="stable")
    return np.take_along_axis(x, positions, dim), positions


def topk_samples(rng: np.random.Generator) -> Iterator[Sample]:
    x = distinct(rng, 3, 6)
    yield Sample((x, 2))
    yield Sample((x, 2, 0))
    yield Sample((x, 3), {"largest": False})


def topk(x: Array, k: int, dim: int = -1, largest: bool = True) -> tuple[Array, Array]:
    values, positions = sort(x, dim, largest)
    first = np.arange(k)
    return np.take(values, first, dim), np.take(positions, first, dim)


def extreme_samples(rng: np.random.Generator) -> Iterator[Sample]:
    x = distinct(rng, 3, 4)
    yield Sample((x, 0))
    yield Sample((x, -1), {"keepdim": True})


def greatest(x: Array, dim: int, keepdim: bool = False) -> tuple[Array, Array]:
    return np.max(x, axis=dim, keepdims=keepdim), np.argmax(x, axis=dim, keepdims=keepdim)


def least(x: Array, dim: int, keepdim: bool = False) -> tuple[Array, Array]:
    return np.min(x, axis=dim, keepdims=keepdim), np.argmin(x, axis=dim, keepdims=keepdim)


def search_samples(rng: np.random.Generator) -> Iterator[Sample]:
    boundaries = np.array([-1.0, 0.0, 0.5, 0.5, 2.0])
    values = np.array([[-2.0, -1.0, 0.5], [0.25, 2.0, 3.0]])
    yield Sample((boundaries, values))
    yield Sample((boundaries, values), {"right": True})


def searchsorted(boundaries: Array, values: Array, right: bool = False) -> Array:
    return np.asarray(np.searchsorted(boundaries, values, side="right" if right else "left"))


DECLARATIONS = (
    Declaration("sort", sort, sort_samples),
    Declaration("topk", topk, topk_samples),
    Declaration("max", greatest, extreme_samples),
    Declaration("min", least, extreme_samples),
    Declaration("searchsorted", searchsorted, search_samples, differentiable=False),
    Declaration(
        "bincount",
        lambda x, minlength=0: np.bincount(x, minlength=minlength),
        lambda rng: [
            Sample((Constant(rng.integers(0, 6, 20)),)),
            Sample((Constant(rng.integers(0, 3, 5)),), {"minlength": 9}),
        ],
        ("float64",),
        differentiable=False,
    ),
)
