"""Reading and writing at positions given by indices and masks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import flambeau_core as fb
from flambeau_core.composed.broadcasting import broadcast_shapes
from flambeau_core.composed.dimensions import wrap_dim
from flambeau_core.declare import op


def checked_index(name: str, index: fb.Tensor, length: int, *, negative: bool = False) -> fb.Tensor:
    """A 1-D int64 index into a dimension of that length; negative ones count from its end.

    Raises IndexError for positions out of bounds, to which negative ones belong unless they are
    allowed.
    """
    if index.dim() > 1:
        raise IndexError(
            f"{name}: index should have dimension 1 or 0, got shape {tuple(index.shape)}"
        )
    index = index.to(fb.int64).reshape(-1)
    lowest = -length if negative else 0
    if index.numel() and not bool(((index >= lowest) & (index < length)).all()):
        raise IndexError(f"{name}: index is out of bounds for dimension with size {length}")
    return fb.where(index < 0, index + length, index) if negative else index


def along(x: fb.Tensor, index: fb.Tensor, dim: int) -> fb.Tensor:
    """A 1-D index expanded to select whole slices of ``x`` along ``dim``."""
    shape = [1] * x.dim()
    shape[dim] = index.shape[0]
    expanded = list(x.shape)
    expanded[dim] = index.shape[0]
    return index.reshape(shape).expand(expanded)


def with_dimension(x: fb.Tensor) -> fb.Tensor:
    return x.reshape(1) if x.dim() == 0 else x


@op("index_fill(Tensor self, int dim, Tensor index, Operand value) -> Tensor", inplace=True)
def index_fill(self: fb.Tensor, dim: int, index: fb.Tensor, value: Any) -> fb.Tensor:
    """Copy with the slices at ``index`` along ``dim`` filled with a number or 0-dim tensor."""
    if isinstance(value, fb.Tensor) and value.dim() > 0:
        raise RuntimeError(
            f"index_fill: only supports a 0-dimensional value tensor, got {tuple(value.shape)}"
        )
    dim = wrap_dim("index_fill", dim, self.shape)
    if index.dtype != fb.int64:
        raise IndexError(f"index_fill: expected dtype int64 for index, got {index.dtype}")
    if index.dim() > 1:
        raise RuntimeError(
            f"index_fill: index has to be a vector or scalar, got shape {tuple(index.shape)}"
        )
    x = with_dimension(self)
    places = checked_index("index_fill", index, x.shape[dim], negative=True)
    shape = [1] * x.dim()
    shape[dim] = x.shape[dim]
    every = fb.arange(x.shape[dim], device=x.device)
    chosen = (every.unsqueeze(1) == places).any(1)
    return x.masked_fill(chosen.reshape(shape), value).reshape(self.shape)


@op("index_copy(Tensor self, int dim, Tensor index, Tensor source) -> Tensor", inplace=True)
def index_copy(self: fb.Tensor, dim: int, index: fb.Tensor, source: fb.Tensor) -> fb.Tensor:
    """Copy with the slices at ``index`` along ``dim`` replaced by those of ``source``."""
    dim = wrap_dim("index_copy", dim, self.shape)
    if self.dim() and source.dim() and self.dim() != source.dim():
        raise IndexError(
            f"index_copy: source of shape {tuple(source.shape)} and self of shape "
            f"{tuple(self.shape)} must have one number of dimensions"
        )
    x, src = with_dimension(self), with_dimension(source)
    if self.dtype != source.dtype:
        raise RuntimeError(
            f"index_copy: self and source expected to have the same dtype, but got (self) "
            f"{self.dtype} and (source) {source.dtype}"
        )
    if index.dtype != fb.int64:
        raise RuntimeError(f"index_copy: expected dtype int64 for index, got {index.dtype}")
    expected = list(x.shape)
    expected[dim] = src.shape[dim] if dim < src.dim() else 1
    if list(src.shape) != expected:
        raise RuntimeError(
            f"index_copy: source of shape {tuple(source.shape)} does not match self of shape "
            f"{tuple(self.shape)} apart from dimension {dim}"
        )
    if index.numel() != src.shape[dim]:
        raise IndexError(
            f"index_copy: number of indices ({index.numel()}) should be equal to "
            f"source.size(dim) ({src.shape[dim]})"
        )
    places = checked_index("index_copy", index, x.shape[dim])
    return x.scatter(dim, along(x, places, dim), src).reshape(self.shape)


@op("masked_scatter(Tensor self, Tensor mask, Tensor source) -> Tensor", inplace=True)
def masked_scatter(self: fb.Tensor, mask: fb.Tensor, source: fb.Tensor) -> fb.Tensor:
    """Copy with the elements where ``mask`` holds replaced by those of ``source``, in order."""
    if mask.dtype != fb.bool:
        raise RuntimeError(f"masked_scatter: expected a bool mask, got {mask.dtype}")
    if self.dtype != source.dtype:
        raise RuntimeError(
            f"masked_scatter: expected self and source to have same dtypes but got "
            f"{self.dtype} and {source.dtype}"
        )
    shape = broadcast_shapes(self.shape, mask.shape)
    x, chosen = self.expand(shape), mask.expand(shape)
    flat = chosen.reshape(-1)
    count = int(flat.sum().item())
    if count > source.numel():
        raise RuntimeError(
            f"masked_scatter: source has {source.numel()} elements, but the mask selects {count}"
        )
    if source.numel() == 0:
        return x.clone()
    place = (flat.to(fb.int64).cumsum(0) - 1).clamp(min=0)
    values = source.reshape(-1).index_select(0, place).reshape(shape)
    return fb.where(chosen, values, x)


@op("take_along_dim(Tensor self, Tensor indices, int? dim=None) -> Tensor")
def take_along_dim(self: fb.Tensor, indices: fb.Tensor, dim: int | None) -> fb.Tensor:
    """Elements at ``indices`` along ``dim``; the other dimensions broadcast.

    Without ``dim`` both tensors are flattened.
    """
    if indices.dtype != fb.int64:
        raise RuntimeError(
            f"take_along_dim: dtype of indices should be int64 but got {indices.dtype}"
        )
    if dim is None:
        return self.reshape(-1).gather(0, indices.reshape(-1))
    if self.dim() != indices.dim():
        raise RuntimeError(
            "take_along_dim: input and indices should have the same number of dimensions, "
            f"but got shapes {tuple(self.shape)} and {tuple(indices.shape)}"
        )
    if self.dim() == 0:
        raise IndexError(f"take_along_dim: dim {dim} of a tensor that has no dimensions")
    dim = wrap_dim("take_along_dim", dim, self.shape)
    indices = fb.where(indices < 0, indices + self.shape[dim], indices)
    lengths = [list(self.shape), list(indices.shape)]
    own = [shape.pop(dim) for shape in lengths]
    common = list(broadcast_shapes(*lengths))
    x, index = (
        tensor.expand([*common[:dim], length, *common[dim:]])
        for tensor, length in zip((self, indices), own)
    )
    return x.gather(dim, index)


def _written(
    name: str, x: fb.Tensor, src: fb.Tensor, choose: Callable[[fb.Tensor], fb.Tensor]
) -> fb.Tensor:
    """Copy of ``x`` with ``src`` in the part that ``choose`` takes a view of."""
    result = x.clone()
    part = choose(result)
    if tuple(part.shape) != tuple(src.shape):
        raise RuntimeError(
            f"{name}: expected src to have a size equal to the slice of self, "
            f"{tuple(part.shape)}, but got {tuple(src.shape)}"
        )
    part.copy_(src)
    return result


@op("select_scatter(Tensor self, Tensor src, int dim, int index) -> Tensor")
def select_scatter(self: fb.Tensor, src: fb.Tensor, dim: int, index: int) -> fb.Tensor:
    """Copy with ``src`` in place of the slice at ``index`` along ``dim``."""
    return _written("select_scatter", self, src, lambda x: x.select(dim, index))


@op(
    "slice_scatter(Tensor self, Tensor src, int dim=0, int? start=None, int? end=None,"
    " int step=1) -> Tensor"
)
def slice_scatter(
    self: fb.Tensor, src: fb.Tensor, dim: int, start: int | None, end: int | None, step: int
) -> fb.Tensor:
    """Copy with ``src`` in place of the elements from ``start`` to ``end`` along ``dim``."""
    dim = wrap_dim("slice_scatter", dim, self.shape)
    if step <= 0:
        raise RuntimeError(f"slice_scatter: slice step must be positive, got {step}")
    place = (slice(None),) * dim + (slice(start, end, step),)
    return _written("slice_scatter", self, src, lambda x: x[place])


@op("put(Tensor self, Tensor index, Tensor source, bool accumulate=False) -> Tensor", inplace=True)
def put(self: fb.Tensor, index: fb.Tensor, source: fb.Tensor, accumulate: bool) -> fb.Tensor:
    """Copy with the elements at ``index`` of the flattened tensor replaced (or added to)."""
    if index.dtype != fb.int64:
        raise RuntimeError(f"put: expected a int64 index, got {index.dtype}")
    if self.dtype != source.dtype:
        raise RuntimeError(
            f"put: self and source expected to have the same dtype, "
            f"got {self.dtype} and {source.dtype}"
        )
    if index.numel() != source.numel():
        raise IndexError(
            f"put: expected source and index to have the same number of elements, "
            f"got shapes {tuple(source.shape)} and {tuple(index.shape)}"
        )
    places = checked_index("put", index.reshape(-1), self.numel(), negative=True)
    flat = self.reshape(-1).index_put([places], source.reshape(-1), accumulate)
    return flat.reshape(self.shape)
