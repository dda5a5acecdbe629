"""Connectionist temporal classification; Graves et al., 2006."""

from __future__ import annotations

import math
from collections.abc import Sequence

import flambeau_core as fb
from flambeau_core.composed.losses import loss, reduced


@loss(
    "ctc_loss(Tensor log_probs, Tensor targets, any input_lengths, any target_lengths,"
    " int blank=0, reduction, bool zero_infinity=False)"
)
def ctc_loss(
    log_probs: fb.Tensor,
    targets: fb.Tensor,
    input_lengths: fb.Tensor | Sequence[int],
    target_lengths: fb.Tensor | Sequence[int],
    blank: int,
    reduction: str | int,
    zero_infinity: bool,
) -> fb.Tensor:
    """-log of the probability that the frames spell the target, repeats and blanks removed.

    ``log_probs`` is ``(T, N, C)`` or ``(T, C)``; ``targets`` ``(N, S)`` padded, or all one after
    the other. The mean divides each loss by its target's length first. ``zero_infinity`` makes
    the loss of a target that its frames cannot spell 0.
    """
    batched = log_probs.dim() == 3
    if not batched:
        log_probs = log_probs.unsqueeze(1)
    frames, batch, classes = log_probs.shape
    lengths = _numbers(input_lengths, batch, "input_lengths")
    sizes = _numbers(target_lengths, batch, "target_lengths")
    if not 0 <= blank < classes:
        raise RuntimeError(f"blank must be in label range, got {blank} of {classes} classes")
    if max(lengths, default=0) > frames:
        raise RuntimeError(
            f"Expected input_lengths to have value at most {frames}, but got value {max(lengths)}"
        )
    rows = _rows(targets, sizes)
    losses = [
        _one(_normalized(log_probs[: lengths[n], n]), rows[n], blank, zero_infinity)
        for n in range(batch)
    ]
    result = fb.stack(losses)
    if reduction in ("mean", 1):
        longest = [max(size, 1) for size in sizes]
        result = result / fb.tensor(longest, dtype=result.dtype, device=result.device)
    result = reduced("ctc_loss", result, reduction)
    return result if batched or result.dim() == 0 else result.squeeze(0)


def _normalized(log_probs: fb.Tensor) -> fb.Tensor:
    """The same values, but with the gradient of a ``log_softmax`` whose input they were.

    That is PyTorch's gradient; it differs from the loss's own where rows do not sum to 1, and is
    the same after the ``log_softmax`` that belongs in front.
    """
    if not log_probs.requires_grad:
        return log_probs
    total = log_probs.exp().sum(-1, True)
    return log_probs - (total - total.detach())


def _numbers(lengths: fb.Tensor | Sequence[int], batch: int, name: str) -> list[int]:
    listed = lengths.reshape(-1).tolist() if isinstance(lengths, fb.Tensor) else list(lengths)
    if len(listed) != batch:
        raise RuntimeError(f"{name} must be of size batch_size, got {len(listed)} for {batch}")
    return [int(n) for n in listed]


def _rows(targets: fb.Tensor, sizes: list[int]) -> list[list[int]]:
    """The labels of each example."""
    numbers = targets.tolist()
    if targets.dim() == 2:
        if any(size > targets.size(1) for size in sizes):
            raise RuntimeError(
                f"Expected tensor to have size at least {max(sizes)} at dimension 1, but got size "
                f"{tuple(targets.shape)}"
            )
        return [row[:size] for row, size in zip(numbers, sizes)]
    if sum(sizes) > len(numbers):
        raise RuntimeError(
            f"the target lengths sum to {sum(sizes)}, but there are {len(numbers)} targets"
        )
    rows, start = [], 0
    for size in sizes:
        rows.append(numbers[start : start + size])
        start += size
    return rows


def _one(log_probs: fb.Tensor, labels: list[int], blank: int, zero_infinity: bool) -> fb.Tensor:
    """The loss of one example by the forward recursion over labels with blanks between.

    alpha[s] is the log-probability of all ways to have reached place s; a place is reached from
    itself, from the one before, and from the one before that unless a blank must part two equals.
    """
    repeats = sum(1 for a, b in zip(labels, labels[1:]) if a == b)
    if log_probs.size(0) < len(labels) + repeats:
        # Impossible; computed below it would give a gradient that is not a number.
        return log_probs.sum() * 0 + (0.0 if zero_infinity else math.inf)
    if log_probs.size(0) == 0:
        return log_probs.sum() * 0
    spelled = [blank]
    for label in labels:
        spelled += [label, blank]
    count = len(spelled)
    at = fb.tensor(spelled, dtype=fb.int64, device=log_probs.device)
    emitted = log_probs.index_select(1, at)
    # A large finite number in place of minus infinity keeps gradients of impossible places at 0.
    never = -1e30 if log_probs.dtype in (fb.float32, fb.float64) else -1e4
    skips = [
        0.0 if s >= 2 and spelled[s] != blank and spelled[s] != spelled[s - 2] else never
        for s in range(count)
    ]
    skip = fb.tensor(skips, dtype=log_probs.dtype, device=log_probs.device)
    start = [0.0 if s < 2 else never for s in range(count)]
    alpha = emitted[0] + fb.tensor(start, dtype=log_probs.dtype, device=log_probs.device)
    wall = fb.full((2,), never, dtype=log_probs.dtype, device=log_probs.device)
    for frame in range(1, log_probs.size(0)):
        padded = fb.cat([wall, alpha])
        ways = fb.stack([alpha, padded[1 : count + 1], padded[:count] + skip])
        alpha = ways.logsumexp(0) + emitted[frame]
    return -alpha[-2:].logsumexp(0)
