"""Tensors in memory that other processes see."""

from __future__ import annotations

import mmap
from typing import Any

from . import _C

__all__ = ["share"]


def share(tensor: Any) -> Any:
    """Moves a CPU tensor's memory into an anonymous shared mapping, in place.

    Processes forked afterwards see each other's writes.

    Raises:
        RuntimeError: the tensor is not on the CPU, or shared memory is used up.
    """
    if getattr(tensor, "_in_shared_memory", False) or tensor.numel() == 0:
        return tensor
    if tensor.device.type != "cpu":
        raise RuntimeError(f"share_memory_: a tensor on {tensor.device} cannot be shared this way")
    nbytes = tensor.numel() * tensor.element_size()
    try:
        block = mmap.mmap(-1, nbytes)
    except OSError as error:
        raise RuntimeError(f"share_memory_: no room for {nbytes} bytes of shared memory") from error
    shared = _C.tensor_over(block, tensor.dtype, tuple(tensor.shape))
    shared.copy_(tensor.detach())
    tensor.data = shared
    tensor._in_shared_memory = True
    return tensor
