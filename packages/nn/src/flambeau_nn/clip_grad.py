"""Limiting gradients, by their common norm or each value by itself.

Pascanu et al., "On the difficulty of training recurrent neural networks", 2013.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import flambeau_core as fb
from flambeau_core import Tensor

__all__ = [
    "clip_grad_norm",
    "clip_grad_norm_",
    "clip_grad_value_",
    "clip_grads_with_norm_",
    "get_total_norm",
]


def get_total_norm(
    tensors: Tensor | Iterable[Tensor],
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """The norm of all tensors taken together as one vector; 0 for none.

    Raises RuntimeError for a norm that is not finite where `error_if_nonfinite` is set. `foreach`
    is accepted and makes no difference.
    """
    listed = [tensors] if isinstance(tensors, Tensor) else list(tensors)
    norm_type = float(norm_type)
    if not listed:
        return fb.tensor(0.0)
    device = listed[0].device
    norms = [tensor.norm(norm_type).to(device) for tensor in listed]
    total = norms[0] if len(norms) == 1 else fb.stack(norms).norm(norm_type)
    if error_if_nonfinite and not math.isfinite(float(total)):
        raise RuntimeError(
            f"The total norm of order {norm_type} for gradients from `parameters` is non-finite, "
            "so it cannot be clipped. To disable this error and scale the gradients by the "
            "non-finite norm anyway, set `error_if_nonfinite=False`"
        )
    return total


def clip_grads_with_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    total_norm: Tensor,
    foreach: bool | None = None,
) -> None:
    """Scales the gradients in place by min(1, max_norm / total_norm)."""
    scale = (float(max_norm) / (total_norm + 1e-6)).clamp(max=1.0)
    for grad in _gradients(parameters):
        grad.mul_(scale.to(grad.device))


def clip_grad_norm_(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """Scales the gradients in place so that their common norm is at most `max_norm`.

    Returns the norm that they had.
    """
    listed = [parameters] if isinstance(parameters, Tensor) else list(parameters)
    with fb.no_grad():
        total = get_total_norm(_gradients(listed), norm_type, error_if_nonfinite)
        clip_grads_with_norm_(listed, max_norm, total)
    return total


def clip_grad_norm(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
    foreach: bool | None = None,
) -> Tensor:
    """The older name of `clip_grad_norm_`."""
    return clip_grad_norm_(parameters, max_norm, norm_type, error_if_nonfinite, foreach)


def clip_grad_value_(
    parameters: Tensor | Iterable[Tensor], clip_value: float, foreach: bool | None = None
) -> None:
    """Limits every value of the gradients to [-clip_value, clip_value], in place."""
    limit = float(clip_value)
    with fb.no_grad():
        for grad in _gradients(parameters):
            grad.clamp_(min=-limit, max=limit)


def _gradients(parameters: Tensor | Iterable[Tensor]) -> list[Tensor]:
    listed = [parameters] if isinstance(parameters, Tensor) else parameters
    return [parameter.grad for parameter in listed if parameter.grad is not None]
