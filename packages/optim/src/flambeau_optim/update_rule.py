"""Optimizers whose rule treats one parameter after the other, over tensor operations."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import flambeau_core as fb

from .optimizer import Optimizer
from .state_dict import step_counts_to_tensors


class UpdateRule(Optimizer):
    """Walks over the parameters; a subclass says how one of them starts and moves.

    Every state counts its steps in ``"step"``, a float32 tensor without dimensions. The gradient
    that :meth:`update` receives is negated under ``maximize`` and holds the weight decay, except
    where the group sets ``decoupled_weight_decay``.
    """

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
                        self._step_parameter(param, group)
        return loss

    def _step_parameter(self, param: fb.Tensor, group: dict[str, Any]) -> None:
        state = self.state[param]
        if not state:
            state["step"] = fb.tensor(0.0, dtype=fb.float32)
            state.update(self.start(param, group))
        state["step"] += 1
        grad = -param.grad if group["maximize"] else param.grad
        decay = group.get("weight_decay", 0)
        if decay and group.get("decoupled_weight_decay", False):
            param.mul_(1 - float(group["lr"]) * decay)
        elif decay:
            grad = grad.add(param, alpha=decay)
        self.update(param, grad, state, group)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        step_counts_to_tensors(self.state)
