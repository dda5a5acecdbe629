"""Switches of matrix products and attention on CUDA devices."""

from __future__ import annotations

from flambeau_core import cuda as _cuda


class _Matmul:
    """Reduced precision in matrix products."""

    allow_tf32 = False
    allow_fp16_reduced_precision_reduction = True
    allow_bf16_reduced_precision_reduction = True


matmul = _Matmul()

_attention = {"flash": True, "mem_efficient": True, "math": True, "cudnn": True}


def is_built() -> bool:
    """Whether a CUDA backend can be used: CUDA is not compiled into core but installed beside."""
    return _cuda.is_available()


def flash_sdp_enabled() -> bool:
    """Whether the flash form of attention is allowed."""
    return _attention["flash"]


def enable_flash_sdp(enabled: bool) -> None:
    """Keeps the setting; the backend of the device chooses the form."""
    _attention["flash"] = bool(enabled)


def mem_efficient_sdp_enabled() -> bool:
    """Whether the memory-efficient form of attention is allowed."""
    return _attention["mem_efficient"]


def enable_mem_efficient_sdp(enabled: bool) -> None:
    """Keeps the setting; the backend of the device chooses the form."""
    _attention["mem_efficient"] = bool(enabled)


def math_sdp_enabled() -> bool:
    """Whether the plain form of attention is allowed."""
    return _attention["math"]


def enable_math_sdp(enabled: bool) -> None:
    """Keeps the setting; the backend of the device chooses the form."""
    _attention["math"] = bool(enabled)


def cudnn_sdp_enabled() -> bool:
    """Whether cuDNN's form of attention is allowed."""
    return _attention["cudnn"]


def enable_cudnn_sdp(enabled: bool) -> None:
    """Keeps the setting; the backend of the device chooses the form."""
    _attention["cudnn"] = bool(enabled)
