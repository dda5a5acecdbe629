"""Normal vectors with a covariance of low rank and a diagonal."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import flambeau_core as fb
from flambeau_core import Tensor

from . import constraints
from .distribution import Distribution, Shape
from .lazy_property import lazy_property
from .multivariate_normal import half_log_det, mat_vec, squared_mahalanobis

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["LowRankMultivariateNormal"]


class LowRankMultivariateNormal(Distribution):
    """Normal with the covariance ``W W^T + diag(d)``, handled without matrices of its size.

    By Woodbury's identity and the matrix determinant lemma, only the capacitance matrix
    ``I + W^T diag(1/d) W`` of the size m is factorised.

    Args:
        loc: the mean, ``(..., n)``.
        cov_factor: W, ``(..., n, m)``.
        cov_diag: d, ``(..., n)``.

    Raises:
        ValueError: shapes that do not go together.
    """

    arg_constraints = {
        "loc": constraints.real_vector,
        "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }
    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self,
        loc: Tensor,
        cov_factor: Tensor,
        cov_diag: Tensor,
        validate_args: bool | None = None,
    ) -> None:
        _check_shapes(loc, cov_factor, cov_diag)
        batch_shape = fb.broadcast_shapes(
            loc.shape[:-1], cov_factor.shape[:-2], cov_diag.shape[:-1]
        )
        self.loc = loc.expand((*batch_shape, -1))
        self.cov_factor = cov_factor.expand((*batch_shape, -1, -1))
        self.cov_diag = cov_diag.expand((*batch_shape, -1))
        # What the batch shares stays unexpanded.
        self._unbroadcasted_cov_factor = cov_factor
        self._unbroadcasted_cov_diag = cov_diag
        self._capacitance_tril = _capacitance_tril(cov_factor, cov_diag)
        super().__init__(batch_shape, loc.shape[-1:], validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Self:
        names = ("loc", "cov_factor", "cov_diag")
        new = self._expanded(LowRankMultivariateNormal, batch_shape, _instance, names)
        new._unbroadcasted_cov_factor = self._unbroadcasted_cov_factor
        new._unbroadcasted_cov_diag = self._unbroadcasted_cov_diag
        new._capacitance_tril = self._capacitance_tril
        return new

    def _batched(self, matrix: Tensor) -> Tensor:
        return matrix.expand((*self._batch_shape, *self._event_shape, *self._event_shape))

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @lazy_property
    def variance(self) -> Tensor:
        """The diagonal of the covariance."""
        diagonal = self._unbroadcasted_cov_factor.square().sum(-1) + self._unbroadcasted_cov_diag
        return diagonal.expand(self._batch_shape + self._event_shape)

    @lazy_property
    def scale_tril(self) -> Tensor:
        """The Cholesky factor of the covariance."""
        deviation = self._unbroadcasted_cov_diag.sqrt().unsqueeze(-1)
        standard = self._unbroadcasted_cov_factor / deviation
        identity = fb.eye(standard.shape[-2], dtype=standard.dtype, device=standard.device)
        return self._batched(deviation * fb.linalg.cholesky(standard @ standard.mT + identity))

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """The covariance."""
        factor = self._unbroadcasted_cov_factor
        return self._batched(factor @ factor.mT + self._unbroadcasted_cov_diag.diag_embed())

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariance."""
        diagonal = self._unbroadcasted_cov_diag
        weighted = self._unbroadcasted_cov_factor.mT / diagonal.unsqueeze(-2)
        solved = fb.linalg.solve_triangular(self._capacitance_tril, weighted, upper=False)
        return self._batched(diagonal.reciprocal().diag_embed() - solved.mT @ solved)

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        dtype, device = self.loc.dtype, self.loc.device
        rank_shape = (*shape[:-1], self.cov_factor.shape[-1])
        factors = fb.randn(rank_shape, dtype=dtype, device=device)
        noise = fb.randn(shape, dtype=dtype, device=device)
        return (
            self.loc
            + mat_vec(self._unbroadcasted_cov_factor, factors)
            + self._unbroadcasted_cov_diag.sqrt() * noise
        )

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        distance = lowrank_squared_mahalanobis(
            self._unbroadcasted_cov_factor,
            self._unbroadcasted_cov_diag,
            value - self.loc,
            self._capacitance_tril,
        )
        constant = self._event_shape[0] * math.log(2 * math.pi)
        return -0.5 * (constant + self._log_det() + distance)

    def _log_det(self) -> Tensor:
        """The log-determinant of the covariance."""
        return lowrank_log_det(self._unbroadcasted_cov_diag, self._capacitance_tril)

    def entropy(self) -> Tensor:
        constant = self._event_shape[0] * (1 + math.log(2 * math.pi))
        return (0.5 * (constant + self._log_det())).expand(self._batch_shape)


def _check_shapes(loc: Tensor, cov_factor: Tensor, cov_diag: Tensor) -> None:
    if loc.dim() < 1:
        raise ValueError("loc must have at least one dimension, but got the shape ()")
    if cov_factor.dim() < 2 or cov_factor.shape[-2] != loc.shape[-1]:
        raise ValueError(
            f"cov_factor must be of the shape (..., {loc.shape[-1]}, m), but got "
            f"{tuple(cov_factor.shape)}"
        )
    if cov_diag.shape[-1:] != loc.shape[-1:]:
        raise ValueError(
            f"cov_diag must be of the shape (..., {loc.shape[-1]}), but got {tuple(cov_diag.shape)}"
        )


def _capacitance_tril(factor: Tensor, diagonal: Tensor) -> Tensor:
    """The Cholesky factor of ``I + W^T diag(1/d) W``."""
    product = (factor.mT / diagonal.unsqueeze(-2)) @ factor
    identity = fb.eye(product.shape[-1], dtype=product.dtype, device=product.device)
    return fb.linalg.cholesky(product + identity)


def lowrank_log_det(diagonal: Tensor, capacitance_tril: Tensor) -> Tensor:
    """The log-determinant of ``W W^T + diag(d)``, by the matrix determinant lemma."""
    return 2 * half_log_det(capacitance_tril) + diagonal.log().sum(-1)


def lowrank_squared_mahalanobis(
    factor: Tensor, diagonal: Tensor, deviation: Tensor, capacitance_tril: Tensor
) -> Tensor:
    """``x^T (W W^T + diag(d))^-1 x`` of vectors ``(..., n)``, by Woodbury's identity."""
    projected = mat_vec(factor.mT / diagonal.unsqueeze(-2), deviation)
    outer = (deviation.square() / diagonal).sum(-1)
    return outer - squared_mahalanobis(capacitance_tril, projected)
