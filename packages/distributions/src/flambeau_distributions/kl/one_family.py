"""Divergences of two distributions of one family."""

from __future__ import annotations

from typing import Any

import flambeau_core as fb
from flambeau_core import Tensor

from ..bernoulli import Bernoulli
from ..beta import Beta
from ..binomial import Binomial
from ..broadcasting import sum_rightmost
from ..categorical import Categorical
from ..cauchy import Cauchy
from ..continuous_bernoulli import ContinuousBernoulli
from ..dirichlet import Dirichlet
from ..exp_family import ExponentialFamily
from ..exponential import Exponential
from ..gamma import Gamma
from ..geometric import Geometric
from ..gumbel import EULER_GAMMA, Gumbel
from ..half_normal import HalfNormal
from ..independent import Independent
from ..laplace import Laplace
from ..normal import Normal
from ..one_hot_categorical import OneHotCategorical
from ..pareto import Pareto
from ..poisson import Poisson
from ..transformed_distribution import TransformedDistribution
from ..uniform import Uniform
from .registry import kl_divergence, register_kl

_softplus = fb.nn_ops.softplus


@register_kl(ExponentialFamily, ExponentialFamily)
def _exponential_family(p: ExponentialFamily, q: ExponentialFamily) -> Tensor:
    """The Bregman divergence of the log normalizer (Nielsen and Nock, ICIP 2010)."""
    if type(p) is not type(q):
        raise NotImplementedError(
            "the divergence of two exponential families has no closed form in general, and none "
            f"is registered for {type(p).__name__} and {type(q).__name__}"
        )
    with fb.enable_grad():
        of_p = [x if x.requires_grad else x.detach().requires_grad_() for x in p._natural_params]
        normalizer = p._log_normalizer(*of_p)
        gradients = fb.autograd.grad(normalizer.sum(), of_p, create_graph=True)
    result = q._log_normalizer(*q._natural_params) - normalizer
    event_dim = len(q.event_shape)
    for x, y, gradient in zip(of_p, q._natural_params, gradients):
        inner = (y - x) * gradient
        result = result - sum_rightmost(inner, min(event_dim, inner.dim() - result.dim()))
    return result


@register_kl(Bernoulli, Bernoulli)
def _bernoulli(p: Bernoulli, q: Bernoulli) -> Tensor:
    success = p.probs * (_softplus(-q.logits) - _softplus(-p.logits))
    success = success.masked_fill(q.probs == 0, fb.inf).masked_fill(p.probs == 0, 0)
    failure = (1 - p.probs) * (_softplus(q.logits) - _softplus(p.logits))
    failure = failure.masked_fill(q.probs == 1, fb.inf).masked_fill(p.probs == 1, 0)
    return success + failure


@register_kl(Beta, Beta)
def _beta(p: Beta, q: Beta) -> Tensor:
    p1, p0, q1, q0 = p.concentration1, p.concentration0, q.concentration1, q.concentration0
    normalizers = fb.lgamma(q1) + fb.lgamma(q0) + fb.lgamma(p1 + p0)
    normalizers = normalizers - fb.lgamma(p1) - fb.lgamma(p0) - fb.lgamma(q1 + q0)
    return (
        normalizers
        + (p1 - q1) * fb.digamma(p1)
        + (p0 - q0) * fb.digamma(p0)
        + (q1 + q0 - p1 - p0) * fb.digamma(p1 + p0)
    )


@register_kl(Binomial, Binomial)
def _binomial(p: Binomial, q: Binomial) -> Tensor:
    if (p.total_count < q.total_count).any():
        raise NotImplementedError("of Binomials whose q has the larger total_count")
    of_trial = p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p()
    return (p.total_count * of_trial).masked_fill(p.total_count > q.total_count, fb.inf)


@register_kl(Categorical, Categorical)
def _categorical(p: Categorical, q: Categorical) -> Tensor:
    terms = p.probs * (p.logits - q.logits)
    return terms.masked_fill(q.probs == 0, fb.inf).masked_fill(p.probs == 0, 0).sum(-1)


@register_kl(OneHotCategorical, OneHotCategorical)
def _one_hot_categorical(p: OneHotCategorical, q: OneHotCategorical) -> Tensor:
    return _categorical(p._categorical, q._categorical)


@register_kl(Cauchy, Cauchy)
def _cauchy(p: Cauchy, q: Cauchy) -> Tensor:
    """Chyzak and Nielsen, arXiv:1905.10965."""
    squared = (p.scale + q.scale).square() + (p.loc - q.loc).square()
    return squared.log() - (4 * p.scale * q.scale).log()


@register_kl(ContinuousBernoulli, ContinuousBernoulli)
def _continuous_bernoulli(p: ContinuousBernoulli, q: ContinuousBernoulli) -> Tensor:
    of_p = p._log_norm() + (-p.probs).log1p()
    of_q = q._log_norm() + (-q.probs).log1p()
    return p.mean * (p.logits - q.logits) + of_p - of_q


@register_kl(Dirichlet, Dirichlet)
def _dirichlet(p: Dirichlet, q: Dirichlet) -> Tensor:
    total_p, total_q = p.concentration.sum(-1), q.concentration.sum(-1)
    normalizers = fb.lgamma(total_p) - fb.lgamma(total_q)
    normalizers = normalizers + (fb.lgamma(q.concentration) - fb.lgamma(p.concentration)).sum(-1)
    mean_logs = fb.digamma(p.concentration) - fb.digamma(total_p).unsqueeze(-1)
    return normalizers + ((p.concentration - q.concentration) * mean_logs).sum(-1)


@register_kl(Exponential, Exponential)
def _exponential(p: Exponential, q: Exponential) -> Tensor:
    ratio = q.rate / p.rate
    return ratio - 1 - ratio.log()


@register_kl(Gamma, Gamma)
def _gamma(p: Gamma, q: Gamma) -> Tensor:
    return (
        q.concentration * (p.rate / q.rate).log()
        + fb.lgamma(q.concentration)
        - fb.lgamma(p.concentration)
        + (p.concentration - q.concentration) * fb.digamma(p.concentration)
        + (q.rate - p.rate) * (p.concentration / p.rate)
    )


@register_kl(Geometric, Geometric)
def _geometric(p: Geometric, q: Geometric) -> Tensor:
    return -p.entropy() - (-q.probs).log1p() / p.probs - q.logits


@register_kl(Gumbel, Gumbel)
def _gumbel(p: Gumbel, q: Gumbel) -> Tensor:
    ratio = p.scale / q.scale
    shift = (p.loc - q.loc) / q.scale
    moment = (fb.lgamma(1 + ratio) - shift).exp()
    return shift - ratio.log() + ratio * EULER_GAMMA + moment - (1 + EULER_GAMMA)


@register_kl(HalfNormal, HalfNormal)
def _half_normal(p: HalfNormal, q: HalfNormal) -> Tensor:
    return _normal(p.base_dist, q.base_dist)


@register_kl(Laplace, Laplace)
def _laplace(p: Laplace, q: Laplace) -> Tensor:
    ratio = p.scale / q.scale
    distance = (p.loc - q.loc).abs()
    return distance / q.scale + ratio * (-distance / p.scale).exp() - ratio.log() - 1


@register_kl(Normal, Normal)
def _normal(p: Normal, q: Normal) -> Tensor:
    ratio = (p.scale / q.scale).square()
    return 0.5 * (ratio + ((p.loc - q.loc) / q.scale).square() - 1 - ratio.log())


@register_kl(Pareto, Pareto)
def _pareto(p: Pareto, q: Pareto) -> Tensor:
    ratio = q.alpha / p.alpha
    result = q.alpha * (p.scale / q.scale).log() - ratio.log() + ratio - 1
    return result.masked_fill(p.scale < q.scale, fb.inf)


@register_kl(Poisson, Poisson)
def _poisson(p: Poisson, q: Poisson) -> Tensor:
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@register_kl(Uniform, Uniform)
def _uniform(p: Uniform, q: Uniform) -> Tensor:
    result = ((q.high - q.low) / (p.high - p.low)).log()
    return result.masked_fill((q.low > p.low) | (q.high < p.high), fb.inf)


@register_kl(Independent, Independent)
def _independent(p: Independent[Any], q: Independent[Any]) -> Tensor:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError(
            f"of Independents over {p.reinterpreted_batch_ndims} and "
            f"{q.reinterpreted_batch_ndims} batch dimensions"
        )
    return sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


@register_kl(TransformedDistribution, TransformedDistribution)
def _transformed(p: TransformedDistribution, q: TransformedDistribution) -> Tensor:
    """That of the base distributions, since one bijection changes nothing."""
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError("of distributions with different transforms or event shapes")
    return kl_divergence(p.base_dist, q.base_dist)
