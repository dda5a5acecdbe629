"""The base class of the schedules that step once an epoch or batch."""

from __future__ import annotations

import warnings
from typing import Any

import flambeau_core as fb

from ..optimizer import Optimizer

_STEP_FIRST = (
    "`lr_scheduler.step()` was called before `optimizer.step()`: call `optimizer.step()` first, "
    "or the first value of the schedule is skipped"
)


class LRScheduler:
    """Sets the learning rate of each parameter group, epoch after epoch.

    Subclasses give ``get_lr()``, which derives the rates of ``last_epoch`` from the present ones
    and so chains with other schedules; ``_get_closed_form_lr()``, where there is one, derives them
    from ``base_lrs`` alone.

    Args:
        optimizer: whose groups are changed; their first rates are kept as ``"initial_lr"``.
        last_epoch: the epoch to resume at; -1 starts anew.

    Raises:
        TypeError: ``optimizer`` is none.
        KeyError: resuming, and a group has no ``"initial_lr"``.
    """

    last_epoch: int
    base_lrs: list[Any]

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1) -> None:
        check_optimizer(optimizer)
        self.optimizer = optimizer
        if last_epoch == -1:
            for group in optimizer.param_groups:
                group.setdefault("initial_lr", copy_of(group["lr"]))
        else:
            for index, group in enumerate(optimizer.param_groups):
                if "initial_lr" not in group:
                    raise KeyError(
                        f"param 'initial_lr' is not specified in param_groups[{index}]: "
                        f"last_epoch={last_epoch} resumes a schedule, so load the state of the "
                        "optimizer first"
                    )
        self.base_lrs = [copy_of(group["initial_lr"]) for group in optimizer.param_groups]
        self.last_epoch = last_epoch
        _watch_first_step(optimizer)
        self._initial_step()

    def _initial_step(self) -> None:
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def state_dict(self) -> dict[str, Any]:
        """Everything but the optimizer."""
        return {key: value for key, value in self.__dict__.items() if key != "optimizer"}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over what ``state_dict()`` returned."""
        self.__dict__.update(state_dict)

    def get_last_lr(self) -> list[Any]:
        """The rates that the last ``step()`` set, one a group."""
        return self._last_lr

    def get_lr(self) -> list[Any]:
        """The rates of ``last_epoch``; for ``step()``, which calls it at the right moment."""
        raise NotImplementedError(f"{type(self).__name__} does not define get_lr()")

    def _get_closed_form_lr(self) -> list[Any] | None:
        return None

    def step(self, epoch: int | None = None) -> None:
        """Go on by one epoch, or, with ``epoch``, to that one."""
        if self._step_count == 1:
            self._warn_of_order()
        self._step_count += 1
        if epoch is not None:
            warnings.warn(
                "the argument epoch of scheduler.step() is deprecated: call scheduler.step() "
                "without it",
                stacklevel=2,
            )
        self._advance(epoch)

    def _advance(self, epoch: int | None = None) -> None:
        self._get_lr_called_within_step = True
        try:
            if epoch is None:
                self.last_epoch += 1
                rates = self.get_lr()
            else:
                self.last_epoch = epoch
                rates = self._get_closed_form_lr() or self.get_lr()
        finally:
            self._get_lr_called_within_step = False
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            set_value(group, "lr", rate)
        self._last_lr = group_values(self.optimizer, "lr")

    def _warn_of_order(self) -> None:
        if not getattr(self.optimizer, "_opt_called", False):
            warnings.warn(_STEP_FIRST, stacklevel=3)

    def _warn_outside_step(self) -> None:
        if not self._get_lr_called_within_step:
            warnings.warn(
                "get_lr() computes the next rates; the last ones are in `get_last_lr()`",
                stacklevel=3,
            )


def check_optimizer(optimizer: Any) -> None:
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")


def copy_of(value: Any) -> Any:
    return value.clone() if isinstance(value, fb.Tensor) else value


def group_values(optimizer: Optimizer, key: str) -> list[Any]:
    return [copy_of(group[key]) for group in optimizer.param_groups]


def set_value(group: dict[str, Any], key: str, value: Any) -> None:
    """A rate kept in a tensor is changed in place, since others may hold the tensor."""
    if isinstance(group[key], fb.Tensor):
        group[key].fill_(float(value))
    else:
        group[key] = value


def per_group(optimizer: Optimizer, name: str, value: Any) -> list[Any]:
    """One value a group: ``value`` itself, or its elements where it is a list."""
    count = len(optimizer.param_groups)
    if not isinstance(value, (list, tuple)):
        return [value] * count
    if len(value) != count:
        raise ValueError(f"expected {count} values for {name}, one a group, got {len(value)}")
    return list(value)


def _watch_first_step(optimizer: Optimizer) -> None:
    """Note the first step in ``_opt_called``; the hook then takes itself out of the way."""
    if hasattr(optimizer, "_opt_called"):
        return
    optimizer._opt_called = False  # type: ignore[attr-defined]

    def note(optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        optimizer._opt_called = True  # type: ignore[attr-defined]
        handle.remove()

    handle: Any = optimizer.register_step_post_hook(note)
