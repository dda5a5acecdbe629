"""Optimizers whose rule treats one parameter after the other, over tensor operations."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import flambeau_core as fb

from .optimizer import Optimizer
from .real_parts import as_real, state_as_real
from .state_dict import step_counts_to_tensors


class UpdateRule(Optimizer):
    """Walks over the parameters; a subclass says how one of them starts and moves.

    Every state counts its steps in ``"step"``, a float32 tensor without dimensions, unless
    ``counts_steps`` is False. The gradient that :meth:`update` receives is negated under
    ``maximize`` and holds the weight decay; where that is decoupled, by the class or by the group's
    ``decoupled_weight_decay``, it is taken off the parameter instead. A complex parameter comes as
    its real and imaginary parts, and its gradient and state with it.
    """

    counts_steps = True
    decoupled_weight_decay = False
    takes_sparse_gradients = False

    @abstractmethod
    def start(self, param: fb.Tensor, group: dict[str, Any]) -> dict[str, Any]:
        """The state of ``param`` before its first step, without the count."""

    @abstractmethod
    def update(
        self, param: fb.Tensor, grad: fb.Tensor, state: dict[str, Any], group: dict[str, Any]
    ) -> None:
        """Change ``param`` and ``state`` in place; ``state["step"]`` is already counted up."""

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        loss = None
        if closure is not None:
            with fb.enable_grad():
                loss = closure()
        with fb.no_grad():
            for group in self.param_groups:
                for param in group["params"]:
                    if param.grad is not None:
                        self._step_parameter(param, param.grad, group)
        return loss

    def _step_parameter(self, param: fb.Tensor, grad: fb.Tensor, group: dict[str, Any]) -> None:
        if grad.is_sparse and not self.takes_sparse_gradients:
            raise RuntimeError(
                f"{type(self).__name__} does not support sparse gradients, "
                f"but that of the parameter of shape {tuple(param.shape)} is"
            )
        state = self.state[param]
        if not state:
            if self.counts_steps:
                state["step"] = fb.tensor(0.0, dtype=fb.float32)
            state.update(self.start(param, group))
        if self.counts_steps:
            state["step"] += 1
        if group.get("maximize", False):
            grad = -grad
        grad = self.decay(param, grad, group)
        if param.is_complex():
            self.update(as_real(param), as_real(grad), state_as_real(state), group)
        else:
            self.update(param, grad, state, group)

    def decay(self, param: fb.Tensor, grad: fb.Tensor, group: dict[str, Any]) -> fb.Tensor:
        """Apply the weight decay; returns the gradient to use."""
        decay = group.get("weight_decay", 0)
        if not decay:
            return grad
        if group.get("decoupled_weight_decay", self.decoupled_weight_decay):
            param.mul_(1 - float(group["lr"]) * decay)
            return grad
        return grad.add(param, alpha=decay)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if self.counts_steps:
            step_counts_to_tensors(self.state)
