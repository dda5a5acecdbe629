"""The tensors that vmap makes: a batch seen as one example."""

from __future__ import annotations

from typing import Any

from .. import _C
from ..overrides import disabled
from .levels import Level

__all__ = [
    "BatchedTensor",
    "NotBatchable",
    "batch",
    "is_batched",
    "values_of",
]

Tensor = _C.Tensor
BATCHED = 32  # the flag; see tensor/tensor.h


class NotBatchable(RuntimeError):
    """An op cannot be run on all examples of a batch at once."""


class BatchedTensor(Tensor):
    """What the function under vmap sees: it looks like its first example.

    Attributes:
        value: all examples, along dimension 0.
        level: the vmap that it belongs to.
        viewed: the one whose memory it shows, if it is a view.
    """

    _interception = BATCHED
    __torch_function__ = disabled
    value: Any
    level: Level
    viewed: Any = None

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
    def _base(self) -> Any:
        return self.viewed

    @property
    def data(self) -> Any:
        return self.detach()

    @data.setter
    def data(self, value: Any) -> None:
        raise RuntimeError("vmap: data cannot be assigned inside; use copy_() to write values")

    @property
    def grad(self) -> Any:  # type: ignore[override]
        found = self.value.grad
        return None if found is None else batch(found, self.level)

    def retain_grad(self) -> None:
        self.value.retain_grad()

    def register_hook(self, hook: Any) -> Any:
        def on_batch(found: Any) -> Any:
            changed = hook(batch(found, self.level))
            return changed.value if is_batched(changed, self.level) else changed

        return self.value.register_hook(on_batch)

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
    __array__ = __dlpack__ = data_ptr = untyped_storage = storage = _refuse
    __reduce_ex__ = __reduce__ = _storage_bytes = _storage_key = _refuse

    def __repr__(self, **_: Any) -> str:
        return f"BatchedTensor(level={self.level.number}, value={self.value!r})"

    def __copy__(self) -> Any:
        return batch(self.value, self.level, self)

    def __deepcopy__(self, memo: Any) -> Any:
        return self.clone()

    __hash__ = Tensor.__hash__


def batch(value: Any, level: Level, of: Any = None) -> Any:
    """A tensor of examples (dimension 0), as the function under vmap sees it.

    It may be a view of the memory of another one, ``of``.
    """
    state = _C.is_grad_enabled()
    _C.set_grad_mode(False)
    try:
        example = value.select(0, 0)
    finally:
        _C.set_grad_mode(state)
    seen = Tensor._make_subclass(BatchedTensor, example)
    seen.value = value
    seen.level = level
    base = value._base
    if of is not None and base is not None and (base is of.value or base is of.value._base):
        seen.viewed = of if of.viewed is None else of.viewed
    return seen


def is_batched(x: Any, level: Level) -> bool:
    """Whether an object is a tensor of examples of this vmap."""
    return isinstance(x, BatchedTensor) and x.level is level


def values_of(args: Any, level: Level) -> Any:
    """Arguments with each tensor of examples of this vmap replaced by its value."""
    if isinstance(args, (tuple, list)):
        return tuple(values_of(a, level) for a in args)
    return args.value if is_batched(args, level) else args
