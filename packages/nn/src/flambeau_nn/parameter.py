"""`Parameter` and `Buffer`: the tensors that a module keeps by name."""

from __future__ import annotations

from typing import Any

import flambeau_core as fb
from flambeau_core import Tensor
from flambeau_core.overrides import (
    OVERRIDES,
    DisableTorchFunctionSubclass,
    change_class,
    disabled,
)
from flambeau_core.parameter_type import set_parameter_type

__all__ = [
    "Buffer",
    "Parameter",
    "UninitializedBuffer",
    "UninitializedParameter",
    "UninitializedTensorMixin",
    "is_lazy",
]


class _ParameterType(type(Tensor)):  # type: ignore[misc]
    """Lets tensors of overriding classes count as instances of `Parameter` once they are some."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return super().__instancecheck__(instance) or (
            cls is Parameter
            and isinstance(instance, Tensor)
            and getattr(instance, "_is_param", False)
        )


class Parameter(Tensor, metaclass=_ParameterType):
    """A tensor that a `Module` registers for training when it becomes an attribute.

    `data` (any shape; an empty tensor when left out) shares its memory with the parameter.
    `requires_grad` is on unless said otherwise, also under `no_grad`. Data of a class that says
    what ops do with its instances stays one of that class.
    """

    __torch_function__ = disabled  # ops take it for a plain tensor

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Parameter:
        if data is None:
            data = fb.empty(0)
        if cls is Parameter and type(data)._interception & OVERRIDES:
            return _kept_class(data, requires_grad)
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


def _kept_class(data: Any, requires_grad: bool) -> Any:
    """A parameter that stays an instance of the class that says what ops do with it."""
    parameter = data.detach()
    if type(parameter) is not type(data):
        raise RuntimeError(
            f"Parameter: detach() of a {type(data).__name__} gives a {type(parameter).__name__}; "
            "a parameter must be of the same class as its data"
        )
    parameter.requires_grad_(requires_grad)
    parameter._is_param = True
    return parameter


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

    __torch_function__ = disabled  # ops take it for a plain tensor

    persistent: bool

    def __new__(cls, data: Tensor | None = None, *, persistent: bool = True) -> Buffer:
        if data is None:
            data = fb.empty(0)
        buffer: Any = data.detach().requires_grad_(data.requires_grad)
        buffer.persistent = persistent
        buffer._is_buffer = True
        return buffer


# What may be done with a tensor that has no shape yet.
_ALLOWED = {
    "__get__",
    "__set__",
    "bfloat16",
    "copy_",
    "cpu",
    "cuda",
    "double",
    "float",
    "half",
    "is_complex",
    "is_floating_point",
    "size",
    "to",
}


class UninitializedTensorMixin:
    """A tensor of a known dtype and device that gets its shape, and its class, later."""

    cls_to_become: type[Tensor]

    def materialize(self: Any, shape: Any, device: Any = None, dtype: Any = None) -> None:
        """Takes on a shape, with unset values, and the class that it stands for."""
        device = self.device if device is None else device
        dtype = self.dtype if dtype is None else dtype
        change_class(self, self.cls_to_become)
        self.data = fb.empty(shape, device=device, dtype=dtype)

    @property
    def shape(self) -> Any:
        """Raises RuntimeError: the shape is not known."""
        raise RuntimeError(
            "Can't access the shape of an uninitialized parameter or buffer. Call `forward` of its "
            "module first. In `load_state_dict`: an uninitialized parameter cannot be loaded into "
            "an initialized one."
        )

    def share_memory_(self) -> Any:
        """Raises RuntimeError: there is no memory yet."""
        raise RuntimeError(
            "Can't share memory of an uninitialized parameter or buffer. Call `forward` of its "
            "module before `share_memory()`."
        )

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        return f"<{type(self).__name__}>"

    def __deepcopy__(self: Any, memo: dict[int, Any]) -> Any:
        known = memo.get(id(self))
        if known is None:
            known = memo[id(self)] = type(self)(self.requires_grad, self.device, self.dtype)
        return known

    def __reduce_ex__(self: Any, protocol: Any) -> Any:
        return type(self), (self.requires_grad, self.device, self.dtype)


def _refuse(cls: Any, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None) -> Any:
    """Lets attributes be read and dtypes be changed; ValueError for everything else."""
    name = getattr(func, "__name__", str(func))
    if name not in _ALLOWED:
        raise ValueError(
            f"Attempted to use an uninitialized parameter in {name}. Call `forward` of its "
            "module, or `materialize`, first."
        )
    with DisableTorchFunctionSubclass():
        result = func(*args, **(kwargs or {}))
    # A buffer that is cast waits on; a parameter keeps its identity and takes on the data.
    waits = isinstance(result, Tensor) and cls is UninitializedBuffer and name != "__get__"
    return result.as_subclass(cls) if waits else result


class UninitializedParameter(UninitializedTensorMixin, Parameter):  # type: ignore[misc]
    """A parameter of a lazy module, before its first call."""

    __torch_function__ = classmethod(_refuse)
    cls_to_become = Parameter

    def __new__(
        cls, requires_grad: bool = True, device: Any = None, dtype: Any = None
    ) -> UninitializedParameter:
        return Tensor._make_subclass(cls, fb.empty(0, device=device, dtype=dtype), requires_grad)


class _MaterializedBuffer(Tensor):
    """A buffer that was uninitialized once; Python lets no object become a plain Tensor."""

    __torch_function__ = disabled  # ops take it for a plain tensor

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        return repr(self.detach())


class UninitializedBuffer(UninitializedTensorMixin, Tensor):
    """A buffer of a lazy module, before its first call."""

    __torch_function__ = classmethod(_refuse)
    cls_to_become = _MaterializedBuffer

    def __new__(
        cls,
        requires_grad: bool = False,
        device: Any = None,
        dtype: Any = None,
        persistent: bool = True,
    ) -> UninitializedBuffer:
        data = fb.empty(0, device=device, dtype=dtype)
        buffer: Any = Tensor._make_subclass(cls, data, requires_grad)
        buffer.persistent = persistent
        buffer._is_buffer = True
        return buffer


def is_lazy(param: Any) -> bool:
    """Whether a tensor is still uninitialized."""
    return isinstance(param, UninitializedTensorMixin)
