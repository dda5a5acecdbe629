"""Tensor's methods in Python: printing, pickling, NumPy's protocols, legacy conversions."""

from __future__ import annotations

from collections.abc import Iterator
from types import FunctionType
from typing import Any

from . import _C

__all__ = ["install", "tensor_iter", "tensor_repr"]

Tensor = _C.Tensor


def tensor_repr(self: Any) -> str:
    from .printing import tensor_str

    return tensor_str(self)


def tensor_iter(self: Any) -> Iterator[Any]:
    if self.ndim == 0:
        raise TypeError("iteration over a 0-d tensor")
    return iter(self.unbind(0))


def _reduce_ex(self: Any, protocol: int) -> Any:
    from .pickling import reduce_tensor

    return reduce_tensor(self)


def _deepcopy(self: Any, memo: dict[Any, Any]) -> Any:
    from .pickling import deepcopy_tensor

    return deepcopy_tensor(self, memo)


def _array(self: Any, dtype: Any = None, copy: bool | None = None) -> Any:
    array = self.numpy()
    if dtype is not None and array.dtype != dtype:
        return array.astype(dtype)
    return array.copy() if copy else array


def _array_wrap(self: Any, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
    return _C.from_numpy(array) if array.ndim else _C.tensor(array.item())


def _contains(self: Any, element: Any) -> bool:
    if isinstance(element, (Tensor, int, float, complex)):
        return bool((self == element).any())
    raise RuntimeError(
        f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}."
    )


def _format(self: Any, spec: str) -> str:
    if self.ndim == 0:
        return self.item().__format__(spec)
    return object.__format__(self, spec) if spec else repr(self)


def _complex(self: Any) -> complex:
    if self.numel() != 1:
        raise ValueError(
            "only one element tensors can be converted to Python scalars, "
            f"got shape {list(self.shape)}"
        )
    return complex(self.item())


def _dir(self: Any) -> list[str]:
    return sorted(set(dir(type(self))) | set(self.__dict__))


def _cuda(
    self: Any, device: Any = None, non_blocking: bool = False, memory_format: Any = None
) -> Any:
    """A copy on a CUDA device.

    Raises:
        AssertionError: no backend serves CUDA devices.
    """
    from . import cuda

    cuda.init()
    index = device if isinstance(device, int) else None
    target = _C.device("cuda", index) if device is None or index is not None else _C.device(device)
    return self.to(target)


def _type(self: Any, dtype: Any = None, non_blocking: bool = False) -> Any:
    """The legacy type's name, or with a dtype (or such a name) a conversion to it.

    Example:

        >>> import flambeau as torch
        >>> torch.zeros(2).type()
        'flambeau.FloatTensor'
        >>> torch.zeros(2).type(torch.int64)
        tensor([0, 0])
    """
    from .legacy_types import dtype_of_legacy, legacy_name

    if dtype is None:
        return legacy_name(self)
    return self.to(dtype_of_legacy(dtype))


def _new(self: Any, *args: Any, **kwargs: Any) -> Any:
    """A tensor of this one's dtype and device: from sizes (unset) or from data.

    Example:

        >>> import flambeau as torch
        >>> torch.zeros(2).new([1.0, 2.0])
        tensor([1., 2.])
        >>> torch.zeros(2).new(2, 3).shape
        flambeau.Size([2, 3])
    """
    if not args:
        return self.new_empty(0)
    if all(isinstance(a, int) for a in args):
        return self.new_empty(args)
    if isinstance(args[0], _C.Size):
        return self.new_empty(args[0])
    return self.new_tensor(args[0])


def _pin_memory(self: Any, device: Any = None) -> Any:
    """Page-locked memory is an accelerator's; on the CPU the tensor itself.

    Example:

        >>> import flambeau as torch
        >>> x = torch.zeros(2)
        >>> x.pin_memory() is x
        True
    """
    return self


def _is_pinned(self: Any, device: Any = None) -> bool:
    """False: page-locked memory is an accelerator's.

    Example:

        >>> import flambeau as torch
        >>> torch.zeros(2).is_pinned()
        False
    """
    return False


def _is_shared(self: Any) -> bool:
    """Whether share_memory_ moved it where other processes see it.

    Example:

        >>> import flambeau as torch
        >>> torch.zeros(2).is_shared()
        False
    """
    return bool(getattr(self, "_in_shared_memory", False))


def _share_memory_(self: Any) -> Any:
    """Moves the memory into a segment that forked processes see, in place.

    Example:

        >>> import flambeau as torch
        >>> torch.zeros(2).share_memory_().is_shared()
        True
    """
    from .shared_memory import share

    return share(self)


def _apply_(self: Any, function: Any) -> Any:
    """Replaces each element by ``function(element)``; slow, on the CPU only.

    Example:

        >>> import flambeau as torch
        >>> torch.tensor([1.0, 2.0]).apply_(lambda element: element * 10)
        tensor([10., 20.])
    """
    flat = [function(v) for v in self.detach().reshape(-1).tolist()]
    self.copy_(_C.tensor(flat, dtype=self.dtype).reshape(self.shape))
    return self


def _map_(self: Any, other: Any, function: Any) -> Any:
    """Replaces each element by ``function(element, other's element)``; slow.

    Example:

        >>> import flambeau as torch
        >>> x = torch.tensor([1.0, 2.0])
        >>> x.map_(torch.tensor([3.0, 4.0]), lambda a, b: a * b)
        tensor([3., 8.])
    """
    pairs = zip(self.detach().reshape(-1).tolist(), other.expand_as(self).reshape(-1).tolist())
    self.copy_(_C.tensor([function(a, b) for a, b in pairs], dtype=self.dtype).reshape(self.shape))
    return self


def _rdiv(self: Any, other: Any) -> Any:
    return self.reciprocal() * other


def _dim_order(self: Any) -> tuple[int, ...]:
    """The dimensions from the largest stride to the smallest.

    Example:

        >>> import flambeau as torch
        >>> torch.zeros(2, 3).dim_order(), torch.zeros(2, 3).T.dim_order()
        ((0, 1), (1, 0))
    """
    return tuple(sorted(range(self.ndim), key=lambda d: -self.stride(d)))


def _storage(self: Any) -> Any:
    """The memory that it and its views share, as bytes.

    Example:

        >>> import flambeau as torch
        >>> x = torch.zeros(2, 3)
        >>> x.untyped_storage().nbytes()
        24
    """
    from .untyped_storage import UntypedStorage

    return UntypedStorage(self)


def install() -> None:
    """Puts the methods of this module onto Tensor."""
    methods = {
        "__reduce_ex__": _reduce_ex,
        "__deepcopy__": _deepcopy,
        "__array__": _array,
        "__array_wrap__": _array_wrap,
        "__array_priority__": 1000,
        "is_sparse_csr": False,
        "__contains__": _contains,
        "__format__": _format,
        "__complex__": _complex,
        "__dir__": _dir,
        "__rdiv__": _rdiv,
        "cuda": _cuda,
        "type": _type,
        "new": _new,
        "pin_memory": _pin_memory,
        "is_pinned": _is_pinned,
        "is_shared": _is_shared,
        "share_memory_": _share_memory_,
        "apply_": _apply_,
        "map_": _map_,
        "dim_order": _dim_order,
        "untyped_storage": _storage,
        "storage": _storage,
    }
    for name, method in methods.items():
        if isinstance(method, FunctionType) and name[0] != "_":
            method.__name__ = method.__qualname__ = name
        setattr(Tensor, name, method)
