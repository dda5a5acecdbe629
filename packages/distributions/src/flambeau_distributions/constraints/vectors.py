"""Constraints on vectors, the last dimension of a tensor."""

from __future__ import annotations

from typing import Any

from flambeau_core import Tensor

from .constraint import Constraint

# How far from 1 the sum of a probability vector may be, for the rounding of float32.
_SUM_TOLERANCE = 1e-6


class _OneHot(Constraint):
    """A single 1 among zeros."""

    is_discrete = True
    event_dim = 1

    def check(self, value: Any) -> Tensor:
        binary = (value == 0) | (value == 1)
        return binary.all(-1) & (value.sum(-1) == 1)


class _Simplex(Constraint):
    """Numbers from 0 that add up to 1."""

    event_dim = 1

    def check(self, value: Any) -> Tensor:
        return (value >= 0).all(-1) & ((value.sum(-1) - 1).abs() < _SUM_TOLERANCE)


class _Multinomial(Constraint):
    """Counts from 0 that add up to at most ``upper_bound``."""

    is_discrete = True
    event_dim = 1

    def __init__(self, upper_bound: Any) -> None:
        self.upper_bound = upper_bound

    def check(self, value: Any) -> Tensor:
        return (value >= 0).all(-1) & (value.sum(-1) <= self.upper_bound)


one_hot = _OneHot()
simplex = _Simplex()
multinomial = _Multinomial
