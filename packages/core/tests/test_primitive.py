"""Ops declared in Python with a gradient of their own."""

from __future__ import annotations

import gc
import itertools
import weakref
from typing import Any

import pytest

import flambeau_core as fb
from flambeau_core import _C
from flambeau_core.declare import op, primitive
from flambeau_testing import gradcheck, gradgradcheck

_numbers = itertools.count()


def fresh(name: str) -> str:
    """Ops live as long as the process: each test declares its own."""
    return f"_{name}_{next(_numbers)}"


def powered() -> Any:
    @primitive(f"{fresh('powered')}(Tensor self, float exponent) -> Tensor")
    def power(self: fb.Tensor, exponent: float) -> fb.Tensor:
        assert not fb.is_grad_enabled()
        return self**exponent

    @power.gradient
    def _(grad_outputs: Any, inputs: Any, outputs: Any, needs: Any) -> Any:
        x, exponent = inputs
        return grad_outputs[0] * exponent * outputs[0] / x

    return power


def test_gradient_and_second_gradient() -> None:
    power = powered()
    x = fb.tensor([1.5, 2.0, 0.5], dtype=fb.float64, requires_grad=True)
    y = power(x, 3.0)
    assert y.grad_fn is not None and "Powered" in y.grad_fn.name()
    assert gradcheck(lambda x: power(x, 3.0), [x])
    assert gradgradcheck(lambda x: power(x, 3.0), [x])


def test_not_recorded_without_need() -> None:
    power = powered()
    assert power(fb.ones(2), 2.0).grad_fn is None
    with fb.no_grad():
        assert power(fb.ones(2, requires_grad=True), 2.0).grad_fn is None


def test_is_primitive() -> None:
    name = fresh("composed")
    op(f"{name}(Tensor self) -> Tensor")(lambda self: self + 1)
    assert powered().is_primitive
    assert fb.add.is_primitive
    assert not getattr(_C, name).is_primitive


def test_modified_input_is_refused_only_when_it_is_read() -> None:
    power = powered()

    @primitive(f"{fresh('exponential')}(Tensor self) -> Tensor")
    def exponential(self: fb.Tensor) -> fb.Tensor:
        return self.exp()

    exponential.gradient(lambda grads, inputs, outputs, needs: grads[0] * outputs[0])
    for function, refused in ((lambda x: power(x, 2.0), True), (exponential, False)):
        leaf = fb.ones(3, requires_grad=True)
        x = leaf * 1
        y = function(x)
        x.detach().zero_()
        if refused:
            with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                y.sum().backward()
        else:
            y.sum().backward()
    y = exponential(fb.ones(3, requires_grad=True))
    y.detach().zero_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_several_outputs_some_without_gradient() -> None:
    seen: list[Any] = []

    @primitive(f"{fresh('parts')}(Tensor self, Tensor? other=None) -> (Tensor, Tensor, Tensor)")
    def parts(self: fb.Tensor, other: fb.Tensor | None) -> tuple[fb.Tensor, ...]:
        return self * 2, (self > 0).to(fb.int64), self * 3

    @parts.gradient
    def _(grads: Any, inputs: Any, outputs: Any, needs: Any) -> Any:
        seen.append((grads, needs, len(inputs), inputs[1], outputs[1].dtype))
        return (0 if grads[0] is None else grads[0] * 2) + grads[2] * 3, None

    x = fb.ones(2, requires_grad=True)
    doubled, positive, tripled = parts(x)
    assert doubled.requires_grad and tripled.requires_grad and not positive.requires_grad
    tripled.sum().backward()
    grads, needs, n_inputs, other, dtype = seen[0]
    assert grads[0] is None and grads[1] is None
    assert needs == (True, False)
    assert (n_inputs, other, dtype) == (2, None, fb.int64)
    assert x.grad.tolist() == [3.0, 3.0]


def test_list_of_tensors() -> None:
    seen: list[Any] = []

    @primitive(f"{fresh('total')}(Tensor[] tensors, Scalar factor=1) -> Tensor")
    def total(tensors: Any, factor: float) -> fb.Tensor:
        return fb.stack(tensors).sum(0) * factor

    @total.gradient
    def _(grads: Any, inputs: Any, outputs: Any, needs: Any) -> Any:
        seen.append(needs)
        tensors, factor = inputs
        return [grads[0] * factor if n else None for n in needs[0]]

    a, b = fb.ones(2, requires_grad=True), fb.ones(2)
    total([a, b], 4).sum().backward()
    assert seen == [((True, False),)]
    assert a.grad.tolist() == [4.0, 4.0] and b.grad is None


def test_wrong_gradients_are_refused() -> None:
    for gradient, error, text in (
        (lambda g, i, o, n: (g[0], g[0]), RuntimeError, "incorrect number of gradients"),
        (lambda g, i, o, n: (1.0,), TypeError, "expected a tensor or None"),
    ):
        identity = primitive(f"{fresh('same')}(Tensor self) -> Tensor")(lambda self: self.clone())
        identity.gradient(gradient)
        with pytest.raises(error, match=text):
            identity(fb.ones(2, requires_grad=True)).sum().backward()
    bare = primitive(f"{fresh('bare')}(Tensor self) -> Tensor")(lambda self: self.clone())
    with pytest.raises(NotImplementedError, match="derivative"):
        bare(fb.ones(2, requires_grad=True)).sum().backward()
    with pytest.raises(TypeError, match="has a gradient already"):
        fb.add.gradient(lambda *_: None)


def test_second_backward_needs_retain_graph() -> None:
    y = powered()(fb.ones(2, requires_grad=True), 2.0).sum()
    y.backward(retain_graph=True)
    y.backward()
    with pytest.raises(RuntimeError, match="second time"):
        y.backward()


def test_input_handed_through_keeps_its_history() -> None:
    same = primitive(f"{fresh('through')}(Tensor self) -> Tensor")(lambda self: self)
    same.gradient(lambda g, i, o, n: g[0] * 5)
    x = fb.ones(2, requires_grad=True)
    y = same(x)
    assert y is not x and x.is_leaf
    y.sum().backward()
    assert x.grad.tolist() == [5.0, 5.0]


def test_broadcast_gradient_is_summed() -> None:
    plus = primitive(f"{fresh('plus')}(Tensor self, Tensor other) -> Tensor")(lambda a, b: a + b)
    plus.gradient(lambda g, i, o, n: (g[0], g[0]))
    a, b = fb.ones(3, 2, requires_grad=True), fb.ones(2, requires_grad=True)
    plus(a, b).sum().backward()
    assert b.grad.tolist() == [3.0, 3.0]


def test_no_reference_cycle() -> None:
    y = powered()(fb.ones(2, requires_grad=True), 2.0)
    gone = weakref.ref(y)
    gc.disable()
    try:
        del y
        assert gone() is None
    finally:
        gc.enable()
