"""NAdam: Adam with Nesterov momentum."""

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


class NAdam(UpdateRule):
    """Nesterov-accelerated Adam (Dozat, "Incorporating Nesterov momentum into Adam", 2016).

    The momentum of step t is ``mu_t = b1 (1 - 0.96^(t momentum_decay) / 2)``.

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
        momentum_decay: float = 4e-3,
        decoupled_weight_decay: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_learning_rate(lr)
        check_not_negative("epsilon", eps)
        check_betas(betas)
        check_not_negative("weight_decay", weight_decay)
        check_not_negative("momentum_decay", momentum_decay)
        check_execution(foreach, None, differentiable)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "momentum_decay": momentum_decay,
            "decoupled_weight_decay": decoupled_weight_decay,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def start(self, param: fb.Tensor, group: dict[str, Any]) -> dict[str, Any]:
        return {
            "mu_product": fb.tensor(1.0, dtype=fb.float32),
            "exp_avg": fb.zeros_like(param),
            "exp_avg_sq": fb.zeros_like(param),
        }

    def update(
        self, param: fb.Tensor, grad: fb.Tensor, state: dict[str, Any], group: dict[str, Any]
    ) -> None:
        beta1, beta2 = group["betas"]
        rate, count, decay = float(group["lr"]), state["step"].item(), group["momentum_decay"]
        exp_avg, exp_avg_sq = state["exp_avg"], state["exp_avg_sq"]
        mu = beta1 * (1 - 0.5 * 0.96 ** (count * decay))
        mu_next = beta1 * (1 - 0.5 * 0.96 ** ((count + 1) * decay))
        state["mu_product"] *= mu
        product = state["mu_product"].item()

        exp_avg.lerp_(grad, 1 - beta1)
        exp_avg_sq.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        root = exp_avg_sq.div(1 - beta2**count).sqrt_().add_(group["eps"])
        param.addcdiv_(grad, root, value=-rate * (1 - mu) / (1 - product))
        param.addcdiv_(exp_avg, root, value=-rate * mu_next / (1 - product * mu_next))
