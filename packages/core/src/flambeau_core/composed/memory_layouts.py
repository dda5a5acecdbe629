"""Tensors laid out in memory in a given order, and writing through a layout."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import flambeau_core as fb
from flambeau_core.declare import op


@op(
    "empty_permuted(int[] size, int[] physical_layout, *, dtype? dtype=None, device? device=None,"
    " bool requires_grad=False) -> new tensor",
    method=False,
)
def empty_permuted(
    size: Sequence[int], physical_layout: Sequence[int], dtype: Any, device: Any, grad: bool
) -> fb.Tensor:
    """Unset values, without gaps, with ``physical_layout`` naming dimensions outermost first."""
    if len(size) != len(physical_layout):
        raise RuntimeError(
            f"empty_permuted: expected a physical_layout for {len(size)} dimensions of size "
            f"{tuple(size)}, but got {tuple(physical_layout)}"
        )
    if sorted(physical_layout) != list(range(len(size))):
        raise RuntimeError(
            f"empty_permuted: physical_layout must name each of {len(size)} dimensions once, "
            f"got {tuple(physical_layout)}"
        )
    stored = fb.empty([size[d] for d in physical_layout], dtype=dtype, device=device)
    strides = [stored.stride(physical_layout.index(d)) for d in range(len(size))]
    result = stored.as_strided(size, strides)
    return result.requires_grad_() if grad else result


@op(
    "new_empty_strided(Tensor self, int[] size, int[] stride, *, dtype? dtype=None,"
    " device? device=None, bool requires_grad=False) -> new tensor",
    function=False,
)
def new_empty_strided(
    self: fb.Tensor,
    size: Sequence[int],
    stride: Sequence[int],
    dtype: Any,
    device: Any,
    grad: bool,
) -> fb.Tensor:
    """Unset values of the given strides, by default of this tensor's dtype and device."""
    return fb.empty_strided(
        size,
        stride,
        dtype=self.dtype if dtype is None else dtype,
        device=self.device if device is None else device,
        requires_grad=grad,
    )


@op(
    "as_strided_scatter(Tensor self, Tensor src, int[] size, int[] stride,"
    " int? storage_offset=None) -> Tensor"
)
def as_strided_scatter(
    self: fb.Tensor,
    src: fb.Tensor,
    size: Sequence[int],
    stride: Sequence[int],
    storage_offset: int | None,
) -> fb.Tensor:
    """Copy, laid out like the input, with ``src`` written where ``as_strided`` would look."""
    start = self.storage_offset()
    count = self.untyped_storage().nbytes() // self.element_size()
    whole = self.as_strided((count,), (1,), 0).clone()
    target = whole.as_strided(size, stride, start if storage_offset is None else storage_offset)
    if target.shape != src.shape:
        raise RuntimeError(
            f"as_strided_scatter: expected src to have the shape of the view, "
            f"{tuple(target.shape)}, but got {tuple(src.shape)}"
        )
    target.copy_(src)
    return whole.as_strided(self.shape, self.stride(), start)
