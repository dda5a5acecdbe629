"""Adadelta: steps in the unit of the parameter itself."""

from __future__ import annotations

from typing import Any

import flambeau_core as fb

from .hyperparameters import Number, check_execution, check_learning_rate, check_not_negative
from .optimizer import ParamsT
from .update_rule import UpdateRule


class Adadelta(UpdateRule):
    """Adadelta (Zeiler, 2012, arXiv:1212.5701).

    With running means of squares v of the gradients and u of the steps, the step is
    ``d = sqrt(u + eps) / sqrt(v + eps) * g`` and ``p -= lr * d``.

    Raises:
        ValueError: a negative argument, or ``rho`` outside of [0, 1].
    """

    def __init__(
        self,
        params: ParamsT,
        lr: Number = 1.0,
        rho: float = 0.9,
        eps: float = 1e-6,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        capturable: bool = False,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_learning_rate(lr)
        if not 0.0 <= rho <= 1.0:
            raise ValueError(f"Invalid rho value: {rho}")
        check_not_negative("epsilon", eps)
        check_not_negative("weight_decay", weight_decay)
        check_execution(foreach, None, differentiable)
        defaults = {
            "lr": lr,
            "rho": rho,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
            "capturable": capturable,
            "foreach": foreach,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def start(self, param: fb.Tensor, group: dict[str, Any]) -> dict[str, Any]:
        return {"square_avg": fb.zeros_like(param), "acc_delta": fb.zeros_like(param)}

    def update(
        self, param: fb.Tensor, grad: fb.Tensor, state: dict[str, Any], group: dict[str, Any]
    ) -> None:
        rho, eps = group["rho"], group["eps"]
        square_avg, acc_delta = state["square_avg"], state["acc_delta"]
        square_avg.mul_(rho).addcmul_(grad, grad, value=1 - rho)
        delta = acc_delta.add(eps).sqrt_().div_(square_avg.add(eps).sqrt_()).mul_(grad)
        acc_delta.mul_(rho).addcmul_(delta, delta, value=1 - rho)
        param.add_(delta, alpha=-float(group["lr"]))
