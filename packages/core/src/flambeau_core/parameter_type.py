"""Which class of tensor is the trainable parameter: the package of modules says so."""

from __future__ import annotations

from typing import Any

_parameter_type: type | None = None


def set_parameter_type(cls: type) -> None:
    """Called by the package that defines ``Parameter(data, requires_grad)``, unknown to core."""
    global _parameter_type
    _parameter_type = cls


def get_parameter_type() -> type | None:
    return _parameter_type


def is_parameter(tensor: Any) -> bool:
    return _parameter_type is not None and isinstance(tensor, _parameter_type)


def make_parameter(data: Any, requires_grad: bool) -> Any:
    """A parameter, or a plain leaf tensor while nobody has defined parameters."""
    if _parameter_type is None:
        return data.detach().requires_grad_(requires_grad)
    return _parameter_type(data, requires_grad)
