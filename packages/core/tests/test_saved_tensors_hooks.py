"""Hooks on what is saved for backward: who is packed, what is unpacked, what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import flambeau_core as fb
from flambeau_core.autograd import Function, grad
from flambeau_core.autograd.graph import (
    allow_mutation_on_saved_tensors,
    disable_saved_tensors_hooks,
    save_on_cpu,
    saved_tensors_hooks,
)
from flambeau_core.declare import op, primitive


def leaf(values: object) -> fb.Tensor:
    return fb.tensor(values, dtype=fb.float64, requires_grad=True)


def as_it_is(value: Any) -> Any:
    return value


def test_unpacked_values_are_what_backward_uses() -> None:
    x, w = leaf([1.0, 2.0]), leaf([3.0, 4.0])
    with saved_tensors_hooks(lambda t: t * 10, as_it_is):
        y = x * w
    y.sum().backward()
    assert y.tolist() == [3.0, 8.0]
    assert x.grad.tolist() == [30.0, 40.0]
    assert w.grad.tolist() == [10.0, 20.0]


def test_inputs_come_as_they_are_and_without_recording() -> None:
    x = leaf([1.0, 2.0])
    seen: list[Any] = []

    def pack(t: fb.Tensor) -> fb.Tensor:
        seen.append((t is x, t.tolist(), fb.is_grad_enabled()))
        return t

    with saved_tensors_hooks(pack, as_it_is):
        (x * x).sum()
        x.exp()
    assert seen[0] == (True, [1.0, 2.0], False)
    assert seen[-1][0] is False  # exp keeps its result
    assert seen[-1][1] == pytest.approx([2.718281828459045, 7.38905609893065])


@pytest.mark.parametrize(
    ("compute", "expected"),
    [
        (lambda x: (x * x).exp().sum(), [5.43656365691809, 218.39260013257694]),
        (lambda x: (x / (x + 1)).sum(), [0.25, 0.1111111111111111]),
        (lambda x: fb.cat([x, x * x]).prod(), [6 * 4.0, 3 * 4.0 * 1]),
        (lambda x: x.softmax(0)[0], [0.19661193324148185, -0.19661193324148185]),
        (lambda x: (x[:, None] @ x[None, :]).sum(), [6.0, 6.0]),
        (lambda x: x.clamp(0.0, 1.5).sum(), [1.0, 0.0]),
        (lambda x: x.max(), [0.0, 1.0]),
        (lambda x: fb.where(x > 1, x, 2 * x).sum(), [2.0, 1.0]),
    ],
)
def test_every_way_of_saving_passes_through_them(
    compute: Callable[[fb.Tensor], fb.Tensor], expected: list[float]
) -> None:
    kept: dict[int, Any] = {}

    def pack(t: fb.Tensor) -> int:
        kept[len(kept)] = (t.tolist(), t.dtype)
        return len(kept) - 1

    def unpack(key: int) -> fb.Tensor:
        values, dtype = kept[key]
        return fb.tensor(values, dtype=dtype)

    x = leaf([1.0, 2.0])
    with saved_tensors_hooks(pack, unpack):
        y = compute(x)
    assert kept
    assert grad(y, x)[0].tolist() == pytest.approx(expected, rel=1e-12)


def test_second_derivatives_through_unpacked_tensors() -> None:
    x = leaf([1.0, 2.0])
    with saved_tensors_hooks(lambda t: t.tolist(), lambda v: fb.tensor(v, dtype=fb.float64)):
        y = (x * x * x).sum() + x.exp().sum()
    (first,) = grad(y, x, create_graph=True)
    (second,) = grad(first.sum(), x)
    e = [2.718281828459045, 7.38905609893065]
    assert first.tolist() == pytest.approx([3 + e[0], 12 + e[1]])
    assert second.tolist() == pytest.approx([6 + e[0], 12 + e[1]])


def test_one_pass_unpacks_once_another_pass_again() -> None:
    x = leaf([0.5, 0.25])
    calls = []
    with saved_tensors_hooks(as_it_is, lambda t: calls.append(1) or t):
        y = x.sin().sum()
    grad(y, x, retain_graph=True)
    assert len(calls) == 1
    grad(y, x)
    assert len(calls) == 2


def test_the_innermost_pair_is_used() -> None:
    x = leaf([1.0])
    log: list[str] = []
    with saved_tensors_hooks(lambda t: log.append("outer") or t, as_it_is):
        with saved_tensors_hooks(lambda t: log.append("inner") or t, as_it_is):
            y = x.exp()
        y.sin()
    x.exp()
    assert log == ["inner", "outer"]


def test_custom_functions() -> None:
    class Exp(Function):
        @staticmethod
        def forward(ctx: Any, x: fb.Tensor) -> fb.Tensor:
            y = x.exp()
            ctx.save_for_backward(x, y, None)
            return y

        @staticmethod
        def backward(ctx: Any, g: fb.Tensor) -> fb.Tensor:
            _, y, nothing = ctx.saved_tensors
            assert nothing is None
            return g * y

    x = leaf([0.0, 1.0])
    packed = []
    with saved_tensors_hooks(lambda t: packed.append(t.tolist()) or t * 2, as_it_is):
        y = Exp.apply(x)
    assert packed == [[0.0, 1.0], y.tolist()]
    y.sum().backward()
    assert x.grad.tolist() == pytest.approx([2.0, 2 * 2.718281828459045])


def test_primitives_in_python() -> None:
    @primitive("_test_hooks_cube(Tensor self) -> Tensor", function=False)
    def cube(x: fb.Tensor) -> fb.Tensor:
        return x * x * x

    @cube.gradient
    def _(grads: Any, inputs: Any, outputs: Any, needs: Any) -> Any:
        return 3 * inputs[0] ** 2 * grads[0]

    @op("_test_hooks_call(Tensor self) -> Tensor")
    def call(x: fb.Tensor) -> fb.Tensor:
        return cube(x)

    x = leaf([2.0])
    with saved_tensors_hooks(lambda t: t * 10, as_it_is):
        y = call(x)
    y.backward()
    assert x.grad.tolist() == [3 * 400.0]


def test_save_on_cpu() -> None:
    x = leaf([1.0, 2.0])
    with save_on_cpu():
        y = (x * x).exp().sum()
    y.backward()
    assert x.grad.tolist() == pytest.approx([5.43656365691809, 218.39260013257694])


def test_refused_hooks() -> None:
    x = leaf([1.0, 2.0])
    with saved_tensors_hooks(as_it_is, lambda t: 3):
        y = x.exp().sum()
    with pytest.raises(TypeError, match="expected to be a Tensor but got result of type int"):
        y.backward()
    with (
        saved_tensors_hooks(lambda t: t.mul_(2), as_it_is),
        pytest.raises(RuntimeError, match="pack hook is modifying its input in place"),
    ):
        (x * 1).sin()
    with (
        saved_tensors_hooks(lambda t: 1 / 0, as_it_is),
        pytest.raises(ZeroDivisionError),
    ):
        x.exp()
    with pytest.raises(TypeError, match="callable"):
        saved_tensors_hooks(3, 4).__enter__()  # type: ignore[arg-type]
    assert x.exp().requires_grad  # nothing of that lasts


def test_disabled_hooks() -> None:
    hooks = saved_tensors_hooks(as_it_is, as_it_is)
    with disable_saved_tensors_hooks("not here"), pytest.raises(RuntimeError, match="not here"):
        hooks.__enter__()
    with hooks, pytest.raises(RuntimeError, match="nor here"):
        disable_saved_tensors_hooks("nor here").__enter__()
    with hooks:
        pass


def test_saved_tensors_that_may_be_written_to() -> None:
    x = leaf([1.0, 2.0])
    with allow_mutation_on_saved_tensors() as originals:
        a = x * 1
        y = a * a  # keeps a
        z = y.exp()  # keeps its result
        a[1:].zero_()
        a.add_(100)
        z.mul_(0)
        with pytest.raises(RuntimeError, match="nested"), allow_mutation_on_saved_tensors():
            pass
        b = x.sin()
        originals.clear()
        y.sum().backward(retain_graph=True)
        assert x.grad.tolist() == [2.0, 4.0]
        b.sum().backward()
    a.add_(1)  # the copies are made already
    x.grad = None
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]


def test_hooks_belong_to_their_thread() -> None:
    import threading

    log: list[str] = []
    with saved_tensors_hooks(lambda t: log.append("packed") or t, as_it_is):
        thread = threading.Thread(target=lambda: leaf([1.0]).exp())
        thread.start()
        thread.join()
    assert log == []
