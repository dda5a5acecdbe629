"""Reductions of values that an index sends to the same place."""

from __future__ import annotations

import flambeau_core as fb
from flambeau_core.composed.dimensions import wrap_dim
from flambeau_core.composed.indexing import along, checked_index, with_dimension
from flambeau_core.declare import op


@op(
    "scatter_reduce(Tensor self, int dim, Tensor index, Tensor src, str reduce, *,"
    " bool include_self=True) -> Tensor",
    inplace=True,
)
def scatter_reduce(
    self: fb.Tensor,
    dim: int,
    index: fb.Tensor,
    src: fb.Tensor,
    reduce: str,
    include_self: bool,
) -> fb.Tensor:
    """Copy in which each place holds the reduction of itself and the values sent to it.

    ``index`` (int64 or int32) gives the place along ``dim`` of each element of ``src``;
    ``reduce`` is "sum", "prod", "mean", "amax" or "amin". Without ``include_self`` the old
    value does not count, but places to which nothing is sent keep it.
    """
    if reduce not in ("sum", "prod", "mean", "amax", "amin"):
        raise RuntimeError(
            f"scatter_reduce: reduce argument must be either sum, prod, mean, amax or amin, "
            f"got {reduce!r}"
        )
    dim = wrap_dim("scatter_reduce", dim, self.shape)
    _check(self, dim, index, src)
    x, index, values = (with_dimension(t) for t in (self, index, src))
    if index.numel() == 0:
        # The derivative with respect to src is zero, and not absent.
        return self + src.sum() * 0 if src.requires_grad else self.clone()
    index = index.to(fb.int64)
    for axis, length in enumerate(index.shape):
        values = values.narrow(axis, 0, length)
    if reduce in ("sum", "mean"):
        result = _added(x, dim, index, values, reduce == "mean", include_self)
    elif reduce == "prod":
        result = _multiplied(x, dim, index, values, include_self)
    elif reduce == "amax":
        result = _largest(x, dim, index, values, include_self)
    else:
        smallest = _largest(_mirrored(x), dim, index, _mirrored(values), include_self)
        result = _mirrored(smallest)
    return result.reshape(self.shape)


def _check(x: fb.Tensor, dim: int, index: fb.Tensor, src: fb.Tensor) -> None:
    shapes = f"index {tuple(index.shape)}, src {tuple(src.shape)} and self {tuple(x.shape)}"
    if index.numel() and index.dtype not in (fb.int64, fb.int32):
        raise RuntimeError(
            f"scatter_reduce: expected dtype int64 or int32 for index, got {index.dtype}"
        )
    if x.dtype != src.dtype:
        raise RuntimeError(
            f"scatter_reduce: expected self.dtype to be equal to src.dtype, "
            f"got {x.dtype} and {src.dtype}"
        )
    if x.is_complex():
        raise RuntimeError(f"scatter_reduce: not implemented for {x.dtype}")
    if index.numel() == 0:
        return
    if not max(x.dim(), 1) == max(index.dim(), 1) == max(src.dim(), 1):
        raise RuntimeError(f"scatter_reduce: numbers of dimensions differ: {shapes}")
    for axis, length in enumerate(index.shape):
        room = x.shape[axis] if x.dim() else 1
        if length > (src.shape[axis] if src.dim() else 1) or (axis != dim and length > room):
            raise RuntimeError(f"scatter_reduce: index is too large in dim {axis}: {shapes}")
    length = x.shape[dim] if x.dim() else 1
    if not bool(((index >= 0) & (index < length)).all()):
        raise RuntimeError(
            f"scatter_reduce: index is out of bounds for dimension {dim} with size {length}"
        )


def _mirrored(x: fb.Tensor) -> fb.Tensor:
    """The same elements in reverse order of size, without overflow."""
    return -x if x.is_floating_point() else ~x


def _touched(x: fb.Tensor, dim: int, index: fb.Tensor) -> fb.Tensor:
    """How often something is sent to each place, int64."""
    ones = fb.ones(index.shape, dtype=fb.int64, device=x.device)
    return fb.zeros(x.shape, dtype=fb.int64, device=x.device).scatter_add(dim, index, ones)


def _added(
    x: fb.Tensor, dim: int, index: fb.Tensor, values: fb.Tensor, mean: bool, include_self: bool
) -> fb.Tensor:
    count = _touched(x, dim, index)
    base = x if include_self else x.masked_fill(count > 0, 0)
    total = base.scatter_add(dim, index, values)
    if not mean:
        return total
    count = count + 1 if include_self else count.clamp(min=1)
    if x.is_floating_point():
        return total / count.to(x.dtype)
    return total.div(count, rounding_mode="floor").to(x.dtype)


def _places(x: fb.Tensor, dim: int, index: fb.Tensor) -> fb.Tensor:
    """Place in the flattened ``x`` of each element of ``index``, 1-D."""
    total = fb.zeros((), dtype=fb.int64, device=x.device)
    for axis, length in enumerate(index.shape):
        shape = [1] * index.dim()
        shape[axis] = length
        own = index if axis == dim else fb.arange(length, device=x.device).reshape(shape)
        total = total * x.shape[axis] + own
    return total.reshape(-1)


def _multiplied(
    x: fb.Tensor, dim: int, index: fb.Tensor, values: fb.Tensor, include_self: bool
) -> fb.Tensor:
    """Products over the rows of a table of the values sent to each place, filled up with ones."""
    place = _places(x, dim, index)
    order = place.argsort(stable=True)
    ordered = place.index_select(0, order)
    rank = fb.arange(place.shape[0], device=x.device) - fb.searchsorted(ordered, ordered)
    width = int(rank.max().item()) + 1
    table = values.new_ones(x.numel() * width)
    table = table.scatter(0, ordered * width + rank, values.reshape(-1).index_select(0, order))
    product = table.reshape(x.numel(), width).prod(1, dtype=x.dtype).reshape(x.shape)
    if include_self:
        return x * product
    return fb.where(_touched(x, dim, index) > 0, product, x)


def _largest(
    x: fb.Tensor, dim: int, index: fb.Tensor, values: fb.Tensor, include_self: bool
) -> fb.Tensor:
    """Largest value of each place; its derivative is shared by all that are equal to it."""
    with fb.no_grad():
        largest = _largest_values(x, dim, index, values, include_self)
    if not (fb.is_grad_enabled() and (x.requires_grad or values.requires_grad)):
        return largest
    touched = _touched(x, dim, index) > 0
    own = x.detach() == largest
    if not include_self:
        own = own & ~touched
    sent = values.detach() == largest.gather(dim, index)
    count = own.to(x.dtype).scatter_add(dim, index, sent.to(x.dtype))
    # The differences are zero and carry the derivative; infinite ones would be NaN.
    own_part = _zero_with_slope(x).masked_fill(~own, 0)
    sent_part = _zero_with_slope(values).masked_fill(~sent, 0)
    return largest + own_part.scatter_add(dim, index, sent_part) / count.clamp(min=1)


def _zero_with_slope(x: fb.Tensor) -> fb.Tensor:
    return (x - x.detach()).masked_fill(~x.isfinite(), 0)


def _largest_values(
    x: fb.Tensor, dim: int, index: fb.Tensor, values: fb.Tensor, include_self: bool
) -> fb.Tensor:
    """Sorts by value, then stably by place: the last of each place is its largest."""
    place, flat = _places(x, dim, index), values.reshape(-1)
    order = flat.argsort(stable=True)
    order = order.index_select(0, place.index_select(0, order).argsort(stable=True))
    ordered = place.index_select(0, order)
    final = fb.ones(1, dtype=fb.bool, device=x.device)
    last = fb.cat([ordered[1:] != ordered[:-1], final], 0)
    targets = ordered.masked_select(last)
    winners = flat.index_select(0, order.masked_select(last))
    if include_self:
        winners = fb.maximum(winners, x.reshape(-1).index_select(0, targets))
    return x.reshape(-1).scatter(0, targets, winners).reshape(x.shape)


@op(
    "index_reduce(Tensor self, int dim, Tensor index, Tensor source, str reduce, *,"
    " bool include_self=True) -> Tensor",
    inplace=True,
)
def index_reduce(
    self: fb.Tensor,
    dim: int,
    index: fb.Tensor,
    source: fb.Tensor,
    reduce: str,
    include_self: bool,
) -> fb.Tensor:
    """Like ``scatter_reduce`` with whole slices along ``dim``, sent to the 1-D ``index``."""
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise RuntimeError(
            f"index_reduce: reduce argument must be either prod, mean, amax or amin, got {reduce!r}"
        )
    dim = wrap_dim("index_reduce", dim, self.shape)
    _check_slices(self, dim, index, source)
    x, values = with_dimension(self), with_dimension(source)
    places = checked_index("index_reduce", index, x.shape[dim])
    sent = along(x, places, dim)
    return scatter_reduce(x, dim, sent, values, reduce, include_self).reshape(self.shape)


def _check_slices(x: fb.Tensor, dim: int, index: fb.Tensor, source: fb.Tensor) -> None:
    if index.dim() <= 1 and index.dtype not in (fb.int64, fb.int32):
        raise RuntimeError(
            f"index_reduce: expected dtype int64 or int32 for index, got {index.dtype}"
        )
    if x.dtype != source.dtype:
        raise RuntimeError(
            f"index_reduce: expected self and source to have one dtype, got {x.dtype} and "
            f"{source.dtype}"
        )
    own, given = list(x.shape), list(source.shape)
    length = given.pop(dim) if dim < len(given) else 1
    if own:
        own.pop(dim)
    if index.dim() <= 1 and index.numel() != length:
        raise RuntimeError(
            f"index_reduce: number of indices ({index.numel()}) should be equal to "
            f"source.size(dim) ({length})"
        )
    if x.dim() != source.dim() or own != given:
        raise RuntimeError(
            f"index_reduce: source of shape {tuple(source.shape)} does not match self of shape "
            f"{tuple(x.shape)} apart from dimension {dim}"
        )
