"""Distributions of exponential families."""

from __future__ import annotations

import flambeau_core as fb
from flambeau_core import Tensor

from .broadcasting import sum_rightmost
from .distribution import Distribution

__all__ = ["ExponentialFamily"]


class ExponentialFamily(Distribution):
    """Densities ``h(x) exp(<t(x), eta> - F(eta))`` with natural parameters eta.

    A family that gives its natural parameters, its log normalizer F and the mean of ``log h``
    gets its entropy from them: ``F - <eta, dF/deta> - E[log h]`` (Nielsen and Nock, "Entropies
    and cross-entropies of exponential families", ICIP 2010).
    """

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        """eta, each part of the shape ``batch_shape`` or with event dimensions after it."""
        raise NotImplementedError

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        """F of natural parameters, of the shape ``batch_shape``."""
        raise NotImplementedError

    @property
    def _mean_carrier_measure(self) -> float | Tensor:
        """The mean of ``log h``."""
        raise NotImplementedError

    def entropy(self) -> Tensor:
        given = self._natural_params
        with fb.enable_grad():
            params = [p if p.requires_grad else p.detach().requires_grad_() for p in given]
            normalizer = self._log_normalizer(*params)
            gradients = fb.autograd.grad(normalizer.sum(), params, create_graph=True)
            result = normalizer - self._mean_carrier_measure
            for param, gradient in zip(params, gradients):
                inner = param * gradient
                result = result - sum_rightmost(inner, inner.dim() - len(self.batch_shape))
        is_constant = not (fb.is_grad_enabled() and any(p.requires_grad for p in given))
        return result.detach() if is_constant else result
