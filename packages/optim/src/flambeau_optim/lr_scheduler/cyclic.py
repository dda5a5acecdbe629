"""Cyclical learning rates (Smith, 2015, arXiv:1506.01186)."""

from __future__ import annotations

import math
import types
from collections.abc import Callable
from typing import Any, Literal

from ..optimizer import Optimizer
from .momentum import set_momentum, uses_beta1
from .scheduler import LRScheduler, check_optimizer, per_group, set_value

Mode = Literal["triangular", "triangular2", "exp_range"]


class CyclicLR(LRScheduler):
    """Move the rate between ``base_lr`` and ``max_lr`` in triangles, a batch a step.

    Args:
        step_size_up, step_size_down: batches of a rise and of a fall (by default as many).
        mode: ``triangular`` keeps the height, ``triangular2`` halves it every cycle, ``exp_range``
            multiplies it by ``gamma`` every batch.
        scale_fn: replaces ``mode``: the factor on the height, a function of the cycle (from 1) or
            of the batch, as ``scale_mode`` says.
        cycle_momentum: move the momentum the other way, from ``max_momentum`` to
            ``base_momentum``.

    Raises:
        ValueError: an unknown mode, a list that does not match the groups, or ``cycle_momentum``
            for an optimizer without momentum.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        base_lr: float | list[float],
        max_lr: float | list[float],
        step_size_up: int = 2000,
        step_size_down: int | None = None,
        mode: Mode = "triangular",
        gamma: float = 1.0,
        scale_fn: Callable[[float], float] | None = None,
        scale_mode: Literal["cycle", "iterations"] = "cycle",
        cycle_momentum: bool = True,
        base_momentum: float = 0.8,
        max_momentum: float = 0.9,
        last_epoch: int = -1,
    ) -> None:
        check_optimizer(optimizer)
        if scale_fn is None and mode not in ("triangular", "triangular2", "exp_range"):
            raise ValueError(f"CyclicLR: mode {mode!r} is unknown and scale_fn is None")
        base_lrs = per_group(optimizer, "base_lr", base_lr)
        if last_epoch == -1:
            for group, base in zip(optimizer.param_groups, base_lrs, strict=True):
                set_value(group, "lr", base)
        self.max_lrs = per_group(optimizer, "max_lr", max_lr)
        down = step_size_up if step_size_down is None else step_size_down
        self.total_size = float(step_size_up + down)
        self.step_ratio = step_size_up / self.total_size
        self.mode = mode
        self.gamma = gamma
        self._scale_fn = scale_fn
        self.scale_mode = scale_mode
        if scale_fn is None:
            self.scale_mode = "iterations" if mode == "exp_range" else "cycle"
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self._take_momentum(optimizer, base_momentum, max_momentum, last_epoch)
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base_lrs

    def _take_momentum(
        self, optimizer: Optimizer, base_momentum: float, max_momentum: float, last_epoch: int
    ) -> None:
        self.use_beta1 = uses_beta1(optimizer)
        self.base_momentums = per_group(optimizer, "base_momentum", base_momentum)
        self.max_momentums = per_group(optimizer, "max_momentum", max_momentum)
        if last_epoch != -1:
            return
        limits = zip(self.base_momentums, self.max_momentums, strict=True)
        for group, (low, high) in zip(optimizer.param_groups, limits, strict=True):
            set_momentum(group, high, self.use_beta1)
            group["max_momentum"] = high
            group["base_momentum"] = low

    def scale_fn(self, x: float) -> float:
        """The factor on the height in cycle (or at batch) ``x``."""
        if self._scale_fn is not None:
            return self._scale_fn(x)
        if self.mode == "triangular":
            return 1.0
        if self.mode == "triangular2":
            return float(1 / (2.0 ** (x - 1)))
        return float(self.gamma**x)

    def get_lr(self) -> list[Any]:
        self._warn_outside_step()
        cycle = math.floor(1 + self.last_epoch / self.total_size)
        x = 1.0 + self.last_epoch / self.total_size - cycle
        rising = x <= self.step_ratio
        height = x / self.step_ratio if rising else (x - 1) / (self.step_ratio - 1)
        height *= self.scale_fn(cycle if self.scale_mode == "cycle" else self.last_epoch)
        if self.cycle_momentum:
            limits = zip(self.base_momentums, self.max_momentums, strict=True)
            for group, (low, high) in zip(self.optimizer.param_groups, limits, strict=True):
                set_momentum(group, high - (high - low) * height, self.use_beta1)
        pairs = zip(self.base_lrs, self.max_lrs, strict=True)
        return [base + (high - base) * height for base, high in pairs]

    def state_dict(self) -> dict[str, Any]:
        """A function given as ``scale_fn`` is not saved; of an object the attributes are."""
        state = super().state_dict()
        custom = state.pop("_scale_fn")
        saved = custom is not None and not isinstance(custom, types.FunctionType)
        state["_scale_fn_custom"] = custom.__dict__.copy() if saved else None
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        state = dict(state_dict)
        saved = state.pop("_scale_fn_custom", None)
        super().load_state_dict(state)
        if saved is not None and self._scale_fn is not None:
            self._scale_fn.__dict__.update(saved)
