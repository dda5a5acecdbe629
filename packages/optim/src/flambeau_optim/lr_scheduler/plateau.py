"""The schedule that waits for a metric to stop improving."""

from __future__ import annotations

import math
from typing import Literal, SupportsFloat

from ..optimizer import Optimizer
from .scheduler import LRScheduler, check_optimizer, group_values, set_value


class ReduceLROnPlateau(LRScheduler):
    """Multiply the rate by ``factor`` when the metric has not improved for ``patience`` epochs.

    Args:
        mode: ``"min"``: a smaller metric is better; ``"max"``: a larger one.
        threshold: what counts as better: by this part of the best value (``threshold_mode="rel"``)
            or by this much (``"abs"``).
        cooldown: epochs after a reduction during which nothing is counted.
        min_lr: the lowest rate, or a list of them, one a group.
        eps: a smaller change of the rate is not made.

    Raises:
        ValueError: ``factor`` is not below 1, an unknown mode, or a wrong number of rates.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        mode: Literal["min", "max"] = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: Literal["rel", "abs"] = "rel",
        cooldown: int = 0,
        min_lr: list[float] | float = 0,
        eps: float = 1e-8,
    ) -> None:
        if factor >= 1.0:
            raise ValueError(f"Factor should be < 1.0, got {factor}")
        check_optimizer(optimizer)
        if mode not in ("min", "max"):
            raise ValueError(f"mode {mode} is unknown!")
        if threshold_mode not in ("rel", "abs"):
            raise ValueError(f"threshold mode {threshold_mode} is unknown!")
        groups = len(optimizer.param_groups)
        if isinstance(min_lr, (list, tuple)):
            if len(min_lr) != groups:
                raise ValueError(f"expected {groups} min_lrs, got {len(min_lr)}")
            self.default_min_lr: float | None = None
            self.min_lrs = list(min_lr)
        else:
            self.default_min_lr = min_lr
            self.min_lrs = [min_lr] * groups
        self.optimizer = optimizer
        self.mode = mode
        self.factor = factor
        self.patience = patience
        self.threshold = threshold
        self.threshold_mode = threshold_mode
        self.cooldown = cooldown
        self.eps = eps
        self.mode_worse = math.inf if mode == "min" else -math.inf
        self.last_epoch = 0
        self._last_lr = group_values(optimizer, "lr")
        self._reset()

    def _reset(self) -> None:
        """Forget the best value, the bad epochs and the cooldown."""
        self.best = self.mode_worse
        self.cooldown_counter = 0
        self.num_bad_epochs = 0

    def step(self, metrics: SupportsFloat, epoch: int | None = None) -> None:  # type: ignore[override]
        """Count an epoch whose metric is ``metrics``."""
        current = float(metrics)
        self.last_epoch = self.last_epoch + 1 if epoch is None else epoch
        if self.is_better(current, self.best):
            self.best = current
            self.num_bad_epochs = 0
        else:
            self.num_bad_epochs += 1
        if self.in_cooldown:
            self.cooldown_counter -= 1
            self.num_bad_epochs = 0
        if self.num_bad_epochs > self.patience:
            self._reduce()
            self.cooldown_counter = self.cooldown
            self.num_bad_epochs = 0
        self._last_lr = group_values(self.optimizer, "lr")

    def _reduce(self) -> None:
        groups = self.optimizer.param_groups
        if len(groups) != len(self.min_lrs):
            if self.default_min_lr is None:
                raise RuntimeError(
                    f"the optimizer has {len(groups)} parameter groups by now, but min_lr was "
                    f"given for {len(self.min_lrs)}"
                )
            self.min_lrs = [self.default_min_lr] * len(groups)
        for group, lowest in zip(groups, self.min_lrs, strict=True):
            old = float(group["lr"])
            new = max(old * self.factor, lowest)
            if old - new > self.eps:
                set_value(group, "lr", new)

    @property
    def in_cooldown(self) -> bool:
        return self.cooldown_counter > 0

    def is_better(self, value: float, best: float) -> bool:
        """Whether ``value`` improves on ``best`` by more than the threshold."""
        if self.threshold_mode == "rel":
            # An infinite best times any factor stays infinite, and everything improves on it.
            margin = self.threshold if self.mode == "max" else -self.threshold
            limit = best * (1.0 + margin)
        else:
            limit = best + (self.threshold if self.mode == "max" else -self.threshold)
        return value > limit if self.mode == "max" else value < limit
