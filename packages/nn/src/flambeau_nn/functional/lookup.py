"""Looking rows up by index."""

from __future__ import annotations

import flambeau_core as fb
from flambeau_core import Tensor, nn_ops
from flambeau_core.nn_ops import one_hot

__all__ = ["embedding", "embedding_bag", "one_hot"]


def embedding(
    input: Tensor,
    weight: Tensor,
    padding_idx: int | None = None,
    max_norm: float | None = None,
    norm_type: float = 2.0,
    scale_grad_by_freq: bool = False,
    sparse: bool = False,
) -> Tensor:
    """Row `input[..]` of `weight` [V, D] for every index: [*, D].

    `padding_idx` names a row that gets no gradient. With `max_norm` the rows used are first scaled
    down in place to at most that norm. `scale_grad_by_freq` divides a row's gradient by how often
    it was used. With `sparse` the gradient of a leaf `weight` is a sparse tensor of these rows.
    """
    if padding_idx is not None:
        rows = weight.size(0)
        if not -rows <= padding_idx < rows:
            raise AssertionError("Padding_idx must be within num_embeddings")
        padding_idx %= rows
    if max_norm is not None:
        limit_row_norms_(weight, input, max_norm, norm_type)
    return nn_ops.embedding(input, weight, padding_idx, scale_grad_by_freq, sparse)


def limit_row_norms_(weight: Tensor, used: Tensor, max_norm: float, norm_type: float) -> None:
    """Scales the rows of `weight` that `used` names down to at most `max_norm`, in place."""
    with fb.no_grad():
        index = used.reshape(-1).unique()
        rows = weight.index_select(0, index)
        norms = rows.norm(norm_type, 1, keepdim=True)
        scale = fb.where(norms > max_norm, max_norm / (norms + 1e-7), 1.0)
        weight.index_copy_(0, index, rows * scale)


def embedding_bag(
    input: Tensor,
    weight: Tensor,
    offsets: Tensor | None = None,
    max_norm: float | None = None,
    norm_type: float = 2,
    scale_grad_by_freq: bool = False,
    mode: str = "mean",
    sparse: bool = False,
    per_sample_weights: Tensor | None = None,
    include_last_offset: bool = False,
    padding_idx: int | None = None,
) -> Tensor:
    """Sum, mean or maximum of the rows in each bag of indices: [bags, D].

    A 2-D `input` holds one bag a row; a 1-D one is cut at `offsets`, where each bag starts. Indices
    equal to `padding_idx` count for nothing; an empty bag gives zeros. `per_sample_weights` (mode
    "sum" only) multiplies each row first.
    """
    if mode not in ("sum", "mean", "max"):
        raise ValueError("mode has to be one of sum, mean or max")
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedError(
            "embedding_bag: per_sample_weights was not None. per_sample_weights is only supported "
            f"for mode='sum' (got mode='{mode}'). Please open a feature request on GitHub."
        )
    if per_sample_weights is not None and per_sample_weights.shape != input.shape:
        raise ValueError(
            f"embedding_bag: If per_sample_weights ({per_sample_weights.shape}) is not None, then "
            f"it must have the same shape as the input ({input.shape})"
        )
    bag, count = _bag_numbers(input, offsets, include_last_offset)
    index = input.reshape(-1)
    rows = embedding(index, weight, None, max_norm, norm_type, scale_grad_by_freq, sparse)
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.reshape(-1, 1)
    if padding_idx is not None:
        kept = (index != padding_idx % weight.size(0)).nonzero().squeeze(1)
        rows, bag = rows.index_select(0, kept), bag.index_select(0, kept)
    if mode == "max":
        return _largest_of_bags(rows, bag, count)
    total = rows.new_zeros((count, weight.size(1))).index_add(0, bag, rows)
    if mode == "sum":
        return total
    sizes = fb.bincount(bag, minlength=count).clamp(min=1).to(total.dtype)
    return total / sizes.unsqueeze(1)


def _bag_numbers(
    input: Tensor, offsets: Tensor | None, include_last_offset: bool
) -> tuple[Tensor, int]:
    """The bag of each index, flattened, and how many bags there are."""
    if input.dim() == 2:
        if offsets is not None:
            raise ValueError(
                "if input is 2D, then offsets has to be None, as input is treated is a mini-batch "
                f"of fixed length sequences. However, found offsets of type {type(offsets)}"
            )
        bags, length = input.shape
        return fb.arange(bags, device=input.device).repeat_interleave(length), bags
    if input.dim() != 1:
        raise ValueError(
            f"input has to be 1D or 2D Tensor, but got Tensor of dimension {input.dim()}"
        )
    if offsets is None:
        raise ValueError("offsets has to be a 1D Tensor but got None")
    if offsets.dim() != 1:
        raise ValueError("offsets has to be a 1D Tensor")
    starts = [int(start) for start in offsets.tolist()]
    if starts and starts[0] != 0:
        raise ValueError(
            f"offsets[0] has to be 0, i.e., the first sequence in the mini-batch has to start from "
            f"position 0. However, got {starts[0]}"
        )
    ends = starts[1:] if include_last_offset else [*starts[1:], input.numel()]
    numbers = [bag for bag, (start, end) in enumerate(zip(starts, ends)) for _ in range(start, end)]
    return fb.tensor(numbers, dtype=fb.int64, device=input.device), len(ends)


def _largest_of_bags(rows: Tensor, bag: Tensor, count: int) -> Tensor:
    result = []
    for number in range(count):
        members = (bag == number).nonzero().squeeze(1)
        if members.numel():
            result.append(rows.index_select(0, members).max(0)[0])
        else:
            result.append(rows.new_zeros((rows.size(1),)))
    return fb.stack(result) if result else rows.new_zeros((0, rows.size(1)))
