"""Constraints on matrices, the last two dimensions of a tensor."""

from __future__ import annotations

from typing import Any

import flambeau_core as fb
from flambeau_core import Tensor

from .constraint import Constraint

# How far apart two mirrored entries may be.
_SYMMETRY_TOLERANCE = 1e-6


def _all_entries(condition: Tensor) -> Tensor:
    return condition.flatten(-2).all(-1)


class _Square(Constraint):
    """As many rows as columns."""

    event_dim = 2

    def check(self, value: Any) -> Tensor:
        is_square = value.shape[-2] == value.shape[-1]
        return fb.full(value.shape[:-2], is_square, dtype=fb.bool, device=value.device)


class _LowerTriangular(Constraint):
    """Zeros above the diagonal."""

    event_dim = 2

    def check(self, value: Any) -> Tensor:
        return _all_entries(value.tril() == value)


class _LowerCholesky(Constraint):
    """Lower triangular with a positive diagonal."""

    event_dim = 2

    def check(self, value: Any) -> Tensor:
        positive = (value.diagonal(dim1=-2, dim2=-1) > 0).all(-1)
        return _all_entries(value.tril() == value) & positive


class _CorrCholesky(Constraint):
    """The Cholesky factor of a correlation matrix: also, every row has the length 1."""

    event_dim = 2

    def check(self, value: Any) -> Tensor:
        # The rounding of a sum of n squares, and some more.
        tolerance = fb.finfo(value.dtype).eps * value.shape[-1] * 10
        lengths = fb.linalg.vector_norm(value.detach(), dim=-1)
        unit = ((lengths - 1).abs() <= tolerance).all(-1)
        return _LowerCholesky().check(value) & unit


class _Symmetric(_Square):
    """Square, and equal to its transpose."""

    def check(self, value: Any) -> Tensor:
        square = super().check(value)
        if value.shape[-2] != value.shape[-1]:
            return square
        return _all_entries(fb.isclose(value, value.mT, atol=_SYMMETRY_TOLERANCE))


class _PositiveSemidefinite(_Symmetric):
    """Symmetric with eigenvalues from 0."""

    def check(self, value: Any) -> Tensor:
        symmetric = super().check(value)
        if not symmetric.all():
            return symmetric
        return (fb.linalg.eigvalsh(value) >= 0).all(-1)


class _PositiveDefinite(_Symmetric):
    """Symmetric with a Cholesky factorisation."""

    def check(self, value: Any) -> Tensor:
        symmetric = super().check(value)
        if not symmetric.all():
            return symmetric
        return fb.linalg.cholesky_ex(value).info == 0


square = _Square()
lower_triangular = _LowerTriangular()
lower_cholesky = _LowerCholesky()
corr_cholesky = _CorrCholesky()
symmetric = _Symmetric()
positive_semidefinite = _PositiveSemidefinite()
positive_definite = _PositiveDefinite()
