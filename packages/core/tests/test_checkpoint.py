"""Checkpointed functions: gradients, second runs, what they restore and what they refuse."""

from __future__ import annotations

import contextlib
import gc
import math
import weakref
from collections.abc import Callable
from typing import Any

import pytest

import flambeau_core as fb
from flambeau_core import _C
from flambeau_core.autograd import grad
from flambeau_core.utils.checkpoint import (
    CheckpointError,
    checkpoint,
    checkpoint_sequential,
    set_checkpoint_debug_enabled,
    set_checkpoint_early_stop,
)

both = pytest.mark.parametrize("use_reentrant", [False, True])


def leaf(values: object) -> fb.Tensor:
    return fb.tensor(values, dtype=fb.float64, requires_grad=True)


class Counted:
    """A function that counts its calls."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.calls = 0

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.calls += 1
        return self.function(*args, **kwargs)


def wave(x: fb.Tensor) -> fb.Tensor:
    return (x.sin() * x).exp()


def expected_gradient() -> list[float]:
    x = leaf([0.3, 0.2])
    return grad(wave(x).sum(), x)[0].tolist()


@both
def test_gradient_by_a_second_run(use_reentrant: bool) -> None:
    x, f = leaf([0.3, 0.2]), Counted(wave)
    y = checkpoint(f, x, use_reentrant=use_reentrant)
    assert f.calls == 1
    y.sum().backward()
    assert f.calls == 2
    assert x.grad.tolist() == pytest.approx(expected_gradient(), rel=1e-14)


@both
def test_parameters_in_the_closure(use_reentrant: bool) -> None:
    x, w = leaf([1.0, 2.0]), leaf([3.0, 4.0])
    checkpoint(lambda t: (t * w) ** 2, x, use_reentrant=use_reentrant).sum().backward()
    assert x.grad.tolist() == [18.0, 64.0]
    assert w.grad.tolist() == [6.0, 32.0]


@both
def test_several_results(use_reentrant: bool) -> None:
    x = leaf([1.0, 2.0])
    a, b, c = checkpoint(lambda t: (t * t, t * t * t, 3), x, use_reentrant=use_reentrant)
    (a.sum() + 2 * b.sum()).backward()
    assert c == 3
    assert x.grad.tolist() == [8.0, 28.0]


def test_keyword_and_other_arguments() -> None:
    x, w = leaf([1.0, 2.0]), leaf([2.0, 2.0])

    def f(a: fb.Tensor, k: int, *, s: float, w: fb.Tensor) -> fb.Tensor:
        return (a * w) ** k * s

    checkpoint(f, x, 2, s=0.5, w=w, use_reentrant=False).sum().backward()
    assert x.grad.tolist() == [4.0, 8.0]
    assert w.grad.tolist() == [2.0, 8.0]


def test_nothing_but_the_inputs_is_kept() -> None:
    inner: list[weakref.ref[fb.Tensor]] = []

    def f(t: fb.Tensor) -> fb.Tensor:
        middle = t.exp()
        inner.append(weakref.ref(middle))
        return middle.sin()

    x = leaf([0.3, 0.2])
    gc.collect()
    before = _C._live_nodes()
    y = checkpoint(f, x, use_reentrant=False).sum()
    assert inner[0]() is None
    y.backward()
    del y
    gc.collect()
    assert _C._live_nodes() == before


def test_nested_regions() -> None:
    inner = Counted(wave)
    middle = Counted(lambda t: checkpoint(inner, t.cos(), use_reentrant=False).sin())
    outer = Counted(lambda t: checkpoint(middle, t.exp(), use_reentrant=False).cos())
    x, plain = leaf([0.3, 0.2]), leaf([0.3, 0.2])
    checkpoint(outer, x, use_reentrant=False).sum().backward()
    wave(plain.exp().cos()).sin().cos().sum().backward()
    assert x.grad.tolist() == pytest.approx(plain.grad.tolist(), rel=1e-14)
    # Each level runs once for every level around it, and once more.
    assert (outer.calls, middle.calls, inner.calls) == (2, 3, 4)


def test_second_derivative() -> None:
    x = leaf([1.0, 2.0])
    y = checkpoint(lambda t: t * t * t, x, use_reentrant=False).sum()
    (first,) = grad(y, x, create_graph=True)
    (second,) = grad(first.sum(), x)
    assert first.tolist() == [3.0, 12.0]
    assert second.tolist() == [6.0, 12.0]


def test_retained_graph_runs_again() -> None:
    x, f = leaf([0.3, 0.2]), Counted(wave)
    y = checkpoint(f, x, use_reentrant=False).sum()
    y.backward(retain_graph=True)
    y.backward()
    assert f.calls == 3
    assert x.grad.tolist() == pytest.approx([2 * g for g in expected_gradient()])
    with pytest.raises(RuntimeError, match="second time"):
        y.backward()


@pytest.mark.parametrize(("early_stop", "ends"), [(True, 1), (False, 2)])
def test_early_stop(early_stop: bool, ends: int) -> None:
    reached = []

    def f(t: fb.Tensor) -> fb.Tensor:
        y = t.exp() * 2  # nothing is saved after exp
        reached.append(1)
        return y

    x = leaf([0.0])
    with set_checkpoint_early_stop(early_stop):
        y = checkpoint(f, x, use_reentrant=False)
    y.backward()
    assert x.grad.tolist() == [2.0]
    assert len(reached) == ends


@both
@pytest.mark.parametrize("preserve", [True, False])
def test_random_numbers(use_reentrant: bool, preserve: bool) -> None:
    masks: list[list[float]] = []

    def f(t: fb.Tensor) -> fb.Tensor:
        mask = (fb.rand(64) > 0.5).to(fb.float64)
        masks.append(mask.tolist())
        return (t * mask).exp()

    fb.manual_seed(3)
    x = fb.ones(64, dtype=fb.float64, requires_grad=True)
    y = checkpoint(f, x, use_reentrant=use_reentrant, preserve_rng_state=preserve)
    fb.rand(5)
    state = fb.get_rng_state()
    y.sum().backward()
    assert (masks[0] == masks[1]) is preserve
    assert fb.get_rng_state().equal(state) is preserve


@both
def test_autocast(use_reentrant: bool) -> None:
    seen: list[fb.dtype] = []

    def f(t: fb.Tensor) -> fb.Tensor:
        y = t @ t
        seen.append(y.dtype)
        return y.exp()

    with fb.autocast("cpu", dtype=fb.bfloat16):
        y = checkpoint(f, fb.ones(2, 2, requires_grad=True), use_reentrant=use_reentrant)
    y.float().sum().backward()
    assert seen == [fb.bfloat16, fb.bfloat16]


def test_contexts() -> None:
    log: list[str] = []

    @contextlib.contextmanager
    def noted(name: str) -> Any:
        log.append(f"into {name}")
        yield
        log.append(f"out of {name}")

    x = leaf([0.3])
    y = checkpoint(
        lambda t: t.exp().sin() + t,
        x,
        use_reentrant=False,
        early_stop=False,
        context_fn=lambda: (noted("first"), noted("second")),
    )
    assert log == ["into first", "out of first"]
    y.backward()
    assert log[2:] == ["into second", "out of second"]


def test_backward_inside_of_the_function() -> None:
    def f(t: fb.Tensor) -> fb.Tensor:
        u = t.detach().requires_grad_()
        (slope,) = grad(u.exp(), u)
        return (t * slope).sin()

    x = leaf(0.3)
    checkpoint(f, x, use_reentrant=False).backward()
    slope = math.exp(0.3)
    assert x.grad.item() == pytest.approx(slope * math.cos(0.3 * slope))


@both
def test_no_grad(use_reentrant: bool) -> None:
    with fb.no_grad():
        y = checkpoint(wave, leaf([0.3, 0.2]), use_reentrant=use_reentrant)
    assert not y.requires_grad


@both
def test_sequential(use_reentrant: bool) -> None:
    first, last = Counted(fb.sin), Counted(fb.exp)
    x, plain = leaf([0.3, 0.2]), leaf([0.3, 0.2])
    y = checkpoint_sequential([first, fb.exp, fb.cos, last], 2, x, use_reentrant=use_reentrant)
    y.sum().backward()
    plain.sin().exp().cos().exp().sum().backward()
    assert x.grad.tolist() == pytest.approx(plain.grad.tolist(), rel=1e-14)
    assert (first.calls, last.calls) == (2, 1)  # the last piece is not checkpointed


def changing(first: Callable[..., Any], second: Callable[..., Any]) -> Callable[..., Any]:
    """One function the first time, another one from then on."""
    calls = iter([first])
    return lambda t: next(calls, second)(t)


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (lambda t: t.float().sin().exp(), "different metadata"),
        (lambda t: t[:1].sin().exp(), "different metadata"),
        (lambda t: t.sin(), "another number of tensors"),
    ],
)
@pytest.mark.parametrize("debug", [False, True])
def test_other_results_in_the_second_run(
    second: Callable[..., Any], message: str, debug: bool
) -> None:
    x = leaf([0.3, 0.2])
    with set_checkpoint_debug_enabled(debug):
        y = checkpoint(changing(lambda t: t.sin().exp(), second), x, use_reentrant=False)
    with pytest.raises(CheckpointError, match=message) as error:
        y.sum().backward()
    assert ("in the second run at" in str(error.value)) is debug
    assert ("test_checkpoint.py" in str(error.value)) is debug


def test_metadata_need_not_agree() -> None:
    x = leaf([0.3, 0.2])
    f = changing(fb.exp, lambda t: t.float().exp())
    checkpoint(f, x, use_reentrant=False, determinism_check="none").sum().backward()
    assert x.grad.tolist() == pytest.approx(x.exp().tolist(), rel=1e-6)


def test_errors() -> None:
    x = leaf([0.3, 0.2])
    with pytest.warns(UserWarning, match="use_reentrant"):
        assert checkpoint(wave, x).requires_grad
    with pytest.raises(ValueError, match="Unexpected keyword arguments: k"):
        checkpoint(wave, x, use_reentrant=True, k=2)
    with pytest.raises(ValueError, match="use_reentrant=False"):
        checkpoint(wave, x, use_reentrant=True, debug=True)
    with pytest.raises(ValueError, match="determinism_check"):
        checkpoint(wave, x, use_reentrant=False, determinism_check="strict")
    with pytest.warns(UserWarning, match="None of the inputs"):
        checkpoint(wave, x.detach(), use_reentrant=True)
    y = checkpoint(wave, x, use_reentrant=True).sum()
    with pytest.raises(RuntimeError, match=r"incompatible with autograd.grad\(\)"):
        grad(y, x)
    with pytest.raises(ValueError, match="preserve"):
        checkpoint_sequential([wave], 1, x, use_reentrant=False, preserve=True)


def test_an_error_of_the_function_comes_through() -> None:
    def fail(t: fb.Tensor) -> fb.Tensor:
        raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        checkpoint(fail, leaf([1.0]), use_reentrant=False)
    y = checkpoint(changing(fb.exp, fail), leaf([1.0]), use_reentrant=False)
    with pytest.raises(ValueError, match="mine"):
        y.backward()
    assert leaf([1.0]).exp().requires_grad  # the hooks are gone
