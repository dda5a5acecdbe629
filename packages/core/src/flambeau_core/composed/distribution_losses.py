"""Losses between distributions: relative entropy, and the Poisson likelihood."""

from __future__ import annotations

import math

import flambeau_core as fb
from flambeau_core.composed.losses import loss, reduced


@loss("kl_div(Tensor self, Tensor target, reduction, *, bool log_target=False)")
def kl_div(self: fb.Tensor, target: fb.Tensor, reduction: str | int, log_target: bool) -> fb.Tensor:
    """``target * (log(target) - self)`` for log-probabilities ``self``; 0 where the target is 0."""
    for x in (self, target):
        if not x.is_floating_point():
            raise RuntimeError(f"kl_div: expected floating point tensors, got {x.dtype}")
    if log_target:
        divergence = target.exp() * (target - self)
    else:
        divergence = fb.xlogy(target, target) - target * self
    return reduced("kl_div", divergence, reduction)


@loss(
    "poisson_nll_loss(Tensor self, Tensor target, bool log_input=True, bool full=False,"
    " float eps=1e-8, reduction)"
)
def poisson_nll_loss(
    self: fb.Tensor,
    target: fb.Tensor,
    log_input: bool,
    full: bool,
    eps: float,
    reduction: str | int,
) -> fb.Tensor:
    """``exp(x) - t x`` for the rate's logarithm ``x``, or ``x - t log(x + eps)`` for the rate.

    ``full`` adds Stirling's approximation of ``log(t!)`` where ``t > 1``.
    """
    if log_input:
        values = self.exp() - target * self
    else:
        values = self - target * (self + eps).log()
    if full:
        stirling = target * target.log() - target + 0.5 * (2 * math.pi * target).log()
        values = values + stirling.masked_fill(target <= 1, 0)
    return reduced("poisson_nll_loss", values, reduction)
