"""Checks of the numbers an optimizer is built with; each raises ``ValueError`` by name."""

from __future__ import annotations

from typing import Any

import flambeau_core as fb

Number = Any  # float | Tensor with one element: schedules may keep the rate in a tensor


def check_learning_rate(lr: Number) -> None:
    if isinstance(lr, fb.Tensor) and lr.numel() != 1:
        raise ValueError(f"Tensor lr must be 1-element, got the shape {tuple(lr.shape)}")
    if not 0.0 <= lr:
        raise ValueError(f"Invalid learning rate: {lr}")


def check_not_negative(name: str, value: Number) -> None:
    if not 0.0 <= value:
        raise ValueError(f"Invalid {name} value: {value}")


def check_betas(betas: tuple[Number, Number]) -> None:
    if isinstance(betas[0], fb.Tensor) != isinstance(betas[1], fb.Tensor):
        raise ValueError("betas must be either both floats or both Tensors")
    for index, beta in enumerate(betas):
        if not 0.0 <= beta < 1.0:
            raise ValueError(f"Invalid beta parameter at index {index}: {beta}")


def check_execution(foreach: bool | None, fused: bool | None, differentiable: bool) -> None:
    """The switches that choose how PyTorch runs a step; here one native call serves them all."""
    if differentiable:
        raise NotImplementedError(
            "differentiable=True is not supported: a step is never recorded by autograd"
        )
    if fused and foreach:
        raise RuntimeError("`fused` and `foreach` cannot be `True` together")
