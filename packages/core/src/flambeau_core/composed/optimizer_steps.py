"""Definitions of the optimizers' steps for one parameter, in place and outside autograd."""

from __future__ import annotations

import flambeau_core as fb
from flambeau_core.declare import composition


@composition("sgd_step")
def sgd_step(
    parameter: fb.Tensor,
    grad: fb.Tensor,
    momentum_buffer: fb.Tensor | None,
    lr: float,
    momentum: float,
    dampening: float,
    weight_decay: float,
    nesterov: bool,
    maximize: bool,
    first: bool,
) -> None:
    """Gradient descent with momentum (Sutskever et al., 2013).

    ``first`` tells that the momentum buffer has no history yet: it becomes the gradient.
    """
    with fb.no_grad():
        if maximize:
            grad = -grad
        if weight_decay:
            grad = grad + weight_decay * parameter
        if momentum_buffer is not None:
            if first:
                momentum_buffer.copy_(grad)
            else:
                momentum_buffer.mul_(momentum).add_(grad, alpha=1 - dampening)
            grad = grad + momentum * momentum_buffer if nesterov else momentum_buffer
        parameter.add_(grad, alpha=-lr)


@composition("adam_step")
def adam_step(
    parameter: fb.Tensor,
    grad: fb.Tensor,
    exp_avg: fb.Tensor,
    exp_avg_sq: fb.Tensor,
    max_exp_avg_sq: fb.Tensor | None,
    lr: float,
    beta1: float,
    beta2: float,
    eps: float,
    weight_decay: float,
    correction1: float,
    correction2: float,
    decoupled: bool,
    maximize: bool,
) -> None:
    """Adam (Kingma and Ba, 2015), or AdamW (Loshchilov and Hutter, 2019) if ``decoupled``.

    ``correction1`` and ``correction2`` are ``1 - beta ** t``. With ``max_exp_avg_sq`` it is the
    AMSGrad variant (Reddi et al., 2018).
    """
    with fb.no_grad():
        if maximize:
            grad = -grad
        if weight_decay and decoupled:
            parameter.mul_(1 - lr * weight_decay)
        elif weight_decay:
            grad = grad + weight_decay * parameter
        exp_avg.mul_(beta1).add_(grad, alpha=1 - beta1)
        exp_avg_sq.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        second = exp_avg_sq
        if max_exp_avg_sq is not None:
            max_exp_avg_sq.copy_(fb.maximum(max_exp_avg_sq, exp_avg_sq))
            second = max_exp_avg_sq
        denominator = (second / correction2).sqrt().add_(eps)
        parameter.addcdiv_(exp_avg, denominator, value=-lr / correction1)
