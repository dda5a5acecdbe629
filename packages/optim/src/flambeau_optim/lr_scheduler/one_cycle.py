"""The one-cycle policy (Smith and Topin, "Super-convergence", 2017, arXiv:1708.07120)."""

from __future__ import annotations

import math
from typing import Any, Literal

from ..optimizer import Optimizer
from .momentum import set_momentum, uses_beta1
from .scheduler import LRScheduler, check_optimizer, per_group


class OneCycleLR(LRScheduler):
    """Raise the rate to ``max_lr`` and anneal it far below where it began, a batch a step.

    Args:
        total_steps: all batches; or give ``epochs`` and ``steps_per_epoch``.
        pct_start: the part of them that rises.
        anneal_strategy: ``"cos"`` or ``"linear"``.
        div_factor: the first rate is ``max_lr / div_factor``,
        final_div_factor: and the last one that, divided by ``final_div_factor``.
        three_phase: fall as long as the rise took, and only then to the last rate.

    Raises:
        ValueError: no length given, or an argument out of its range.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        max_lr: float | list[float],
        total_steps: int | None = None,
        epochs: int | None = None,
        steps_per_epoch: int | None = None,
        pct_start: float = 0.3,
        anneal_strategy: Literal["cos", "linear"] = "cos",
        cycle_momentum: bool = True,
        base_momentum: float | list[float] = 0.85,
        max_momentum: float | list[float] = 0.95,
        div_factor: float = 25.0,
        final_div_factor: float = 1e4,
        three_phase: bool = False,
        last_epoch: int = -1,
    ) -> None:
        check_optimizer(optimizer)
        self.total_steps = _length(total_steps, epochs, steps_per_epoch)
        if not isinstance(pct_start, float) or not 0 <= pct_start <= 1:
            raise ValueError(f"Expected float between 0 and 1 pct_start, but got {pct_start}")
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        self._schedule_phases = _phases(self.total_steps, pct_start, three_phase)
        self._anneal_func_type = anneal_strategy
        max_lrs = per_group(optimizer, "max_lr", max_lr)
        if last_epoch == -1:
            for group, high in zip(optimizer.param_groups, max_lrs, strict=True):
                group["initial_lr"] = high / div_factor
                group["max_lr"] = high
                group["min_lr"] = group["initial_lr"] / final_div_factor
        self.cycle_momentum = cycle_momentum
        if cycle_momentum:
            self.use_beta1 = uses_beta1(optimizer)
            if last_epoch == -1:
                lows = per_group(optimizer, "base_momentum", base_momentum)
                highs = per_group(optimizer, "max_momentum", max_momentum)
                for group, low, high in zip(optimizer.param_groups, lows, highs, strict=True):
                    set_momentum(group, high, self.use_beta1)
                    group["max_momentum"] = high
                    group["base_momentum"] = low
        super().__init__(optimizer, last_epoch)

    def _anneal(self, start: float, end: float, part: float) -> float:
        if self._anneal_func_type == "cos":
            return end + (start - end) / 2.0 * (math.cos(math.pi * part) + 1)
        return start + (end - start) * part

    def get_lr(self) -> list[Any]:
        self._warn_outside_step()
        step = self.last_epoch
        if step > self.total_steps:
            raise ValueError(
                f"Tried to step {step} times. "
                f"The specified number of total steps is {self.total_steps}"
            )
        begin = 0.0
        for phase in self._schedule_phases:
            end = phase["end_step"]
            if step <= end or phase is self._schedule_phases[-1]:
                break
            begin = end
        part = (step - begin) / (end - begin)
        rates = []
        for group in self.optimizer.param_groups:
            rates.append(self._anneal(group[phase["start_lr"]], group[phase["end_lr"]], part))
            if self.cycle_momentum:
                start, stop = group[phase["start_momentum"]], group[phase["end_momentum"]]
                set_momentum(group, self._anneal(start, stop, part), self.use_beta1)
        return rates


def _length(total_steps: int | None, epochs: int | None, steps_per_epoch: int | None) -> int:
    lengths = {"total_steps": total_steps}
    if total_steps is None:
        lengths = {"epochs": epochs, "steps_per_epoch": steps_per_epoch}
    length = 1
    for name, value in lengths.items():
        if value is None:
            raise ValueError(
                "OneCycleLR needs its length: total_steps, or epochs together with steps_per_epoch"
            )
        if not isinstance(value, int) or value <= 0:
            raise ValueError(f"Expected positive integer {name}, but got {value}")
        length *= value
    return length


def _phases(total_steps: int, pct_start: float, three_phase: bool) -> list[dict[str, Any]]:
    """Each phase by its last step, and the entries of the group it moves between."""
    peak = float(pct_start * total_steps) - 1
    ends = [peak, total_steps - 1]
    rates = ["initial_lr", "max_lr", "min_lr"]
    momenta = ["max_momentum", "base_momentum", "max_momentum"]
    if three_phase:
        ends = [peak, float(2 * pct_start * total_steps) - 2, total_steps - 1]
        rates = ["initial_lr", "max_lr", "initial_lr", "min_lr"]
        momenta = ["max_momentum", "base_momentum", "max_momentum", "max_momentum"]
    return [
        {
            "end_step": end,
            "start_lr": rates[index],
            "end_lr": rates[index + 1],
            "start_momentum": momenta[index],
            "end_momentum": momenta[index + 1],
        }
        for index, end in enumerate(ends)
    ]
