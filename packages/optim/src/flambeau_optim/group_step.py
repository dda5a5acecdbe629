"""Optimizers that move all parameters of a group in one native call."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import flambeau_core as fb

from .optimizer import Optimizer


class GroupStep(Optimizer):
    """Walks over the groups; a subclass steps the parameters of one that have a gradient."""

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        loss = None
        if closure is not None:
            with fb.enable_grad():
                loss = closure()
        for group in self.param_groups:
            params = [param for param in group["params"] if param.grad is not None]
            if params:
                self._step_group(group, params)
        return loss

    @abstractmethod
    def _step_group(self, group: dict[str, Any], params: list[fb.Tensor]) -> None:
        """Change ``params`` and their state in place; there is at least one."""
