"""Takes some steps of fixed gradients, with which reference results were recorded."""

from collections.abc import Callable
from typing import Any

import pytest

import flambeau_core as fb


def _gradient(step: int) -> fb.Tensor:
    sign = -1 if step // 2 % 2 else 1
    scale = (step + 1) * sign
    return fb.tensor([0.5 * scale + 0.25, -scale, 2.0 * scale], dtype=fb.float64)


@pytest.fixture
def after() -> Callable[..., list[float]]:
    """The parameter [1, -2, 3] after some steps of an optimizer class."""

    def take_steps(optimizer_class: Any, steps: int, **options: Any) -> list[float]:
        param = fb.tensor([1.0, -2.0, 3.0], dtype=fb.float64, requires_grad=True)
        optimizer = optimizer_class([param], **options)
        for step in range(steps):
            param.grad = _gradient(step)
            optimizer.step()
        values: list[float] = param.tolist()
        return values

    return take_steps
