"""The tensors that transforms make: a batch seen as one example, a value with tangents."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from typing import Any

from .. import _C
from ..overrides import disabled
from .levels import Level, active

__all__ = [
    "BatchedTensor",
    "NotBatchable",
    "batch",
    "drop_tangent",
    "innermost",
    "is_batched",
    "set_tangent",
    "tangent_of",
    "tensors_in",
    "values_of",
]

Tensor = _C.Tensor
BATCHED, DUAL = 32, 64  # flags; see tensor/tensor.h


class NotBatchable(RuntimeError):
    """An op cannot be run on all examples of a batch at once."""


class BatchedTensor(Tensor):
    """What the function under vmap sees: it looks like its first example.

    Attributes:
        value: all examples, along dimension 0.
        level: the vmap that it belongs to.
    """

    _interception = BATCHED
    __torch_function__ = disabled
    value: Any
    level: Level

    @property
    def requires_grad(self) -> bool:
        return bool(self.value.requires_grad)

    @requires_grad.setter
    def requires_grad(self, on: bool) -> None:
        self.value.requires_grad = on

    def requires_grad_(self, requires_grad: bool = True) -> Any:
        self.value.requires_grad_(requires_grad)
        return self

    @property
    def grad_fn(self) -> Any:
        return self.value.grad_fn

    @property
    def is_leaf(self) -> bool:
        return bool(self.value.is_leaf)

    @property
    def data(self) -> Any:  # type: ignore[override]
        return self.detach()

    def backward(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError(
            "backward() called inside vmap, where there are no leaves to give gradients to: use "
            "flambeau.func.grad or vjp in the function"
        )

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise NotBatchable(
            "vmap: a value was asked of a tensor that stands for a whole batch (.item(), bool(), "
            "int(), .tolist(), .numpy()), which has one value an example; functions under vmap "
            "cannot depend on values in Python"
        )

    item = tolist = numpy = __bool__ = __int__ = __float__ = __index__ = __complex__ = _refuse
    __array__ = __dlpack__ = data_ptr = untyped_storage = _refuse

    def __repr__(self, **_: Any) -> str:
        return f"BatchedTensor(level={self.level.number}, value={self.value!r})"

    def __deepcopy__(self, memo: Any) -> Any:
        return self.clone()

    __hash__ = Tensor.__hash__


def batch(value: Any, level: Level) -> Any:
    """A tensor of examples (dimension 0), as the function under vmap sees it."""
    state = _C.is_grad_enabled()
    _C.set_grad_mode(False)
    try:
        example = value.select(0, 0)
    finally:
        _C.set_grad_mode(state)
    seen = Tensor._make_subclass(BatchedTensor, example)
    seen.value = value
    seen.level = level
    return seen


def is_batched(x: Any, level: Level) -> bool:
    """Whether an object is a tensor of examples of this vmap."""
    return isinstance(x, BatchedTensor) and x.level is level


def _tangents(x: Any) -> dict[Level, Any] | None:
    return x.__dict__.get("_tangents") if isinstance(x, Tensor) else None


def tangent_of(x: Any, level: Level) -> Any:
    """The tangent of a tensor at a level of forward mode, or None."""
    tangents = _tangents(x)
    return tangents.get(level) if tangents else None


def set_tangent(x: Any, tangent: Any, level: Level) -> None:
    """Gives a tensor a tangent, until the level ends."""
    x.__dict__.setdefault("_tangents", {})[level] = tangent
    _C.set_dual(x, True)
    level.__dict__.setdefault("duals", []).append(weakref.ref(x))


def drop_tangent(x: Any, level: Level) -> None:
    """Takes a tensor's tangent at a level away."""
    tangents = _tangents(x)
    if tangents is not None:
        tangents.pop(level, None)
        if not tangents:
            del x.__dict__["_tangents"]
            _C.set_dual(x, False)


def tensors_in(args: Any) -> Iterator[Any]:
    """The tensors among an op's arguments, those in lists included."""
    for a in args:
        if isinstance(a, Tensor):
            yield a
        elif isinstance(a, (tuple, list)):
            yield from tensors_in(a)


def _levels_of(x: Any) -> Iterator[Level]:
    if isinstance(x, BatchedTensor):
        yield x.level
    tangents = _tangents(x)
    if tangents:
        yield from tangents


def innermost(args: Any) -> Level | None:
    """The highest active level among the tensors of a call."""
    found: Level | None = None
    for x in tensors_in(args):
        for level in _levels_of(x):
            if active(level) and (found is None or level.number > found.number):
                found = level
    return found


def values_of(args: Any, level: Level) -> Any:
    """Arguments with each tensor of examples of this vmap replaced by its value."""
    if isinstance(args, (tuple, list)):
        return tuple(values_of(a, level) for a in args)
    return args.value if is_batched(args, level) else args
