"""Schedules made of other schedules."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from ..optimizer import Optimizer
from .plateau import ReduceLROnPlateau
from .scheduler import LRScheduler, group_values, set_value


class _CompositeSchedule(LRScheduler):
    """Holds schedules of one optimizer, and saves their states inside its own."""

    def _take(self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None) -> None:
        name = type(self).__name__
        if not schedulers:
            raise ValueError(f"{name} expects at least one scheduler, but got none")
        self.optimizer = optimizer or schedulers[0].optimizer
        for index, scheduler in enumerate(schedulers):
            if not hasattr(scheduler, "optimizer"):
                raise TypeError(
                    f"{name}: {type(scheduler).__name__} at index {index} has no optimizer"
                )
            if isinstance(scheduler, ReduceLROnPlateau):
                raise ValueError(
                    f"{name} cannot hold ReduceLROnPlateau (index {index}), whose step() needs "
                    "a metric"
                )
            if scheduler.optimizer is not self.optimizer:
                raise ValueError(
                    f"{name} expects all schedulers to belong to the same optimizer, but "
                    f"{type(scheduler).__name__} at index {index} has another one"
                )
        self._schedulers = list(schedulers)

    def _rewind(self) -> None:
        """Undo the first steps that the schedules took when they were built."""
        for scheduler in self._schedulers:
            if isinstance(scheduler, _CompositeSchedule):
                scheduler._rewind()
            else:
                scheduler.last_epoch -= 1

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer, with the states of the schedules under ``_schedulers``."""
        left_out = ("optimizer", "_schedulers")
        state = {key: value for key, value in self.__dict__.items() if key not in left_out}
        state["_schedulers"] = [scheduler.state_dict() for scheduler in self._schedulers]
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        state = dict(state_dict)
        saved_schedulers = state.pop("_schedulers")
        self.__dict__.update(state)
        for scheduler, saved in zip(self._schedulers, saved_schedulers, strict=True):
            scheduler.load_state_dict(saved)


class SequentialLR(_CompositeSchedule):
    """Follow one schedule after the other; each starts at epoch 0 at its milestone.

    Args:
        schedulers: of the same optimizer.
        milestones: the epochs at which the second, third, ... take over.

    Raises:
        ValueError: not one schedule more than milestones, or schedules of several optimizers.
    """

    def __init__(
        self,
        optimizer: Optimizer,
        schedulers: list[LRScheduler],
        milestones: list[int],
        last_epoch: int = -1,
    ) -> None:
        self._take(schedulers, optimizer)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "SequentialLR expects one scheduler more than milestones, but got "
                f"{len(schedulers)} schedulers and {len(milestones)} milestones"
            )
        self._milestones = milestones
        self.last_epoch = last_epoch + 1
        for group in optimizer.param_groups:
            set_value(group, "lr", group["initial_lr"])
        self._rewind()
        first = self._schedulers[0]
        first._initial_step()
        self._last_lr = first.get_last_lr()

    def step(self) -> None:  # type: ignore[override]
        """Go on by one epoch."""
        self.last_epoch += 1
        index = bisect_right(self._milestones, self.last_epoch)
        scheduler = self._schedulers[index]
        if index > 0 and self._milestones[index - 1] == self.last_epoch:
            scheduler._advance(0)
        else:
            scheduler.step()
        self._last_lr = scheduler.get_last_lr()


class ChainedScheduler(_CompositeSchedule):
    """Step several schedules together; each changes the rates that the one before has set.

    Raises:
        ValueError: no schedule, or schedules of several optimizers.
    """

    def __init__(
        self, schedulers: Sequence[LRScheduler], optimizer: Optimizer | None = None
    ) -> None:
        self._take(schedulers, optimizer)
        self._last_lr = group_values(self.optimizer, "lr")

    def step(self) -> None:  # type: ignore[override]
        """Go on by one epoch."""
        for scheduler in self._schedulers:
            scheduler.step()
        self._last_lr = group_values(self.optimizer, "lr")
