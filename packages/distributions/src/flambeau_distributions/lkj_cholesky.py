"""The LKJ distribution of correlation matrices."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import flambeau_core as fb
from flambeau_core import Tensor

from . import constraints
from .beta import Beta
from .broadcasting import Parameter, broadcast_all
from .distribution import Distribution, Shape

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["LKJCholesky"]


class LKJCholesky(Distribution):
    """Cholesky factors of ``dim`` by ``dim`` correlation matrices R.

    The density of R is proportional to ``det(R) ** (concentration - 1)``: uniform at 1, and the
    nearer to the identity the larger the concentration (Lewandowski, Kurowicka and Joe,
    "Generating random correlation matrices based on vines and extended onion method", 2009).

    Raises:
        ValueError: ``dim`` is below 2.
    """

    arg_constraints = {"concentration": constraints.positive}
    support = constraints.corr_cholesky

    def __init__(
        self, dim: int, concentration: Parameter = 1.0, validate_args: bool | None = None
    ) -> None:
        if dim < 2:
            raise ValueError(f"dim must be an integer of at least 2, but got {dim}")
        self.dim = dim
        (self.concentration,) = broadcast_all(concentration)
        super().__init__(self.concentration.shape, (dim, dim), validate_args=validate_args)

    def expand(self, batch_shape: Shape, _instance: Any = None) -> Self:
        new = self._expanded(LKJCholesky, batch_shape, _instance, ("concentration",))
        new.dim = self.dim
        return new

    def sample(self, sample_shape: Shape = ()) -> Tensor:
        """Row by row, by the onion method.

        Row i, from 0, is a point in the unit ball of i dimensions, continued to the unit sphere:
        its direction is uniform, its squared length beta distributed.
        """
        with fb.no_grad():
            c = self.concentration.unsqueeze(-1)
            row = fb.arange(1, self.dim, dtype=c.dtype, device=c.device)
            lengths = Beta(0.5 * row, c + 0.5 * (self.dim - 1 - row), validate_args=False)
            squared = lengths.sample(sample_shape)
            # The first row has nothing to the left of the diagonal.
            squared = fb.cat([fb.zeros_like(squared[..., :1]), squared], -1)
            shape = self._extended_shape(sample_shape)
            normal = fb.randn(shape, dtype=c.dtype, device=c.device).tril(-1)
            length = fb.linalg.vector_norm(normal, dim=-1).clamp(min=fb.finfo(c.dtype).tiny)
            rest = (1 - squared).clamp(min=fb.finfo(c.dtype).tiny).sqrt()
            return normal * (squared.sqrt() / length).unsqueeze(-1) + rest.diag_embed()

    def log_prob(self, value: Tensor) -> Tensor:
        """The density of the factor, not of R: the Jacobian between them is included."""
        if self._validate_args:
            self._validate_sample(value)
        c = self.concentration
        row = fb.arange(2, self.dim + 1, dtype=c.dtype, device=c.device)
        exponents = 2 * (c - 1).unsqueeze(-1) + self.dim - row
        logs = value.diagonal(dim1=-2, dim2=-1)[..., 1:].log()
        others = self.dim - 1
        alpha = c + 0.5 * others
        normalizer = (
            0.5 * others * math.log(math.pi)
            + fb.mvlgamma(alpha - 0.5, others)
            - others * fb.lgamma(alpha)
        )
        return (exponents * logs).sum(-1) - normalizer
