"""Elementwise ops: the examples' dimensions are aligned, the batch broadcasts."""

from __future__ import annotations

from typing import Any

from ... import _C
from .rule import BatchedCall, Tensor, rule

__all__ = ["aligned", "elementwise"]

# Ops that keep the shape of their one tensor, beside those that are declared elementwise.
SHAPE_KEEPING = """
clone contiguous detach bool byte char cdouble cfloat cpu double float half int long short bfloat16
zeros_like ones_like full_like empty_like view_as_real view_as_complex fill
"""


def _category(t: Any) -> int:
    if t.is_complex():
        return 3
    if t.is_floating_point():
        return 2
    return int(t.dtype is not _C.bool)


def aligned(call: BatchedCall, args: Any = None) -> list[Any]:
    """The arguments with every tensor's examples aligned for broadcasting."""
    args = call.args if args is None else args
    tensors = [a for a in args if isinstance(a, Tensor)]
    ndim = max((t.ndim for t in tensors), default=0)
    strong = [t for t in tensors if t.ndim > 0]
    if not strong and call.name not in ("masked_fill", "fill"):
        # Examples without dimensions weigh as much as any other tensor without.
        return [call.repeated(a) if isinstance(a, Tensor) else a for a in args]
    # A 0-dimensional example weighs less than a dimensioned tensor, though its values do not.
    kind = max(strong, key=_category, default=None)
    result = []
    for a in args:
        if isinstance(a, Tensor):
            v = call.value(a, ndim)
            if call.batched(a) and a.ndim == 0 and kind is not None and a.dtype != kind.dtype:
                if _category(a) <= _category(kind) and call.name not in ("where", "masked_fill"):
                    v = v.to(kind.dtype)
            a = v
        result.append(a)
    return result


@rule(*SHAPE_KEEPING.split())
def elementwise(call: BatchedCall) -> Any:
    return call.run(*aligned(call))


@rule("to")
def to(call: BatchedCall) -> Any:
    if not call.batched(call.args[0]):
        return None
    return call.run(*(call.value(a) for a in call.args))


@rule("type_as")
def type_as(call: BatchedCall) -> Any:
    return call.repeated(call.args[0]).to(call.args[1].dtype)


@rule("where")
def where(call: BatchedCall) -> Any:
    if len(call.args) == 1:
        return None
    condition, *operands = call.args
    ndim = max(a.ndim for a in call.args if isinstance(a, Tensor))
    a, b = aligned(call, operands)
    a, b = (
        call.value(o, ndim) if call.batched(o) and v.dtype == o.dtype else v
        for o, v in zip(operands, (a, b))
    )
    return call.run(call.value(condition, ndim), a, b)


@rule("new_zeros", "new_ones", "new_empty")
def new(call: BatchedCall) -> Any:
    size = (call.level.batch_size, *call.args[1])
    return call.run(call.value(call.args[0]), size, *call.args[2:])


@rule("new_full")
def new_full(call: BatchedCall) -> Any:
    return new(call)
