"""Rprop: steps that look at the sign of the gradient alone."""

from __future__ import annotations

from typing import Any

import flambeau_core as fb

from .hyperparameters import Number, check_execution, check_learning_rate
from .optimizer import ParamsT
from .real_parts import fill_value
from .update_rule import UpdateRule


class Rprop(UpdateRule):
    """Resilient backpropagation (Riedmiller and Braun, 1993), for full batches.

    Each element's step grows by ``etas[1]`` while its gradient keeps its sign, and shrinks by
    ``etas[0]``, skipping the move, when the sign turns; ``step_sizes`` bound it.

    Raises:
        ValueError: a negative rate, or factors that do not satisfy ``0 < etas[0] < 1 < etas[1]``.
    """

    def __init__(
        self,
        params: ParamsT,
        lr: Number = 1e-2,
        etas: tuple[float, float] = (0.5, 1.2),
        step_sizes: tuple[float, float] = (1e-6, 50),
        *,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_learning_rate(lr)
        if not 0.0 < etas[0] < 1.0 < etas[1]:
            raise ValueError(f"Invalid eta values: {etas[0]}, {etas[1]}")
        check_execution(foreach, None, differentiable)
        defaults = {
            "lr": lr,
            "etas": etas,
            "step_sizes": step_sizes,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def start(self, param: fb.Tensor, group: dict[str, Any]) -> dict[str, Any]:
        return {
            "prev": fb.zeros_like(param),
            "step_size": fb.full_like(param, fill_value(param, float(group["lr"]))),
        }

    def update(
        self, param: fb.Tensor, grad: fb.Tensor, state: dict[str, Any], group: dict[str, Any]
    ) -> None:
        shrink, grow = group["etas"]
        previous, step_size = state["prev"], state["step_size"]
        agreement = grad * previous
        turned = agreement < 0
        factor = fb.ones_like(param)
        factor = factor.masked_fill_(agreement > 0, grow).masked_fill_(turned, shrink)
        step_size.mul_(factor).clamp_(*group["step_sizes"])
        grad = grad.masked_fill(turned, 0)
        param.sub_(grad.sign() * step_size)
        previous.copy_(grad)
