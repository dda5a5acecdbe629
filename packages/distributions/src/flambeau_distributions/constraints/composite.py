"""Constraints made of other constraints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import flambeau_core as fb
from flambeau_core import Tensor

from .constraint import Constraint
from .elementwise import real


class _IndependentConstraint(Constraint):
    """One point for ``reinterpreted_batch_ndims`` more dimensions: valid where all of it is."""

    def __init__(self, base_constraint: Constraint, reinterpreted_batch_ndims: int) -> None:
        self.base_constraint = base_constraint
        self.reinterpreted_batch_ndims = reinterpreted_batch_ndims

    @property
    def is_discrete(self) -> bool:  # type: ignore[override]
        return self.base_constraint.is_discrete

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        return self.base_constraint.event_dim + self.reinterpreted_batch_ndims

    def check(self, value: Any) -> Tensor:
        result = self.base_constraint.check(value)
        if result.dim() < self.reinterpreted_batch_ndims:
            raise ValueError(
                f"{self!r} needs a value of at least {self.event_dim} dimensions, "
                f"but got one of the shape {tuple(value.shape)}"
            )
        if self.reinterpreted_batch_ndims == 0:
            return result
        return result.flatten(-self.reinterpreted_batch_ndims).all(-1)

    def __repr__(self) -> str:
        name = type(self).__name__.removeprefix("_")
        return f"{name}({self.base_constraint!r}, {self.reinterpreted_batch_ndims})"


class MixtureSameFamilyConstraint(Constraint):
    """Valid where every component of a mixture allows the value.

    The components lie along the dimension to the left of the event, which ``value`` lacks.
    """

    def __init__(self, base_constraint: Constraint) -> None:
        if not isinstance(base_constraint, Constraint):
            raise AssertionError(
                f"base_constraint must be a Constraint, but got {type(base_constraint).__name__}"
            )
        self.base_constraint = base_constraint

    @property
    def is_discrete(self) -> bool:  # type: ignore[override]
        return self.base_constraint.is_discrete

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        return self.base_constraint.event_dim

    def check(self, value: Any) -> Tensor:
        return self.base_constraint.check(value.unsqueeze(-1 - self.event_dim)).all(-1)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_constraint!r})"


class _Cat(Constraint):
    """Constraints of neighbouring pieces along ``dim``, as `cat` joins them."""

    def __init__(
        self, cseq: Sequence[Constraint], dim: int = 0, lengths: Sequence[int] | None = None
    ) -> None:
        self.cseq = list(cseq)
        self.lengths = [1] * len(self.cseq) if lengths is None else list(lengths)
        if len(self.lengths) != len(self.cseq):
            raise AssertionError(
                f"{len(self.cseq)} constraints need as many lengths, but got {len(self.lengths)}"
            )
        self.dim = dim

    @property
    def is_discrete(self) -> bool:  # type: ignore[override]
        return any(constraint.is_discrete for constraint in self.cseq)

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        return max(constraint.event_dim for constraint in self.cseq)

    def check(self, value: Any) -> Tensor:
        event_dim = self.event_dim
        checked = []
        for constraint, piece in zip(self.cseq, value.split(self.lengths, self.dim)):
            more = event_dim - constraint.event_dim
            result = constraint.check(piece)
            checked.append(result.flatten(-more).all(-1) if more else result)
        # Counted from the right, and among the dimensions that are left.
        dim = (self.dim - value.dim() if self.dim >= 0 else self.dim) + event_dim
        if dim < 0:
            return fb.cat(checked, dim)
        return fb.stack(checked).all(0)  # the pieces make up one event


class _Stack(Constraint):
    """Constraints of the slices along ``dim``, as `stack` joins them."""

    def __init__(self, cseq: Sequence[Constraint], dim: int = 0) -> None:
        self.cseq = list(cseq)
        self.dim = dim

    @property
    def is_discrete(self) -> bool:  # type: ignore[override]
        return any(constraint.is_discrete for constraint in self.cseq)

    @property
    def event_dim(self) -> int:  # type: ignore[override]
        dim = max(constraint.event_dim for constraint in self.cseq)
        # The dimension of the stack lies within the event where it is counted from the right.
        return dim + 1 if self.dim + dim < 0 else dim

    def check(self, value: Any) -> Tensor:
        slices = value.unbind(self.dim)
        return fb.stack([c.check(part) for c, part in zip(self.cseq, slices)], self.dim)


independent = _IndependentConstraint
real_vector = independent(real, 1)
cat = _Cat
stack = _Stack
