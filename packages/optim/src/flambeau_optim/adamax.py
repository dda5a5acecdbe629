"""Adamax: Adam under the maximum norm."""

from __future__ import annotations

from typing import Any

import flambeau_core as fb

from .hyperparameters import (
    Number,
    check_betas,
    check_execution,
    check_learning_rate,
    check_not_negative,
)
from .optimizer import ParamsT
from .update_rule import UpdateRule


class Adamax(UpdateRule):
    """Adam with the infinity norm (Kingma and Ba, 2014, arXiv:1412.6980, section 7.1).

    ``u = max(b2 u, |g| + eps)`` and ``p -= lr / (1 - b1^t) * m / u``.

    Raises:
        ValueError: a negative rate, epsilon or decay, or a beta outside of [0, 1).
    """

    def __init__(
        self,
        params: ParamsT,
        lr: Number = 2e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        capturable: bool = False,
    ) -> None:
        check_learning_rate(lr)
        check_not_negative("epsilon", eps)
        check_betas(betas)
        check_not_negative("weight_decay", weight_decay)
        check_execution(foreach, None, differentiable)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "capturable": capturable,
        }
        super().__init__(params, defaults)

    def start(self, param: fb.Tensor, group: dict[str, Any]) -> dict[str, Any]:
        return {"exp_avg": fb.zeros_like(param), "exp_inf": fb.zeros_like(param)}

    def update(
        self, param: fb.Tensor, grad: fb.Tensor, state: dict[str, Any], group: dict[str, Any]
    ) -> None:
        beta1, beta2 = group["betas"]
        exp_avg, exp_inf = state["exp_avg"], state["exp_inf"]
        exp_avg.lerp_(grad, 1 - beta1)
        exp_inf.copy_(fb.maximum(exp_inf.mul(beta2), grad.abs().add_(group["eps"])))
        correction = 1 - beta1 ** state["step"].item()
        param.addcdiv_(exp_avg, exp_inf, value=-float(group["lr"]) / correction)
