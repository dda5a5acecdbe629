"""What fused optimizer steps do with sparse gradients: only the rows they name are touched."""

from __future__ import annotations

from typing import Any

import flambeau_core as fb
from flambeau_core.sparse.dispatch import implements, is_sparse

__all__: list[str] = []


@implements("sgd_step_")
def sgd_step_(
    params: Any,
    grads: Any,
    momentum_buffers: Any,
    lr: float,
    momentum: float,
    dampening: float,
    weight_decay: float,
    nesterov: bool,
    maximize: bool,
) -> Any:
    options = (lr, momentum, dampening, weight_decay, nesterov, maximize)
    buffers = list(momentum_buffers)
    with fb.no_grad():
        for i, (param, grad) in enumerate(zip(params, grads)):
            if is_sparse(grad):
                buffers[i] = _sparse_sgd(param, grad, buffers[i], *options)
            else:
                done = fb.optim_ops.sgd_step_([param], [grad], [buffers[i]], *options)
                buffers[i] = done[0]
    return buffers


def _sparse_sgd(
    param: Any,
    grad: Any,
    buffer: Any,
    lr: float,
    momentum: float,
    dampening: float,
    weight_decay: float,
    nesterov: bool,
    maximize: bool,
) -> Any:
    grad = -grad if maximize else grad
    if weight_decay:
        grad = grad.add(param, alpha=weight_decay)  # refused: it would make the gradient dense
    if momentum:
        if buffer is None:
            buffer = grad.clone()
        else:
            buffer = (buffer * momentum).add(grad, alpha=1 - dampening).coalesce()
        grad = grad.add(buffer, alpha=momentum) if nesterov else buffer
    param.add_(grad, alpha=-lr)
    return buffer
