"""Several transforms side by side along a dimension."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import flambeau_core as fb
from flambeau_core import Tensor

from .. import constraints
from ..broadcasting import sum_rightmost
from ..constraints import Constraint
from .transform import Transform


class CatTransform(Transform):
    """Each transform works on a piece along ``dim``, as `cat` would join the pieces.

    Args:
        lengths: the sizes of the pieces, by default 1 each.
    """

    transforms: list[Transform]

    def __init__(
        self,
        tseq: Sequence[Transform],
        dim: int = 0,
        lengths: Sequence[int] | None = None,
        cache_size: int = 0,
    ) -> None:
        super().__init__(cache_size=cache_size)
        self.transforms = _with_cache(tseq, cache_size)
        self.lengths = [1] * len(self.transforms) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.transforms):
            raise AssertionError(
                f"{len(self.transforms)} transforms need as many lengths, "
                f"but got {len(self.lengths)}"
            )
        self.dim = dim

    @property
    def length(self) -> int:
        """The size along ``dim``."""
        return sum(self.lengths)

    @property
    def event_dim(self) -> int:
        return max(t.event_dim for t in self.transforms)

    @constraints.dependent_property
    def domain(self) -> Constraint:
        return constraints.cat([t.domain for t in self.transforms], self.dim, self.lengths)

    @constraints.dependent_property
    def codomain(self) -> Constraint:
        return constraints.cat([t.codomain for t in self.transforms], self.dim, self.lengths)

    @property
    def bijective(self) -> bool:  # type: ignore[override]
        return all(t.bijective for t in self.transforms)

    def with_cache(self, cache_size: int = 1) -> Transform:
        if self._cache_size == cache_size:
            return self
        return CatTransform(self.transforms, self.dim, self.lengths, cache_size)

    def _pieces(self, value: Tensor, name: str) -> Sequence[Tensor]:
        _check_size(value, self.dim, self.length, name)
        return value.split(self.lengths, self.dim)

    def _call(self, x: Tensor) -> Tensor:
        pieces = self._pieces(x, "x")
        return fb.cat([t(piece) for t, piece in zip(self.transforms, pieces)], self.dim)

    def _inverse(self, y: Tensor) -> Tensor:
        pieces = self._pieces(y, "y")
        return fb.cat([t.inv(piece) for t, piece in zip(self.transforms, pieces)], self.dim)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        terms = []
        for t, before, after in zip(self.transforms, self._pieces(x, "x"), self._pieces(y, "y")):
            term = t.log_abs_det_jacobian(before, after)
            terms.append(sum_rightmost(term, self.event_dim - t.event_dim))
        # Counted from the right, and among the dimensions that are left.
        dim = self.dim - x.dim() if self.dim >= 0 else self.dim
        dim += self.event_dim
        if dim < 0:
            return fb.cat(terms, dim)
        total = terms[0]
        for term in terms[1:]:
            total = total + term
        return total


class StackTransform(Transform):
    """Each transform works on a slice along ``dim``, as `stack` would join the slices."""

    transforms: list[Transform]

    def __init__(self, tseq: Sequence[Transform], dim: int = 0, cache_size: int = 0) -> None:
        super().__init__(cache_size=cache_size)
        self.transforms = _with_cache(tseq, cache_size)
        self.dim = dim

    @constraints.dependent_property
    def domain(self) -> Constraint:
        return constraints.stack([t.domain for t in self.transforms], self.dim)

    @constraints.dependent_property
    def codomain(self) -> Constraint:
        return constraints.stack([t.codomain for t in self.transforms], self.dim)

    @property
    def bijective(self) -> bool:  # type: ignore[override]
        return all(t.bijective for t in self.transforms)

    def with_cache(self, cache_size: int = 1) -> Transform:
        if self._cache_size == cache_size:
            return self
        return StackTransform(self.transforms, self.dim, cache_size)

    def _slices(self, value: Tensor, name: str) -> Sequence[Tensor]:
        _check_size(value, self.dim, len(self.transforms), name)
        return value.unbind(self.dim)

    def _call(self, x: Tensor) -> Tensor:
        slices = self._slices(x, "x")
        return fb.stack([t(part) for t, part in zip(self.transforms, slices)], self.dim)

    def _inverse(self, y: Tensor) -> Tensor:
        slices = self._slices(y, "y")
        return fb.stack([t.inv(part) for t, part in zip(self.transforms, slices)], self.dim)

    def log_abs_det_jacobian(self, x: Tensor, y: Tensor) -> Tensor:
        pairs = zip(self._slices(x, "x"), self._slices(y, "y"))
        terms = [
            t.log_abs_det_jacobian(before, after)
            for t, (before, after) in zip(self.transforms, pairs)
        ]
        return fb.stack(terms, self.dim)


def _with_cache(tseq: Sequence[Transform], cache_size: int) -> list[Transform]:
    for t in tseq:
        if not isinstance(t, Transform):
            raise AssertionError(f"expected transforms, but got {type(t).__name__}")
    return [t.with_cache(cache_size) if cache_size else t for t in tseq]


def _check_size(value: Any, dim: int, size: int, name: str) -> None:
    if not -value.dim() <= dim < value.dim():
        raise AssertionError(f"{name} of the shape {tuple(value.shape)} has no dimension {dim}")
    if value.shape[dim] != size:
        raise AssertionError(
            f"{name} of the shape {tuple(value.shape)} must have the size {size} along "
            f"the dimension {dim}"
        )
