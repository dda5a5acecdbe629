"""Steps that give views: each says the view's place in memory again, in NumPy's terms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

import flambeau_core as fb

from .drawing import Drawing, count
from .program import Pair, Program


def restrided(x: np.ndarray, shape: Sequence[int], strides: Sequence[int]) -> np.ndarray:
    """A view that can be written to; the strides are bytes."""
    return as_strided(x, tuple(shape), tuple(strides))


def place(dim: int, rank: int) -> int:
    """Raises IndexError as an op on a dimension does, which takes 0 and -1 of a 0-dim tensor."""
    if not -max(rank, 1) <= dim < max(rank, 1):
        raise IndexError(dim)
    return dim % max(rank, 1)


def has_dimensions(pair: Pair) -> bool:
    return pair.array.ndim > 0


def index(draw: Drawing, shape: tuple[int, ...]) -> tuple[Any, ...]:
    """Of integers, slices, None and one ellipsis."""
    parts: list[Any] = []
    for length in shape[: draw.integer(0, len(shape))]:
        if draw.chance(35):
            slack = int(draw.chance(3))
            if length + slack:
                parts.append(draw.integer(-length - slack, length - 1 + slack))
                continue
        parts.append(draw.slice_(length))
    if draw.chance(20):
        parts.insert(draw.integer(0, len(parts)), None)
    if draw.chance(15):
        parts.append(...)
    return tuple(parts)


def basic_index(program: Program) -> None:
    pair = program.pick()
    at = index(program.draw, pair.array.shape)
    # NumPy gives a scalar, which is no view, where every dimension is chosen and no ... follows.
    model = at if ... in at else (*at, ...)
    program.view(pair, f"[{at}]", lambda: pair.tensor[at], lambda: pair.array[model])


def select(program: Program) -> None:
    pair = program.pick(has_dimensions)
    x = pair.array
    dim = program.draw.dimension(x.ndim)
    at = program.draw.integer(-3, 3)
    model = lambda: x[(slice(None),) * place(dim, x.ndim) + (at, ...)]  # noqa: E731
    program.view(pair, f"select({dim}, {at})", lambda: pair.tensor.select(dim, at), model)


def narrow(program: Program) -> None:
    pair = program.pick(has_dimensions)
    x = pair.array
    dim = program.draw.dimension(x.ndim)
    start, length = program.draw.integer(-2, 4), program.draw.integer(0, 4)

    def model() -> np.ndarray:
        at = place(dim, x.ndim)
        first = start + x.shape[at] if start < 0 else start
        if not 0 <= first <= first + length <= x.shape[at]:
            raise IndexError(start, length)
        return x[(slice(None),) * at + (slice(first, first + length),)]

    ours = lambda: pair.tensor.narrow(dim, start, length)  # noqa: E731
    program.view(pair, f"narrow({dim}, {start}, {length})", ours, model)


def transpose(program: Program) -> None:
    pair = program.pick()
    x = pair.array
    a, b = program.draw.dimension(x.ndim), program.draw.dimension(x.ndim)

    def model() -> np.ndarray:
        places = place(a, x.ndim), place(b, x.ndim)
        return x.swapaxes(*places) if x.ndim else x[...]

    program.view(pair, f"transpose({a}, {b})", lambda: pair.tensor.transpose(a, b), model)


def permute(program: Program) -> None:
    pair = program.pick()
    x = pair.array
    order = program.draw.order(x.ndim)
    if program.draw.chance(3):
        order = order[1:]
    signed = [i - x.ndim if program.draw.chance(20) else i for i in order]

    def model() -> np.ndarray:
        return x.transpose(signed) if signed else restrided(x, x.shape, x.strides)

    if not x.ndim or signed:
        program.view(pair, f"permute({signed})", lambda: pair.tensor.permute(signed), model)


def matrix_transpose(program: Program) -> None:
    pair = program.pick(lambda pair: pair.array.ndim > 1)
    model = lambda: pair.array.swapaxes(-1, -2)  # noqa: E731
    program.view(pair, "mT", lambda: pair.tensor.mT, model)
    if pair.array.ndim == 2:
        program.view(pair, "T", lambda: pair.tensor.T, model)


def view(program: Program) -> None:
    pair = program.pick()
    x = pair.array
    shape = list(program.draw.factors(x.size))
    asked = list(shape)
    if program.draw.chance(30) and shape and x.size:
        asked[program.draw.integer(0, len(shape) - 1)] = -1

    def model() -> np.ndarray:
        viewed = x[...]
        if x.size != count(shape):
            raise ValueError(shape)
        if x.size:
            strides = folded(x, shape)
            return restrided(viewed, shape, strides)
        return viewed.reshape(shape)

    if -1 not in asked or count(shape) == x.size:
        program.view(pair, f"view({asked})", lambda: pair.tensor.view(asked), model)


def folded(x: np.ndarray, shape: Sequence[int]) -> list[int]:
    """Byte strides of x under another shape, where no copy is needed; else ValueError."""
    places = [0]
    for n, stride in zip(x.shape, x.strides):
        places = [p + i * stride for p in places for i in range(n)] if x.size < 5000 else []
    if x.size >= 5000:
        moved = x[...]
        viewed = moved.reshape(shape)
        if not np.may_share_memory(viewed, x):
            raise ValueError(shape)
        return list(viewed.strides)
    strides, block = [], x.size
    for n in shape:
        block //= n
        strides.append(places[block] - places[0] if n > 1 else x.itemsize)
    again = [0]
    for n, stride in zip(shape, strides):
        again = [p + i * stride for p in again for i in range(n)]
    if again != places:
        raise ValueError(shape)
    return strides


def expand(program: Program) -> None:
    pair = program.pick(lambda pair: pair.array.size < 100)
    x = pair.array
    front = [program.draw.integer(0, 3) for _ in range(program.draw.integer(0, 2))]
    sizes = [program.draw.integer(0, 3) if n == 1 else n for n in x.shape]
    if program.draw.chance(3) and sizes:
        sizes[-1] += 1
    asked = [*front, *(-1 if program.draw.chance(20) and n == m else n
                       for n, m in zip(sizes, x.shape))]  # fmt: skip

    def model() -> np.ndarray:
        spread = np.broadcast_to(x, (*front, *sizes))
        return restrided(x, spread.shape, spread.strides)

    program.view(pair, f"expand({asked})", lambda: pair.tensor.expand(asked), model)


def unsqueeze(program: Program) -> None:
    pair = program.pick()
    x = pair.array
    dim = program.draw.integer(-x.ndim - 1, x.ndim)
    model = lambda: np.expand_dims(x, dim)  # noqa: E731
    program.view(pair, f"unsqueeze({dim})", lambda: pair.tensor.unsqueeze(dim), model)


def squeeze(program: Program) -> None:
    pair = program.pick()
    x = pair.array
    if program.draw.chance(40):
        program.view(pair, "squeeze()", pair.tensor.squeeze, lambda: x[...].squeeze()[...])
        return
    dim = program.draw.dimension(x.ndim)

    def model() -> np.ndarray:
        at = place(dim, x.ndim)
        return x.squeeze(at)[...] if x.ndim and x.shape[at] == 1 else x[...]

    program.view(pair, f"squeeze({dim})", lambda: pair.tensor.squeeze(dim), model)


def diagonal(program: Program) -> None:
    pair = program.pick(lambda pair: pair.array.ndim > 1)
    x = pair.array
    a, b = program.draw.dimension(x.ndim), program.draw.dimension(x.ndim)
    offset = program.draw.integer(-2, 2)

    def model() -> np.ndarray:
        if place(a, x.ndim) == place(b, x.ndim):
            raise RuntimeError("one dimension twice")
        return writable(x, np.diagonal(x, offset, a, b))

    ours = lambda: pair.tensor.diagonal(offset, a, b)  # noqa: E731
    program.view(pair, f"diagonal({offset}, {a}, {b})", ours, model)


def writable(x: np.ndarray, view: np.ndarray) -> np.ndarray:
    """NumPy gives some views only to be read."""
    if not view.size:
        return np.zeros(view.shape, view.dtype)
    there = view.__array_interface__["data"][0] - x.__array_interface__["data"][0]
    low = sum((n - 1) * s for n, s in zip(x.shape, x.strides) if s < 0)
    assert low == 0 <= there and there % x.itemsize == 0
    flat = restrided(x, (there // x.itemsize + 1,), (x.itemsize,))
    return restrided(flat[there // x.itemsize :], view.shape, view.strides)


def unfold(program: Program) -> None:
    pair = program.pick(has_dimensions)
    x = pair.array
    dim, size, step = (
        program.draw.dimension(x.ndim),
        program.draw.integer(0, 4),
        program.draw.integer(1, 3),
    )

    def model() -> np.ndarray:
        at = place(dim, x.ndim)
        if size > x.shape[at]:
            raise RuntimeError(size)
        shape = [*x.shape, size]
        strides = [*x.strides, x.strides[at]]
        shape[at] = (x.shape[at] - size) // step + 1
        strides[at] *= step
        return restrided(x, shape, strides)

    if x.size < 5000:
        ours = lambda: pair.tensor.unfold(dim, size, step)  # noqa: E731
        program.view(pair, f"unfold({dim}, {size}, {step})", ours, model)


def strided(program: Program) -> None:
    pair = program.pick(lambda pair: pair.array.size > 0)
    flat = pair.memory.flat
    if flat.dtype != pair.array.dtype:
        return  # real and imag: the model of their memory counts other elements
    draw = program.draw
    shape = [draw.integer(0, 3) for _ in range(draw.integer(0, 3))]
    strides = [draw.integer(0, 3) for _ in shape]
    reach = sum((n - 1) * s for n, s in zip(shape, strides))
    offset = draw.integer(0, 3)

    def model() -> np.ndarray:
        if count(shape) and reach + offset >= flat.size:
            raise RuntimeError("out of bounds")
        start = flat[min(offset, flat.size) :]
        return restrided(start, shape, [s * flat.itemsize for s in strides])

    ours = lambda: pair.tensor.as_strided(shape, strides, offset)  # noqa: E731
    program.view(pair, f"as_strided({shape}, {strides}, {offset})", ours, model)


def parts(program: Program) -> None:
    pair = program.pick(has_dimensions)
    x = pair.array
    dim, size = program.draw.dimension(x.ndim), program.draw.integer(1, 3)
    how = program.draw.choice(["split", "chunk", "unbind"])
    if how == "unbind":
        ours = lambda: pair.tensor.unbind(dim)  # noqa: E731
    else:
        ours = lambda: getattr(pair.tensor, how)(size, dim)  # noqa: E731

    def model() -> list[np.ndarray]:
        at = place(dim, x.ndim)
        length = x.shape[at]
        front = (slice(None),) * at
        if how == "unbind":
            return [x[(*front, i, ...)] for i in range(length)]
        step = size if how == "split" else max(-(-length // size), 1)
        starts = range(0, max(length, 1), step)
        if how == "chunk" and not length:
            starts = range(size)  # so many empty ones
        return [x[(*front, slice(i, i + step))] for i in starts]

    if x.ndim and x.shape[place(dim, x.ndim) if -x.ndim <= dim < x.ndim else 0] < 50:
        program.view(pair, f"{how}({size}, {dim})", ours, model)


def real_part(program: Program) -> None:
    pair = program.pick(lambda pair: pair.array.dtype.kind == "c")
    if pair.array.dtype.kind != "c":
        return
    part = program.draw.choice(["real", "imag"])
    model = lambda: getattr(pair.array, part)[...]  # noqa: E731
    program.view(pair, part, lambda: getattr(fb, part)(pair.tensor), model)


STEPS = [
    basic_index, basic_index, select, narrow, transpose, permute, matrix_transpose, view, expand,
    unsqueeze, squeeze, diagonal, unfold, strided, parts, real_part,
]  # fmt: skip
