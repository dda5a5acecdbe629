"""``FloatTensor`` and its kin: names for a dtype and a device from PyTorch's early days."""

from __future__ import annotations

from typing import Any

from . import _C

__all__ = ["LEGACY_DTYPES", "dtype_of_legacy", "legacy_name", "legacy_type"]

LEGACY_DTYPES = {
    "FloatTensor": _C.float32,
    "DoubleTensor": _C.float64,
    "HalfTensor": _C.float16,
    "BFloat16Tensor": _C.bfloat16,
    "LongTensor": _C.int64,
    "IntTensor": _C.int32,
    "ShortTensor": _C.int16,
    "CharTensor": _C.int8,
    "ByteTensor": _C.uint8,
    "BoolTensor": _C.bool,
    "ComplexFloatTensor": _C.complex64,
    "ComplexDoubleTensor": _C.complex128,
    "ComplexHalfTensor": _C.complex32,
    "UInt16Tensor": _C.uint16,
    "UInt32Tensor": _C.uint32,
    "UInt64Tensor": _C.uint64,
}


class _Legacy(type):
    """Makes ``isinstance(x, FloatTensor)`` ask for the dtype."""

    dtype: Any

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, _C.Tensor) and instance.dtype is cls.dtype

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if len(args) == 1 and not isinstance(args[0], (int, _C.Size)):
            data = args[0]
            if isinstance(data, _C.Tensor):
                return data.detach().to(cls.dtype)
            return _C.tensor(data, dtype=cls.dtype)
        size = args[0] if len(args) == 1 and isinstance(args[0], _C.Size) else (args or (0,))
        return _C.zeros(tuple(size), dtype=cls.dtype)

    def __repr__(cls) -> str:
        return f"<class 'flambeau.{cls.__name__}'>"


_made: dict[str, Any] = {}


def legacy_type(name: str) -> Any:
    """The class of a legacy name: callable with sizes or with data."""
    if name not in _made:
        _made[name] = _Legacy(name, (), {"dtype": LEGACY_DTYPES[name], "__module__": "flambeau"})
    return _made[name]


def legacy_name(tensor: Any) -> str:
    """``flambeau.FloatTensor`` for a float32 tensor on the CPU, and so on."""
    name = next(n for n, d in LEGACY_DTYPES.items() if d is tensor.dtype)
    device = tensor.device.type
    return f"flambeau.{name}" if device == "cpu" else f"flambeau.{device}.{name}"


def dtype_of_legacy(dtype: Any) -> Any:
    """A dtype from itself, a legacy class or its name.

    Raises:
        ValueError: no such type.
    """
    if isinstance(dtype, _Legacy):
        return dtype.dtype
    if isinstance(dtype, str):
        name = dtype.rpartition(".")[2]
        if name not in LEGACY_DTYPES:
            raise ValueError(f"invalid type: '{dtype}'")
        return LEGACY_DTYPES[name]
    return dtype
