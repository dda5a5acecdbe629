"""Ops that rearrange values without changing them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from flambeau_testing.op_samples.declaration import NUMBERS, Array, Declaration, Sample


def rearranged(
    name: str, reference: Callable[..., Any], shape: tuple[int, ...], *calls: tuple[Any, ...]
) -> Declaration:
    """An op on one array, called with each of the given arguments."""

    def samples(rng: np.random.Generator) -> list[Sample]:
        values = rng.integers(0, 9, shape).astype(float)
        return [Sample((values, *arguments)) for arguments in calls]

    return Declaration(name, reference, samples, NUMBERS)


def method(
    name: str, reference: Callable[..., Any], shape: tuple[int, ...], *calls: tuple[Any, ...]
) -> Declaration:
    """The same for an op that is a method only."""
    row = rearranged(name, reference, shape, *calls)
    return replace(row, method=name, strided=name != "view")


def unfold(x: Array, dim: int, size: int, step: int) -> Array:
    starts = range(0, x.shape[dim] - size + 1, step)
    windows = [np.take(x, np.arange(s, s + size), dim) for s in starts]
    return np.stack([np.moveaxis(w, dim, -1) for w in windows], axis=dim)


DECLARATIONS = (
    rearranged("reshape", np.reshape, (2, 3, 4), ((6, 4),), ((-1, 2),), ((24,),)),
    rearranged("flatten", lambda x, s, e: x.reshape(2, 12), (2, 3, 4), (1, -1)),
    rearranged("transpose", np.swapaxes, (2, 3, 4), (0, 2), (-1, 1)),
    rearranged("permute", np.transpose, (2, 3, 4), ((2, 0, 1),)),
    rearranged("squeeze", np.squeeze, (2, 1, 3, 1), (), (1,)),
    rearranged("unsqueeze", np.expand_dims, (2, 3), (0,), (-1,)),
    rearranged("movedim", np.moveaxis, (2, 3, 4), (0, 2)),
    rearranged("flip", np.flip, (2, 3, 4), ((0,),), ((1, 2),)),
    rearranged("roll", np.roll, (3, 4), (2,), (1, 0), ((1, -2), (0, 1))),
    rearranged("tril", np.tril, (4, 5), (), (1,), (-1,)),
    rearranged("triu", np.triu, (4, 5), (), (1,), (-1,)),
    rearranged("diagonal", np.diagonal, (3, 4), (), (1,)),
    rearranged("narrow", lambda x, d, s, n: x[:, 1:3], (3, 4), (1, 1, 2)),
    rearranged("select", lambda x, d, i: np.take(x, i, d), (3, 4), (0, 1), (1, -1)),
    rearranged("repeat_interleave", np.repeat, (2, 3), (2, 1)),
    rearranged("tile", np.tile, (2, 3), ((2, 2),), ((2, 1, 3),)),
    rearranged("broadcast_to", np.broadcast_to, (3, 1), ((2, 3, 4),)),
    method("expand", lambda x, *s: np.broadcast_to(x, (2, 3, 4)), (3, 1), (2, 3, 4), (2, -1, 4)),
    method("view", lambda x, *s: np.reshape(x, s), (2, 3, 4), (6, 4), (2, -1)),
    method("repeat", lambda x, *r: np.tile(x, r), (2, 3), (2, 1), (2, 1, 3)),
    method("unfold", unfold, (2, 7), (1, 3, 2)),
    method("contiguous", lambda x: x, (2, 3), ()),
    method("clone", lambda x: x, (2, 3), ()),
)
