"""Adagrad: rates that shrink with the sum of squared gradients."""

from __future__ import annotations

from typing import Any

import flambeau_core as fb

from .hyperparameters import Number, check_execution, check_learning_rate, check_not_negative
from .optimizer import ParamsT
from .real_parts import fill_value
from .sparse_gradients import with_values
from .update_rule import UpdateRule


class Adagrad(UpdateRule):
    """Adaptive subgradient method (Duchi, Hazan and Singer, JMLR 12, 2011).

    ``s += g^2`` and ``p -= lr / (1 + (t - 1) lr_decay) * g / (sqrt(s) + eps)``. Of a sparse
    gradient only the elements that it stores count and move.

    Raises:
        ValueError: a negative argument.
        RuntimeError: in ``step``, a sparse gradient together with ``weight_decay``.
    """

    takes_sparse_gradients = True

    def __init__(
        self,
        params: ParamsT,
        lr: Number = 1e-2,
        lr_decay: float = 0,
        weight_decay: float = 0,
        initial_accumulator_value: float = 0,
        eps: float = 1e-10,
        foreach: bool | None = None,
        *,
        maximize: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check_learning_rate(lr)
        check_not_negative("lr_decay", lr_decay)
        check_not_negative("weight_decay", weight_decay)
        check_not_negative("initial_accumulator_value", initial_accumulator_value)
        check_not_negative("epsilon", eps)
        check_execution(foreach, fused, differentiable)
        defaults = {
            "lr": lr,
            "lr_decay": lr_decay,
            "eps": eps,
            "weight_decay": weight_decay,
            "initial_accumulator_value": initial_accumulator_value,
            "foreach": foreach,
            "maximize": maximize,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, defaults)
        # The sums exist from the beginning: a saved state has them before the first step.
        with fb.no_grad():
            for group in self.param_groups:
                for param in group["params"]:
                    self.state[param] = {
                        "step": fb.tensor(0.0, dtype=fb.float32),
                        **self.start(param, group),
                    }

    def start(self, param: fb.Tensor, group: dict[str, Any]) -> dict[str, Any]:
        initial = group["initial_accumulator_value"]
        return {"sum": fb.full_like(param, fill_value(param, initial))}

    def decay(self, param: fb.Tensor, grad: fb.Tensor, group: dict[str, Any]) -> fb.Tensor:
        if grad.is_sparse and group["weight_decay"]:
            raise RuntimeError("weight_decay option is not compatible with sparse gradients")
        return super().decay(param, grad, group)

    def update(
        self, param: fb.Tensor, grad: fb.Tensor, state: dict[str, Any], group: dict[str, Any]
    ) -> None:
        rate = float(group["lr"]) / (1 + (state["step"].item() - 1) * group["lr_decay"])
        total = state["sum"]
        if grad.is_sparse:
            grad = grad.coalesce()
            total.add_(grad * grad)
            scale = total.sparse_mask(grad).values().sqrt().add_(group["eps"])
            param.add_(with_values(grad, grad.values() / scale), alpha=-rate)
            return
        total.addcmul_(grad, grad, value=1)
        param.addcdiv_(grad, total.sqrt().add_(group["eps"]), value=-rate)
