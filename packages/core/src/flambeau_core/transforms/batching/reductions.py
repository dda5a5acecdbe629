"""Reductions: over the examples' dimensions, never over the batch."""

from __future__ import annotations

from typing import Any

from .dimensions import _scalar_result, shifted, shifted_all
from .rule import BatchedCall, rule

__all__: list[str] = []


@rule("sum", "mean", "amax", "amin", "any", "all", "var", "count_nonzero")
def over_dims(call: BatchedCall) -> Any:
    x = call.args[0]
    v = call.value(x)
    at = call.index("dim")
    if at < 0:  # var(self, unbiased)
        return call.op(v.reshape(v.shape[0], -1), 1, unbiased=call.args[1])
    if x.ndim == 0:
        return _scalar_or_not(call, v)
    dims = call.args[at]
    every = dims is None or len(dims) == 0
    return call.run(
        *call.replaced(self=v, dim=tuple(range(1, v.ndim)) if every else shifted_all(dims, x.ndim))
    )


def _scalar_or_not(call: BatchedCall, v: Any) -> Any:
    """A 0-dimensional example is reduced over a dimension of size 1."""
    changes: dict[str, Any] = {"self": v.unsqueeze(1), "dim": (1,)}
    if call.index("keepdim") >= 0:
        changes["keepdim"] = False
    return call.run(*call.replaced(**changes))


@rule("argmax", "argmin")
def arg_reduce(call: BatchedCall) -> Any:
    x, dim, keepdim = call.args
    v = call.value(x)
    if x.ndim == 0:
        return call.run(v.unsqueeze(1), 1, False)
    if dim is not None:
        return call.run(v, shifted(dim, x.ndim), keepdim)
    found = call.run(v.reshape(v.shape[0], x.numel()), 1, False)
    return found.reshape((v.shape[0],) + (1,) * x.ndim) if keepdim else found


@rule("prod")
def prod(call: BatchedCall) -> Any:
    x = call.args[0]
    v = call.value(x)
    if call.index("dim") < 0:
        return call.op(v.reshape(v.shape[0], x.numel()), 1, dtype=call.args[1])
    if x.ndim == 0:
        return call.run(v.unsqueeze(1), 1, False, call.args[3])
    return call.run(v, shifted(call.args[1], x.ndim), *call.args[2:])


@rule("max", "min")
def extreme(call: BatchedCall) -> Any:
    x = call.args[0]
    if call.index("other") >= 0:
        from .elementwise import elementwise

        return elementwise(call)
    v = call.value(x)
    if call.index("dim") < 0:
        return call.op(v.reshape(v.shape[0], x.numel()), 1)[0]
    if x.ndim == 0:
        return _scalar_result(call.run(v.unsqueeze(1), 1, True))
    return call.run(v, shifted(call.args[1], x.ndim), call.args[2])
