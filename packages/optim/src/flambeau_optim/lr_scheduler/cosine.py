"""Cosine annealing (Loshchilov and Hutter, "SGDR", 2016, arXiv:1608.03983)."""

from __future__ import annotations

import math
from typing import Any

from ..optimizer import Optimizer
from .scheduler import LRScheduler, group_values


class CosineAnnealingLR(LRScheduler):
    """Follow half a cosine from the initial rate down to ``eta_min`` in ``T_max`` epochs.

    Afterwards the rate climbs back along the other half.
    """

    def __init__(
        self, optimizer: Optimizer, T_max: int, eta_min: float = 0.0, last_epoch: int = -1
    ) -> None:
        self.T_max = T_max
        self.eta_min = eta_min
        super().__init__(optimizer, last_epoch)

    def _height(self, epoch: int) -> float:
        return 1 + math.cos(math.pi * epoch / self.T_max)

    def get_lr(self) -> list[Any]:
        self._warn_outside_step()
        rates = group_values(self.optimizer, "lr")
        if self._is_initial:
            return rates
        if self._step_count == 1 and self.last_epoch > 0:
            return self._get_closed_form_lr()
        if (self.last_epoch - 1 - self.T_max) % (2 * self.T_max) == 0:
            # At the bottom the ratio below is 0 / 0: climb off it by the closed form's step.
            rise = (1 - math.cos(math.pi / self.T_max)) / 2
            pairs = zip(self.base_lrs, rates, strict=True)
            return [rate + (base - self.eta_min) * rise for base, rate in pairs]
        ratio = self._height(self.last_epoch) / self._height(self.last_epoch - 1)
        return [ratio * (rate - self.eta_min) + self.eta_min for rate in rates]

    def _get_closed_form_lr(self) -> list[Any]:
        height = self._height(self.last_epoch) / 2
        return [self.eta_min + (base - self.eta_min) * height for base in self.base_lrs]


class CosineAnnealingWarmRestarts(LRScheduler):
    """Anneal from the initial rate to ``eta_min`` in T_0 epochs, and start over.

    Each round is ``T_mult`` times as long as the one before. ``step(epoch)`` accepts fractions,
    to step within an epoch.

    Raises:
        ValueError: ``T_0`` or ``T_mult`` is no positive integer.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        T_0: int,
        T_mult: int = 1,
        eta_min: float = 0.0,
        last_epoch: int = -1,
    ) -> None:
        if not isinstance(T_0, int) or T_0 <= 0:
            raise ValueError(f"Expected positive integer T_0, but got {T_0}")
        if not isinstance(T_mult, int) or T_mult < 1:
            raise ValueError(f"Expected integer T_mult >= 1, but got {T_mult}")
        if not isinstance(eta_min, (float, int)):
            raise ValueError(f"Expected float or int eta_min, but got {eta_min!r}")
        self.T_0 = T_0
        self.T_i = T_0
        self.T_mult = T_mult
        self.eta_min = eta_min
        self.T_cur: float = last_epoch
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[Any]:
        self._warn_outside_step()
        height = (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
        return [self.eta_min + (base - self.eta_min) * height for base in self.base_lrs]

    def step(self, epoch: float | None = None) -> None:
        """Go on by one epoch, or to the (possibly fractional) ``epoch``.

        Raises:
            ValueError: ``epoch`` is negative.
        """
        if epoch is None and self.last_epoch < 0:
            epoch = 0
        if epoch is None:
            epoch = self.last_epoch + 1
            self.T_cur += 1
            if self.T_cur >= self.T_i:
                self.T_cur %= self.T_i
                self.T_i *= self.T_mult
        else:
            if epoch < 0:
                raise ValueError(f"Expected non-negative epoch, but got {epoch}")
            self._locate(epoch)
        # `_advance` counts one up from here and asks get_lr(), which looks at T_cur and T_i.
        self.last_epoch = math.floor(epoch) - 1
        self._advance()

    def _locate(self, epoch: float) -> None:
        """Find the round that ``epoch`` falls in, and how far into it."""
        if self.T_mult == 1:
            self.T_cur = epoch % self.T_0 if epoch >= self.T_0 else epoch
            self.T_i = self.T_0
            return
        rounds = int(math.log(epoch / self.T_0 * (self.T_mult - 1) + 1, self.T_mult))
        start = self.T_0 * (self.T_mult**rounds - 1) / (self.T_mult - 1)
        self.T_cur = epoch - start
        self.T_i = self.T_0 * self.T_mult**rounds
