"""vmap's side of dispatch: an op on one example becomes an op on the whole batch.

Rules exist for primitives; composed ops come apart into them. An op without a
rule runs an example at a time, which is right for every op.
"""

from __future__ import annotations

import functools
from typing import Any

from ... import _C
from ..dispatch import HANDLERS, decompose, write_each
from ..dispatch import call as dispatch
from ..duals import tensors_in
from ..levels import Level, below
from ..pytree import like
from ..tensors import batch, is_batched
from . import dimensions, indexing, neural, products, reductions
from .elementwise import elementwise
from .random import RANDOM, Same, in_place
from .rule import RULES, BatchedCall, NotBatchable

__all__ = ["example", "run_batched", "stacked"]

Tensor = _C.Tensor
TRANSFORMS_OFF = 16  # a bit of _C.attend; see ops/interception.h
RESIZING = {"resize_", "resize_as_"}
RESHAPING = {"squeeze_", "unsqueeze_", "transpose_", "swapaxes_", "swapdims_", "t_"}


def run_batched(op: Any, overload: int, args: tuple[Any, ...], level: Level) -> Any:
    """An op whose arguments belong to a vmap."""
    call = BatchedCall(op, overload, args, level)
    name = op.__name__
    if op.inplace or name.endswith("_"):
        return _write(call)
    rule = RULES.get(name) or (elementwise if op.elementwise else None)
    if rule is not None:
        result = _drawn(call) if op.asks_transforms else rule(call)
        return _one_by_one(call) if result is None else _seen(result, call)
    if op.is_primitive:
        definition = op.composition
        if definition is None or name in RANDOM:
            return _one_by_one(call)
        run = functools.partial(definition, *args)
    else:
        run = functools.partial(decompose, op, overload, args)
    try:
        return run()
    except RuntimeError as error:
        # A definition that reads values, or writes them where all examples share memory.
        if not str(error).startswith("vmap:"):
            raise
    return _one_by_one(call)


def _drawn(call: BatchedCall) -> Any:
    """A random op: beneath this vmap it is not asked for again, and the next one outwards is."""
    with below(call.level):
        return RULES[call.name](call)


def _seen(result: Any, call: BatchedCall) -> Any:
    """What a rule gave, as the function under vmap sees it."""
    if isinstance(result, Same):
        return result.value
    if isinstance(result, Tensor):
        if is_batched(result, call.level):
            return result
        of = call.args[0] if call.args and call.batched(call.args[0]) else None
        return batch(result, call.level, of)
    if isinstance(result, (tuple, list)):
        return like(result, (_seen(r, call) for r in result))
    return result


def _one_by_one(call: BatchedCall) -> Any:
    """Runs the op for each example and stacks the results."""
    results = [
        dispatch(call.op, call.overload, example(call.args, i, call.level))
        for i in range(call.level.batch_size)
    ]
    return stacked(results, call.level)


def example(args: Any, i: int, level: Level) -> Any:
    """Arguments with each tensor of examples replaced by one of them."""
    if isinstance(args, (tuple, list)):
        return tuple(example(a, i, level) for a in args)
    return args.value.select(0, i) if is_batched(args, level) else args


def stacked(results: list[Any], level: Level) -> Any:
    """What the examples gave, one after the other, as the function under vmap sees it."""
    first = results[0]
    if isinstance(first, Tensor):
        shapes = {tuple(r.shape) for r in results}
        if len(shapes) > 1:
            raise NotBatchable(f"vmap: the results of the examples differ in shape: {shapes}")
        return batch(_C.stack(results), level)
    if isinstance(first, (tuple, list)):
        return like(first, (stacked(list(each), level) for each in zip(*results)))
    if any(r != first for r in results):
        raise NotBatchable(
            f"vmap: the results of the examples differ and are no tensors: {results}"
        )
    return first


# ---- ops that write into their first argument -------------------------------------


def _write(call: BatchedCall) -> Any:
    name = call.name
    if name.removesuffix("_") in RANDOM or name in RANDOM:
        with below(call.level):
            return in_place(call)
    x = call.args[0]
    if isinstance(x, tuple):
        return write_each(call.op, call.overload, call.args)
    if name in RESIZING:
        raise NotBatchable(f"vmap: {name} changes memory that the examples share")
    if not call.batched(x):
        if not any(call.batched(t) for t in tensors_in(call.args)):
            return dispatch(call.op, call.overload, call.args)
        raise NotBatchable(
            f"vmap: {name} would write values that differ from example to example into a tensor of "
            f"shape {list(x.shape)} that all examples share; make it from one of the function's "
            "inputs (x.new_zeros(...), x.clone()), or use the op that returns a new tensor"
        )
    if name in RESHAPING:
        return _reshape(call)
    if name == "zero_":
        x.value.zero_()
    elif name == "copy_":
        x.value.copy_(call.value(call.args[1], x.ndim))
    elif call.op.functional is None or call.op.functional is call.op:
        for i in range(call.level.batch_size):
            dispatch(call.op, call.overload, example(call.args, i, call.level))
    else:
        args = call.args
        if _C.is_grad_enabled():  # the graph may need the values from before
            args = (batch(x.value.clone(), call.level), *args[1:])
        result = run_batched(call.op.functional, call.overload, args, call.level)
        _check_fits(name, x, result)
        x.value.copy_(call.value(result))
    return x


def _check_fits(name: str, x: Any, result: Any) -> None:
    if result.shape != x.shape:
        raise RuntimeError(
            f"{name}: output with shape {list(x.shape)} doesn't match the broadcast shape "
            f"{list(result.shape)}"
        )
    if not _C.can_cast(result.dtype, x.dtype):
        raise RuntimeError(
            f"{name}: result type {result.dtype} can't be cast to the desired output type {x.dtype}"
        )


def _reshape(call: BatchedCall) -> Any:
    """squeeze_() and its like change how the memory is seen, not what is in it."""
    x = call.args[0]
    functional = vars(_C)[call.name.removesuffix("_")]
    y = functional(*call.args)
    x.value = y.value
    x.viewed = y.viewed
    state = _C.attend(TRANSFORMS_OFF, 0)
    try:
        Tensor.set_(x, y.detach())
    finally:
        _C.attended(state)
    return x


HANDLERS["vmap"] = run_batched
