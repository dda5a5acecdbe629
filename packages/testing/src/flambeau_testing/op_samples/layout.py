"""Views as new tensors, and ops that read or write through another layout of the memory."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from flambeau_testing.op_samples.declaration import FLOATS, Array, Declaration, Sample
from flambeau_testing.op_samples.shape import rearranged, unfold


def as_strided(x: Array, size: tuple[int, ...], stride: tuple[int, ...], offset: int = 0) -> Array:
    """Of a contiguous array: each element's place is counted out."""
    places: Array = np.asarray(offset)
    for axis, (n, step) in enumerate(zip(size, stride)):
        along = [-1 if d == axis else 1 for d in range(len(size))]
        places = places + np.arange(n).reshape(along) * step
    return x.reshape(-1)[places]


def as_strided_scatter(
    x: Array, source: Array, size: tuple[int, ...], stride: tuple[int, ...], offset: int = 0
) -> Array:
    result = x.copy()
    result.reshape(-1)[as_strided(np.arange(x.size), size, stride, offset)] = source
    return result


def as_strided_scatter_samples(rng: np.random.Generator) -> list[Sample]:
    x, source = rng.uniform(-2, 2, (3, 4)), rng.uniform(-2, 2, (2, 3))
    return [Sample((x, source, (2, 3), (4, 1), 1)), Sample((x, source, (2, 3), (1, 4)))]


def padded(x: Array, pad: tuple[int, ...], value: float = 0) -> Array:
    widths = [(0, 0)] * x.ndim
    for place, pair in enumerate(zip(pad[::2], pad[1::2])):
        widths[x.ndim - 1 - place] = pair
    grown = np.pad(x, [(max(a, 0), max(b, 0)) for a, b in widths], constant_values=value)
    cuts = [slice(max(-a, 0), n - max(-b, 0)) for (a, b), n in zip(widths, grown.shape)]
    return grown[tuple(cuts)]


def sum_to_size(x: Array, *size: int) -> Array:
    lead = x.ndim - len(size)
    kept = x.sum(tuple(range(lead)))
    axes = tuple(d for d, n in enumerate(size) if n == 1)
    return kept.sum(axes, keepdims=True)


def sum_to_size_samples(rng: np.random.Generator) -> list[Sample]:
    x = rng.uniform(-2, 2, (2, 3, 4))
    return [Sample((x, 3, 4)), Sample((x, 2, 1, 4)), Sample((x, 1, 1)), Sample((x, 2, 3, 4))]


def first(x: Array, *_: Any) -> Array:
    return x


DECLARATIONS = (
    rearranged("alias_copy", first, (2, 3), ()),
    replace(rearranged("detach_copy", first, (2, 3), ()), differentiable=False),
    rearranged("diagonal_copy", np.diagonal, (3, 4), (), (1,)),
    rearranged("expand_copy", np.broadcast_to, (3, 1), ((2, 3, 4),)),
    rearranged("narrow_copy", lambda x, d, s, n: x[:, 1:3], (3, 4), (1, 1, 2)),
    rearranged("permute_copy", np.transpose, (2, 3, 4), ((2, 0, 1),)),
    rearranged("select_copy", lambda x, d, i: np.take(x, i, d), (3, 4), (0, 1), (1, -1)),
    rearranged("slice_copy", lambda x, d, s, e, n: x[:, 1:4:2], (3, 5), (1, 1, 4, 2)),
    rearranged("squeeze_copy", np.squeeze, (2, 1, 3, 1), (), (1,)),
    rearranged("t_copy", np.transpose, (2, 3), ()),
    rearranged("transpose_copy", np.swapaxes, (2, 3, 4), (0, 2), (-1, 1)),
    rearranged("unfold_copy", unfold, (3, 7), (1, 3, 2)),
    rearranged("unsqueeze_copy", np.expand_dims, (2, 3), (0,), (-1,)),
    # Powers of whole numbers are int64, as products of them are.
    replace(
        rearranged(
            "vander", lambda x, n=None, up=False: np.vander(x, n, up), (4,), (), (3,), (2, True)
        ),
        dtypes=(*FLOATS, "int64"),
    ),
    Declaration(
        "view_copy",
        np.reshape,
        lambda rng: [Sample((rng.uniform(-2, 2, (2, 3, 4)), (6, 4)))],
        strided=False,
    ),
    Declaration(
        "as_strided_copy",
        as_strided,
        lambda rng: [Sample((rng.uniform(-2, 2, (3, 4)), (2, 3), (1, 2), 1))],
        strided=False,
    ),
    Declaration(
        "as_strided_scatter", as_strided_scatter, as_strided_scatter_samples, strided=False
    ),
    Declaration(
        "constant_pad_nd",
        padded,
        lambda rng: [
            Sample((rng.uniform(-2, 2, (2, 3, 4)), (1, 2))),
            Sample((rng.uniform(-2, 2, (2, 3, 4)), (-1, 1, 2, -1), 0.5)),
            Sample((rng.uniform(-2, 2, (2, 3)), (-1, -1))),
        ],
    ),
    Declaration("sum_to_size", sum_to_size, sum_to_size_samples, method="sum_to_size"),
)
