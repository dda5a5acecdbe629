"""What the tests share: comparing tensors, and derivatives by differences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import flambeau_core as fb
from flambeau_core import Tensor


def _flat(values: Any) -> list[float]:
    if isinstance(values, Tensor):
        return [float(v) for v in values.detach().reshape(-1).tolist()]
    if isinstance(values, (list, tuple)):
        return [number for value in values for number in _flat(value)]
    return [float(values)]


def _shape(values: Any) -> tuple[int, ...]:
    if isinstance(values, Tensor):
        return tuple(values.shape)
    if isinstance(values, (list, tuple)):
        return (len(values), *(_shape(values[0]) if values else ()))
    return ()


@pytest.fixture
def close() -> Callable[..., None]:
    """`close(tensor, expected)`: equal shapes, and equal values to a tolerance."""

    def check(actual: Tensor, expected: Any, rel: float = 1e-5, abs: float = 1e-6) -> None:
        assert tuple(actual.shape) == _shape(expected)
        assert _flat(actual) == pytest.approx(_flat(expected), rel=rel, abs=abs, nan_ok=True)

    return check


@pytest.fixture
def gradcheck() -> Callable[..., None]:
    """`gradcheck(fn, *inputs)`: the gradients of float64 inputs against central differences."""

    def check(fn: Callable[..., Tensor], *inputs: Tensor, step: float = 1e-6) -> None:
        leaves = [x.detach().clone().requires_grad_() for x in inputs]
        weights = None
        for leaf in leaves:
            assert leaf.dtype == fb.float64
        result = fn(*leaves)
        weights = fb.linspace(0.5, 1.5, result.numel(), dtype=fb.float64).reshape(result.shape)
        (result * weights).sum().backward()
        for place, leaf in enumerate(leaves):
            assert leaf.grad is not None
            numbers = _flat(leaf)
            differences = []
            for i in range(len(numbers)):
                sides = []
                for sign in (1, -1):
                    moved = list(numbers)
                    moved[i] += sign * step
                    given = [x.detach() for x in leaves]
                    given[place] = fb.tensor(moved, dtype=fb.float64).reshape(leaf.shape)
                    sides.append((fn(*given) * weights).sum().item())
                differences.append((sides[0] - sides[1]) / (2 * step))
            assert _flat(leaf.grad) == pytest.approx(differences, rel=1e-5, abs=1e-6)

    return check


@pytest.fixture
def values() -> Callable[..., Tensor]:
    """`values(*shape)`: distinct float64 numbers in (-2, 2), the same at every call."""

    def make(*shape: int, dtype: Any = None, shift: float = 0.0) -> Tensor:
        count = 1
        for size in shape:
            count *= size
        numbers = [((37 * i + 11) % 101) / 25.25 - 2 + shift for i in range(count)]
        return fb.tensor(numbers, dtype=dtype or fb.float64).reshape(shape)

    return make


@pytest.fixture
def patterned() -> Callable[[Any], Any]:
    """`patterned(module)`: the module in evaluation mode, its parameters set to fixed numbers."""

    def fill(module: Any) -> Any:
        place = 0
        for parameter in module.parameters():
            count = parameter.numel()
            numbers = [((37 * (place + k) + 11) % 101) / 101 - 0.5 for k in range(count)]
            with fb.no_grad():
                parameter.copy_(fb.tensor(numbers).reshape(parameter.shape))
            place += count
        return module.eval()

    return fill
