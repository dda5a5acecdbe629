"""Splitting tensors into sections."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import flambeau_core as fb
from flambeau_core.composed.dimensions import wrap_dim
from flambeau_core.declare import op

_MOST_SECTIONS = 1 << 24


@op(
    "tensor_split(Tensor self, any indices_or_sections=None, int dim=0, *, any sections=None,"
    " any indices=None) -> Tensor[]"
)
def tensor_split(
    self: fb.Tensor, indices_or_sections: Any, dim: int, sections: Any, indices: Any
) -> tuple[fb.Tensor, ...]:
    """Views of sections along ``dim``.

    A number gives that many sections, the first ones longer by one where it does not divide;
    a sequence or 1-D int64 tensor gives the positions at which to cut.
    """
    given = [x for x in (indices_or_sections, sections, indices) if x is not None]
    if len(given) != 1:
        raise TypeError("tensor_split(): give either a number of sections or indices")
    cuts = given[0]
    if self.dim() == 0:
        raise RuntimeError("tensor_split: expected at least a 1-D tensor, but got a 0-D one")
    dim = wrap_dim("tensor_split", dim, self.shape)
    if isinstance(cuts, fb.Tensor):
        if cuts.dtype != fb.int64 or cuts.dim() > 1:
            raise RuntimeError(
                "tensor_split: expected tensor_indices_or_sections to be a 0-D or 1-D int64 "
                f"tensor, but got {cuts.dtype} of shape {tuple(cuts.shape)}"
            )
        cuts = cuts.tolist()
    if isinstance(cuts, int):
        cuts = _even_cuts(self.shape[dim], cuts)
    return _cut(self, cuts, dim)


def _even_cuts(length: int, sections: int) -> list[int]:
    if sections <= 0:
        raise RuntimeError(
            f"tensor_split: number of sections must be larger than 0, got {sections}"
        )
    if sections > _MOST_SECTIONS:
        raise RuntimeError(f"tensor_split: {sections} sections are more than memory would hold")
    size, longer = divmod(length, sections)
    return [place * size + min(place, longer) for place in range(1, sections)]


def _cut(x: fb.Tensor, cuts: Sequence[int], dim: int) -> tuple[fb.Tensor, ...]:
    """The sections between the cuts, which count and clamp as slices do."""
    parts = []
    start = 0
    for cut in [*cuts, x.shape[dim]]:
        first, last, _ = slice(start, cut).indices(x.shape[dim])
        parts.append(x.narrow(dim, first, max(last - first, 0)))
        start = cut
    return tuple(parts)


def _split_evenly(name: str, x: fb.Tensor, cuts: Any, dim: int) -> tuple[fb.Tensor, ...]:
    if isinstance(cuts, int):
        if cuts <= 0 or x.shape[dim] % cuts:
            raise RuntimeError(
                f"{name}: attempted to split along dimension {dim}, but the size of the dimension "
                f"{x.shape[dim]} is not divisible by the split_size {cuts}"
            )
        cuts = _even_cuts(x.shape[dim], cuts)
    return _cut(x, cuts, dim)


@op("hsplit(Tensor self, any indices_or_sections) -> Tensor[]")
def hsplit(self: fb.Tensor, indices_or_sections: Any) -> tuple[fb.Tensor, ...]:
    """Views of equal sections, or sections cut at indices, along dimension 1 (0 if 1-D)."""
    if self.dim() < 1:
        raise RuntimeError("hsplit: requires a tensor with at least 1 dimension, but got 0")
    return _split_evenly("hsplit", self, indices_or_sections, 0 if self.dim() == 1 else 1)


@op("vsplit(Tensor self, any indices_or_sections) -> Tensor[]")
def vsplit(self: fb.Tensor, indices_or_sections: Any) -> tuple[fb.Tensor, ...]:
    """Views of equal sections, or sections cut at indices, along dimension 0; needs 2-D."""
    if self.dim() < 2:
        raise RuntimeError(
            f"vsplit: requires a tensor with at least 2 dimensions, but got {self.dim()}"
        )
    return _split_evenly("vsplit", self, indices_or_sections, 0)


@op("dsplit(Tensor self, any indices_or_sections) -> Tensor[]")
def dsplit(self: fb.Tensor, indices_or_sections: Any) -> tuple[fb.Tensor, ...]:
    """Views of equal sections, or sections cut at indices, along dimension 2; needs 3-D."""
    if self.dim() < 3:
        raise RuntimeError(
            f"dsplit: requires a tensor with at least 3 dimensions, but got {self.dim()}"
        )
    return _split_evenly("dsplit", self, indices_or_sections, 2)


def _apart(parts: Sequence[fb.Tensor]) -> tuple[fb.Tensor, ...]:
    return tuple(part.clone() for part in parts)


@op("unsafe_split(Tensor self, int split_size, int dim=0) -> Tensor[]")
def unsafe_split(self: fb.Tensor, split_size: int, dim: int) -> tuple[fb.Tensor, ...]:
    """``split`` into tensors of their own, which may be written to without touching the rest."""
    return _apart(self.split(split_size, dim))


@op("unsafe_split_with_sizes(Tensor self, int[] split_sizes, int dim=0) -> Tensor[]")
def unsafe_split_with_sizes(
    self: fb.Tensor, split_sizes: Sequence[int], dim: int
) -> tuple[fb.Tensor, ...]:
    """``split_with_sizes`` into tensors of their own."""
    return _apart(self.split_with_sizes(split_sizes, dim))


@op("unsafe_chunk(Tensor self, int chunks, int dim=0) -> Tensor[]")
def unsafe_chunk(self: fb.Tensor, chunks: int, dim: int) -> tuple[fb.Tensor, ...]:
    """``chunk`` into tensors of their own."""
    return _apart(self.chunk(chunks, dim))
