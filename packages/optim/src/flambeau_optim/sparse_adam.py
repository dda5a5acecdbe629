"""Adam for sparse gradients."""

from __future__ import annotations

import math
from typing import Any

import flambeau_core as fb

from .hyperparameters import Number, check_betas, check_learning_rate
from .optimizer import ParamsT
from .sparse_gradients import with_values
from .update_rule import UpdateRule


class SparseAdam(UpdateRule):
    """Adam (Kingma and Ba, 2015) whose moments and parameters change where the gradient is stored.

    For each element that a sparse gradient stores, ``m += (1 - beta1) (g - m)``,
    ``v += (1 - beta2) (g^2 - v)`` and ``p -= lr sqrt(1 - beta2^t) / (1 - beta1^t) m / (sqrt(v) +
    eps)``; the others keep their moments, which do not decay.

    Raises:
        ValueError: an argument out of range, or a parameter that is complex or itself sparse.
        RuntimeError: in ``step``, a dense gradient.
    """

    counts_steps = False  # in a tensor: this one's count is an integer
    takes_sparse_gradients = True

    def __init__(
        self,
        params: ParamsT,
        lr: Number = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        maximize: bool = False,
    ) -> None:
        check_learning_rate(lr)
        if not 0.0 < lr:
            raise ValueError(f"Invalid learning rate: {lr}")
        if not 0.0 < eps:
            raise ValueError(f"Invalid epsilon value: {eps}")
        check_betas(betas)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "maximize": maximize})
        for group in self.param_groups:
            for param in group["params"]:
                if param.is_sparse or param.is_complex():
                    kind = "sparse" if param.is_sparse else "complex"
                    raise ValueError(
                        f"SparseAdam does not support {kind} parameters, but got one of shape "
                        f"{tuple(param.shape)}"
                    )

    def start(self, param: fb.Tensor, group: dict[str, Any]) -> dict[str, Any]:
        return {
            "step": 0,
            "exp_avg": fb.zeros_like(param),
            "exp_avg_sq": fb.zeros_like(param),
        }

    def update(
        self, param: fb.Tensor, grad: fb.Tensor, state: dict[str, Any], group: dict[str, Any]
    ) -> None:
        if not grad.is_sparse:
            raise RuntimeError(
                "SparseAdam does not support dense gradients, please consider Adam instead: "
                f"that of the parameter of shape {tuple(param.shape)} is dense"
            )
        state["step"] += 1
        grad = grad.coalesce()
        beta1, beta2 = (float(beta) for beta in group["betas"])
        mean = moved_average(state["exp_avg"], grad, grad.values(), beta1)
        square = moved_average(state["exp_avg_sq"], grad, grad.values().square(), beta2)
        correction = math.sqrt(1 - beta2 ** state["step"]) / (1 - beta1 ** state["step"])
        step = mean / square.sqrt().add_(group["eps"])
        param.add_(with_values(grad, step), alpha=-float(group["lr"]) * correction)


def moved_average(average: fb.Tensor, grad: fb.Tensor, values: fb.Tensor, beta: float) -> fb.Tensor:
    """Moves an average, in place, towards values at the gradient's coordinates; what is there."""
    old = average.sparse_mask(grad).values()
    change = (values - old) * (1 - beta)
    average.add_(with_values(grad, change))
    return old + change
