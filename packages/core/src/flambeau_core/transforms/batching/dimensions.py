"""Ops that work along dimensions of one tensor: those dimensions move one to the right."""

from __future__ import annotations

from typing import Any

from ... import _C
from ..pytree import like
from .rule import BatchedCall, rule

__all__ = ["shifted", "shifted_all"]


def shifted(dim: int, ndim: int) -> int:
    """Where a dimension of an example lies in the whole batch; IndexError out of range."""
    n = max(ndim, 1)
    if not -n <= dim < n:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {dim})"
        )
    return dim % n + 1


def shifted_all(dims: Any, ndim: int) -> tuple[int, ...]:
    return tuple(shifted(d, ndim) for d in dims)


def _scalar_result(result: Any) -> Any:
    """Takes the stand-in dimension of 0-dimensional examples away again."""
    if isinstance(result, _C.Tensor):
        return result.squeeze(1)
    return like(result, (_scalar_result(r) for r in result))


@rule("cumsum", "cumprod", "cummax", "cummin", "logcumsumexp", "softmax", "log_softmax", "sort")
@rule("argsort", "topk", "msort")
def along_one(call: BatchedCall) -> Any:
    x = call.args[0]
    v = call.value(x)
    dim = shifted(call.args[call.index("dim")], x.ndim)
    if x.ndim > 0:
        return call.run(*call.replaced(**{_self(call): v, "dim": dim}))
    return _scalar_result(call.run(*call.replaced(**{_self(call): v.unsqueeze(1), "dim": 1})))


def _self(call: BatchedCall) -> str:
    return "self" if call.index("self") == 0 else "input"


@rule("select", "unbind", "chunk", "split", "split_with_sizes", "_slice", "unflatten")
def view_along_one(call: BatchedCall) -> Any:
    x = call.args[0]
    if x.ndim == 0:
        return None
    dim = shifted(call.args[call.index("dim")], x.ndim)
    return call.run(*call.replaced(self=call.value(x), dim=dim))


@rule("narrow")
def narrow(call: BatchedCall) -> Any:
    if call.batched(call.args[2]) or call.args[0].ndim == 0:
        return None
    return view_along_one(call)


@rule("as_strided")
def as_strided(call: BatchedCall) -> Any:
    x, size, stride, offset = call.args
    v = call.value(x)
    # Places count from where the first example begins.
    start = v.storage_offset() + (0 if offset is None else offset - x.storage_offset())
    return v.as_strided((v.shape[0], *size), (v.stride(0), *stride), start)


@rule("as_strided_scatter")
def as_strided_scatter(call: BatchedCall) -> Any:
    x, source, size, stride, offset = call.args
    each = []
    for one, of_one in zip(call.repeated(x), call.repeated(source)):
        start = None if offset is None else one.storage_offset() + offset - x.storage_offset()
        each.append(call.run(one, of_one, size, stride, start))
    return _C.stack(each)


@rule("unfold")
def unfold(call: BatchedCall) -> Any:
    x = call.args[0]
    if x.ndim == 0:
        return None
    return call.run(call.value(x), shifted(call.args[1], x.ndim), *call.args[2:])


@rule("unsqueeze")
def unsqueeze(call: BatchedCall) -> Any:
    x, dim = call.args
    return call.run(call.value(x), shifted(dim, x.ndim + 1))


@rule("squeeze")
def squeeze(call: BatchedCall) -> Any:
    x = call.args[0]
    dims = call.args[1] if len(call.args) > 1 else range(x.ndim)
    v = call.value(x)
    if x.ndim == 0:
        return v.clone() if call.op.inplace else v
    return v.squeeze(shifted_all(dims, x.ndim))


@rule("transpose", "swapaxes", "swapdims")
def transpose(call: BatchedCall) -> Any:
    x, a, b = call.args
    if x.ndim == 0:
        return call.value(x).view_as(call.value(x))
    return call.run(call.value(x), shifted(a, x.ndim), shifted(b, x.ndim))


@rule("t")
def t(call: BatchedCall) -> Any:
    x = call.args[0]
    if x.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {x.ndim}D")
    return call.value(x).transpose(1, 2) if x.ndim == 2 else call.value(x)


@rule("permute")
def permute(call: BatchedCall) -> Any:
    x, dims = call.args
    return call.run(call.value(x), (0, *shifted_all(dims, x.ndim)))


@rule("movedim", "moveaxis")
def movedim(call: BatchedCall) -> Any:
    x, source, to = call.args
    return call.run(call.value(x), shifted_all(source, x.ndim), shifted_all(to, x.ndim))


@rule("diagonal")
def diagonal(call: BatchedCall) -> Any:
    x, offset, a, b = call.args
    return call.run(call.value(x), offset, shifted(a, x.ndim), shifted(b, x.ndim))


@rule("flatten")
def flatten(call: BatchedCall) -> Any:
    x, start, end = call.args
    v = call.value(x)
    if x.ndim == 0:
        return v.unsqueeze(1)
    return call.run(v, shifted(start, x.ndim), shifted(end, x.ndim))


@rule("ravel")
def ravel(call: BatchedCall) -> Any:
    return call.value(call.args[0]).reshape(call.level.batch_size, call.args[0].numel())


def _inferred(x: Any, size: Any) -> tuple[int, ...]:
    """A shape without -1, since a batch of no elements does not tell it."""
    size = tuple(size)
    if -1 in size and x.numel():
        known = 1
        for s in size:
            known *= s if s != -1 else 1
        size = tuple(x.numel() // known if s == -1 and known else s for s in size)
    return size


@rule("view", "reshape")
def view(call: BatchedCall) -> Any:
    x, size = call.args
    if isinstance(size, _C.dtype):
        return call.run(call.value(x), size) if x.ndim else None
    return call.run(call.value(x), (call.level.batch_size, *_inferred(x, size)))


@rule("view_as", "reshape_as")
def view_as(call: BatchedCall) -> Any:
    x, other = call.args
    if not call.batched(x):
        x = x.reshape(other.shape)
        return x.expand(call.level.batch_size, *x.shape)
    return call.value(x).reshape(call.level.batch_size, *other.shape)


@rule("expand")
def expand(call: BatchedCall) -> Any:
    x, size = call.args[:2]
    if len(size) < x.ndim:
        raise RuntimeError(
            f"expand({list(size)}): the number of sizes provided ({len(size)}) must be greater or "
            f"equal to the number of dimensions in the tensor ({x.ndim})"
        )
    return call.value(x, len(size)).expand(call.level.batch_size, *size)


@rule("expand_as")
def expand_as(call: BatchedCall) -> Any:
    x, other = call.args
    return call.repeated(x, other.ndim).expand(call.level.batch_size, *other.shape)


@rule("cat", "concat", "concatenate", "stack")
def join(call: BatchedCall) -> Any:
    tensors, dim = call.args
    tensors = [t for t in tensors if call.name == "stack" or tuple(t.shape) != (0,)] or tensors
    ndim = tensors[0].ndim + (call.name == "stack")
    return call.run(tuple(call.repeated(t) for t in tensors), shifted(dim, ndim))
