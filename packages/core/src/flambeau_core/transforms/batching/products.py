"""Matrix products: the batch is one more batch dimension of matmul."""

from __future__ import annotations

from typing import Any

from .rule import BatchedCall, rule

__all__: list[str] = []

DIMS = {"mm": (2, 2), "bmm": (3, 3), "mv": (2, 1), "dot": (1, 1)}


@rule("matmul", "mm", "bmm", "mv", "dot")
def matmul(call: BatchedCall) -> Any:
    a, b = call.args
    wanted = DIMS.get(call.name)
    if (wanted and (a.ndim, b.ndim) != wanted) or not a.ndim or not b.ndim:
        return None  # an example at a time, the op says what is wrong
    row, column = a.ndim == 1, b.ndim == 1
    ndim = max(a.ndim + row, b.ndim + column)
    left = _matrix(call, a, ndim, -2 if row else None)
    right = _matrix(call, b, ndim, -1 if column else None)
    y = left @ right
    if column:
        y = y.squeeze(-1)
    return y.squeeze(-2 + column) if row else y


def _matrix(call: BatchedCall, x: Any, ndim: int, new: int | None) -> Any:
    """A vector as a matrix, the examples' dimensions filled up so that batches meet."""
    v = call.value(x)
    if new is not None:
        v = v.unsqueeze(new)
    while call.batched(x) and v.ndim < ndim + 1:
        v = v.unsqueeze(1)
    return v


@rule("addmm", "baddbmm")
def addmm(call: BatchedCall) -> Any:
    bias, a, b, beta, alpha = call.args
    product = a @ b
    if alpha != 1:
        product = product * alpha
    if beta == 0:
        return product
    return bias * beta + product if beta != 1 else bias + product


@rule("linear")
def linear(call: BatchedCall) -> Any:
    x, weight, bias = call.args
    if not call.batched(weight) and not call.batched(bias):
        return call.run(call.value(x), weight, bias)
    y = x @ (weight.t() if weight.ndim == 2 else weight)
    return y if bias is None else y + bias
