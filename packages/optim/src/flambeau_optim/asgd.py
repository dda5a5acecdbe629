"""ASGD: gradient descent that also keeps the average of its iterates."""

from __future__ import annotations

from typing import Any

import flambeau_core as fb

from .hyperparameters import Number, check_execution, check_learning_rate, check_not_negative
from .optimizer import ParamsT
from .update_rule import UpdateRule


class ASGD(UpdateRule):
    """Averaged stochastic gradient descent (Polyak and Juditsky, 1992).

    The rate decays as ``eta_t = lr / (1 + lambd lr t)^alpha``; from step ``t0`` on ``state["ax"]``
    is the average of the iterates, before it their last value.

    Raises:
        ValueError: a negative rate or decay.
    """

    def __init__(
        self,
        params: ParamsT,
        lr: Number = 1e-2,
        lambd: float = 1e-4,
        alpha: float = 0.75,
        t0: float = 1e6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        check_learning_rate(lr)
        check_not_negative("weight_decay", weight_decay)
        check_execution(foreach, None, differentiable)
        defaults = {
            "lr": lr,
            "lambd": lambd,
            "alpha": alpha,
            "t0": t0,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def start(self, param: fb.Tensor, group: dict[str, Any]) -> dict[str, Any]:
        return {
            "eta": fb.tensor(float(group["lr"]), dtype=fb.float32),
            "mu": fb.tensor(1.0, dtype=fb.float32),
            "ax": fb.zeros_like(param),
        }

    def update(
        self, param: fb.Tensor, grad: fb.Tensor, state: dict[str, Any], group: dict[str, Any]
    ) -> None:
        rate, lambd, count = float(group["lr"]), group["lambd"], state["step"].item()
        eta, mu, average = state["eta"].item(), state["mu"].item(), state["ax"]
        param.mul_(1 - lambd * eta)
        param.add_(grad, alpha=-eta)
        average.copy_(param) if mu == 1 else average.lerp_(param, mu)
        state["eta"].fill_(rate / (1 + lambd * rate * count) ** group["alpha"])
        state["mu"].fill_(1 / max(1.0, count - group["t0"]))
