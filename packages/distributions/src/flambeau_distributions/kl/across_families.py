"""Divergences of distributions of different families.

Each is the cross entropy ``-E_p[log q(x)]``, for which a few moments of p are enough, less the
entropy of p. Where p has mass outside of q's support it is infinite.
"""

from __future__ import annotations

import math

import flambeau_core as fb
from flambeau_core import Tensor

from ..bernoulli import Bernoulli
from ..beta import Beta
from ..binomial import Binomial
from ..continuous_bernoulli import ContinuousBernoulli
from ..distribution import Distribution
from ..exponential import Exponential
from ..gamma import Gamma
from ..gumbel import EULER_GAMMA, Gumbel
from ..laplace import Laplace
from ..normal import Normal
from ..pareto import Pareto
from ..poisson import Poisson
from ..uniform import Uniform
from .registry import register_kl


@register_kl(Beta, Normal)
@register_kl(ContinuousBernoulli, Normal)
@register_kl(Exponential, Normal)
@register_kl(Gamma, Normal)
@register_kl(Gumbel, Normal)
@register_kl(Laplace, Normal)
@register_kl(Pareto, Normal)
@register_kl(Uniform, Normal)
def _to_normal(p: Distribution, q: Normal) -> Tensor:
    variance = q.scale.square()
    second = p.variance + (p.mean - q.loc).square()
    return 0.5 * ((2 * math.pi * variance).log() + second / variance) - p.entropy()


@register_kl(Beta, Exponential)
@register_kl(ContinuousBernoulli, Exponential)
@register_kl(Gamma, Exponential)
@register_kl(Pareto, Exponential)
def _to_exponential(p: Distribution, q: Exponential) -> Tensor:
    return q.rate * p.mean - q.rate.log() - p.entropy()


@register_kl(Uniform, Exponential)
def _uniform_exponential(p: Uniform, q: Exponential) -> Tensor:
    return _to_exponential(p, q).masked_fill(p.low < 0, fb.inf)


def _to_gamma(p: Distribution, q: Gamma, mean_log: Tensor) -> Tensor:
    cross_entropy = (
        fb.lgamma(q.concentration)
        - q.concentration * q.rate.log()
        - (q.concentration - 1) * mean_log
        + q.rate * p.mean
    )
    return cross_entropy - p.entropy()


@register_kl(Beta, Gamma)
def _beta_gamma(p: Beta, q: Gamma) -> Tensor:
    total = p.concentration1 + p.concentration0
    return _to_gamma(p, q, fb.digamma(p.concentration1) - fb.digamma(total))


@register_kl(Exponential, Gamma)
def _exponential_gamma(p: Exponential, q: Gamma) -> Tensor:
    return _to_gamma(p, q, -EULER_GAMMA - p.rate.log())


@register_kl(Pareto, Gamma)
def _pareto_gamma(p: Pareto, q: Gamma) -> Tensor:
    return _to_gamma(p, q, p.alpha.reciprocal() + p.scale.log())


def _mean_log(low: Tensor, high: Tensor) -> Tensor:
    """The mean of the logarithm over an interval, where ``x log x`` of 0 is 0."""
    return (fb.xlogy(high, high) - fb.xlogy(low, low)) / (high - low) - 1


@register_kl(Uniform, Gamma)
def _uniform_gamma(p: Uniform, q: Gamma) -> Tensor:
    return _to_gamma(p, q, _mean_log(p.low, p.high)).masked_fill(p.low < 0, fb.inf)


@register_kl(Uniform, Beta)
def _uniform_beta(p: Uniform, q: Beta) -> Tensor:
    a, b = q.concentration1, q.concentration0
    log_beta = fb.lgamma(a) + fb.lgamma(b) - fb.lgamma(a + b)
    mean_logs = (a - 1) * _mean_log(p.low, p.high) + (b - 1) * _mean_log(1 - p.high, 1 - p.low)
    result = log_beta - mean_logs - p.entropy()
    return result.masked_fill((p.low < 0) | (p.high > 1), fb.inf)


@register_kl(Uniform, Pareto)
def _uniform_pareto(p: Uniform, q: Pareto) -> Tensor:
    mean_log = _mean_log(p.low, p.high)
    log_constant = q.alpha.log() + q.alpha * q.scale.log()
    result = (q.alpha + 1) * mean_log - log_constant - p.entropy()
    return result.masked_fill(p.low < q.scale, fb.inf)


def _to_gumbel(p: Distribution, q: Gumbel, log_moment: Tensor) -> Tensor:
    """By the mean of p and log E[exp(-x / scale)]."""
    standard_mean = (p.mean - q.loc) / q.scale
    moment = (q.loc / q.scale + log_moment).exp()
    return q.scale.log() + standard_mean + moment - p.entropy()


@register_kl(Exponential, Gumbel)
def _exponential_gumbel(p: Exponential, q: Gumbel) -> Tensor:
    return _to_gumbel(p, q, -(1 / (q.scale * p.rate)).log1p())


@register_kl(Gamma, Gumbel)
def _gamma_gumbel(p: Gamma, q: Gumbel) -> Tensor:
    return _to_gumbel(p, q, -p.concentration * (1 / (q.scale * p.rate)).log1p())


@register_kl(Normal, Gumbel)
def _normal_gumbel(p: Normal, q: Gumbel) -> Tensor:
    return _to_gumbel(p, q, 0.5 * (p.scale / q.scale).square() - p.loc / q.scale)


@register_kl(Uniform, Gumbel)
def _uniform_gumbel(p: Uniform, q: Gumbel) -> Tensor:
    width = (p.high - p.low) / q.scale
    return _to_gumbel(p, q, (-(-width).expm1() / width).log() - p.low / q.scale)


@register_kl(Normal, Laplace)
def _normal_laplace(p: Normal, q: Laplace) -> Tensor:
    # The mean distance is that of a folded normal variable.
    shift = p.loc - q.loc
    ratio = shift / p.scale
    spread = math.sqrt(2 / math.pi) * p.scale * (-0.5 * ratio.square()).exp()
    distance = spread + shift * fb.erf(ratio * math.sqrt(0.5))
    return (2 * q.scale).log() + distance / q.scale - p.entropy()


@register_kl(Beta, ContinuousBernoulli)
def _to_continuous_bernoulli(p: Distribution, q: ContinuousBernoulli) -> Tensor:
    return -p.mean * q.logits - (-q.probs).log1p() - q._log_norm() - p.entropy()


@register_kl(Uniform, ContinuousBernoulli)
def _uniform_continuous_bernoulli(p: Uniform, q: ContinuousBernoulli) -> Tensor:
    result = _to_continuous_bernoulli(p, q)
    return result.masked_fill((p.low < 0) | (p.high > 1), fb.inf)


@register_kl(Beta, Uniform)
@register_kl(ContinuousBernoulli, Uniform)
def _unit_interval_uniform(p: Distribution, q: Uniform) -> Tensor:
    return (q.entropy() - p.entropy()).masked_fill((q.low > 0) | (q.high < 1), fb.inf)


@register_kl(Bernoulli, Poisson)
def _bernoulli_poisson(p: Bernoulli, q: Poisson) -> Tensor:
    # 0! and 1! are 1.
    return q.rate - p.probs * q.rate.log() - p.entropy()


def _infinite(p: Distribution, q: Distribution) -> Tensor:
    like = p.entropy() if not isinstance(p, Poisson) else p.rate
    shape = fb.broadcast_shapes(p.batch_shape, q.batch_shape)
    return fb.full(shape, fb.inf, dtype=like.dtype, device=like.device)


# p has mass where q of any parameters has none.
_OUTSIDE: dict[type[Distribution], tuple[type[Distribution], ...]] = {
    Beta: (Pareto,),
    ContinuousBernoulli: (Pareto,),
    Exponential: (Beta, ContinuousBernoulli, Pareto, Uniform),
    Gamma: (Beta, ContinuousBernoulli, Pareto, Uniform),
    Gumbel: (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform),
    Laplace: (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform),
    Normal: (Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform),
    Pareto: (Beta, ContinuousBernoulli, Uniform),
    Poisson: (Bernoulli, Binomial),
}
for _type_p, _types_q in _OUTSIDE.items():
    for _type_q in _types_q:
        register_kl(_type_p, _type_q)(_infinite)
