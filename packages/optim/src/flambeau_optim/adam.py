"""Adam: steps scaled by running moments of the gradient."""

from __future__ import annotations

from typing import Any

import flambeau_core as fb

from .group_step import GroupStep
from .hyperparameters import (
    Number,
    check_betas,
    check_execution,
    check_learning_rate,
    check_not_negative,
)
from .optimizer import ParamsT
from .real_parts import as_real
from .state_dict import step_counts_to_tensors

_adam_step = fb.optim_ops.adam_step_


class Adam(GroupStep):
    """Adaptive moment estimation (Kingma and Ba, 2014, arXiv:1412.6980).

    ``m = b1 m + (1 - b1) g``, ``v = b2 v + (1 - b2) g^2`` and, both corrected for their start at
    zero, ``p -= lr * m' / (sqrt(v') + eps)``. ``amsgrad`` divides by the largest v so far (Reddi
    et al., 2018, arXiv:1904.09237). ``weight_decay`` is added to the gradient, or, with
    ``decoupled_weight_decay``, taken off the parameter as in :class:`AdamW`.

    Raises:
        ValueError: a negative rate, epsilon or decay, or a beta outside of [0, 1).
    """

    def __init__(
        self,
        params: ParamsT,
        lr: Number = 1e-3,
        betas: tuple[Number, Number] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ) -> None:
        check_learning_rate(lr)
        for name, value in (("lr", lr), ("betas[0]", betas[0]), ("betas[1]", betas[1])):
            if isinstance(value, fb.Tensor) and foreach and not capturable:
                raise ValueError(
                    f"{name} as a Tensor is not supported for capturable=False and foreach=True"
                )
        check_not_negative("epsilon", eps)
        check_betas(betas)
        check_not_negative("weight_decay", weight_decay)
        check_execution(foreach, fused, differentiable)
        defaults = {
            "lr": lr,
            "betas": betas,
            "eps": eps,
            "weight_decay": weight_decay,
            "amsgrad": amsgrad,
            "maximize": maximize,
            "foreach": foreach,
            "capturable": capturable,
            "differentiable": differentiable,
            "fused": fused,
            "decoupled_weight_decay": decoupled_weight_decay,
        }
        super().__init__(params, defaults)

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        step_counts_to_tensors(self.state)

    def _step_group(self, group: dict[str, Any], params: list[fb.Tensor]) -> None:
        amsgrad = group["amsgrad"]
        state = self.state
        states = [state[param] or _start(state[param], param, amsgrad) for param in params]
        steps = []
        for param_state in states:
            count = param_state["step"]
            count += 1
            steps.append(int(count.item()))
        beta1, beta2 = group["betas"]
        lists: list[list[fb.Tensor]] = [
            params,
            [param.grad for param in params],  # type: ignore[misc] # these all have one
            [param_state["exp_avg"] for param_state in states],
            [param_state["exp_avg_sq"] for param_state in states],
            [param_state["max_exp_avg_sq"] for param_state in states] if amsgrad else [],
        ]
        if any(param.is_complex() for param in params):
            lists = [[as_real(tensor) for tensor in row] for row in lists]
        tensors, grads, averages, squares, largest = lists
        _adam_step(
            tensors,
            grads,
            averages,
            squares,
            largest,
            steps,
            float(group["lr"]),
            float(beta1),
            float(beta2),
            group["eps"],
            group["weight_decay"],
            group["decoupled_weight_decay"],
            amsgrad,
            group["maximize"],
        )


def _start(state: dict[str, Any], param: fb.Tensor, amsgrad: bool) -> dict[str, Any]:
    """Fill in the state of a parameter that steps for the first time."""
    with fb.no_grad():
        state["step"] = fb.tensor(0.0, dtype=fb.float32)
        state["exp_avg"] = fb.zeros_like(param)
        state["exp_avg_sq"] = fb.zeros_like(param)
        if amsgrad:
            state["max_exp_avg_sq"] = fb.zeros_like(param)
    return state
