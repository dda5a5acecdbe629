"""Expanding tensors to common shapes, and raising their number of dimensions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import flambeau_core as fb
from flambeau_core.declare import op


def broadcast_shapes(*shapes: int | Sequence[int]) -> fb.Size:
    """The shape that tensors of the given shapes (numbers stand for 1-D ones) broadcast to.

    Raises RuntimeError if they do not, ValueError for a negative length.

    Example:

        >>> import flambeau as torch
        >>> torch.broadcast_shapes((3, 1), (2,))
        flambeau.Size([3, 2])
    """
    lists = [[shape] if isinstance(shape, int) else list(shape) for shape in shapes]
    result = [1] * max(map(len, lists), default=0)
    for lengths in lists:
        for place, length in enumerate(reversed(lengths), 1):
            if length < 0:
                raise ValueError(f"broadcast_shapes: negative length in shape {tuple(lengths)}")
            if length != 1 and result[-place] not in (1, length):
                raise RuntimeError(
                    "broadcast_shapes: Shape mismatch: objects cannot be broadcast to a single "
                    f"shape: {', '.join(str(tuple(other)) for other in lists)}"
                )
            result[-place] = length if length != 1 else result[-place]
    return fb.Size(result)


def listed(name: str, tensors: Any) -> list[fb.Tensor]:
    """The tensors of a call that takes them one by one or as a sequence."""
    members = [tensors] if isinstance(tensors, fb.Tensor) else tensors
    if len(members) == 1 and not isinstance(members[0], fb.Tensor):
        members = members[0]
    if not isinstance(members, (list, tuple)):
        raise TypeError(f"{name}(): expected Tensors, got {type(members).__name__}")
    for member in members:
        if not isinstance(member, fb.Tensor):
            raise TypeError(f"{name}(): expected Tensors, got {type(member).__name__}")
    return list(members)


@op("broadcast_tensors(any* tensors) -> Tensor[]", method=False)
def broadcast_tensors(tensors: Any) -> tuple[fb.Tensor, ...]:
    """Views of all tensors, expanded to the shape that broadcasting gives them together."""
    tensors = listed("broadcast_tensors", tensors)
    shape = broadcast_shapes(*(x.shape for x in tensors))
    return tuple(x.expand(shape) for x in tensors)


@op("broadcast_to(Tensor self, int[] size) -> Tensor")
def broadcast_to(self: fb.Tensor, size: Sequence[int]) -> fb.Tensor:
    """View of the tensor expanded to ``size``."""
    return self.expand(size)


@op("meshgrid(any* tensors, *, str? indexing=None) -> Tensor[]", method=False)
def meshgrid(tensors: Any, indexing: str | None) -> tuple[fb.Tensor, ...]:
    """Coordinate grids of 1-D (or 0-D) tensors: result ``i`` varies along dimension ``i``.

    ``indexing="xy"`` exchanges the first two dimensions of every grid.
    """
    tensors = listed("meshgrid", tensors)
    if not tensors:
        raise RuntimeError("meshgrid: expects a non-empty list of tensors")
    for x in tensors:
        if x.dim() > 1:
            raise RuntimeError(
                f"meshgrid: expected 0-D or 1-D tensors, but got shape {tuple(x.shape)}"
            )
        if x.dtype != tensors[0].dtype:
            raise RuntimeError(
                "meshgrid: expects all tensors to have the same dtype, "
                f"got {tensors[0].dtype} and {x.dtype}"
            )
    if indexing not in (None, "ij", "xy"):
        raise RuntimeError(f"meshgrid: indexing must be 'ij' or 'xy', but received {indexing!r}")
    count = len(tensors)
    shape = [x.numel() for x in tensors]
    order = list(range(count))
    if indexing == "xy" and count >= 2:
        order[:2] = [1, 0]
        shape[:2] = [shape[1], shape[0]]
    grids = []
    for x, place in zip(tensors, order):
        apart = [1] * count
        apart[place] = x.numel()
        grids.append(x.reshape(apart).expand(shape))
    return tuple(grids)


def _each(name: str, convert: Callable[[fb.Tensor], fb.Tensor], tensors: Any) -> Any:
    if isinstance(tensors, fb.Tensor):
        return convert(tensors)
    return tuple(convert(x) for x in listed(name, tensors))


@op("atleast_1d(any* tensors) -> any")
def atleast_1d(tensors: Any) -> Any:
    """The tensor, or a tuple of the tensors, with 0-dim ones seen as shape ``(1,)``."""
    return _each("atleast_1d", lambda x: x.reshape(1) if x.dim() == 0 else x, tensors)


def _two_dimensional(x: fb.Tensor) -> fb.Tensor:
    if x.dim() == 0:
        return x.reshape(1, 1)
    return x.unsqueeze(0) if x.dim() == 1 else x


def _three_dimensional(x: fb.Tensor) -> fb.Tensor:
    if x.dim() == 0:
        return x.reshape(1, 1, 1)
    if x.dim() == 1:
        return x.unsqueeze(0).unsqueeze(-1)
    return x.unsqueeze(-1) if x.dim() == 2 else x


@op("atleast_2d(any* tensors) -> any")
def atleast_2d(tensors: Any) -> Any:
    """The tensor, or a tuple of the tensors, as views of 2 dimensions or more: rows from 1-D."""
    return _each("atleast_2d", _two_dimensional, tensors)


@op("atleast_3d(any* tensors) -> any")
def atleast_3d(tensors: Any) -> Any:
    """The tensor, or a tuple of the tensors, as views of 3 dimensions or more.

    ``(n,)`` becomes ``(1, n, 1)`` and ``(m, n)`` becomes ``(m, n, 1)``.
    """
    return _each("atleast_3d", _three_dimensional, tensors)


@op("cartesian_prod(any* tensors) -> Tensor", method=False)
def cartesian_prod(tensors: Any) -> fb.Tensor:
    """All combinations of one element of each 1-D tensor, ``(count, len(tensors))``."""
    tensors = listed("cartesian_prod", tensors)
    for x in tensors:
        if x.dim() != 1:
            raise RuntimeError(f"cartesian_prod: expected 1-D tensors, got shape {tuple(x.shape)}")
    if len(tensors) == 1:
        return tensors[0]
    return fb.stack([grid.reshape(-1) for grid in meshgrid(tensors, "ij")], 1)


@op("combinations(Tensor self, int r=2, bool with_replacement=False) -> Tensor", method=True)
def combinations(self: fb.Tensor, r: int, with_replacement: bool) -> fb.Tensor:
    """All ways to choose ``r`` elements of a 1-D tensor in order, ``(count, r)``."""
    if self.dim() != 1:
        raise RuntimeError(f"combinations: expected a 1-D tensor, got shape {tuple(self.shape)}")
    if r < 0:
        raise RuntimeError(f"combinations: expected a non-negative number, but got {r}")
    if r == 0:
        return self.new_empty(0)
    positions = fb.arange(self.numel(), device=self.device)
    grids = meshgrid([positions] * r, "ij")
    keep = fb.ones(grids[0].shape, dtype=fb.bool, device=self.device)
    for earlier, later in zip(grids, grids[1:]):
        keep = keep & (earlier <= later if with_replacement else earlier < later)
    chosen = [self.index_select(0, grid.masked_select(keep)) for grid in grids]
    return fb.stack(chosen, 1)


@op("sum_to_size(Tensor self, int[]* size) -> Tensor", function=False)
def sum_to_size(self: fb.Tensor, size: Sequence[int]) -> fb.Tensor:
    """Sums over the dimensions that expanding a tensor of shape ``size`` would repeat."""
    lead = self.dim() - len(size)
    if lead < 0 or any(n not in (1, m) for n, m in zip(size, self.shape[lead:])):
        raise RuntimeError(
            f"sum_to_size: size {tuple(size)} is not expandable to size {tuple(self.shape)}"
        )
    if not size:
        return self.sum()
    repeated = [d for d, n in enumerate(size, lead) if n == 1 != self.shape[d]]
    dims = [*range(lead), *repeated]
    return self.sum(dims, keepdim=True).reshape(list(size)) if dims else self
