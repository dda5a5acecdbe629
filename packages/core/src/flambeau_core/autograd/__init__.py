"""Automatic differentiation: gradients, grad modes, custom functions, anomaly detection."""

from __future__ import annotations

from .anomaly_mode import detect_anomaly, set_detect_anomaly
from .backward import backward, grad
from .function import Function, once_differentiable
from .grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled

__all__ = [
    "Function",
    "Variable",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "grad",
    "inference_mode",
    "no_grad",
    "once_differentiable",
    "set_detect_anomaly",
    "set_grad_enabled",
]


def Variable(data, requires_grad=False):  # type: ignore[no-untyped-def]
    """The tensor itself: what wrapped tensors in PyTorch's early days."""
    return data.requires_grad_(requires_grad) if requires_grad else data
