"""Samples of the Poisson and the binomial distribution.

Small means go through the distribution function from below; others by transformed rejection
(Hörmann: "The transformed rejection method for generating Poisson random variables" and "The
generation of binomial random variates", both 1993), whose constants these are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import flambeau_core as fb
from flambeau_core.composed.rejection_sampling import accepted, uniform
from flambeau_core.declare import primitive

SMALL_MEAN = 10
MOST_SMALL = 110  # a count above it has a probability below 2^-53 at these means


def _inverted(none: fb.Tensor, ratio: Callable[[int], fb.Tensor], generator: Any) -> fb.Tensor:
    """Counts by the probability of 0 and the ratio of those of k and k - 1."""
    u = uniform(none, generator)
    count, probability, reached = fb.zeros_like(none), none, none
    for k in range(1, MOST_SMALL):
        beyond = u >= reached
        if not bool(beyond.any()):
            break
        count = count + beyond.to(count.dtype)
        probability = probability * ratio(k)
        reached = reached + probability
    return count


def _by_mean(
    mean: fb.Tensor,
    parameters: tuple[fb.Tensor, ...],
    small: Callable[..., fb.Tensor],
    large: Callable[..., fb.Tensor],
) -> fb.Tensor:
    """Counts of each element by the sampler for its mean, all one-dimensional."""
    result = fb.empty_like(mean)
    for chosen, sampler in ((mean < SMALL_MEAN, small), (mean >= SMALL_MEAN, large)):
        places = chosen.nonzero()[:, 0]
        if places.numel():
            result[places] = sampler(*(p[places] for p in parameters))
    return result


def _poisson(rate: fb.Tensor, generator: Any) -> fb.Tensor:
    def small(rate: fb.Tensor) -> fb.Tensor:
        return _inverted((-rate).exp(), lambda k: rate / k, generator)

    def propose(rate: fb.Tensor) -> tuple[fb.Tensor, fb.Tensor]:
        b = 0.931 + 2.53 * rate.sqrt()
        a = 0.02483 * b - 0.059
        height = 1.1239 + 1.1328 / (b - 3.4)
        u, v = uniform(rate, generator) - 0.5, uniform(rate, generator)
        edge = 0.5 - u.abs()
        k = ((2 * a / edge + b) * u + rate + 0.43).floor()
        inside = (edge >= 0.07) & (v <= 0.9277 - 3.6224 / (b - 2))
        logarithm = (v * height / (a / edge.square() + b)).log()
        under = logarithm <= k * rate.log() - rate - (k + 1).lgamma()
        return k, inside | ((k >= 0) & ((edge >= 0.013) | (v <= edge)) & under)

    return _by_mean(rate, (rate,), small, lambda rate: accepted((rate,), propose))


@primitive("poisson(Tensor self, Generator? generator=None) -> Tensor")
def poisson(self: fb.Tensor, generator: Any) -> fb.Tensor:
    """Samples of Poisson distributions with the rates ``self``; gradients are zero.

    Raises:
        NotImplementedError: the dtype is not floating.
        RuntimeError: a rate is negative.
    """
    if not self.is_floating_point():
        raise NotImplementedError(f'"poisson" not implemented for {self.dtype}')
    if bool((self < 0).any()):
        raise RuntimeError("poisson: invalid Poisson rate, expected rate to be non-negative")
    ordinary = self.isfinite()
    rate = self.masked_fill(~ordinary, 1).to(fb.float64).reshape(-1)
    counts = _poisson(rate, generator).reshape(self.shape).to(self.dtype)
    return fb.where(ordinary, counts, self)


@poisson.gradient
def _(grad_outputs: Any, inputs: Any, outputs: Any, needs: Any) -> fb.Tensor:
    return fb.zeros_like(inputs[0])


def _binomial(count: fb.Tensor, prob: fb.Tensor, generator: Any) -> fb.Tensor:
    """Of probabilities up to 1/2."""

    def small(n: fb.Tensor, p: fb.Tensor) -> fb.Tensor:
        odds = p / (1 - p)
        return _inverted((n * (-p).log1p()).exp(), lambda k: (n - k + 1) / k * odds, generator)

    def propose(n: fb.Tensor, p: fb.Tensor) -> tuple[fb.Tensor, fb.Tensor]:
        root = (n * p * (1 - p)).sqrt()
        b = 1.15 + 2.53 * root
        a = -0.0873 + 0.0248 * b + 0.01 * p
        u, v = uniform(n, generator) - 0.5, uniform(n, generator)
        edge = 0.5 - u.abs()
        k = ((2 * a / edge + b) * u + n * p + 0.5).floor()
        inside = (edge >= 0.07) & (v <= 0.92 - 4.2 / b)
        logarithm = (v * (2.83 + 5.1 / b) * root / (a / edge.square() + b)).log()
        mode = ((n + 1) * p).floor()
        peak = (mode + 1).lgamma() + (n - mode + 1).lgamma()
        here = (k + 1).lgamma() + (n - k + 1).lgamma()
        under = logarithm <= peak - here + (k - mode) * (p / (1 - p)).log()
        within = (k >= 0) & (k <= n)
        return k, within & (inside | under)

    return _by_mean(count * prob, (count, prob), small, lambda n, p: accepted((n, p), propose))


@primitive("binomial(Tensor count, Tensor prob, Generator? generator=None) -> Tensor")
def binomial(count: fb.Tensor, prob: fb.Tensor, generator: Any) -> fb.Tensor:
    """Numbers of successes in ``count`` trials of probability ``prob``; the two broadcast.

    Counts below 0 are taken as 0, probabilities are clamped to [0, 1].

    Raises:
        ValueError: a dtype is not floating.
        RuntimeError: the dtypes differ.
    """
    for name, x in (("count", count), ("prob", prob)):
        if not x.is_floating_point():
            raise ValueError(
                f"binomial: only supports floating-point dtypes for {name}, got {x.dtype}"
            )
    if count.dtype != prob.dtype:
        raise RuntimeError(f"binomial: found dtype {prob.dtype} but expected {count.dtype}")
    shape = fb.broadcast_shapes(count.shape, prob.shape)
    n, p = (x.to(fb.float64).expand(shape).reshape(-1) for x in (count, prob))
    ordinary = n.isfinite() & ~p.isnan()
    n = n.masked_fill(~ordinary, 0).floor().clamp(min=0)
    p = p.masked_fill(~ordinary, 0).clamp(0, 1)
    swapped = p > 0.5
    failures = _binomial(n, fb.where(swapped, 1 - p, p), generator)
    result = fb.where(swapped, n - failures, failures).masked_fill(~ordinary, float("nan"))
    return result.reshape(shape).to(count.dtype)


@binomial.gradient
def _(grad_outputs: Any, inputs: Any, outputs: Any, needs: Any) -> Any:
    raise NotImplementedError("the derivative for 'binomial' is not implemented.")
