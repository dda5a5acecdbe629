"""Ops that read or write at indices, which may differ from example to example."""

from __future__ import annotations

from typing import Any

from ... import _C
from .dimensions import shifted
from .rule import BatchedCall, NotBatchable, Tensor, rule

__all__: list[str] = []


@rule("masked_select", "nonzero", "argwhere", "bincount")
def data_dependent(call: BatchedCall) -> Any:
    raise NotBatchable(
        f"vmap: {call.name} gives as many elements as the values say, which may differ from "
        "example to example"
    )


def _same_rank(call: BatchedCall, *tensors: Any) -> tuple[Any, ...]:
    """Tensors of one rank, repeated for every example; 0-dimensional ones as vectors."""
    values = []
    for t in tensors:
        v = call.repeated(t) if isinstance(t, Tensor) else t
        values.append(v.unsqueeze(1) if isinstance(t, Tensor) and t.ndim == 0 else v)
    return tuple(values)


@rule("gather")
def gather(call: BatchedCall) -> Any:
    x, dim, index = call.args[:3]
    v, i = _same_rank(call, x, index)
    y = call.run(v, shifted(dim, x.ndim), i, *call.args[3:])
    return y.squeeze(1) if index.ndim == 0 else y


@rule("scatter", "scatter_add", "scatter_reduce")
def scatter(call: BatchedCall) -> Any:
    x, dim, index, source = call.args[:4]
    if isinstance(source, Tensor) and source.ndim == 0 and index.ndim > 0:
        return None
    v, i, s = _same_rank(call, x, index, source)
    y = call.run(v, shifted(dim, x.ndim), i, s, *call.args[4:])
    return y.squeeze(1) if x.ndim == 0 else y


@rule("index_select")
def index_select(call: BatchedCall) -> Any:
    x, dim, index = call.args
    if x.ndim == 0:
        return None
    if not call.batched(index):
        return call.run(call.value(x), shifted(dim, x.ndim), index)
    v, d = call.repeated(x), shifted(dim, x.ndim)
    i = call.value(index).reshape(
        (v.shape[0],) + tuple(-1 if k == d else 1 for k in range(1, v.ndim))
    )
    return v.gather(d, i.expand(*(-1 if k == d else s for k, s in enumerate(v.shape))))


@rule("take")
def take(call: BatchedCall) -> Any:
    x, index = call.args
    v, i = call.repeated(x).reshape(call.level.batch_size, -1), call.repeated(index)
    return v.gather(1, i.reshape(v.shape[0], -1)).reshape(i.shape)


def _numbers(call: BatchedCall, ndim: int) -> Any:
    """0, 1, 2, ... along the batch, to index together with indices of ``ndim`` dimensions."""
    n = call.level.batch_size
    return _C.arange(n).reshape((n,) + (1,) * ndim)


class _Places:
    """Where the dimensions of x[indices] come from, for one example."""

    def __init__(self, call: BatchedCall, x: Any, indices: Any) -> None:
        self.indices = [
            None if i is None else (i if call.batched(i) else _without_mask(i)) for i in indices
        ]
        if any(isinstance(i, list) for i in self.indices):
            flat: list[Any] = []
            for i in self.indices:
                flat += i if isinstance(i, list) else [i]
            self.indices = flat
        given = [i for i in self.indices if i is not None]
        if any(i.dtype in (_C.bool, _C.uint8) for i in given):
            raise NotBatchable(
                "vmap: a mask that differs from example to example selects numbers of elements "
                "that may differ too; use where() or masked_fill()"
            )
        self.ndim = max(i.ndim for i in given)
        places = [k for k, i in enumerate(self.indices) if i is not None]
        adjacent = places[-1] - places[0] + 1 == len(places)
        self.front = places[0] if adjacent else 0  # where the index dimensions appear
        self.rest = x.ndim - len(given)


def _without_mask(index: Any) -> Any:
    """A mask that all examples share, as the indices it stands for."""
    if index.dtype not in (_C.bool, _C.uint8):
        return index
    return list(index.nonzero(as_tuple=True))


@rule("_index")
def index(call: BatchedCall) -> Any:
    x, indices = call.args
    p = _Places(call, x, indices)
    v = call.repeated(x)
    y = _C._index(
        v,
        (
            _numbers(call, p.ndim),
            *(None if i is None else call.value(i, p.ndim) for i in p.indices),
        ),
    )
    # The batch stands in front of the index dimensions, and both in front of the rest, unless
    # the first dimension of the examples is indexed too.
    return _index_dims_to(y, p)


def _index_dims_to(y: Any, p: _Places) -> Any:
    if p.front == 0 or p.ndim == 0:
        return y
    return y.movedim(tuple(range(1, 1 + p.ndim)), tuple(range(1 + p.front, 1 + p.front + p.ndim)))


@rule("index_put")
def index_put(call: BatchedCall) -> Any:
    x, indices, source, accumulate = call.args
    p = _Places(call, x, indices)
    v = call.repeated(x)
    places = (
        _numbers(call, p.ndim),
        *(None if i is None else call.value(i, p.ndim) for i in p.indices),
    )
    s = call.repeated(source, p.ndim + p.rest)
    if p.front and p.ndim:
        s = s.movedim(tuple(range(1 + p.front, 1 + p.front + p.ndim)), tuple(range(1, 1 + p.ndim)))
    return v.index_put(places, s, accumulate)


@rule("embedding")
def embedding(call: BatchedCall) -> Any:
    first, second, padding = call.args[:3]
    weight_first = call.index("weight") == 0
    weight, indices = (first, second) if weight_first else (second, first)
    if not call.batched(weight):
        v = call.value(indices)
        return call.run(*((weight, v) if weight_first else (v, weight)), *call.args[2:])
    if padding is not None:
        # The padding row is read but gets no gradient.
        row = _C.arange(weight.shape[0]).unsqueeze(1) == padding % weight.shape[0]
        weight = _C.where(row, weight.detach(), weight)
    return weight[indices]
