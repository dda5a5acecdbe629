"""The multivariate normal distribution, and the linear algebra of its parameters."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import flambeau_core as fb
from flambeau_core import Tensor

from . import constraints
from .distribution import Distribution, Shape
from .lazy_property import lazy_property

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["MultivariateNormal"]


def mat_vec(matrix: Tensor, vector: Tensor) -> Tensor:
    """The products of matrices ``(..., n, m)`` and vectors ``(..., m)``."""
    return (matrix @ vector.unsqueeze(-1)).squeeze(-1)


def half_log_det(scale_tril: Tensor) -> Tensor:
    """Half the log-determinant of ``L L^T``."""
    return scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)


def squared_mahalanobis(scale_tril: Tensor, deviation: Tensor) -> Tensor:
    """``x^T (L L^T)^-1 x`` of vectors ``(..., n)``, as the squared length of ``L^-1 x``."""
    if scale_tril.dim() == 2:  # one matrix for all vectors: its columns are solved together
        columns = deviation.reshape(-1, deviation.shape[-1]).mT
        solved = fb.linalg.solve_triangular(scale_tril, columns, upper=False)
        return solved.square().sum(0).reshape(deviation.shape[:-1])
    solved = fb.linalg.solve_triangular(scale_tril, deviation.unsqueeze(-1), upper=False)
    return solved.square().sum((-2, -1))


def precision_to_scale_tril(precision: Tensor) -> Tensor:
    """The Cholesky factor of the inverse of a matrix, without the inverse.

    With both dimensions reversed, the factor of the precision P is an upper triangular U with
    ``P = U U^T``; then ``L = U^-T`` is lower triangular with ``L L^T = P^-1``.
    """
    factor = fb.linalg.cholesky(precision.flip((-2, -1)))
    transposed = factor.flip((-2, -1)).mT
    identity = fb.eye(precision.shape[-1], dtype=precision.dtype, device=precision.device)
    return fb.linalg.solve_triangular(transposed, identity, upper=False)


def single_matrix(
    covariance_matrix: Tensor | None, precision_matrix: Tensor | None, scale_tril: Tensor | None
) -> tuple[str, Tensor]:
    """The name and value of the one matrix that is given.

    Raises:
        ValueError: none or several are, or it has fewer than two dimensions.
    """
    matrices = {
        "covariance_matrix": covariance_matrix,
        "precision_matrix": precision_matrix,
        "scale_tril": scale_tril,
    }
    given = {name: matrix for name, matrix in matrices.items() if matrix is not None}
    if len(given) != 1:
        raise ValueError(
            f"exactly one of {', '.join(matrices)} must be given, but got "
            f"{' and '.join(given) or 'none'}"
        )
    ((name, matrix),) = given.items()
    if matrix.dim() < 2:
        raise ValueError(
            f"{name} must have at least two dimensions, but got the shape {tuple(matrix.shape)}"
        )
    return name, matrix


def to_scale_tril(name: str, matrix: Tensor) -> Tensor:
    """The Cholesky factor of the covariance that is given by a matrix of this name."""
    if name == "scale_tril":
        return matrix
    if name == "covariance_matrix":
        return fb.linalg.cholesky(matrix)
    return precision_to_scale_tril(matrix)


class MultivariateNormal(Distribution):
    """Normal vectors with the mean ``loc``, ``(..., n)``, and a covariance, ``(..., n, n)``.

    Args:
        covariance_matrix, precision_matrix, scale_tril: exactly one of the covariance, its
            inverse, and its Cholesky factor, which is the fastest.
    """

    arg_constraints = {
        "loc": constraints.real_vector,
        "covariance_matrix": constraints.positive_definite,
        "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
    }
    support = constraints.real_vector
    has_rsample = True

    def __init__(
        self,
        loc: Tensor,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must have at least one dimension, but got the shape ()")
        name, matrix = single_matrix(covariance_matrix, precision_matrix, scale_tril)
        if matrix.shape[-2:] != loc.shape[-1:] * 2:
            raise ValueError(
                f"{name} must be of the shape (..., {loc.shape[-1]}, {loc.shape[-1]}) for loc of "
                f"the shape {tuple(loc.shape)}, but got {tuple(matrix.shape)}"
            )
        batch_shape = fb.broadcast_shapes(matrix.shape[:-2], loc.shape[:-1])
        setattr(self, name, matrix.expand((*batch_shape, -1, -1)))
        self.loc = loc.expand((*batch_shape, -1))
        super().__init__(batch_shape, self.loc.shape[-1:], validate_args=validate_args)
        # Without the batch, since one factor may serve it all.
        self._unbroadcasted_scale_tril = to_scale_tril(name, matrix)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Self:
        names = ("loc", "covariance_matrix", "precision_matrix", "scale_tril")
        new = self._expanded(MultivariateNormal, batch_shape, _instance, names)
        new._unbroadcasted_scale_tril = self._unbroadcasted_scale_tril
        return new

    @lazy_property
    def scale_tril(self) -> Tensor:
        """The Cholesky factor of the covariance."""
        return self._batched(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """The covariance."""
        factor = self._unbroadcasted_scale_tril
        return self._batched(factor @ factor.mT)

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariance."""
        return self._batched(fb.cholesky_inverse(self._unbroadcasted_scale_tril))

    def _batched(self, matrix: Tensor) -> Tensor:
        return matrix.expand((*self._batch_shape, *self._event_shape, *self._event_shape))

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        diagonal = self._unbroadcasted_scale_tril.square().sum(-1)
        return diagonal.expand(self._batch_shape + self._event_shape)

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        shape = self._extended_shape(sample_shape)
        noise = fb.randn(shape, dtype=self.loc.dtype, device=self.loc.device)
        return self.loc + mat_vec(self._unbroadcasted_scale_tril, noise)

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        distance = squared_mahalanobis(self._unbroadcasted_scale_tril, value - self.loc)
        dimensions = self._event_shape[0]
        normalizer = 0.5 * dimensions * math.log(2 * math.pi)
        return -0.5 * distance - normalizer - half_log_det(self._unbroadcasted_scale_tril)

    def entropy(self) -> Tensor:
        dimensions = self._event_shape[0]
        constant = 0.5 * dimensions * (1 + math.log(2 * math.pi))
        entropy = constant + half_log_det(self._unbroadcasted_scale_tril)
        return entropy.expand(self._batch_shape)
