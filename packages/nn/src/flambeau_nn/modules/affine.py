"""The scale and the shift that follow a normalisation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import flambeau_core as fb

from .. import init
from ..parameter import Parameter
from .module import Module

__all__ = ["Affine"]


class Affine(Module):
    """A module with an optional `weight` that multiplies and an optional `bias` that is added."""

    weight: Parameter | None
    bias: Parameter | None

    def _add_affine(
        self, shape: int | Sequence[int], weight: bool, bias: bool, device: Any, dtype: Any
    ) -> None:
        for name, wanted in (("weight", weight), ("bias", weight and bias)):
            values = Parameter(fb.empty(shape, device=device, dtype=dtype)) if wanted else None
            self.register_parameter(name, values)

    def reset_parameters(self) -> None:
        """Weight 1, bias 0."""
        if self.weight is not None:
            init.ones_(self.weight)
        if self.bias is not None:
            init.zeros_(self.bias)
