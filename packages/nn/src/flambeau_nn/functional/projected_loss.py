"""The cross entropy of a linear layer's output, also without the whole output in memory."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any

import flambeau_core as fb
from flambeau_core import Tensor
from flambeau_core.autograd import Function

from .affine import linear
from .classification_loss import cross_entropy

__all__ = ["linear_cross_entropy"]

_POLICIES = ("auto", "accurate", "balanced", "compact")


@dataclass(frozen=True)
class LinearCrossEntropyOptions:
    """How `linear_cross_entropy` works through a batch in chunks of rows.

    `batch_chunk_size` is the number of rows; without it "aspect_ratio:k" of `chunking_method`
    takes as many as make a chunk's logits about as large as k times its inputs ("auto": k = 2), and
    None takes all. Gradients are computed in the forward pass and summed in `acc_dtype`, by default
    float32 or wider, whatever `acc_policy` says; `allow_retain_graph` is not needed here.
    Raises ValueError for other values.
    """

    allow_retain_graph: bool = False
    batch_chunk_size: int | None = None
    chunking_method: str | None = "auto"
    acc_policy: str = "auto"
    acc_dtype: Any = None

    def __post_init__(self) -> None:
        if self.acc_policy not in _POLICIES:
            raise ValueError(f"invalid acc_policy: {self.acc_policy!r}")
        if self.chunking_method not in (None, "auto"):
            name, _, factor = self.chunking_method.partition(":")
            if name != "aspect_ratio" or not factor.isdigit() or int(factor) < 1:
                raise ValueError(f"invalid chunking_method: {self.chunking_method!r}")
        if self.batch_chunk_size is not None and self.batch_chunk_size < 1:
            raise ValueError(
                f"batch_chunk_size must be positive int or None, got {self.batch_chunk_size}"
            )
        if self.acc_dtype not in (None, fb.float16, fb.bfloat16, fb.float32, fb.float64):
            raise ValueError(f"acc_dtype must be a floating dtype or None, got {self.acc_dtype}")

    def rows(self, batch: int, in_features: int, classes: int) -> int:
        """The number of rows of a chunk."""
        if self.batch_chunk_size is not None:
            return self.batch_chunk_size
        if self.chunking_method is None:
            return max(batch, 1)
        _, _, factor = self.chunking_method.partition(":")
        return max(batch * in_features * int(factor or 2) // max(classes, 1), 1)


def linear_cross_entropy(
    input: Tensor,
    linear_weight: Tensor,
    target: Tensor,
    *,
    linear_bias: Tensor | None = None,
    weight: Tensor | None = None,
    reduction: str = "mean",
    ignore_index: int | None = None,
    label_smoothing: float = 0.0,
    options: LinearCrossEntropyOptions | None = None,
) -> Tensor:
    """`cross_entropy(linear(input, linear_weight, linear_bias), target, ...)`.

    `input` is (N, in) or (in), `linear_weight` (C, in) or (C, d1, ..., in), `linear_bias` its shape
    without the last dimension; `target` as in `cross_entropy` for logits (N, C, d1, ...). With
    `options` and a reduction to one number the batch is worked through in chunks. `ignore_index` is
    for class indices (-100 by default). Raises RuntimeError for shapes that do not fit.
    """
    _check(input, linear_weight, target, linear_bias, ignore_index)
    settings = (weight, -100 if ignore_index is None else ignore_index, label_smoothing)
    chunked = options is not None and reduction in ("mean", "sum") and input.dim() == 2
    if not chunked or weight is not None and weight.requires_grad:
        logits = _logits(input, linear_weight, linear_bias)
        return _loss(logits, target, settings, reduction)
    assert options is not None
    rows = options.rows(input.size(0), input.size(1), prod(linear_weight.shape[:-1]))
    total = _ChunkedLoss.apply(
        input, linear_weight, linear_bias, target, settings, rows, options.acc_dtype
    )
    return total / _divisor(target, settings) if reduction == "mean" else total


def _check(
    input: Tensor,
    linear_weight: Tensor,
    target: Tensor,
    linear_bias: Tensor | None,
    ignore_index: int | None,
) -> None:
    shape = tuple(linear_weight.shape)
    if input.dim() not in (1, 2):
        raise RuntimeError(
            f"linear_cross_entropy: expected input with dimensionality 1 or 2, got {input.dim()}"
        )
    if linear_weight.dim() < 2:
        raise RuntimeError(
            "linear_cross_entropy: expected linear_weight with dimensionality at least 2, got "
            f"{linear_weight.dim()}"
        )
    if input.shape[-1] != shape[-1]:
        raise RuntimeError(
            "linear_cross_entropy: expected equal input and linear_weight last dimensions "
            f"(in_features), got {input.shape[-1]} and {shape[-1]}, respectively"
        )
    if len(shape) > 2 and input.dim() == 1:
        raise RuntimeError(
            f"linear_cross_entropy: linear_weight of shape {shape} requires batched input, "
            f"(N, {shape[-1]}), got shape {tuple(input.shape)}"
        )
    if linear_bias is not None and tuple(linear_bias.shape) != shape[:-1]:
        raise RuntimeError(
            f"linear_cross_entropy: expected linear_bias shape {shape[:-1]}, got "
            f"{tuple(linear_bias.shape)}"
        )
    _check_target(input, shape, target, ignore_index)


def _check_target(
    input: Tensor, shape: tuple[int, ...], target: Tensor, ignore_index: int | None
) -> None:
    logits = (*input.shape[:-1], *shape[:-1])
    if input.dim() == 2 and target.dim() and target.shape[0] != input.shape[0]:
        raise ValueError(
            f"linear_cross_entropy: Expected input batch_size ({input.shape[0]}) to match target "
            f"batch_size ({target.shape[0]})"
        )
    if tuple(target.shape) != logits:
        return
    if not target.is_floating_point():
        raise RuntimeError(
            "linear_cross_entropy: Expected floating point type for target with class "
            f"probabilities, got {target.dtype}"
        )
    if ignore_index is not None:
        raise RuntimeError(
            "linear_cross_entropy: ignore_index cannot be specified when target contains "
            "probabilities"
        )


def _logits(input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    outputs = weight.shape[:-1]
    flat_bias = None if bias is None else bias.reshape(-1)
    flat = linear(input, weight.reshape(-1, weight.shape[-1]), flat_bias)
    return flat.reshape(*input.shape[:-1], *outputs)


def _loss(logits: Tensor, target: Tensor, settings: Any, reduction: str) -> Tensor:
    weight, ignore_index, label_smoothing = settings
    return cross_entropy(
        logits,
        target,
        weight,
        ignore_index=ignore_index,
        reduction=reduction,
        label_smoothing=label_smoothing,
    )


def _divisor(target: Tensor, settings: Any) -> Any:
    """What the mean divides by: the targets' weights, or the number of distributions."""
    weight, ignore_index, _ = settings
    if target.is_floating_point():
        return target.numel() // max(target.shape[1], 1)
    kept = target != ignore_index
    if weight is None:
        return kept.sum()
    return weight[target.masked_fill(~kept, 0)].masked_fill(~kept, 0).sum()


class _ChunkedLoss(Function):
    """The sum of the losses of all rows, with the gradients computed chunk by chunk on the way."""

    @staticmethod
    def forward(
        ctx: Any,
        input: Tensor,
        weight: Tensor,
        bias: Tensor | None,
        target: Tensor,
        settings: Any,
        rows: int,
        acc_dtype: Any,
    ) -> Tensor:
        needs = ctx.needs_input_grad[:4]
        wide = fb.promote_types(input.dtype, fb.float32) if acc_dtype is None else acc_dtype
        by_rows: list[list[Tensor]] = [[], []]
        summed: list[Any] = [None, None]
        total = fb.zeros((), dtype=wide, device=input.device)
        for x, y in zip(input.split(rows), target.split(rows)):
            leaves = [
                None if tensor is None else tensor.detach().requires_grad_(needed)
                for tensor, needed in zip((x, weight, bias, y), needs)
            ]
            with fb.enable_grad():
                loss = _loss(_logits(*leaves[:3]), leaves[3], settings, "sum")  # type: ignore[arg-type]
            total = total + loss.detach()
            wanted = [leaf for leaf, needed in zip(leaves, needs) if needed]
            found = iter(fb.autograd.grad(loss, wanted) if wanted else ())
            gradients = [next(found) if needed else None for needed in needs]
            for place, gradient in zip((0, 1), (gradients[0], gradients[3])):
                if gradient is not None:
                    by_rows[place].append(gradient)
            for place, gradient in zip((0, 1), gradients[1:3]):
                if gradient is not None:
                    so_far = summed[place]
                    summed[place] = gradient.to(wide) if so_far is None else so_far + gradient
        of_input, of_target = (fb.cat(parts) if parts else None for parts in by_rows)
        ctx.save_for_backward(of_input, *summed, of_target)
        ctx.dtypes = [None if t is None else t.dtype for t in (input, weight, bias, target)]
        return total.to(input.dtype)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Any:
        gradients = [
            None if saved is None else (saved * grad).to(dtype)
            for saved, dtype in zip(ctx.saved_tensors, ctx.dtypes)
        ]
        return (*gradients, None, None, None)
