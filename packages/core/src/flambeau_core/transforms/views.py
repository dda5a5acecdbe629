"""What a view shows of its base, found again in a tensor laid out like that base."""

from __future__ import annotations

from typing import Any

from .. import _C
from .levels import Level
from .tensors import BatchedTensor, batch

__all__ = ["laid_out", "window", "zeros_laid_out_like"]


def _opened(x: Any) -> tuple[Any, list[Level]]:
    """The tensor beneath the vmaps of another, and those, outermost first, a dimension each."""
    vmaps: list[Level] = []
    while isinstance(x, BatchedTensor):
        vmaps.insert(0, x.level)
        x = x.value
    return x, vmaps


def _closed(x: Any, vmaps: list[Level]) -> Any:
    for level in vmaps:
        x = batch(x, level)
    return x


def laid_out(x: Any, like: Any) -> bool:
    """Whether a tensor places its elements like another one.

    It may have examples of its own for vmaps that the other does not belong to.
    """
    a, of_a = _opened(x)
    b, of_b = _opened(like)
    shared = [i for i in range(a.ndim) if i >= len(of_a) or of_a[i] in of_b]
    return [a.stride(i) for i in shared] == list(b.stride())


def zeros_laid_out_like(x: Any, vmaps: list[Level]) -> Any:
    """Zeros with the strides of a tensor, of its own for each example of the vmaps given."""
    plain, own = _opened(x)
    extent = 1 + sum((n - 1) * s for n, s in zip(plain.shape, plain.stride()) if n)
    more = [v for v in vmaps if v not in own]
    every = sorted((*own, *more), key=lambda level: level.number)
    sizes, strides, step = list(plain.shape), list(plain.stride()), extent
    for v in more:
        sizes.insert(every.index(v), v.batch_size)
        strides.insert(every.index(v), step)
        step *= v.batch_size
    flat = _C.zeros(step if plain.numel() else 0, dtype=plain.dtype, device=plain.device)
    return _closed(flat.as_strided(sizes, strides), every)


def window(whole: Any, view: Any, base: Any) -> Any:
    """The part of ``whole``, which is laid out like ``base``, where a view of ``base`` lies.

    ``whole`` may have examples of its own for vmaps that the base does not belong to.
    """
    plain, vmaps = _opened(whole)
    seen, own = _opened(view)
    origin, _ = _opened(base)
    sizes, strides = list(seen.shape), list(seen.stride())
    for i, v in enumerate(vmaps):
        if v not in own:
            sizes.insert(i, v.batch_size)
            strides.insert(i, plain.stride(i))
    offset = plain.storage_offset() + seen.storage_offset() - origin.storage_offset()
    return _closed(plain.as_strided(sizes, strides, offset), vmaps)
