"""Function transforms: gradients, Jacobians and batches of functions; they nest freely.

>>> import flambeau as torch
>>> per_sample = torch.func.vmap(torch.func.grad(lambda x: x.sin().sum()))
>>> per_sample(torch.zeros(3, 2)).shape
Size([3, 2])
"""

from __future__ import annotations

from ..transforms.vmap import vmap
from .forward import jvp, linearize
from .jacobians import hessian, jacfwd, jacrev
from .reverse import grad, grad_and_value, vjp

__all__ = [
    "grad",
    "grad_and_value",
    "hessian",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "vjp",
    "vmap",
]
