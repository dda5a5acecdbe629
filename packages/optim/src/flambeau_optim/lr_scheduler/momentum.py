"""The momentum that schedules cycle against the rate: ``momentum``, or Adam's first beta."""

from __future__ import annotations

from typing import Any

from ..optimizer import Optimizer


def uses_beta1(optimizer: Optimizer) -> bool:
    """Whether the momentum of ``optimizer`` is its first beta.

    Raises:
        ValueError: it has neither betas nor a momentum.
    """
    if "betas" in optimizer.defaults:
        return True
    if "momentum" in optimizer.defaults:
        return False
    raise ValueError(
        "cycle_momentum=True needs an optimizer with `momentum` or `betas`, but "
        f"{type(optimizer).__name__} has neither"
    )


def set_momentum(group: dict[str, Any], value: float, use_beta1: bool) -> None:
    if use_beta1:
        group["betas"] = (value, *group["betas"][1:])
    else:
        group["momentum"] = value
