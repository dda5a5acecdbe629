"""Loss scaling, which keeps small float16 gradients from vanishing (Micikevicius et al., 2018)."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from enum import Enum
from typing import Any

import flambeau_core as fb
from flambeau_core.plugins import is_available


class Stage(Enum):
    """How far an optimizer has come since the last update()."""

    READY = 0
    UNSCALED = 1
    STEPPED = 2


class OptimizerState:
    def __init__(self) -> None:
        self.stage = Stage.READY
        self.found_inf = False
        self.has_gradients = False


class GradScaler:
    """Multiplies losses by a factor, divides gradients by it, and skips steps that overflowed.

    The factor grows while gradients stay finite and shrinks when they do not.

    Args:
        device: the device type of the model.
        init_scale: the first factor.
        growth_factor: by which the factor grows after ``growth_interval`` good steps in a row.
        backoff_factor: by which it shrinks after a step with infinite or NaN gradients.
        growth_interval: number of good steps.
        enabled: False makes every method pass things through unchanged.
    """

    def __init__(
        self,
        device: str = "cuda",
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        self._device = device
        self._enabled = enabled
        if enabled and not is_available(device):
            warnings.warn(
                f"GradScaler: the device type {device!r} is not available: scaling is disabled",
                stacklevel=2 + (type(self) is not GradScaler),  # the line that made it
            )
            self._enabled = False
        if self._enabled:
            if growth_factor <= 1.0:
                raise AssertionError("The growth factor must be > 1.0.")
            if backoff_factor >= 1.0:
                raise AssertionError("The backoff factor must be < 1.0.")
        self._scale = float(init_scale)
        self._growth_factor = growth_factor
        self._backoff_factor = backoff_factor
        self._growth_interval = growth_interval
        self._growth_tracker = 0
        self._scaled = False
        self._states: dict[int, OptimizerState] = {}

    def scale(self, outputs: Any) -> Any:
        """A tensor, or the tensors of an iterable, times the factor."""
        if not self._enabled:
            return outputs
        self._scaled = True
        return self._multiplied(outputs)

    def _multiplied(self, outputs: Any) -> Any:
        if isinstance(outputs, fb.Tensor):
            # a float32 factor: a 0-dim float16 loss becomes float32 rather than overflow
            factor = fb.full((), self._scale, dtype=fb.float32, device=outputs.device)
            return outputs * factor
        if isinstance(outputs, (list, tuple)):
            return type(outputs)(self._multiplied(output) for output in outputs)
        if isinstance(outputs, Iterable):
            return map(self._multiplied, outputs)
        raise ValueError(
            f"GradScaler.scale takes a tensor or an iterable of tensors, "
            f"got {type(outputs).__name__}"
        )

    def unscale_(self, optimizer: Any) -> None:
        """Divides the gradients of an optimizer by the factor, for clipping them before step().

        Raises:
            RuntimeError: called twice, or after step(), since the last update().
        """
        if not self._enabled:
            return
        self._check_scaled("unscale_")
        state = self._state(optimizer)
        if state.stage is Stage.UNSCALED:
            raise RuntimeError(
                "unscale_() has already been called on this optimizer since the last update()."
            )
        if state.stage is Stage.STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        inverse = 1.0 / self._scale
        with fb.no_grad():
            for gradient in gradients(optimizer):
                if gradient.dtype == fb.float16:
                    raise ValueError("Attempting to unscale FP16 gradients.")
                state.has_gradients = True
                state.found_inf |= not bool(fb.isfinite(gradient).all())
                gradient.mul_(inverse)
        state.stage = Stage.UNSCALED

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """``optimizer.step(*args, **kwargs)``, skipped when a gradient is infinite or NaN.

        Raises:
            RuntimeError: called twice since the last update(), or with a closure.
            AssertionError: no parameter of the optimizer has a gradient.
        """
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("GradScaler.step cannot be used with a closure")
        self._check_scaled("step")
        state = self._state(optimizer)
        if state.stage is Stage.STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if state.stage is Stage.READY:
            self.unscale_(optimizer)
        if not state.has_gradients:
            raise AssertionError("No inf checks were recorded for this optimizer.")
        result = None if state.found_inf else optimizer.step(*args, **kwargs)
        state.stage = Stage.STEPPED
        return result

    def update(self, new_scale: Any = None) -> None:
        """Adapts the factor to what the steps found, or sets it to a number or tensor."""
        if not self._enabled:
            return
        self._check_scaled("update")
        if new_scale is not None:
            self._scale = float(new_scale)
        else:
            states = [state for state in self._states.values() if state.has_gradients]
            if not states:
                raise AssertionError("No inf checks were recorded prior to update.")
            self._adapt(any(state.found_inf for state in states))
        self._states.clear()

    def _adapt(self, found_inf: bool) -> None:
        if found_inf:
            self._scale *= self._backoff_factor
            self._growth_tracker = 0
            return
        self._growth_tracker += 1
        if self._growth_tracker == self._growth_interval:
            self._growth_tracker = 0
            if math.isfinite(self._scale * self._growth_factor):
                self._scale *= self._growth_factor

    def _state(self, optimizer: Any) -> OptimizerState:
        return self._states.setdefault(id(optimizer), OptimizerState())

    def _check_scaled(self, method: str) -> None:
        if not self._scaled:
            raise AssertionError(
                f"GradScaler.{method} was called before scale(): scale the loss first"
            )

    def get_scale(self) -> float:
        return self._scale if self._enabled else 1.0

    def get_growth_factor(self) -> float:
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        self._growth_interval = new_interval

    def is_enabled(self) -> bool:
        return self._enabled

    def state_dict(self) -> dict[str, Any]:
        """The factor and how it changes; empty when disabled."""
        if not self._enabled:
            return {}
        return {
            "scale": self._scale,
            "growth_factor": self._growth_factor,
            "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval,
            "_growth_tracker": self._growth_tracker,
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restores what state_dict() gave.

        Raises:
            RuntimeError: it is empty, as that of a disabled scaler is.
        """
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError(
                "GradScaler.load_state_dict got an empty state: a disabled GradScaler saved it"
            )
        self._scale = float(state_dict["scale"])
        self._growth_factor = state_dict["growth_factor"]
        self._backoff_factor = state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
        self._growth_tracker = state_dict["_growth_tracker"]


def gradients(optimizer: Any) -> Iterable[Any]:
    for group in optimizer.param_groups:
        for parameter in group["params"]:
            if parameter.grad is not None:
                yield parameter.grad
