"""Index expressions that Python is to see: handed to whoever asked for them."""

from __future__ import annotations

from typing import Any

from . import _C

__all__ = ["get_item", "set_item"]

Tensor = _C.Tensor
OVERRIDES = 16 | 4096  # the flags of tensors whose class overrides ops; see tensor/tensor.h


def _seen(*objects: Any) -> int:
    flat = [i for o in objects for i in (o if isinstance(o, tuple) else (o,))]
    return int(_C.intercepted(flat))


def get_item(x: Any, index: Any) -> Any:
    """``x[index]`` for overriding classes, function modes, or transforms."""
    from . import overrides

    if overrides.wanted(_seen(x, index) & OVERRIDES):
        return overrides.call(Tensor.__getitem__, (x, index), {})
    from .transforms import subscript

    return subscript.get_item(x, index)


def set_item(x: Any, index: Any, value: Any) -> None:
    """``x[index] = value`` for overriding classes, function modes, or transforms."""
    from . import overrides

    if overrides.wanted(_seen(x, index, value) & OVERRIDES):
        overrides.call(Tensor.__setitem__, (x, index, value), {})
        return
    from .transforms import subscript

    subscript.set_item(x, index, value)
