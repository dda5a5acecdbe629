"""Questions about objects and dtypes: ``is_tensor``, ``result_type``, ``typename``."""

from __future__ import annotations

from typing import Any

from . import _C
from ._C import Tensor, dtype

__all__ = [
    "can_cast",
    "compiled_with_cxx11_abi",
    "is_complex",
    "is_floating_point",
    "is_storage",
    "is_tensor",
    "numel",
    "promote_types",
    "result_type",
    "typename",
]


def is_tensor(obj: object) -> bool:
    """Whether an object is a Tensor.

    Example:

        >>> import flambeau as torch
        >>> torch.is_tensor(torch.zeros(2)), torch.is_tensor([0, 0])
        (True, False)
    """
    return isinstance(obj, Tensor)


def is_floating_point(input: Tensor) -> bool:
    """Whether a tensor's dtype is a floating-point one.

    Example:

        >>> import flambeau as torch
        >>> torch.is_floating_point(torch.tensor([1.0])), torch.is_floating_point(torch.tensor([1]))
        (True, False)
    """
    return input.is_floating_point()


def is_complex(input: Tensor) -> bool:
    """Whether a tensor's dtype is a complex one.

    Example:

        >>> import flambeau as torch
        >>> torch.is_complex(torch.tensor([1j]))
        True
    """
    return input.is_complex()


def is_storage(obj: object) -> bool:
    """Whether an object is the memory of a tensor.

    Example:

        >>> import flambeau as torch
        >>> torch.is_storage(torch.zeros(2).untyped_storage())
        True
    """
    from .untyped_storage import UntypedStorage

    return isinstance(obj, UntypedStorage)


def numel(input: Tensor) -> int:
    """The number of elements of a tensor.

    Example:

        >>> import flambeau as torch
        >>> torch.numel(torch.zeros(2, 3))
        6
    """
    return input.numel()


def promote_types(type1: dtype, type2: dtype) -> dtype:
    """The smallest dtype that both can be converted to without a change of kind.

    Example:

        >>> import flambeau as torch
        >>> torch.promote_types(torch.int32, torch.float16)
        flambeau.float16
        >>> torch.promote_types(torch.uint8, torch.int8)
        flambeau.int16
    """
    return _C.promote_types(type1, type2)


def can_cast(from_: dtype, to: dtype) -> bool:
    """Whether a conversion keeps the kind: not complex to real, float to integer, or any to bool.

    Example:

        >>> import flambeau as torch
        >>> torch.can_cast(torch.float64, torch.float16), torch.can_cast(torch.float32, torch.int64)
        (True, False)
    """
    return _C.can_cast(from_, to)


def result_type(tensor1: Any, tensor2: Any) -> dtype:
    """The dtype in which an op on two operands, tensors or numbers, computes.

    Numbers weigh least, then tensors without dimensions, then other tensors.

    Example:

        >>> import flambeau as torch
        >>> torch.result_type(torch.tensor([1, 2], dtype=torch.int32), 1.0)
        flambeau.float32
        >>> torch.result_type(torch.tensor([1, 2], dtype=torch.uint8), torch.tensor(1))
        flambeau.uint8
    """
    a, b = _shrunk(tensor1), _shrunk(tensor2)
    if not isinstance(a, Tensor) and not isinstance(b, Tensor):
        a = _C.tensor(a)
    # A product of nothing has the type that any product of the two would have.
    return (a * b).dtype


def _shrunk(x: Any) -> Any:
    """The operand with no element left; a tensor without dimensions keeps its one."""
    return x.new_empty((0,)) if isinstance(x, Tensor) and x.ndim else x


def typename(obj: object) -> str:
    """The name of an object's type; of a tensor, its legacy type.

    Example:

        >>> import flambeau as torch
        >>> torch.typename(torch.zeros(2)), torch.typename([])
        ('flambeau.FloatTensor', 'list')
    """
    if isinstance(obj, Tensor):
        return obj.type()
    kind = type(obj)
    # Types of Python itself go without their module.
    module = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
    return module + kind.__qualname__


def compiled_with_cxx11_abi() -> bool:
    """Whether the native code uses the C++11 ABI.

    Example:

        >>> import flambeau as torch
        >>> torch.compiled_with_cxx11_abi()
        True
    """
    return True
