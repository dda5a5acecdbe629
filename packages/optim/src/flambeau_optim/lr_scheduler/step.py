"""Schedules that drop the rate at given epochs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from ..optimizer import Optimizer
from .scheduler import LRScheduler, group_values


class StepLR(LRScheduler):
    """Multiply the rate by ``gamma`` every ``step_size`` epochs."""

    def __init__(
        self, optimizer: Optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1
    ) -> None:
        self.step_size = step_size
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_outside_step()
        rates = group_values(self.optimizer, "lr")
        if self.last_epoch == 0 or self.last_epoch % self.step_size != 0:
            return rates
        return [rate * self.gamma for rate in rates]

    def _get_closed_form_lr(self) -> list[Any]:
        factor = self.gamma ** (self.last_epoch // self.step_size)
        return [base * factor for base in self.base_lrs]


class MultiStepLR(LRScheduler):
    """Multiply the rate by ``gamma`` at each of the ``milestones``.

    They are epochs; one that is given twice counts twice.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        milestones: Iterable[int],
        gamma: float = 0.1,
        last_epoch: int = -1,
    ) -> None:
        self.milestones = Counter(milestones)
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_outside_step()
        rates = group_values(self.optimizer, "lr")
        if self.last_epoch not in self.milestones:
            return rates
        factor = self.gamma ** self.milestones[self.last_epoch]
        return [rate * factor for rate in rates]

    def _get_closed_form_lr(self) -> list[Any]:
        passed = sum(n for epoch, n in self.milestones.items() if epoch <= self.last_epoch)
        return [base * self.gamma**passed for base in self.base_lrs]
