"""Long graphs cost what they hold, and nothing of a graph outlives its use."""

from __future__ import annotations

import gc
import itertools
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import flambeau_core as fb
from flambeau_core import _C
from flambeau_core.autograd import Function, grad
from flambeau_core.autograd.graph import saved_tensors_hooks
from flambeau_core.plugins import current_backend
from flambeau_core.utils.checkpoint import checkpoint

fb.ones(1)  # opens the device, which settles who serves it
# An op of the reference backend takes some twenty times as long.
OPS = 200_000 if current_backend("cpu") == "cpu" else 40_000


@pytest.fixture(autouse=True)
def nothing_stays_alive() -> Iterator[None]:
    gc.collect()
    before = _C._live_nodes()
    yield
    gc.collect()
    assert _C._live_nodes() == before


class Doubled(Function):
    @staticmethod
    def forward(ctx: Any, x: fb.Tensor) -> fb.Tensor:
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx: Any, g: fb.Tensor) -> fb.Tensor:
        assert ctx.saved_tensors[0].shape == g.shape
        return g * 2


def halved_and_doubled(y: fb.Tensor) -> fb.Tensor:
    return Doubled.apply(y * 0.5)


def chain(ops: int, step: Callable[[fb.Tensor], fb.Tensor]) -> tuple[fb.Tensor, fb.Tensor]:
    x = fb.full((4,), 0.5, dtype=fb.float64, requires_grad=True)
    y = x
    for _ in itertools.repeat(None, ops):
        y = step(y)
    return x, y


# Each has the derivative 1, so that a chain of any length does; what each saves differs.
STEPS: dict[str, tuple[Callable[[fb.Tensor], fb.Tensor], int]] = {
    "number": (lambda y: y * 1.0, OPS),
    "input": (lambda y: 0.5 * (y * y / y.detach() + y.detach()), OPS // 8),
    "output": (lambda y: y.exp() / y.detach().exp() + (y.detach() - 1), OPS // 8),
    "join": (lambda y: fb.cat([y[:2], y[2:]]), OPS // 3),
    "parts": (lambda y: fb.stack(y.unbind()), OPS // 6),
    "in_place": (lambda y: y.mul_(1.0) if y.grad_fn else y * 1.0, OPS),
    "function": (halved_and_doubled, OPS // 10),
}


@pytest.mark.parametrize("name", STEPS)
def test_backward_through_a_long_chain(name: str) -> None:
    step, ops = STEPS[name]
    x, y = chain(ops, step)
    y.sum().backward()
    assert x.grad is not None
    assert x.grad.tolist() == pytest.approx([1.0] * 4, rel=1e-9)


@pytest.mark.parametrize("name", STEPS)
def test_a_long_chain_that_is_never_run(name: str) -> None:
    step, ops = STEPS[name]
    x, y = chain(ops, step)
    assert y.requires_grad
    del y
    assert x.grad is None


def test_only_some_gradients_of_a_long_chain() -> None:
    x, y = chain(OPS, lambda y: y * 1.0)
    (g,) = grad(y.sum(), x)
    assert g.tolist() == [1.0] * 4


def test_second_derivative_of_a_long_chain() -> None:
    x, y = chain(OPS // 4, lambda y: y * 1.0)
    (g,) = grad((y * y).sum(), x, create_graph=True)
    (h,) = grad(g.sum(), x)
    assert g.tolist() == [1.0] * 4
    assert h.tolist() == [2.0] * 4


def test_cost_grows_with_the_length_alone() -> None:
    def seconds(ops: int) -> float:
        x, y = chain(ops, lambda y: y.sin())
        start = time.perf_counter()
        y.sum().backward()
        return time.perf_counter() - start

    seconds(1000)
    short = min(seconds(OPS // 8) for _ in range(3))
    # Eight times the length; quadratic cost would be 64 times as much.
    assert seconds(OPS) < 32 * short


def training_step(w: fb.Tensor) -> None:
    y = checkpoint(lambda a: (a * w).sin().exp(), fb.ones(10), use_reentrant=False)
    y = Doubled.apply(y).sum()
    (g,) = grad(y, w, create_graph=True)
    (g * g).sum().backward()
    with saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
        z = (w * w).sin()
    with pytest.raises(ZeroDivisionError), w.register_hook(lambda g: 1 / 0):
        z.sum().backward()
    with (
        pytest.raises(ZeroDivisionError),
        saved_tensors_hooks(lambda t: 1 / 0, lambda t: t),
    ):
        w.exp()
    with fb.no_grad():
        w -= 0.001 * w.grad
    w.grad = None


def test_a_thousand_steps_leave_nothing() -> None:
    w = fb.ones(10, requires_grad=True)

    def state() -> tuple[int, int]:
        gc.collect()
        return len(gc.get_objects()), _C._live_nodes()

    for _ in range(20):
        training_step(w)
    before = state()
    for _ in range(1000):
        training_step(w)
    after = state()
    assert after[1] == before[1]
    assert after[0] - before[0] < 50  # the interpreter's own caches


def test_cycles_of_a_context_are_collected_behind_other_ops() -> None:
    class Cycle(Function):
        @staticmethod
        def forward(ctx: Any, x: fb.Tensor) -> fb.Tensor:
            ctx.kept = [y := x * 1]
            return y

        @staticmethod
        def backward(ctx: Any, g: fb.Tensor) -> fb.Tensor:
            return g

    y = Cycle.apply(fb.ones(2, requires_grad=True))
    z = y * 2
    z.sum().backward()
    del y, z
