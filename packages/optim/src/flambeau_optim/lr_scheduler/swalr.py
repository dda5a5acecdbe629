"""The schedule of stochastic weight averaging (Izmailov et al., 2018, arXiv:1803.05407)."""

from __future__ import annotations

import math
from typing import Any, Literal

from ..optimizer import Optimizer
from .scheduler import LRScheduler, check_optimizer, group_values, per_group


class SWALR(LRScheduler):
    """Anneal the rate to ``swa_lr`` in ``anneal_epochs`` epochs, and keep it there.

    Raises:
        ValueError: an unknown ``anneal_strategy`` (``"cos"`` or ``"linear"``) or negative epochs.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: float | list[float],
        anneal_epochs: int = 10,
        anneal_strategy: Literal["cos", "linear"] = "cos",
        last_epoch: int = -1,
    ) -> None:
        check_optimizer(optimizer)
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be 0 or a positive integer, got {anneal_epochs}")
        targets = per_group(optimizer, "swa_lr", swa_lr)
        for group, target in zip(optimizer.param_groups, targets, strict=True):
            group["swa_lr"] = target
        self._anneal_strategy = anneal_strategy
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def _way(self, epoch: int) -> float:
        """How much of the way to the target is done."""
        part = max(0.0, min(1.0, epoch / max(1, self.anneal_epochs)))
        return part if self._anneal_strategy == "linear" else (1 - math.cos(math.pi * part)) / 2

    def get_lr(self) -> list[Any]:
        self._warn_outside_step()
        epoch = self._step_count - 1
        if self.anneal_epochs == 0:
            epoch = max(1, epoch)
        before, now = self._way(epoch - 1), self._way(epoch)
        targets = [group["swa_lr"] for group in self.optimizer.param_groups]
        if before == 1:
            return targets
        rates = zip(group_values(self.optimizer, "lr"), targets, strict=True)
        # What is left to the target shrinks by the same factor as the way that is left.
        left = (1 - now) / (1 - before)
        return [target + (rate - target) * left for rate, target in rates]
