"""The Wishart distribution."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any

import flambeau_core as fb
from flambeau_core import Tensor

from . import constraints
from .broadcasting import Parameter
from .chi2 import Chi2
from .constraints import Constraint
from .distribution import Shape
from .exp_family import ExponentialFamily
from .lazy_property import lazy_property
from .multivariate_normal import half_log_det, single_matrix, to_scale_tril

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Wishart"]


class Wishart(ExponentialFamily):
    """The sum of ``df`` outer products of normal vectors: positive definite ``(..., n, n)``.

    Args:
        df: the degrees of freedom, any number above ``n - 1``.
        covariance_matrix, precision_matrix, scale_tril: exactly one of the covariance of the
            vectors, its inverse, and its Cholesky factor.

    Raises:
        ValueError: not exactly one matrix, or too small a ``df``.
    """

    support = constraints.positive_definite
    has_rsample = True
    _mean_carrier_measure = 0

    def __init__(
        self,
        df: Parameter,
        covariance_matrix: Tensor | None = None,
        precision_matrix: Tensor | None = None,
        scale_tril: Tensor | None = None,
        validate_args: bool | None = None,
    ) -> None:
        name, matrix = single_matrix(covariance_matrix, precision_matrix, scale_tril)
        if not isinstance(df, Tensor):
            df = fb.tensor(df, dtype=matrix.dtype, device=matrix.device)
        batch_shape = fb.broadcast_shapes(matrix.shape[:-2], df.shape)
        event_shape = matrix.shape[-2:]
        n = event_shape[-1]
        self.df = df.expand(batch_shape)
        if (self.df <= n - 1).any():
            raise ValueError(f"df must be above n - 1 = {n - 1}, but its values are\n{df}")
        if (self.df < n).any():
            warnings.warn(
                f"with df below n = {n} samples may be rounded to singular matrices", stacklevel=2
            )
        setattr(self, name, matrix.expand((*batch_shape, -1, -1)))
        super().__init__(batch_shape, event_shape, validate_args=validate_args)
        self._unbroadcasted_scale_tril = to_scale_tril(name, matrix)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Self:
        names = ("df", "covariance_matrix", "precision_matrix", "scale_tril")
        new = self._expanded(Wishart, batch_shape, _instance, names)
        new._unbroadcasted_scale_tril = self._unbroadcasted_scale_tril
        return new

    @property
    def arg_constraints(self) -> dict[str, Constraint]:
        return {
            "df": constraints.greater_than(self.event_shape[-1] - 1),
            "covariance_matrix": constraints.positive_definite,
            "precision_matrix": constraints.positive_definite,
            "scale_tril": constraints.lower_cholesky,
        }

    @lazy_property
    def scale_tril(self) -> Tensor:
        """The Cholesky factor of the covariance."""
        return self._batched(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        """The covariance of the vectors."""
        factor = self._unbroadcasted_scale_tril
        return self._batched(factor @ factor.mT)

    @lazy_property
    def precision_matrix(self) -> Tensor:
        """The inverse of the covariance."""
        return self._batched(fb.cholesky_inverse(self._unbroadcasted_scale_tril))

    def _batched(self, matrix: Tensor) -> Tensor:
        return matrix.expand(self._batch_shape + self._event_shape)

    def _df_of_matrices(self) -> Tensor:
        return self.df[..., None, None]

    @property
    def mean(self) -> Tensor:
        return self._df_of_matrices() * self.covariance_matrix

    @property
    def mode(self) -> Tensor:
        """NaN up to ``df = n + 1``."""
        factor = self._df_of_matrices() - self._event_shape[-1] - 1
        return factor.masked_fill(factor <= 0, fb.nan) * self.covariance_matrix

    @property
    def variance(self) -> Tensor:
        covariance = self.covariance_matrix
        diagonal = covariance.diagonal(dim1=-2, dim2=-1)
        outer = diagonal.unsqueeze(-1) * diagonal.unsqueeze(-2)
        return self._df_of_matrices() * (covariance.square() + outer)

    def rsample(self, sample_shape: Shape = ()) -> Tensor:
        """By Bartlett's decomposition: a triangle of normal and chi variables."""
        shape = self._extended_shape(sample_shape)
        n = self._event_shape[-1]
        normal = fb.randn(shape, dtype=self.df.dtype, device=self.df.device).tril(-1)
        less = fb.arange(n, dtype=self.df.dtype, device=self.df.device)
        chi2 = Chi2(self.df.unsqueeze(-1) - less, validate_args=False).rsample(sample_shape)
        factor = self._unbroadcasted_scale_tril @ (normal + chi2.sqrt().diag_embed())
        return factor @ factor.mT

    def log_prob(self, value: Tensor) -> Tensor:
        if self._validate_args:
            self._validate_sample(value)
        n, df, factor = self._event_shape[-1], self.df, self._unbroadcasted_scale_tril
        solved = fb.cholesky_solve(value, factor.expand(value.shape))
        trace = solved.diagonal(dim1=-2, dim2=-1).sum(-1)
        return (
            0.5 * (df - n - 1) * fb.linalg.slogdet(value).logabsdet
            - 0.5 * trace
            - df * (0.5 * n * math.log(2) + half_log_det(factor))
            - fb.mvlgamma(0.5 * df, n)
        )

    def entropy(self) -> Tensor:
        n, df = self._event_shape[-1], self.df
        return (
            (n + 1) * (0.5 * n * math.log(2) + half_log_det(self._unbroadcasted_scale_tril))
            + fb.mvlgamma(0.5 * df, n)
            - 0.5 * (df - n - 1) * _mvdigamma(0.5 * df, n)
            + 0.5 * df * n
        )

    @property
    def _natural_params(self) -> tuple[Tensor, Tensor]:
        return 0.5 * (self.df - self._event_shape[-1] - 1), -0.5 * self.precision_matrix

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        x, y = natural_params
        n = y.shape[-1]
        half_df = x + 0.5 * (n + 1)
        return fb.mvlgamma(half_df, n) - half_df * fb.linalg.slogdet(-y).logabsdet


def _mvdigamma(x: Tensor, n: int) -> Tensor:
    """The derivative of the logarithm of the multivariate gamma function."""
    halves = 0.5 * fb.arange(n, dtype=x.dtype, device=x.device)
    return fb.digamma(x.unsqueeze(-1) - halves).sum(-1)
