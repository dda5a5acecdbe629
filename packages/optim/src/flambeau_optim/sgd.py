"""Stochastic gradient descent, with momentum."""

from __future__ import annotations

from typing import Any

import flambeau_core as fb

from .group_step import GroupStep
from .hyperparameters import Number, check_execution, check_learning_rate, check_not_negative
from .optimizer import ParamsT

_sgd_step = fb.optim_ops.sgd_step_


class SGD(GroupStep):
    r"""Gradient descent with optional momentum.

    ``b = momentum * b + (1 - dampening) * g`` (``b = g`` at first) and ``p -= lr * b``; with
    ``nesterov``, ``p -= lr * (g + momentum * b)``. Weight decay adds ``weight_decay * p`` to g.

    Momentum as in Sutskever et al., "On the importance of initialization and momentum in deep
    learning" (2013), with the learning rate outside of the buffer.

    Raises:
        ValueError: a negative rate, momentum or decay, or ``nesterov`` without plain momentum.
    """

    def __init__(
        self,
        params: ParamsT,
        lr: Number = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: Number = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:
        check_learning_rate(lr)
        check_not_negative("momentum", momentum)
        check_not_negative("weight_decay", weight_decay)
        check_execution(foreach, fused, differentiable)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        defaults = {
            "lr": lr,
            "momentum": momentum,
            "dampening": dampening,
            "weight_decay": weight_decay,
            "nesterov": nesterov,
            "maximize": maximize,
            "foreach": foreach,
            "differentiable": differentiable,
            "fused": fused,
        }
        super().__init__(params, defaults)

    def _step_group(self, group: dict[str, Any], params: list[fb.Tensor]) -> None:
        momentum = group["momentum"]
        buffers: list[fb.Tensor | None] = [None] * len(params)
        if momentum:
            states = [self.state[param] for param in params]
            buffers = [state.get("momentum_buffer") for state in states]
        buffers = _sgd_step(
            params,
            [param.grad for param in params],  # type: ignore[misc] # these all have one
            buffers,
            float(group["lr"]),
            momentum,
            group["dampening"],
            float(group["weight_decay"]),
            group["nesterov"],
            group["maximize"],
        )
        if momentum:
            for state, buffer in zip(states, buffers):
                state["momentum_buffer"] = buffer
