"""Probabilities and logits, either as the other.

A probability p of one of two outcomes has the logit ``log(p / (1 - p))``; those of several
outcomes have the logits ``log(p)``.
"""

from __future__ import annotations

import flambeau_core as fb
from flambeau_core import Tensor


def clamp_probs(probs: Tensor) -> Tensor:
    """Probabilities away from 0 and 1 by the dtype's ``eps``, so that logarithms stay finite."""
    eps = fb.finfo(probs.dtype).eps
    return probs.clamp(min=eps, max=1 - eps)


def logits_to_probs(logits: Tensor, is_binary: bool = False) -> Tensor:
    """Sigmoid of binary logits, else softmax over the last dimension."""
    return fb.sigmoid(logits) if is_binary else fb.softmax(logits, -1)


def probs_to_logits(probs: Tensor, is_binary: bool = False) -> Tensor:
    """The logits of probabilities, finite at 0 and 1."""
    clamped = clamp_probs(probs)
    return clamped.log() - fb.log1p(-clamped) if is_binary else clamped.log()
