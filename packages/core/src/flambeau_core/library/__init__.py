"""Ops of one's own: Python functions that autograd, transforms and tests know as they know ours.

>>> import flambeau as torch
>>> @torch.library.custom_op("example::twice", mutates_args=())
... def twice(x: torch.Tensor) -> torch.Tensor:
...     return x * 2
>>> twice.register_autograd(lambda ctx, grad: grad * 2)
>>> x = torch.tensor([1.0, 3.0], requires_grad=True)
>>> twice(x).sum().backward()
>>> x.grad
tensor([2., 2.])
"""

from __future__ import annotations

from .checking import opcheck
from .custom_op import (
    CustomOpDef,
    custom_op,
    register_autograd,
    register_fake,
    register_kernel,
    register_vmap,
)
from .definition import Library, define, impl
from .schema import infer_schema

__all__ = [
    "CustomOpDef",
    "Library",
    "custom_op",
    "define",
    "impl",
    "infer_schema",
    "opcheck",
    "register_autograd",
    "register_fake",
    "register_kernel",
    "register_vmap",
]
