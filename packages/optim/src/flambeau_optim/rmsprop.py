"""RMSprop: gradients divided by a running root mean square."""

from __future__ import annotations

from typing import Any

import flambeau_core as fb

from .hyperparameters import Number, check_execution, check_learning_rate, check_not_negative
from .optimizer import ParamsT
from .update_rule import UpdateRule


class RMSprop(UpdateRule):
    """Root mean square propagation (Hinton, "Neural networks for machine learning", lecture 6).

    ``v = alpha v + (1 - alpha) g^2`` and ``p -= lr * g / (sqrt(v) + eps)``; ``centered`` takes the
    square of the running mean off v (Graves, 2013, arXiv:1308.0850), and ``momentum`` accumulates
    the scaled gradients.

    Raises:
        ValueError: a negative argument.
    """

    def __init__(
        self,
        params: ParamsT,
        lr: Number = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ) -> None:
        check_learning_rate(lr)
        check_not_negative("epsilon", eps)
        check_not_negative("momentum", momentum)
        check_not_negative("weight_decay", weight_decay)
        check_not_negative("alpha", alpha)
        check_execution(foreach, None, differentiable)
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "alpha": alpha,
            "eps": eps,
            "centered": centered,
            "weight_decay": weight_decay,
            "capturable": capturable,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
        }
        super().__init__(params, defaults)

    def start(self, param: fb.Tensor, group: dict[str, Any]) -> dict[str, Any]:
        state = {"square_avg": fb.zeros_like(param)}
        if group["momentum"] > 0:
            state["momentum_buffer"] = fb.zeros_like(param)
        if group["centered"]:
            state["grad_avg"] = fb.zeros_like(param)
        return state

    def update(
        self, param: fb.Tensor, grad: fb.Tensor, state: dict[str, Any], group: dict[str, Any]
    ) -> None:
        alpha, rate = group["alpha"], float(group["lr"])
        square_avg = state["square_avg"]
        square_avg.mul_(alpha).addcmul_(grad, grad, value=1 - alpha)
        if group["centered"]:
            mean = state["grad_avg"]
            mean.lerp_(grad, 1 - alpha)
            root = square_avg.addcmul(mean, mean, value=-1).sqrt_().add_(group["eps"])
        else:
            root = square_avg.sqrt().add_(group["eps"])
        if group["momentum"] > 0:
            buffer = state["momentum_buffer"]
            buffer.mul_(group["momentum"]).addcdiv_(grad, root)
            param.add_(buffer, alpha=-rate)
        else:
            param.addcdiv_(grad, root, value=-rate)
