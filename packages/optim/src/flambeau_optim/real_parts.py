"""Complex parameters, which the rules with squares of gradients step as pairs of real numbers."""

from __future__ import annotations

from typing import Any

import flambeau_core as fb


def as_real(tensor: fb.Tensor) -> fb.Tensor:
    """The real and imaginary parts on a last dimension, in the same memory; real ones as is."""
    return fb.view_as_real(tensor) if tensor.is_complex() else tensor


def state_as_real(state: dict[str, Any]) -> dict[str, Any]:
    """``state`` with the parts of its complex tensors in their place."""
    return {
        name: as_real(value) if isinstance(value, fb.Tensor) else value
        for name, value in state.items()
    }


def fill_value(param: fb.Tensor, value: float) -> complex:
    """The number whose parts, as many as those of ``param``'s elements, are all ``value``."""
    return complex(value, value) if param.is_complex() else value


__all__ = ["as_real", "fill_value", "state_as_real"]
