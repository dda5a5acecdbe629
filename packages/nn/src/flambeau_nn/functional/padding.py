"""`pad`: constant, reflected, replicated and circular borders."""

from __future__ import annotations

from collections.abc import Sequence

import flambeau_core as fb
from flambeau_core import Tensor

__all__ = ["pad"]


def pad(
    input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None
) -> Tensor:
    """Adds borders to the last dimensions; a negative width takes away instead.

    `pad` lists the widths before and after, the last dimension first. `mode` is "constant" (filled
    with `value`, 0 by default, any number of dimensions), "reflect", "replicate" or "circular"
    (the last 1 to 3 dimensions of a tensor with one or two more). Raises RuntimeError for widths
    that do not fit the tensor, NotImplementedError for dimensions that a mode does not serve.
    """
    if len(pad) % 2:
        raise RuntimeError("Padding length must be divisible by 2")
    if len(pad) // 2 > input.dim():
        raise RuntimeError(
            "Padding length should be less than or equal to two times the input dimension but got "
            f"padding length {len(pad)} and input of dimension {input.dim()}"
        )
    widths = [(pad[2 * i], pad[2 * i + 1]) for i in range(len(pad) // 2)]
    if mode == "constant":
        return fb.constant_pad_nd(input, pad, 0 if value is None else value)
    if value:
        raise ValueError(f'Padding mode "{mode}" doesn\'t take in value argument')
    if mode not in _SOURCES:
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if not widths or len(widths) > 3 or input.dim() - len(widths) not in (1, 2):
        raise NotImplementedError(
            "Only 2D, 3D, 4D, 5D padding with non-constant padding are supported for now"
        )
    result = input
    for place, (before, after) in enumerate(widths):
        if before or after:
            result = _by_index(result, input.dim() - 1 - place, before, after, mode)
    return result


def _reflected(size: int, before: int, after: int, dim: int) -> list[int]:
    if before >= size or after >= size:
        raise RuntimeError(
            "Padding size should be less than the corresponding input dimension, but got: padding "
            f"({before}, {after}) at dimension {dim} of size {size}"
        )
    last = size - 1
    return [last - abs(last - abs(i)) for i in range(-before, size + after)]


def _replicated(size: int, before: int, after: int, dim: int) -> list[int]:
    return [min(max(i, 0), size - 1) for i in range(-before, size + after)]


def _circular(size: int, before: int, after: int, dim: int) -> list[int]:
    if before > size or after > size:
        raise RuntimeError(
            "Padding value causes wrapping around more than once: padding "
            f"({before}, {after}) at dimension {dim} of size {size}"
        )
    # What a negative width cuts away is gone before the rest is repeated.
    first, last = max(-before, 0), size - max(-after, 0)
    return [first + (i - first) % (last - first) for i in range(-before, size + after)]


_SOURCES = {"reflect": _reflected, "replicate": _replicated, "circular": _circular}


def _by_index(input: Tensor, dim: int, before: int, after: int, mode: str) -> Tensor:
    """Pads one dimension by taking each element of the result from its place in the input."""
    size = input.size(dim)
    if size == 0 or size + before + after < 1:
        raise RuntimeError(
            f"input (size: {size} at dimension {dim}) is too small for the padding "
            f"({before}, {after})"
        )
    sources = _SOURCES[mode](size, before, after, dim)
    return input.index_select(dim, fb.tensor(sources, device=input.device))
