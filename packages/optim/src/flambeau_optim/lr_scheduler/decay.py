"""Schedules that decay the rate a little every epoch."""

from __future__ import annotations

from typing import Any

from ..optimizer import Optimizer
from .scheduler import LRScheduler, group_values


class ExponentialLR(LRScheduler):
    """Multiply the rate by ``gamma`` every epoch."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_outside_step()
        rates = group_values(self.optimizer, "lr")
        if self._is_initial:
            return rates
        return [rate * self.gamma for rate in rates]

    def _get_closed_form_lr(self) -> list[Any]:
        return [base * self.gamma**self.last_epoch for base in self.base_lrs]


class PolynomialLR(LRScheduler):
    """Decay to zero as ``(1 - epoch / total_iters) ** power``."""

    def __init__(
        self,
        optimizer: Optimizer,
        total_iters: int = 5,
        power: float = 1.0,
        last_epoch: int = -1,
    ) -> None:
        self.total_iters = total_iters
        self.power = power
        super().__init__(optimizer, last_epoch)

    def _remaining(self, epoch: int) -> float:
        return 1.0 - min(epoch, self.total_iters) / self.total_iters

    def get_lr(self) -> list[Any]:
        self._warn_outside_step()
        rates = group_values(self.optimizer, "lr")
        if self._is_initial or self.last_epoch > self.total_iters:
            return rates
        ratio = self._remaining(self.last_epoch) / self._remaining(self.last_epoch - 1)
        return [rate * ratio**self.power for rate in rates]

    def _get_closed_form_lr(self) -> list[Any]:
        factor = self._remaining(self.last_epoch) ** self.power
        return [base * factor for base in self.base_lrs]
