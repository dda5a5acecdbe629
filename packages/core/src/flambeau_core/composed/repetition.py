"""Repeating tensors and their elements."""

from __future__ import annotations

from collections.abc import Sequence

import flambeau_core as fb
from flambeau_core.composed.dimensions import wrap_dim
from flambeau_core.declare import op


@op("repeat(Tensor self, int[]* repeats) -> Tensor", function=False)
def repeat(self: fb.Tensor, repeats: Sequence[int]) -> fb.Tensor:
    """The tensor laid out ``repeats[i]`` times along dimension ``i``.

    More repeats than dimensions add dimensions in front.
    """
    if len(repeats) < self.dim():
        raise RuntimeError(
            f"repeat: number of dimensions of repeat dims {list(repeats)} can not be smaller than "
            f"number of dimensions of tensor with shape {tuple(self.shape)}"
        )
    if any(count < 0 for count in repeats):
        raise RuntimeError(f"repeat: repeats must not be negative, got {list(repeats)}")
    shape = [1] * (len(repeats) - self.dim()) + list(self.shape)
    size = [count * length for count, length in zip(repeats, shape)]
    apart = [n for length in shape for n in (1, length)]
    tiled = [n for count, length in zip(repeats, shape) for n in (count, length)]
    # A reshape alone would repeat one element, or none, by a view.
    return self.reshape(apart).expand(tiled).clone(memory_format=fb.contiguous_format).reshape(size)


@op("tile(Tensor self, int[]* dims) -> Tensor")
def tile(self: fb.Tensor, dims: Sequence[int]) -> fb.Tensor:
    """Like ``repeat``, but too few ``dims`` are filled with ones in front."""
    return repeat(self, [1] * (self.dim() - len(dims)) + list(dims))


@op(
    "repeat_interleave(Tensor self, any repeats=None, int? dim=None, *, int? output_size=None)"
    " -> Tensor"
)
def repeat_interleave(
    self: fb.Tensor, repeats: int | fb.Tensor | None, dim: int | None, output_size: int | None
) -> fb.Tensor:
    """Each element (or slice along ``dim``) repeated in place.

    ``repeats`` is a number, or an integer tensor with one count a slice. Without ``dim`` the
    flattened tensor is used. With one argument alone, ``self`` holds the counts and the result
    is each position repeated that often.
    """
    if repeats is None:
        return _repeated_positions(self, output_size).to(self.dtype)
    if dim is None:
        self, dim = self.reshape(-1), 0
    dim = wrap_dim("repeat_interleave", dim, self.shape)
    if self.dim() == 0:
        self = self.reshape(1)
    length = self.shape[dim]
    if isinstance(repeats, fb.Tensor) and repeats.numel() == 1 and repeats.dim() <= 1:
        _check_counts(repeats)
        repeats = int(repeats.item())
    if isinstance(repeats, fb.Tensor):
        _check_counts(repeats)
        if repeats.shape[0] != length:
            raise RuntimeError(
                f"repeat_interleave: repeats must have the same size as input along dim {dim}, "
                f"but got {repeats.shape[0]} repeats for {length} slices"
            )
        return self.index_select(dim, _repeated_positions(repeats, output_size))
    if isinstance(repeats, bool) or not isinstance(repeats, int):
        raise TypeError(
            "repeat_interleave(): argument 'repeats' must be an int or a Tensor, "
            f"not {type(repeats).__name__}"
        )
    if repeats < 0:
        raise RuntimeError(f"repeat_interleave: repeats can not be negative, got {repeats}")
    if output_size is not None and output_size != repeats * length:
        raise RuntimeError(
            f"repeat_interleave: output_size {output_size} does not match {repeats} x {length}"
        )
    shape = list(self.shape)
    spread = [*shape[: dim + 1], repeats, *shape[dim + 1 :]]
    shape[dim] = length * repeats
    repeated = self.unsqueeze(dim + 1).expand(spread)
    return repeated.clone(memory_format=fb.contiguous_format).reshape(shape)


def _check_counts(repeats: fb.Tensor) -> None:
    if repeats.dim() > 1:
        raise RuntimeError(
            f"repeat_interleave: repeats must be 0-dim or 1-dim, got shape {tuple(repeats.shape)}"
        )
    if repeats.dtype not in (fb.int64, fb.int32):
        raise RuntimeError(
            f"repeat_interleave: repeats has to be int64 or int32, got {repeats.dtype}"
        )
    if bool((repeats < 0).any()):
        raise RuntimeError("repeat_interleave: repeats can not be negative")


def _repeated_positions(repeats: fb.Tensor, output_size: int | None) -> fb.Tensor:
    _check_counts(repeats)
    if repeats.dim() == 0:
        raise RuntimeError("repeat_interleave: repeats alone must be 1-dim")
    ends = repeats.to(fb.int64).cumsum(0)
    total = int(ends[-1].item()) if repeats.shape[0] else 0
    if output_size is not None and output_size != total:
        raise RuntimeError(
            f"repeat_interleave: output_size {output_size} does not match the sum {total}"
        )
    return fb.searchsorted(ends, fb.arange(total, device=repeats.device), right=True)
