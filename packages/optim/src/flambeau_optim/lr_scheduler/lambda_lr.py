"""Schedules given by a function of the user's."""

from __future__ import annotations

import types
from collections.abc import Callable, Sequence
from typing import Any

from ..optimizer import Optimizer
from .scheduler import LRScheduler, group_values

Factor = Callable[[int], float]


class _FactorSchedule(LRScheduler):
    """Holds one function a group.

    A function is not saved; of a callable object the attributes are.
    """

    def __init__(
        self, optimizer: Optimizer, lr_lambda: Factor | Sequence[Factor], last_epoch: int = -1
    ) -> None:
        groups = len(optimizer.param_groups)
        if isinstance(lr_lambda, (list, tuple)):
            if len(lr_lambda) != groups:
                raise ValueError(f"Expected {groups} lr_lambdas, but got {len(lr_lambda)}")
            self.lr_lambdas = list(lr_lambda)
        else:
            self.lr_lambdas = [lr_lambda] * groups
        super().__init__(optimizer, last_epoch)

    def state_dict(self) -> dict[str, Any]:
        state = {k: v for k, v in super().state_dict().items() if k != "lr_lambdas"}
        state["lr_lambdas"] = [
            None if isinstance(factor, types.FunctionType) else factor.__dict__.copy()
            for factor in self.lr_lambdas
        ]
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        state = dict(state_dict)
        saved_factors = state.pop("lr_lambdas")
        super().load_state_dict(state)
        for factor, saved in zip(self.lr_lambdas, saved_factors, strict=True):
            if saved is not None:
                factor.__dict__.update(saved)


class LambdaLR(_FactorSchedule):
    """Set the rate to the initial one times ``lr_lambda(epoch)``.

    Args:
        lr_lambda: a function of the epoch, or a list of them, one a group.
    """

    def get_lr(self) -> list[Any]:
        self._warn_outside_step()
        pairs = zip(self.lr_lambdas, self.base_lrs, strict=True)
        return [base * factor(self.last_epoch) for factor, base in pairs]


class MultiplicativeLR(_FactorSchedule):
    """Multiply the rate by ``lr_lambda(epoch)`` every epoch.

    Args:
        lr_lambda: a function of the epoch, or a list of them, one a group.
    """

    def get_lr(self) -> list[Any]:
        self._warn_outside_step()
        rates = group_values(self.optimizer, "lr")
        if self._is_initial:
            return rates
        pairs = zip(self.lr_lambdas, rates, strict=True)
        return [rate * factor(self.last_epoch) for factor, rate in pairs]
