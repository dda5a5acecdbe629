"""Muon: momentum steps made orthogonal."""

from __future__ import annotations

from typing import Any

import flambeau_core as fb

from .hyperparameters import Number, check_learning_rate, check_not_negative
from .optimizer import ParamsT
from .update_rule import UpdateRule


class Muon(UpdateRule):
    """Momentum orthogonalised by a Newton-Schulz iteration (Jordan et al., 2024).

    For the matrices within a network; embeddings, biases and the like belong to another optimizer.

    Args:
        ns_coefficients: a, b, c of the iteration ``X <- a X + (b A + c A^2) X`` with
            ``A = X X^T``, which runs ``ns_steps`` times in bfloat16.
        adjust_lr_fn: how the rate follows the shape: ``"original"`` by
            ``sqrt(max(1, rows / columns))``, ``"match_rms_adamw"`` by
            ``0.2 sqrt(max(rows, columns))`` (Liu et al., 2025, arXiv:2502.16982).

    Raises:
        ValueError: a parameter that is no matrix, or an argument out of its range.
    """

    counts_steps = False
    decoupled_weight_decay = True

    def __init__(
        self,
        params: ParamsT,
        lr: Number = 1e-3,
        weight_decay: float = 0.1,
        momentum: float = 0.95,
        nesterov: bool = True,
        ns_coefficients: tuple[float, float, float] = (3.4445, -4.775, 2.0315),
        eps: float = 1e-7,
        ns_steps: int = 5,
        adjust_lr_fn: str | None = None,
    ) -> None:
        check_learning_rate(lr)
        check_not_negative("momentum", momentum)
        check_not_negative("weight_decay", weight_decay)
        if adjust_lr_fn not in (None, "original", "match_rms_adamw"):
            raise ValueError(f"Adjust learning rate function {adjust_lr_fn} is not supported")
        defaults = {
            "lr": lr,
            "weight_decay": weight_decay,
            "momentum": momentum,
            "nesterov": nesterov,
            "ns_coefficients": ns_coefficients,
            "eps": eps,
            "ns_steps": ns_steps,
            "adjust_lr_fn": adjust_lr_fn,
        }
        super().__init__(params, defaults)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        super().add_param_group(param_group)
        for param in param_group["params"]:
            if param.dim() != 2:
                raise ValueError(
                    "Muon only supports 2D parameters whereas we found a parameter with size: "
                    f"{param.shape}"
                )

    def start(self, param: fb.Tensor, group: dict[str, Any]) -> dict[str, Any]:
        if param.is_complex():
            raise RuntimeError("Muon does not support complex parameters")
        return {"momentum_buffer": fb.zeros_like(param)}

    def update(
        self, param: fb.Tensor, grad: fb.Tensor, state: dict[str, Any], group: dict[str, Any]
    ) -> None:
        momentum, buffer = group["momentum"], state["momentum_buffer"]
        buffer.lerp_(grad, 1 - momentum)
        direction = grad.lerp(buffer, momentum) if group["nesterov"] else buffer
        step = _orthogonalised(direction, group["ns_coefficients"], group["ns_steps"], group["eps"])
        rows, columns = param.shape
        if group["adjust_lr_fn"] == "match_rms_adamw":
            scale = 0.2 * max(rows, columns) ** 0.5
        else:
            scale = max(1.0, rows / columns) ** 0.5
        param.add_(step.to(param.dtype), alpha=-float(group["lr"]) * scale)


def _orthogonalised(
    matrix: fb.Tensor, coefficients: tuple[float, float, float], steps: int, eps: float
) -> fb.Tensor:
    """About U V^T of the singular value decomposition U S V^T: singular values near 1."""
    a, b, c = coefficients
    x = matrix.to(fb.bfloat16)
    tall = x.shape[0] > x.shape[1]
    if tall:
        x = x.t()
    x = x / x.norm().clamp(min=eps)
    for _ in range(steps):
        gram = x @ x.t()
        polynomial = fb.addmm(gram, gram, gram, beta=b, alpha=c)
        x = fb.addmm(x, polynomial, x, beta=a)
    return x.t() if tall else x
