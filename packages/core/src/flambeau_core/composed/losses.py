"""Definitions of the losses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import flambeau_core as fb
from flambeau_core.autograd.function import Function
from flambeau_core.composed.activations import logsigmoid
from flambeau_core.composed.precision import widened
from flambeau_core.declare import composition, op

_REDUCTIONS = ("none", "mean", "sum")


def loss(schema: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declares a loss in both namespaces; the bare op may also number its reduction."""

    def declare(f: Callable[..., Any]) -> Callable[..., Any]:
        for reduction in ("str reduction='mean'", "int reduction=1"):
            op(schema.replace("reduction", reduction), namespace="both", method=False)(f)
        return f

    return declare


def reduced(name: str, loss: fb.Tensor, reduction: str | int) -> fb.Tensor:
    """``loss`` as it is, its mean or its sum. Raises ValueError for another ``reduction``."""
    if isinstance(reduction, int) and 0 <= reduction < len(_REDUCTIONS):
        reduction = _REDUCTIONS[reduction]
    if reduction == "none":
        return loss
    if reduction == "mean":
        return loss.mean()
    if reduction == "sum":
        return loss.sum()
    raise ValueError(f"{name}: {reduction!r} is not a valid value for reduction")


@composition("mse_loss")
def mse_loss(input: fb.Tensor, target: fb.Tensor, reduction: str) -> fb.Tensor:
    """Square of the difference."""
    return reduced("mse_loss", (input - target).square(), reduction)


@composition("nll_loss")
def nll_loss(
    input: fb.Tensor,
    target: fb.Tensor,
    weight: fb.Tensor | None,
    ignore_index: int,
    reduction: str,
) -> fb.Tensor:
    """Minus the log-probabilities ``(N, C, ...)`` or ``(C,)`` of the target classes.

    ``mean`` divides by the total weight of the targets that are not ``ignore_index``.
    """
    dim = 0 if input.dim() == 1 else 1
    ignored = target == ignore_index
    classes = _checked_classes(target.masked_fill(ignored, 0), input.shape[dim], list(input.shape))
    loss = -input.gather(dim, classes.unsqueeze(dim)).squeeze(dim)
    weights = _class_weights(input, classes, weight).masked_fill(ignored, 0)
    loss = (loss * weights).masked_fill(ignored, 0)
    if reduction == "mean":
        return loss.sum() / weights.sum()
    return reduced("nll_loss", loss, reduction)


def _checked_classes(target: fb.Tensor, classes: int, shape: list[int]) -> fb.Tensor:
    target = target.to(fb.int64)
    wrong = (target < 0) | (target >= classes)
    if bool(wrong.any()):
        first = target.masked_select(wrong)[0].item()
        raise IndexError(
            f"Target {first} is out of bounds for {classes} classes (input of shape {shape})."
        )
    return target


def _class_weights(input: fb.Tensor, classes: fb.Tensor, weight: fb.Tensor | None) -> fb.Tensor:
    if weight is None:
        return fb.ones(classes.shape, dtype=input.dtype, device=input.device)
    return weight.index_select(0, classes.reshape(-1)).reshape(classes.shape)


@composition("cross_entropy")
def cross_entropy(
    input: fb.Tensor,
    target: fb.Tensor,
    weight: fb.Tensor | None,
    ignore_index: int,
    reduction: str,
    label_smoothing: float,
) -> fb.Tensor:
    """Cross-entropy of the softmax of ``input``, ``(N, C, ...)`` or ``(C,)``, and the target.

    The target holds classes, or probabilities in the shape of ``input``. Smoothing mixes it with
    the uniform distribution (Szegedy et al., 2016).
    """
    dim = 0 if input.dim() == 1 else 1
    log_probabilities = widened(input).log_softmax(dim)
    wide_weight = None if weight is None else widened(weight)
    if target.is_floating_point():
        loss = _soft_cross_entropy(
            log_probabilities, widened(target), wide_weight, dim, reduction, label_smoothing
        )
    else:
        loss = nll_loss(log_probabilities, target, wide_weight, ignore_index, reduction)
        if label_smoothing:
            uniform = _uniform_cross_entropy(
                log_probabilities, target, wide_weight, dim, ignore_index, reduction
            )
            share = label_smoothing / input.shape[dim]
            loss = loss * (1 - label_smoothing) + uniform * share
    return loss.to(input.dtype)


def _weighted(values: fb.Tensor, weight: fb.Tensor | None, dim: int) -> fb.Tensor:
    if weight is None:
        return values
    return values * weight.reshape([-1] + [1] * (values.dim() - dim - 1))


def _soft_cross_entropy(
    log_probabilities: fb.Tensor,
    target: fb.Tensor,
    weight: fb.Tensor | None,
    dim: int,
    reduction: str,
    label_smoothing: float,
) -> fb.Tensor:
    classes = log_probabilities.shape[dim]
    if label_smoothing:
        target = target * (1 - label_smoothing) + label_smoothing / classes
    loss = -_weighted(log_probabilities * target, weight, dim).sum(dim)
    if reduction == "mean":
        return loss.sum() / (log_probabilities.numel() / classes)
    return reduced("cross_entropy", loss, reduction)


def _uniform_cross_entropy(
    log_probabilities: fb.Tensor,
    target: fb.Tensor,
    weight: fb.Tensor | None,
    dim: int,
    ignore_index: int,
    reduction: str,
) -> fb.Tensor:
    """The part of label smoothing: the sum over all classes, ignoring what the target ignores."""
    ignored = target == ignore_index
    loss = -_weighted(log_probabilities, weight, dim).sum(dim).masked_fill(ignored, 0)
    if reduction != "mean":
        return reduced("cross_entropy", loss, reduction)
    classes = target.masked_fill(ignored, 0)
    weights = _class_weights(log_probabilities, classes, weight).masked_fill(ignored, 0)
    return loss.sum() / weights.sum()


@composition("binary_cross_entropy_with_logits")
def binary_cross_entropy_with_logits(
    input: fb.Tensor,
    target: fb.Tensor,
    weight: fb.Tensor | None,
    pos_weight: fb.Tensor | None,
    reduction: str,
) -> fb.Tensor:
    """Cross-entropy of the target and ``sigmoid(input)``, computed from the logarithm.

    ``pos_weight`` multiplies the target's positive part, ``weight`` the whole.
    """
    log_probability = logsigmoid(input)
    if pos_weight is not None:
        log_probability = log_probability * ((pos_weight - 1) * target + 1)
    loss = (1 - target) * input - log_probability
    return reduced(
        "binary_cross_entropy_with_logits", loss if weight is None else loss * weight, reduction
    )


@op(
    "binary_cross_entropy(Tensor self, Tensor target, Tensor? weight=None, str reduction='mean')"
    " -> Tensor",
    namespace="nn",
)
def binary_cross_entropy(
    self: fb.Tensor, target: fb.Tensor, weight: fb.Tensor | None, reduction: str
) -> fb.Tensor:
    """Cross-entropy of the target and probabilities; logarithms are kept above -100."""
    if target.shape != self.shape:
        raise ValueError(
            f"binary_cross_entropy: Using a target size ({target.shape}) that is different to the "
            f"input size ({self.shape}) is deprecated. Please ensure they have the same size."
        )
    for name, x in (("input", self), ("target", target)):
        if not bool(((x >= 0) & (x <= 1)).all()):
            raise RuntimeError(
                f"binary_cross_entropy: all elements of {name} should be between 0 and 1"
            )
    loss = _BinaryCrossEntropy.apply(self, target)
    return reduced("binary_cross_entropy", loss if weight is None else loss * weight, reduction)


def _kept_logarithms(x: fb.Tensor) -> tuple[fb.Tensor, fb.Tensor]:
    return x.log().clamp(min=-100), (-x).log1p().clamp(min=-100)


class _BinaryCrossEntropy(Function):
    """Elementwise, with a gradient that stays finite where the logarithm is cut off."""

    @staticmethod
    def forward(ctx: Any, x: fb.Tensor, target: fb.Tensor) -> fb.Tensor:
        ctx.save_for_backward(x, target)
        hit, miss = _kept_logarithms(x)
        return (target - 1) * miss - target * hit

    @staticmethod
    def backward(ctx: Any, grad: fb.Tensor) -> Any:
        x, target = ctx.saved_tensors
        grad_x = grad_target = None
        if ctx.needs_input_grad[0]:
            grad_x = grad * (x - target) / ((1 - x) * x).clamp(min=1e-12)
        if ctx.needs_input_grad[1]:
            hit, miss = _kept_logarithms(x)
            grad_target = grad * (miss - hit)
        return grad_x, grad_target
