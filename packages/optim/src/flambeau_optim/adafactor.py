"""Adafactor: second moments kept as a product of rows and columns."""

from __future__ import annotations

import math
from typing import Any

import flambeau_core as fb

from .hyperparameters import Number, check_execution, check_learning_rate, check_not_negative
from .optimizer import ParamsT
from .update_rule import UpdateRule


class Adafactor(UpdateRule):
    """Adaptive rates in sublinear memory (Shazeer and Stern, 2018, arXiv:1804.04235).

    A matrix of n by m elements keeps n + m second moments, anything else as many as it has
    elements. The step is relative to the size of the parameter, and clipped.

    Args:
        beta2_decay: the decay of the moments at step t is ``1 - t ** beta2_decay``.
        eps: what is added to the moments (None: the dtype's epsilon), and the least size of a
            parameter that steps are relative to.
        d: the clipping threshold, in units of the root mean square of the step.

    Raises:
        ValueError: an argument out of its range.
    """

    def __init__(
        self,
        params: ParamsT,
        lr: Number = 1e-2,
        beta2_decay: float = -0.8,
        eps: tuple[float | None, float] = (None, 1e-3),
        d: float = 1.0,
        weight_decay: float = 0.0,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
    ) -> None:
        check_learning_rate(lr)
        if beta2_decay > 0:
            raise ValueError(f"beta2_decay should be <= 0 but is: {beta2_decay}")
        check_not_negative("epsilon1", 0.0 if eps[0] is None else eps[0])
        check_not_negative("epsilon2", eps[1])
        if d < 1:
            raise ValueError(f"Clipping threshold d should be >= 1 but is: {d}")
        check_not_negative("weight_decay", weight_decay)
        check_execution(foreach, None, False)
        defaults = {
            "lr": lr,
            "beta2_decay": beta2_decay,
            "eps": eps,
            "d": d,
            "weight_decay": weight_decay,
            "foreach": foreach,
            "maximize": maximize,
        }
        super().__init__(params, defaults)

    def start(self, param: fb.Tensor, group: dict[str, Any]) -> dict[str, Any]:
        if param.is_complex():
            raise RuntimeError("Adafactor does not support complex parameters")
        if param.dim() < 2:
            return {"variance": fb.zeros_like(param)}
        shape = list(param.shape)
        return {
            "row_var": param.new_zeros([*shape[:-1], 1]),
            "col_var": param.new_zeros([*shape[:-2], 1, shape[-1]]),
        }

    def decay(self, param: fb.Tensor, grad: fb.Tensor, group: dict[str, Any]) -> fb.Tensor:
        return grad  # update() decays the parameter, after it has measured its size

    def update(
        self, param: fb.Tensor, grad: fb.Tensor, state: dict[str, Any], group: dict[str, Any]
    ) -> None:
        count = state["step"].item()
        tiny, smallest = group["eps"]
        if tiny is None:
            tiny = fb.finfo(param.dtype).eps
        rate = min(float(group["lr"]), 1 / count**0.5)
        rate *= max(smallest, _root_mean_square(param))

        param.mul_(1 - float(group["lr"]) * group["weight_decay"])
        variance = _second_moments(grad, state, count ** group["beta2_decay"], tiny)
        step = variance.clamp_(min=tiny**2).rsqrt_().mul_(grad)
        clip = max(1.0, _root_mean_square(step) / group["d"])
        param.add_(step, alpha=-rate / clip)


def _second_moments(
    grad: fb.Tensor, state: dict[str, Any], weight: float, tiny: float
) -> fb.Tensor:
    """The estimate of the squared gradient, after this one joined with ``weight``."""
    square = grad.square()
    if grad.dim() < 2:
        state["variance"].lerp_(square, weight)
        return state["variance"].clone()
    rows, columns = state["row_var"], state["col_var"]
    rows.lerp_(square.mean(-1, keepdim=True), weight)
    columns.lerp_(square.mean(-2, keepdim=True), weight)
    return (rows @ columns).div_(rows.mean(-2, keepdim=True).clamp_(min=tiny))


def _root_mean_square(tensor: fb.Tensor) -> float:
    return math.sqrt(tensor.square().mean().item())
