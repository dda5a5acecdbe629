"""Settings of the whole process: default dtype and device, threads, determinism."""

from __future__ import annotations

from typing import Any

from . import _C
from ._C import device, dtype

__all__ = [
    "are_deterministic_algorithms_enabled",
    "get_default_device",
    "get_default_dtype",
    "get_float32_matmul_precision",
    "get_num_interop_threads",
    "get_num_threads",
    "set_default_device",
    "set_default_dtype",
    "set_default_tensor_type",
    "set_float32_matmul_precision",
    "set_num_interop_threads",
    "set_num_threads",
    "use_deterministic_algorithms",
]

_deterministic = False
_matmul_precision = "highest"


def get_default_dtype() -> dtype:
    """The dtype of floating-point tensors made without one.

    Example:

        >>> import flambeau as torch
        >>> torch.get_default_dtype()
        flambeau.float32
    """
    return _C.get_default_dtype()


def set_default_dtype(d: dtype) -> None:
    """Sets the dtype of floating-point tensors made without one; TypeError for other types.

    Example:

        >>> import flambeau as torch
        >>> torch.set_default_dtype(torch.float64)
        >>> torch.tensor(1.5).dtype
        flambeau.float64
        >>> torch.set_default_dtype(torch.float32)
    """
    _C.set_default_dtype(d)


def set_default_tensor_type(t: Any) -> None:
    """Sets the default dtype by a legacy type such as ``FloatTensor``, or its name.

    Example:

        >>> import flambeau as torch
        >>> torch.set_default_tensor_type("torch.FloatTensor")
        >>> torch.get_default_dtype()
        flambeau.float32
    """
    from .legacy_types import dtype_of_legacy

    _C.set_default_dtype(dtype_of_legacy(t))


def set_default_device(device_: Any) -> None:
    """Only the CPU can be the default device so far; RuntimeError for another.

    Example:

        >>> import flambeau as torch
        >>> torch.set_default_device("cpu")
    """
    if device_ is not None and device(device_).type != "cpu":
        raise RuntimeError(
            f"set_default_device: {device_!r} cannot be the default device; "
            "pass device= to factories"
        )


def get_default_device() -> device:
    """The device of tensors made without one.

    Example:

        >>> import flambeau as torch
        >>> torch.get_default_device()
        device(type='cpu')
    """
    return device("cpu")


def get_num_threads() -> int:
    """How many threads the kernels of the CPU may use.

    Example:

        >>> import flambeau as torch
        >>> torch.get_num_threads() >= 1
        True
    """
    return _C.get_num_threads()


def set_num_threads(n: int) -> None:
    """Sets how many threads the kernels of the CPU may use; ValueError below 1.

    Example:

        >>> import flambeau as torch
        >>> torch.set_num_threads(torch.get_num_threads())
    """
    _C.set_num_threads(n)


def get_num_interop_threads() -> int:
    """Threads that run whole ops side by side: always 1, ops run one after another.

    Example:

        >>> import flambeau as torch
        >>> torch.get_num_interop_threads()
        1
    """
    return 1


def set_num_interop_threads(n: int) -> None:
    """Accepted for compatibility: ops run one after another. RuntimeError below 1.

    Example:

        >>> import flambeau as torch
        >>> torch.set_num_interop_threads(1)
    """
    if n < 1:
        raise RuntimeError("Expected positive number of threads")


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Kernels of the CPU backends always are; the setting is kept and changes nothing.

    Example:

        >>> import flambeau as torch
        >>> torch.use_deterministic_algorithms(True)
        >>> torch.are_deterministic_algorithms_enabled()
        True
        >>> torch.use_deterministic_algorithms(False)
    """
    global _deterministic
    _deterministic = bool(mode)


def are_deterministic_algorithms_enabled() -> bool:
    """What use_deterministic_algorithms was set to.

    Example:

        >>> import flambeau as torch
        >>> torch.are_deterministic_algorithms_enabled()
        False
    """
    return _deterministic


def set_float32_matmul_precision(precision: str) -> None:
    """Accepts PyTorch's names; float32 products are always computed in float32.

    Other names than "highest", "high" and "medium" raise ValueError.

    Example:

        >>> import flambeau as torch
        >>> torch.set_float32_matmul_precision("high")
        >>> torch.get_float32_matmul_precision()
        'high'
        >>> torch.set_float32_matmul_precision("highest")
    """
    global _matmul_precision
    if precision not in ("highest", "high", "medium"):
        raise ValueError(f"invalid precision {precision!r}: expected 'highest', 'high' or 'medium'")
    _matmul_precision = precision


def get_float32_matmul_precision() -> str:
    """What set_float32_matmul_precision was set to.

    Example:

        >>> import flambeau as torch
        >>> torch.get_float32_matmul_precision()
        'highest'
    """
    return _matmul_precision
