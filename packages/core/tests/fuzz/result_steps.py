"""Steps whose results are new tensors: arithmetic with promotion, reductions, joins, selections."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import flambeau_core as fb

from .program import Pair, Program, broadcasts
from .promotion import floating, result_type, summed
from .view_steps import has_dimensions, place
from .writing_steps import ours_of, positions, shown, small, value_of

ARITHMETIC: dict[str, Callable[..., Any]] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "maximum": np.maximum,
    "minimum": np.minimum, "fmax": np.fmax,
}  # fmt: skip
COMPARISONS: dict[str, Callable[..., Any]] = {
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater,
    "ge": np.greater_equal, "logical_and": np.logical_and, "logical_or": np.logical_or,
    "logical_xor": np.logical_xor,
}  # fmt: skip
ORDERED = ("maximum", "minimum", "fmax", "lt", "le", "gt", "ge")
TENSORS_ONLY = ("maximum", "minimum", "fmax", "logical_and", "logical_or", "logical_xor")
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "exp": np.exp, "sin": np.sin, "cos": np.cos, "tanh": np.tanh, "arctan": np.arctan,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)), "log1p": lambda x: np.log1p(x * x),
    "sqrt": lambda x: np.sqrt(x * x),
}  # fmt: skip
BITS: dict[str, Callable[..., Any]] = {
    "bitwise_and": np.bitwise_and, "bitwise_or": np.bitwise_or, "bitwise_xor": np.bitwise_xor,
}  # fmt: skip


def arithmetic(program: Program) -> None:
    pair = program.pick()
    name = program.draw.choice(list(ARITHMETIC))
    other = program.operand(pair.array)
    x, y = pair.array, value_of(other)
    if name in TENSORS_ONLY and not isinstance(other, Pair):
        return

    def model() -> np.ndarray:
        dtype = result_type(x, y)
        if name == "sub" and np.bool_ in (x.dtype, np.asarray(y).dtype):
            raise RuntimeError("subtraction of bools")
        if name in ORDERED and dtype.kind == "c":
            raise RuntimeError("no order of complex numbers")
        with np.errstate(all="ignore"):
            return ARITHMETIC[name](x.astype(dtype), np.asarray(y).astype(dtype)).astype(dtype)

    why = f"{name}(#{pair.number}, {shown(program, other)})"
    turned = program.draw.chance(20) and name in ("add", "sub", "mul")
    if turned:
        sign = {"add": "__radd__", "sub": "__rsub__", "mul": "__rmul__"}[name]
        before = model
        model = lambda: -before() if name == "sub" else before()  # noqa: E731
        ours = lambda: getattr(pair.tensor, sign)(ours_of(other))  # noqa: E731
        if name == "sub" and result_type(x, y).kind == "u":
            return
    else:
        ours = lambda: getattr(fb, name)(pair.tensor, ours_of(other))  # noqa: E731
    program.functional(why, ours, model)


def comparison(program: Program) -> None:
    pair = program.pick()
    name = program.draw.choice(list(COMPARISONS))
    other = program.operand(pair.array)
    x, y = pair.array, value_of(other)
    if name in TENSORS_ONLY and not isinstance(other, Pair):
        return

    def model() -> np.ndarray:
        dtype = result_type(x, y)
        if name in ORDERED and dtype.kind == "c":
            raise RuntimeError("no order of complex numbers")
        return COMPARISONS[name](x.astype(dtype), np.asarray(y).astype(dtype))

    why = f"{name}(#{pair.number}, {shown(program, other)})"
    program.functional(why, lambda: getattr(fb, name)(pair.tensor, ours_of(other)), model)


def division(program: Program) -> None:
    pair = program.pick()
    other = program.operand(pair.array)
    x, y = pair.array, value_of(other)
    if np.any(np.asarray(y) == 0):
        return
    name = program.draw.choice(["div", "floor_divide", "remainder"])
    function = {"div": np.divide, "floor_divide": np.floor_divide, "remainder": np.remainder}[name]
    kind = result_type(x, y).kind
    if name != "div" and kind in "fcb":
        return  # close to a whole quotient, rounding decides

    def model() -> np.ndarray:
        dtype = floating(result_type(x, y)) if name == "div" else result_type(x, y)
        return function(x.astype(dtype), np.asarray(y).astype(dtype)).astype(dtype)

    if kind == "u" and not isinstance(other, Pair) and np.real(y) < 0:
        return
    why = f"{name}(#{pair.number}, {shown(program, other)})"
    program.functional(why, lambda: getattr(fb, name)(pair.tensor, ours_of(other)), model)


def function(program: Program) -> None:
    pair = program.pick()
    name = program.draw.choice(list(FUNCTIONS))
    x = pair.array
    if x.dtype.kind == "c" and name in ("arctan", "tanh", "sigmoid", "log1p", "sqrt"):
        return  # their branches and poles are the op samples' matter
    dtype = floating(x.dtype)
    ours: Callable[[], Any] = lambda: getattr(fb, name)(pair.tensor)  # noqa: E731
    if name in ("log1p", "sqrt"):
        if x.dtype.kind not in "f":
            return
        ours = lambda: getattr(fb, name)(pair.tensor * pair.tensor)  # noqa: E731
    with np.errstate(all="ignore"):
        expected = FUNCTIONS[name](x.astype(dtype)).astype(dtype)
    program.functional(f"{name}(#{pair.number})", ours, lambda: expected)


def bits(program: Program) -> None:
    pair = program.pick(lambda pair: pair.array.dtype.kind in "biu")
    other = program.operand(pair.array)
    name = program.draw.choice(list(BITS))
    x, y = pair.array, value_of(other)

    def model() -> np.ndarray:
        dtype = result_type(x, y)
        if dtype.kind in "fc":
            raise RuntimeError("bits of what counts only")
        return BITS[name](x.astype(dtype), np.asarray(y).astype(dtype))

    why = f"{name}(#{pair.number}, {shown(program, other)})"
    program.functional(why, lambda: getattr(fb, name)(pair.tensor, ours_of(other)), model)


def dimensions(program: Program, rank: int) -> Any:
    """None, one dimension, or several; now and then one that is not there."""
    draw = program.draw
    how = draw.integer(0, 2)
    if how == 0 or not rank:
        return None
    if how == 1:
        return draw.dimension(rank)
    return [d - rank if draw.chance(30) else d for d in draw.subset(range(rank))] or None


def places(dims: Any, rank: int) -> Any:
    if dims is None:
        return None
    return tuple(place(d, rank) for d in ([dims] if isinstance(dims, int) else dims))


def mean(x: np.ndarray, axis: Any, keepdims: bool) -> np.ndarray:
    total = np.sum(x, axis, keepdims=keepdims, dtype=np.result_type(x.dtype, np.float64))
    with np.errstate(all="ignore"):
        return np.asarray(total / (x.size / max(total.size, 1) if x.size else np.nan))


def reduction(program: Program) -> None:
    pair = program.pick()
    x = pair.array
    name = program.draw.choice(["sum", "mean", "amax", "amin", "any", "all", "count_nonzero"])
    if name in ("mean", "amax", "amin") and not x.size:
        return  # nan or a refusal, depending on which dimension is empty: the op samples' matter
    dims, keep = dimensions(program, x.ndim), program.draw.chance(40)
    if name == "count_nonzero":
        keep = False

    def model() -> np.ndarray:
        axis = places(dims, x.ndim)
        axis = axis if x.ndim else None
        if name == "count_nonzero":
            return np.asarray(np.count_nonzero(x, axis), np.int64)
        if name in ("any", "all"):
            out = getattr(np, name)(x, axis=axis, keepdims=keep)
            return np.asarray(out, np.uint8 if x.dtype == np.uint8 else np.bool_)
        if name == "sum":
            dtype = summed(x.dtype)
            exact = np.complex128 if dtype.kind == "c" else np.float64
            wide = exact if dtype.kind in "fc" else dtype
            return np.asarray(np.sum(x, axis, wide, keepdims=keep).astype(dtype))
        if name == "mean":
            if x.dtype.kind not in "fc":
                raise RuntimeError("the mean of floats only")
            return np.asarray(mean(x, axis, keep).astype(x.dtype))
        if x.dtype.kind == "c":
            raise RuntimeError("no order of complex numbers")
        return np.asarray(getattr(np, name)(x, axis=axis, keepdims=keep))

    def ours() -> fb.Tensor:
        named: dict[str, Any] = {} if dims is None else {"dim": dims}
        if dims is not None and name != "count_nonzero":
            named["keepdim"] = keep
        elif dims is None and keep and name != "count_nonzero":
            named = {"dim": list(range(x.ndim)), "keepdim": True}
        return getattr(fb, name)(pair.tensor, **named)

    why = f"{name}(#{pair.number}, {dims}, {keep})"
    program.functional(why, ours, model)


def scan(program: Program) -> None:
    """Ops along one dimension: running sums, orders, arg-reductions, differences."""
    pair = program.pick(lambda pair: has_dimensions(pair) and pair.array.dtype.kind in "fi")
    x = pair.array
    name = program.draw.choice(["cumsum", "sort", "argmax", "logsumexp", "var", "diff", "flip",
                                "roll", "softmax"])  # fmt: skip
    if not x.ndim or x.dtype.kind not in "fi" or not x.size:
        return
    if name in ("var", "logsumexp", "softmax") and x.dtype.kind != "f":
        return
    dim = program.draw.dimension(x.ndim)
    shift = program.draw.integer(-4, 4)

    def model() -> Any:
        at = place(dim, x.ndim)
        wide = x.astype(np.float64) if x.dtype.kind == "f" else x
        if name == "cumsum":
            return np.cumsum(wide, at).astype(summed(x.dtype))
        if name == "sort":
            order = np.argsort(x, at, kind="stable")
            return np.take_along_axis(x, order, at), order
        if name == "argmax":
            return np.asarray(np.argmax(x, at), np.int64)
        if name == "logsumexp":
            return np.asarray(np.log(np.exp(wide).sum(at)).astype(x.dtype))
        if name == "softmax":
            return (np.exp(wide) / np.exp(wide).sum(at, keepdims=True)).astype(x.dtype)
        if name == "var":
            with np.errstate(all="ignore"):
                return np.asarray((np.var(wide, at) * x.shape[at]
                                   / np.float64(x.shape[at] - 1)).astype(x.dtype))  # fmt: skip
        if name == "diff":
            return np.diff(x, axis=at)
        return np.flip(x, at) if name == "flip" else np.roll(x, shift, at)

    given: dict[str, Any] = {"dim": dim}
    if name == "sort":
        given["stable"] = True
    if name == "roll":
        given = {"shifts": shift, "dims": dim}
    if name == "flip":
        given = {"dims": [dim]}
    if name == "var" and (not -x.ndim <= dim < x.ndim or x.shape[dim] == 1):
        return  # of one number: nan
    why = f"{name}(#{pair.number}, {given})"
    program.functional(why, lambda: getattr(fb, name)(pair.tensor, **given), model)


def join(program: Program) -> None:
    pair = program.pick(has_dimensions)
    shape = pair.array.shape
    draw = program.draw
    if not shape or pair.array.size > 100_000:
        return
    how = draw.choice(["cat", "stack"])
    dim = draw.dimension(len(shape) + (how == "stack"))

    def matches(other: Pair) -> bool:
        a, b = other.array.shape, shape
        at = dim % len(shape)
        return a == b or (how == "cat" and len(a) == len(b)
                          and a[:at] + a[at + 1 :] == b[:at] + b[at + 1 :])  # fmt: skip

    fitting = [p for p in program.pairs[-8:] if matches(p) or draw.chance(2)]
    others = [pair, *fitting[: draw.integer(0, 3)]]

    def model() -> np.ndarray:
        dtype = result_type(*(p.array for p in others))
        arrays = [p.array.astype(dtype) for p in others]
        if how == "stack":
            if len({a.shape for a in arrays}) > 1:
                raise RuntimeError("shapes differ")
            return np.stack(arrays, place(dim, len(shape) + 1))
        # An old exception that PyTorch keeps: an empty tensor of one dimension joins anything.
        arrays = [a for a in arrays if a.shape != (0,)] or arrays[:1]
        return np.concatenate(arrays, place(dim, len(shape)))

    why = f"{how}({[p.number for p in others]}, {dim})"
    program.functional(why, lambda: getattr(fb, how)([p.tensor for p in others], dim), model)


def where(program: Program) -> None:
    pair = program.pick()
    a, b = program.operand(pair.array), program.operand(pair.array)
    x = pair.array
    sizes = [np.shape(value_of(v)) for v in (a, b)]
    if not broadcasts(sizes[0], sizes[1]):
        return

    def model() -> np.ndarray:
        dtype = result_type(value_of(a), value_of(b))
        u, v = (np.asarray(value_of(o)).astype(dtype) for o in (a, b))
        return np.where(x != 0, u, v)

    why = f"where(#{pair.number}, {shown(program, a)}, {shown(program, b)})"
    program.functional(why, lambda: fb.where(pair.tensor != 0, ours_of(a), ours_of(b)), model)


def selection(program: Program) -> None:
    """gather, index_select, take_along_dim, x[mask], x[index], nonzero."""
    pair = program.pick(lambda pair: has_dimensions(pair) and small(pair))
    x, draw = pair.array, program.draw
    if not x.ndim:
        return
    name = draw.choice(["index_select", "gather", "masked", "index", "nonzero", "take_along_dim"])
    dim = draw.integer(-x.ndim, x.ndim - 1)
    at = place(dim, x.ndim)
    if name == "masked":
        mask = draw.array(x.shape[: draw.integer(1, x.ndim)], "bool")
        ours = lambda: pair.tensor[fb.from_numpy(mask.copy())]  # noqa: E731
        program.functional(f"[mask of {mask.shape}]", ours, lambda: x[mask])
    elif name == "index" and x.size:
        chosen = positions(program, x.shape[0])
        ours = lambda: pair.tensor[fb.from_numpy(chosen.copy())]  # noqa: E731
        program.functional(f"[{chosen.tolist()}]", ours, lambda: x[chosen])
    elif name == "nonzero":
        model = lambda: np.argwhere(x).astype(np.int64)  # noqa: E731
        program.functional("nonzero", pair.tensor.nonzero, model)
    elif name == "index_select":
        if not x.shape[at]:
            return
        chosen = abs(positions(program, x.shape[at], (3,)))
        chosen = np.minimum(chosen, max(x.shape[at] - 1, 0))
        ours = lambda: pair.tensor.index_select(dim, fb.from_numpy(chosen.copy()))  # noqa: E731
        program.functional(f"index_select({dim}, {chosen})", ours, lambda: np.take(x, chosen, at))
    elif x.shape[at]:
        chosen = np.abs(positions(program, x.shape[at], x.shape)) % x.shape[at]
        ours = lambda: (  # noqa: E731
            pair.tensor.gather(dim, fb.from_numpy(chosen.copy()))
            if name == "gather"
            else fb.take_along_dim(pair.tensor, fb.from_numpy(chosen.copy()), dim)
        )
        model = lambda: np.take_along_axis(x, chosen, at)  # noqa: E731
        program.functional(f"{name}({dim}, {chosen.tolist()})", ours, model)


def product(program: Program) -> None:
    numeric = lambda pair: pair.array.dtype.kind in "fci" and small(pair)  # noqa: E731
    pair = program.pick(numeric)
    x = pair.array
    if not x.ndim or not numeric(pair):
        return
    fitting = [
        p for p in program.pairs[-8:] if p.array.dtype == x.dtype and p.array.ndim and small(p)
    ]
    if x.ndim > 1 and program.draw.chance(60):
        other = program.create((x.shape[-1], 3), x.dtype.name) if x.dtype != "int16" else pair
    else:
        other = program.draw.choice(fitting)
    y = other.array
    if y.dtype != x.dtype:
        return
    why = f"matmul(#{pair.number}, #{other.number})"
    program.functional(why, lambda: pair.tensor @ other.tensor, lambda: np.asarray(x @ y))


def conversion(program: Program) -> None:
    """clone, contiguous, reshape, flatten, to, tril: copies or not, the values are the same."""
    pair = program.pick()
    x = pair.array
    name = program.draw.choice(["clone", "reshape", "to", "tril", "repeat", "movedim_contiguous"])
    if name == "clone":
        program.functional("clone", pair.tensor.clone, lambda: x)
    elif name == "reshape":
        shape = program.draw.factors(x.size)
        ours = lambda: pair.tensor.reshape(shape).clone()  # noqa: E731
        program.functional(f"reshape({shape})", ours, lambda: x.reshape(shape))
    elif name == "to":
        name = program.draw.choice(["float64", "float32", "int64", "int32", "bool", "complex128"])
        value = x.real if x.dtype.kind == "c" and name not in ("bool", "complex128") else x
        ours = lambda: pair.tensor.to(getattr(fb, name), copy=True)  # noqa: E731
        program.functional(f"to({name})", ours, lambda: value.astype(name))
    elif name == "tril" and x.ndim > 1:
        k = program.draw.integer(-2, 2)
        program.functional(f"tril({k})", lambda: pair.tensor.tril(k), lambda: np.tril(x, k))
    elif name == "repeat" and x.ndim and small(pair):
        times = [program.draw.integer(0, 2) for _ in x.shape]
        program.functional(f"repeat({times})", lambda: pair.tensor.repeat(times),
                           lambda: np.tile(x, times))  # fmt: skip
    elif name == "movedim_contiguous" and x.ndim:
        ours = lambda: pair.tensor.movedim(0, -1).contiguous().clone()  # noqa: E731
        program.functional("movedim", ours, lambda: np.moveaxis(x, 0, -1))


STEPS = [
    arithmetic, arithmetic, comparison, division, function, bits, reduction, reduction, scan, join,
    where, selection, selection, product, conversion,
]  # fmt: skip
