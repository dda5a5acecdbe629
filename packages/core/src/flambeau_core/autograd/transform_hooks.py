"""What autograd asks of transforms, which stand above it: they put it here when they are loaded.

No tensor of a transform exists before that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

__all__ = ["apply_function", "gradient"]

# How a custom function is applied to tensors of transforms: (cls, args, run) -> result.
apply_function: Callable[..., Any] | None = None
# Gradients of tensors of transforms: (outputs, inputs, grads, create_graph) -> gradients.
gradient: Callable[..., Any] | None = None
