"""Steps that write: through a tensor to whatever shares its memory."""

from __future__ import annotations

from typing import Any

import numpy as np

import flambeau_core as fb

from .drawing import Drawing
from .program import Pair, Program, repeats
from .promotion import can_hold, floating, result_type
from .view_steps import has_dimensions, index, place

BINARY = {"add_": np.add, "mul_": np.multiply, "sub_": np.subtract, "div_": np.divide}
UNARY = {"neg_": np.negative, "exp_": np.exp, "sin_": np.sin, "tanh_": np.tanh, "abs_": np.abs,
         "square_": np.square, "floor_": np.floor, "sign_": np.sign}  # fmt: skip
OF_REALS = ("exp_", "sin_", "tanh_")


def small(pair: Pair) -> bool:
    return pair.array.size < 5000


def value_of(x: Any) -> Any:
    return x.array if isinstance(x, Pair) else x


def ours_of(x: Any) -> Any:
    return x.tensor if isinstance(x, Pair) else x


def shown(program: Program, x: Any) -> str:
    return f"#{x.number}" if isinstance(x, Pair) else repr(x)


def fits(x: np.ndarray, value: np.ndarray) -> np.ndarray:
    """The value as it is written over x, which never grows."""
    if np.broadcast_shapes(x.shape, value.shape) != x.shape:
        raise RuntimeError("the result has another shape")
    return np.broadcast_to(value, x.shape)


def arithmetic(program: Program) -> None:
    pair = program.pick()
    name = program.draw.choice(list(BINARY))
    other = program.operand(pair.array)
    x, y = pair.array, value_of(other)

    def model() -> np.ndarray:
        dtype = result_type(x, y)
        if name == "div_":
            dtype = floating(dtype)
        if name == "sub_" and np.bool_ in (x.dtype, np.asarray(y).dtype):
            raise RuntimeError("subtraction of bools")
        if not can_hold(x.dtype, dtype):
            raise RuntimeError(dtype)
        y_ = np.asarray(y).astype(dtype)
        if name == "div_" and (y_ == 0).any():
            y_ = np.where(y_ == 0, np.nan, y_)
        with np.errstate(all="ignore"):
            return fits(x, BINARY[name](x.astype(dtype), y_).astype(x.dtype))

    if name == "div_" and np.any(np.asarray(y) == 0):
        return  # 0 / 0 and signed infinities are the op samples' matter
    ours = lambda: getattr(pair.tensor, name)(ours_of(other))  # noqa: E731
    if program.draw.chance(20) and name == "add_":
        ours = lambda: augmented(pair.tensor, ours_of(other))  # noqa: E731
    program.write(pair, f"{name}({shown(program, other)})", ours, model)


def augmented(x: fb.Tensor, other: Any) -> fb.Tensor:
    before = x
    x += other
    assert x is before
    return x


def elementwise(program: Program) -> None:
    pair = program.pick()
    name = program.draw.choice(list(UNARY))
    x = pair.array

    def model() -> np.ndarray:
        kind = x.dtype.kind
        if name in OF_REALS and kind not in "fc":
            raise RuntimeError("a float does not fit")
        if kind == "b" and name in ("neg_", "square_"):
            raise RuntimeError("no arithmetic of bools")
        if kind == "c" and name in ("floor_", "sign_", "abs_"):
            raise RuntimeError("no order of complex numbers")
        with np.errstate(all="ignore"):
            return UNARY[name](x).astype(x.dtype)

    if x.dtype.kind == "b" and name in ("abs_", "floor_", "sign_", "square_", "neg_"):
        return  # which of these know bools: the op samples say
    program.write(pair, f"{name}()", getattr(pair.tensor, name), model)


def copy(program: Program) -> None:
    pair = program.pick()
    other = program.operand(pair.array)
    if not isinstance(other, Pair):
        return
    if pair.array.dtype.kind == "u" and (other.array.real < 0).any():
        return  # C leaves it open what a negative float is as an unsigned number

    def model() -> np.ndarray:
        value = other.array
        if value.dtype.kind == "c" and pair.array.dtype.kind not in "bc":
            value = value.real
        return fits(pair.array, value.astype(pair.array.dtype))

    ours = lambda: pair.tensor.copy_(other.tensor)  # noqa: E731
    program.write(pair, f"copy_({shown(program, other)})", ours, model)


def whole(draw: Drawing, dtype: np.dtype[Any]) -> Any:
    """A number that every dtype of this one's kind can hold."""
    return draw.scalar("f") if dtype.kind in "fc" else draw.integer(0, 3)


def fill(program: Program) -> None:
    pair = program.pick()
    x = pair.array
    value = whole(program.draw, x.dtype)
    if program.draw.chance(30):
        value = 0
        ours: Any = pair.tensor.zero_
    else:
        ours = lambda: pair.tensor.fill_(value)  # noqa: E731
    if pair.repeats():  # unlike the others allowed: every place is given the same value
        program.log.append(f"#{pair.number}.fill_({value})")
        ours()
        pair.array[...] = value
        pair.memory.version += 1
        return
    program.write(pair, f"fill_({value})", ours, lambda: np.full(x.shape, value, x.dtype))


def clamp(program: Program) -> None:
    pair = program.pick(lambda pair: pair.array.dtype.kind in "fiu")
    x = pair.array
    low, high = sorted([whole(program.draw, x.dtype), whole(program.draw, x.dtype)])
    if x.dtype.kind not in "fiu":
        return
    model = lambda: np.clip(x, x.dtype.type(low), x.dtype.type(high))  # noqa: E731
    program.write(pair, f"clamp_({low}, {high})", lambda: pair.tensor.clamp_(low, high), model)


def assign(program: Program) -> None:
    """x[basic index] = number or tensor."""
    pair = program.pick()
    x = pair.array
    at = index(program.draw, x.shape)
    assign_at(program, pair, at, at)


def assign_at(program: Program, pair: Pair, at: Any, model_at: Any) -> None:
    x = pair.array
    masked = isinstance(model_at, np.ndarray)
    try:
        spot = x[model_at]
    except IndexError:
        spot = x
    if pair.repeats() and not masked and not repeats(spot):
        return  # a part that does not repeat may be written, and `view` makes it a pair of its own
    value: Any = whole(program.draw, x.dtype)
    if program.draw.chance(50):
        other = program.operand(np.asarray(spot))
        if isinstance(other, Pair) and can_hold(x.dtype, other.array.dtype):
            # Under a mask the dtypes must be one, unlike NumPy's; the op's own tests say how.
            alike = other.array.dtype == x.dtype or not masked
            if other.array.size <= np.asarray(spot).size and x.dtype.kind != "u" and alike:
                value = other

    def model() -> np.ndarray:
        changed = x.copy()
        if masked and not x[model_at].size:
            fits(x[model_at], without_ones(value_of(value), x[model_at].ndim))
        changed[model_at] = without_ones(value_of(value), np.asarray(changed[model_at]).ndim)
        return changed

    def ours() -> None:
        pair.tensor[at] = ours_of(value)

    program.write(pair, f"[{at}] = {shown(program, value)}", ours, model)


def without_ones(value: Any, rank: int) -> Any:
    """Leading dimensions of one element are dropped, as far as there are too many."""
    value = np.asarray(value)
    while value.ndim > rank and value.shape[0] == 1:
        value = value[0]
    return value


def assign_mask(program: Program) -> None:
    pair = program.pick(small)
    x = pair.array
    rank = program.draw.integer(0, x.ndim)
    mask = program.draw.array(x.shape[:rank], "bool")
    assign_at(program, pair, fb.from_numpy(mask.copy()), mask)


def assign_many(program: Program) -> None:
    """x[index tensor] = number: several may name one place, so a tensor would be ambiguous."""
    pair = program.pick(lambda pair: has_dimensions(pair) and small(pair))
    x = pair.array
    if not x.size:
        return  # whose places are not looked at, PyTorch's exception and ours
    at = positions(program, x.shape[0] if x.ndim else 1)
    value = whole(program.draw, x.dtype)

    def model() -> np.ndarray:
        changed = x.copy()
        changed[at] = value
        return changed

    def ours() -> None:
        pair.tensor[fb.from_numpy(at.copy())] = value

    program.write(pair, f"[{at.tolist()}] = {value}", ours, model)


def positions(program: Program, length: int, shape: tuple[int, ...] | None = None) -> np.ndarray:
    """Within the length, most often."""
    draw = program.draw
    if shape is None:
        shape = draw.choice([(0,), (1,), (3,), (2, 2)])
    slack = int(draw.chance(3))
    if not length and not slack:
        shape = (0,)
    generator = np.random.default_rng(draw.integer(0, 2**16))
    return generator.integers(-length, max(length + slack, 1), shape) if shape else np.array(0)


def accumulate(program: Program) -> None:
    pair = program.pick(lambda pair: has_dimensions(pair) and small(pair))
    x = pair.array
    if not x.size or not x.ndim or x.dtype.kind == "b":
        return
    at = positions(program, x.shape[0])
    value = program.draw.array(at.shape + x.shape[1:], x.dtype.name)

    def model() -> np.ndarray:
        changed = x.copy()
        np.add.at(changed, at, value)
        return changed

    def ours() -> fb.Tensor:
        places = (fb.from_numpy(at.copy()),)
        return pair.tensor.index_put_(places, fb.from_numpy(value.copy()), accumulate=True)

    program.write(pair, f"index_put_([{at.tolist()}], accumulate)", ours, model)


def masked_fill(program: Program) -> None:
    pair = program.pick()
    x = pair.array
    shape = x.shape[program.draw.integer(0, x.ndim) :]
    mask = program.draw.array(shape, "bool")
    value = whole(program.draw, x.dtype)
    model = lambda: np.where(mask, x.dtype.type(value), x)  # noqa: E731
    ours = lambda: pair.tensor.masked_fill_(fb.from_numpy(mask.copy()), value)  # noqa: E731
    program.write(pair, f"masked_fill_(mask of {shape}, {value})", ours, model)


def along(program: Program) -> None:
    """scatter_, scatter_add_, index_add_, index_fill_ and cumsum_: over one dimension."""
    pair = program.pick(lambda pair: has_dimensions(pair) and small(pair))
    x, draw = pair.array, program.draw
    if not x.ndim or x.dtype.kind == "b":
        return
    dim = draw.integer(-x.ndim, x.ndim - 1)
    at = place(dim, x.ndim)
    name = draw.choice(["scatter_", "scatter_add_", "index_add_", "index_fill_", "cumsum_"])
    changed = x.copy()
    if name == "cumsum_":
        program.write(pair, f"cumsum_({dim})", lambda: pair.tensor.cumsum_(dim),
                      lambda: np.cumsum(x, at, x.dtype))  # fmt: skip
        return
    if not x.shape[at]:
        return
    generator = np.random.default_rng(draw.integer(0, 2**16))
    value = whole(draw, x.dtype)
    if name.startswith("index"):
        chosen = generator.integers(0, x.shape[at], draw.integer(0, 4))
        rows = np.moveaxis(changed, at, 0)
        source = draw.array((*x.shape[:at], len(chosen), *x.shape[at + 1 :]), x.dtype.name)
        operand: Any = value if name == "index_fill_" else fb.from_numpy(source.copy())
        if name == "index_fill_":
            rows[chosen] = value
        else:
            np.add.at(rows, chosen, np.moveaxis(source, at, 0))
    else:
        chosen = generator.integers(0, x.shape[at], x.shape)
        grid = list(np.indices(x.shape))
        grid[at] = chosen
        source = draw.array(x.shape, x.dtype.name)
        operand = value if name == "scatter_" else fb.from_numpy(source.copy())
        if name == "scatter_":
            changed[tuple(grid)] = value
        else:
            np.add.at(changed, tuple(grid), source)
    ours = lambda: getattr(pair.tensor, name)(dim, fb.from_numpy(chosen.copy()), operand)  # noqa: E731
    program.write(pair, f"{name}({dim}, {chosen.tolist()})", ours, lambda: changed)


STEPS = [
    arithmetic, arithmetic, elementwise, copy, copy, fill, clamp, assign, assign, assign_mask,
    assign_many, accumulate, masked_fill, along,
]  # fmt: skip
