"""A weight divided by its largest singular value; Miyato et al., 2018."""

from __future__ import annotations

from typing import Any

import flambeau_core as fb
from flambeau_core import Tensor

from . import functional as F
from .modules.conv import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from .modules.module import Module
from .parameter import Parameter

__all__ = ["SpectralNorm", "remove_spectral_norm", "spectral_norm"]


class SpectralNorm:
    """Before each forward: sets weight `name` to `name_orig` over its largest singular value.

    The value is estimated by power iteration from the vectors kept in `name_u` and `name_v`, which
    move on in training only.
    """

    def __init__(self, name: str, n_power_iterations: int, dim: int, eps: float) -> None:
        if n_power_iterations <= 0:
            raise ValueError(
                "Expected n_power_iterations to be positive, but got n_power_iterations="
                f"{n_power_iterations}"
            )
        self.name = name
        self.n_power_iterations = n_power_iterations
        self.dim = dim
        self.eps = eps

    def as_matrix(self, weight: Tensor) -> Tensor:
        """The weight with dimension `dim` as rows and all others as columns."""
        if self.dim != 0:
            weight = weight.transpose(0, self.dim)
        return weight.reshape(weight.size(0), -1)

    def compute_weight(self, module: Module, iterate: bool) -> Tensor:
        """The normalised weight; `iterate` improves the vectors first."""
        weight = getattr(module, self.name + "_orig")
        u, v = getattr(module, self.name + "_u"), getattr(module, self.name + "_v")
        matrix = self.as_matrix(weight)
        if iterate:
            with fb.no_grad():
                for _ in range(self.n_power_iterations):
                    v.copy_(F.normalize(fb.matmul(matrix.t(), u), dim=0, eps=self.eps))
                    u.copy_(F.normalize(fb.matmul(matrix, v), dim=0, eps=self.eps))
            # The next step moves them on in place, while the graph still holds these values.
            u, v = u.clone(), v.clone()
        sigma = (u * fb.matmul(matrix, v)).sum()
        return weight / sigma

    def apply(self, module: Module) -> None:
        """Splits the weight of a module and enters the hook."""
        for hook in module._forward_pre_hooks.values():
            if isinstance(hook, SpectralNorm) and hook.name == self.name:
                raise RuntimeError(
                    f"Cannot register two spectral_norm hooks on the same parameter {self.name}"
                )
        weight = module._parameters.get(self.name)
        if weight is None:
            raise ValueError(f"`SpectralNorm` cannot be applied as parameter `{self.name}` is None")
        del module._parameters[self.name]
        module.register_parameter(self.name + "_orig", weight)
        setattr(module, self.name, weight.detach())
        matrix = self.as_matrix(weight.detach())
        for suffix, size in (("_u", matrix.size(0)), ("_v", matrix.size(1))):
            start = F.normalize(matrix.new_empty((size,)).normal_(0, 1), dim=0, eps=self.eps)
            module.register_buffer(self.name + suffix, start)
        module.register_forward_pre_hook(self)

    def remove(self, module: Module) -> None:
        """Makes the normalised weight one parameter again."""
        weight = self.compute_weight(module, iterate=False).detach()
        delattr(module, self.name)
        for suffix in ("_u", "_v", "_orig"):
            delattr(module, self.name + suffix)
        module.register_parameter(self.name, Parameter(weight))

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module, iterate=module.training))


def spectral_norm(
    module: Any,
    name: str = "weight",
    n_power_iterations: int = 1,
    eps: float = 1e-12,
    dim: int | None = None,
) -> Any:
    """Normalises parameter `name` of a module by its spectral norm, and returns the module.

    `dim` is the dimension of the outputs: 1 for transposed convolutions, else 0.
    """
    if dim is None:
        transposed = (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)
        dim = 1 if isinstance(module, transposed) else 0
    SpectralNorm(name, n_power_iterations, dim, eps).apply(module)
    return module


def remove_spectral_norm(module: Any, name: str = "weight") -> Any:
    """Undoes `spectral_norm`, and returns the module; ValueError where it was not applied."""
    for number, hook in module._forward_pre_hooks.items():
        if isinstance(hook, SpectralNorm) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[number]
            return module
    raise ValueError(f"spectral_norm of '{name}' not found in {module}")
