"""A softmax over very many classes, the rare ones in clusters; Grave et al., 2017."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import flambeau_core as fb
from flambeau_core import Tensor

from .. import functional as F
from .containers import ModuleList, Sequential
from .linear import Linear
from .module import Module

__all__ = ["AdaptiveLogSoftmaxWithLoss"]


class _ASMoutput(NamedTuple):
    """The log-probability of each target, and the loss, the mean of their negatives."""

    output: Tensor
    loss: Tensor


class AdaptiveLogSoftmaxWithLoss(Module):
    """Log-probabilities of `n_classes`, sorted by frequency, for inputs (N, in_features) or
    (in_features), with targets (N) or ().

    `cutoffs` are the first classes of each cluster after the frequent ones, which the head itself
    holds. Cluster i projects its inputs to in_features / div_value^(i + 1). Raises ValueError for
    cutoffs that do not rise between 1 and n_classes - 1.
    """

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Sequence[int],
        div_value: float = 4.0,
        head_bias: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        cutoffs = list(cutoffs)
        if not cutoffs:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        rises = all(a < b for a, b in zip([0, *cutoffs], [*cutoffs, n_classes]))
        if not rises or any(int(c) != c for c in cutoffs):
            raise ValueError(
                "cutoffs should be a sequence of unique, positive integers sorted in an increasing "
                f"order, where each value is between 1 and n_classes-1, got {cutoffs}"
            )
        self.in_features = in_features
        self.n_classes = n_classes
        self.cutoffs = [*cutoffs, n_classes]
        self.div_value = div_value
        self.head_bias = head_bias
        self.shortlist_size = self.cutoffs[0]
        self.n_clusters = len(self.cutoffs) - 1
        self.head_size = self.shortlist_size + self.n_clusters
        made = {"device": device, "dtype": dtype}
        self.head = Linear(in_features, self.head_size, bias=head_bias, **made)
        self.tail = ModuleList()
        for place, (first, last) in enumerate(zip(self.cutoffs, self.cutoffs[1:]), 1):
            width = int(in_features // div_value**place)
            self.tail.append(
                Sequential(
                    Linear(in_features, width, bias=False, **made),
                    Linear(width, last - first, bias=False, **made),
                )
            )

    def reset_parameters(self) -> None:
        """Draws new initial values in all layers."""
        self.head.reset_parameters()
        for projection, output in self.tail:
            projection.reset_parameters()
            output.reset_parameters()

    def forward(self, input: Tensor, target: Tensor) -> _ASMoutput:
        """The log-probabilities of the targets, shaped like them, and their negative mean."""
        self._check(input, target)
        if target.dim() == 0:
            output, loss = self(input.unsqueeze(0), target.unsqueeze(0))
            return _ASMoutput(output.squeeze(0), loss)
        # In the head a class of a cluster stands for the whole cluster.
        gate = target
        inside = fb.zeros_like(target, dtype=input.dtype)
        for place, (first, last) in enumerate(zip(self.cutoffs, self.cutoffs[1:])):
            mask = (target >= first) & (target < last)
            rows = mask.nonzero().squeeze(1)
            if rows.numel() == 0:
                continue
            logits = self.tail[place](input.index_select(0, rows))
            wanted = (target[rows] - first).unsqueeze(1)
            found = F.log_softmax(logits, 1).gather(1, wanted).squeeze(1)
            inside = inside.index_copy(0, rows, found)
            gate = gate.masked_fill(mask, self.shortlist_size + place)
        head = F.log_softmax(self.head(input), 1)
        output = inside + head.gather(1, gate.unsqueeze(1)).squeeze(1)
        return _ASMoutput(output, -output.mean())

    def _check(self, input: Tensor, target: Tensor) -> None:
        shapes = f"input {tuple(input.shape)}, target {tuple(target.shape)}"
        if target.dim() > 1:
            raise RuntimeError(f"0D or 1D target tensor expected, got {shapes}")
        if input.dim() != target.dim() + 1:
            raise RuntimeError(
                f"{target.dim()}D target tensor expects {target.dim() + 1}D input, got {shapes}"
            )
        if target.dim() == 1 and input.size(0) != target.size(0):
            raise RuntimeError(
                f"Input and target should have the same size in the batch dimension, got {shapes}"
            )
        if target.numel() and not bool(((target >= 0) & (target < self.n_classes)).all()):
            raise RuntimeError(
                f"Target values should be in [0, {self.n_classes - 1}], but values in range "
                f"[{target.min().item()}, {target.max().item()}] were found."
            )

    def log_prob(self, input: Tensor) -> Tensor:
        """The log-probabilities of all classes: (N, n_classes) for (N, in_features)."""
        head = F.log_softmax(self.head(input), 1)
        parts = [head[:, : self.shortlist_size]]
        for place, cluster in enumerate(self.tail):
            whole = head[:, self.shortlist_size + place].unsqueeze(1)
            parts.append(F.log_softmax(cluster(input), 1) + whole)
        return fb.cat(parts, 1)

    def predict(self, input: Tensor) -> Tensor:
        """The likeliest class of each input (N, in_features)."""
        return self.log_prob(input).argmax(1)
