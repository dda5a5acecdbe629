"""x[...] on tensors of transforms: an index expression as the ops that it stands for."""

from __future__ import annotations

from typing import Any

from .. import _C

__all__ = ["get_item", "set_item"]

Tensor = _C.Tensor


def get_item(x: Any, index: Any) -> Any:
    """``x[index]`` by ops that transforms know."""
    view, indices = _basic(x, index)
    if not any(i is not None for i in indices):
        return view
    return _C._index(view, tuple(indices))


def set_item(x: Any, index: Any, value: Any) -> None:
    """``x[index] = value`` by ops that transforms know."""
    view, indices = _basic(x, index)
    if not isinstance(value, Tensor):
        value = _C.as_tensor(value, dtype=x.dtype, device=x.device)
    if any(i is not None for i in indices):
        view.index_put_(tuple(indices), value.to(x.dtype))
        return
    while value.ndim > view.ndim and value.shape[0] == 1:
        value = value[0]
    view.copy_(value)


def _is_mask(i: Any) -> bool:
    return isinstance(i, Tensor) and i.dtype in (_C.bool, _C.uint8)


def _dims_of(i: Any) -> int:
    if i is None or i is Ellipsis or isinstance(i, bool):
        return 0
    return i.ndim if _is_mask(i) else 1


def _as_index(i: Any) -> Any:
    if isinstance(i, (list, tuple, range)):
        found = _C.as_tensor(list(i))
        return found if found.numel() else found.to(_C.int64)
    if hasattr(i, "__array__") and not isinstance(i, Tensor):
        return _C.as_tensor(i)
    return i


def _basic(x: Any, index: Any) -> tuple[Any, list[Any]]:
    """The view that the basic part selects, and an index (or None) for each of its dimensions."""
    items = [_as_index(i) for i in (index if isinstance(index, tuple) else (index,))]
    used = sum(_dims_of(i) for i in items)
    if used > x.ndim:
        raise IndexError(f"too many indices for tensor of dimension {x.ndim}")
    if sum(i is Ellipsis for i in items) > 1:
        raise IndexError("an index can only have a single ellipsis ('...')")
    indices: list[Any] = []
    dim = 0
    for i in items:
        if i is Ellipsis:
            rest = x.ndim - dim - _remaining(items, i)
            indices += [None] * rest
            dim += rest
        else:
            x, taken = _take(x, dim, i)
            indices += taken
            dim += _kept(i, taken)
    indices += [None] * (x.ndim - dim)
    return x, indices


def _remaining(items: list[Any], ellipsis: Any) -> int:
    after = items[next(k for k, i in enumerate(items) if i is Ellipsis) + 1 :]
    return sum(_dims_of(i) for i in after)


def _kept(i: Any, taken: list[Any]) -> int:
    return i.ndim if _is_mask(i) else len(taken)


def _take(x: Any, dim: int, i: Any) -> tuple[Any, list[Any]]:
    """One item of an index expression: the view after it, and the indices of its dimensions."""
    if i is None:
        return x.unsqueeze(dim), [None]
    if isinstance(i, bool):
        return x.unsqueeze(dim), [_C.zeros(int(i), dtype=_C.int64)]
    if isinstance(i, slice):
        step = 1 if i.step is None else int(i.step)
        if step <= 0:
            raise ValueError("step must be greater than zero")
        start, stop, _ = slice(
            None if i.start is None else int(i.start), None if i.stop is None else int(i.stop), step
        ).indices(x.shape[dim])
        if (start, stop, step) == (0, x.shape[dim], 1):
            return x, [None]
        return _C._slice(x, dim, start, max(stop, start), step), [None]
    if isinstance(i, Tensor):
        return x, [i]
    n = x.shape[dim]
    place = int(i)
    if not -n <= place < n:
        raise IndexError(f"index {place} is out of bounds for dimension {dim} with size {n}")
    return x.select(dim, place), []
