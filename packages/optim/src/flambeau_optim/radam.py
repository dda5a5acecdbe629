"""RAdam: Adam with a rectified start."""

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


class RAdam(UpdateRule):
    """Rectified Adam (Liu et al., 2019, arXiv:1908.03265).

    While the variance of the adaptive rate is unbounded (its estimated degrees of freedom at most
    5) the step is plain momentum; afterwards Adam's, times the rectification term.

    Raises:
        ValueError: a negative rate, epsilon or decay, or a beta outside of [0, 1).
    """

    def __init__(
        self,
        params: ParamsT,
        lr: Number = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
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
        check_execution(foreach, None, differentiable)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "decoupled_weight_decay": decoupled_weight_decay,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def start(self, param: fb.Tensor, group: dict[str, Any]) -> dict[str, Any]:
        return {"exp_avg": fb.zeros_like(param), "exp_avg_sq": fb.zeros_like(param)}

    def update(
        self, param: fb.Tensor, grad: fb.Tensor, state: dict[str, Any], group: dict[str, Any]
    ) -> None:
        beta1, beta2 = group["betas"]
        rate, count = float(group["lr"]), state["step"].item()
        exp_avg, exp_avg_sq = state["exp_avg"], state["exp_avg_sq"]
        exp_avg.lerp_(grad, 1 - beta1)
        exp_avg_sq.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        rate /= 1 - beta1**count
        rectification = _rectification(count, beta2)
        if rectification is None:
            param.add_(exp_avg, alpha=-rate)
            return
        root = exp_avg_sq.sqrt().add_(group["eps"])
        param.addcdiv_(exp_avg, root, value=-rate * rectification * (1 - beta2**count) ** 0.5)


def _rectification(count: float, beta2: float) -> float | None:
    """The variance rectification term r_t of the paper, None while it is not defined."""
    longest = 2 / (1 - beta2) - 1
    length = longest - 2 * count * beta2**count / (1 - beta2**count)
    if length <= 5:
        return None
    above = (length - 4) * (length - 2) * longest
    below = (longest - 4) * (longest - 2) * length
    return float((above / below) ** 0.5)
