"""A weight as a length times a direction; Salimans and Kingma, 2016."""

from __future__ import annotations

from typing import Any

from flambeau_core import Tensor

from .modules.module import Module
from .parameter import Parameter

__all__ = ["WeightNorm", "remove_weight_norm", "weight_norm"]


def _lengths(direction: Tensor, dim: int | None) -> Tensor:
    """The norm over all dimensions but one; over all of them for None."""
    if dim is None or dim == -1:
        return direction.norm()
    dim %= direction.dim()
    others = [d for d in range(direction.dim()) if d != dim]
    return direction.norm(2, others, keepdim=True) if others else direction.abs()


class WeightNorm:
    """Before each forward: sets weight `name` from its length `name_g` and direction `name_v`."""

    def __init__(self, name: str, dim: int | None) -> None:
        self.name = name
        self.dim = dim

    def compute_weight(self, module: Module) -> Tensor:
        """length * direction / |direction|."""
        length = getattr(module, self.name + "_g")
        direction = getattr(module, self.name + "_v")
        return direction * (length / _lengths(direction, self.dim))

    def apply(self, module: Module) -> None:
        """Splits the weight of a module and enters the hook."""
        for hook in module._forward_pre_hooks.values():
            if isinstance(hook, WeightNorm) and hook.name == self.name:
                raise RuntimeError(
                    f"Cannot register two weight_norm hooks on the same parameter {self.name}"
                )
        weight = getattr(module, self.name)
        del module._parameters[self.name]
        module.register_parameter(
            self.name + "_g", Parameter(_lengths(weight.detach(), self.dim).clone())
        )
        module.register_parameter(self.name + "_v", Parameter(weight.detach().clone()))
        setattr(module, self.name, self.compute_weight(module))
        module.register_forward_pre_hook(self)

    def remove(self, module: Module) -> None:
        """Makes the weight one parameter again."""
        weight = self.compute_weight(module).detach()
        delattr(module, self.name)
        del module._parameters[self.name + "_g"]
        del module._parameters[self.name + "_v"]
        setattr(module, self.name, Parameter(weight))

    def __call__(self, module: Module, inputs: Any) -> None:
        setattr(module, self.name, self.compute_weight(module))


def weight_norm(module: Any, name: str = "weight", dim: int | None = 0) -> Any:
    """Splits parameter `name` of a module into `name_g` and `name_v`, and returns the module.

    Each slice along `dim` has its own length; None gives one length for the whole weight.
    """
    WeightNorm(name, dim).apply(module)
    return module


def remove_weight_norm(module: Any, name: str = "weight") -> Any:
    """Undoes `weight_norm`, and returns the module; ValueError where it was not applied."""
    for number, hook in module._forward_pre_hooks.items():
        if isinstance(hook, WeightNorm) and hook.name == name:
            hook.remove(module)
            del module._forward_pre_hooks[number]
            return module
    raise ValueError(f"weight_norm of '{name}' not found in {module}")
