"""Automatic differentiation: gradients, grad modes, custom functions, anomaly detection."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .. import _C
from . import graph
from .anomaly_mode import detect_anomaly, set_detect_anomaly
from .backward import backward, grad
from .function import Function, NestedIOFunction, once_differentiable
from .grad_mode import (
    enable_grad,
    inference_mode,
    no_grad,
    set_grad_enabled,
    set_multithreading_enabled,
)

__all__ = [
    "Function",
    "NestedIOFunction",
    "Variable",
    "backward",
    "detect_anomaly",
    "enable_grad",
    "grad",
    "graph",
    "inference_mode",
    "no_grad",
    "once_differentiable",
    "set_detect_anomaly",
    "set_grad_enabled",
    "set_multithreading_enabled",
]

# What stands on the transforms, which look down on this package, is loaded on first use.
_ABOVE = {
    "forward_ad": "flambeau_core.func.forward_ad",
    "functional": "flambeau_core.func.functional",
}


def _loaded(name: str) -> Any:
    if name in _ABOVE:
        return import_module(_ABOVE[name])
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


if not TYPE_CHECKING:  # else no misspelt name would be noticed
    __getattr__ = _loaded


class _VariableMeta(type):
    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, _C.Tensor)


class Variable(metaclass=_VariableMeta):
    """The tensor itself: what wrapped tensors in PyTorch's early days."""

    def __new__(cls, data: Any, requires_grad: bool = False, volatile: bool = False) -> Any:
        if volatile:
            import warnings

            warnings.warn(
                "volatile was removed and has no effect: use no_grad instead", stacklevel=2
            )
        return data.detach().requires_grad_(requires_grad)
