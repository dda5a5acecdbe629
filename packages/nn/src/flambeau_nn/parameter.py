"""`Parameter` and `Buffer`: the tensors that a module keeps by name."""

from __future__ import annotations

from typing import Any

import flambeau_core as fb
from flambeau_core import Tensor
from flambeau_core.parameter_type import set_parameter_type

__all__ = ["Buffer", "Parameter"]


class Parameter(Tensor):
    """A tensor that a `Module` registers for training when it becomes an attribute.

    `data` (any shape; an empty tensor when left out) shares its memory with the parameter.
    `requires_grad` is on unless said otherwise, also under `no_grad`.
    """

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Parameter:
        if data is None:
            data = fb.empty(0)
        return Tensor._make_subclass(cls, data, requires_grad)

    def __deepcopy__(self, memo: dict[int, Any]) -> Parameter:
        known = memo.get(id(self))
        if known is not None:
            return known
        copy = type(self)(self.data.clone(), self.requires_grad)
        memo[id(self)] = copy
        return copy

    def __reduce_ex__(self, protocol: Any) -> Any:
        state = self.__dict__ or None
        return rebuild_parameter, (type(self), self.data, self.requires_grad), state

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        return "Parameter containing:\n" + super().__repr__()


# Files that hold parameters are read by core, which does not know this class.
set_parameter_type(Parameter)


# Core writes and reads parameters in files by the class that it is told of.
set_parameter_type(Parameter)


def rebuild_parameter(cls: type[Parameter], data: Tensor, requires_grad: bool) -> Parameter:
    """The parameter that a pickle describes."""
    return cls(data, requires_grad)


class _BufferType(type(Tensor)):  # type: ignore[misc]
    """Lets any tensor marked as a buffer count as an instance of `Buffer`."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, Tensor) and getattr(instance, "_is_buffer", False)


class Buffer(Tensor, metaclass=_BufferType):
    """A tensor that a `Module` registers as a buffer when it becomes an attribute.

    `persistent` says whether it is part of the module's `state_dict`.
    """

    persistent: bool

    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True) -> Buffer:
        if data is None:
            data = fb.empty(0)
        buffer: Any = data.detach().requires_grad_(data.requires_grad)
        buffer.persistent = persistent
        buffer._is_buffer = True
        return buffer
