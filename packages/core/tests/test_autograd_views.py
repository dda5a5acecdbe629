"""Views that autograd cannot follow to their base, `.data`, and the rules of inference mode."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import flambeau_core as fb
from flambeau_core.autograd import Function, grad


def leaf(values: object) -> fb.Tensor:
    return fb.tensor(values, dtype=fb.float64, requires_grad=True)


# ---- views made where nothing is recorded --------------------------------------------


@pytest.mark.parametrize("of_leaf", [True, False])
def test_views_from_no_grad_refuse_recorded_writes(of_leaf: bool) -> None:
    x = leaf([1.0, 2.0, 3.0])
    base = x if of_leaf else x * 1
    with fb.no_grad():
        view = base[1:]
    with pytest.raises(RuntimeError, match="created in no_grad mode"):
        view.mul_(2)
    with fb.no_grad():
        view.mul_(2)
    assert base.tolist() == [1.0, 4.0, 6.0]


def test_views_from_no_grad_of_plain_tensors_are_free() -> None:
    x = fb.zeros(3)
    with fb.no_grad():
        view = x[1:]
    view.add_(1)
    assert x.tolist() == [0.0, 1.0, 1.0]


def test_a_view_of_such_a_view_is_one_too() -> None:
    y = leaf([1.0, 2.0, 3.0]) * 1
    with fb.no_grad():
        view = y[1:]
    with pytest.raises(RuntimeError, match="no_grad"):
        view[:1].zero_()


def test_a_view_from_no_grad_loses_a_base_that_is_rewritten() -> None:
    y = leaf([1.0, 2.0, 3.0]) * 1
    with fb.no_grad():
        view = y[1:]
    y.mul_(2)
    assert view.requires_grad
    with pytest.raises(RuntimeError, match="its base or another view of its base has been"):
        view * 2


def test_unrecorded_write_through_a_view() -> None:
    x = leaf([1.0, 2.0, 3.0])
    y = x * 1
    view = y[1:]
    with fb.no_grad():
        view.mul_(2)
    y.sum().backward()
    assert y.tolist() == [1.0, 4.0, 6.0]
    assert x.grad.tolist() == [1.0, 1.0, 1.0]


def test_views_that_a_custom_function_returns() -> None:
    class Flat(Function):
        @staticmethod
        def forward(ctx: Any, x: fb.Tensor) -> fb.Tensor:
            return x.view(-1)

        @staticmethod
        def backward(ctx: Any, g: fb.Tensor) -> fb.Tensor:
            return g.view(2, 2) * 3

    x = leaf([[1.0, 2.0], [3.0, 4.0]])
    view = Flat.apply(x * 1)
    assert view._is_view()
    with pytest.raises(RuntimeError, match="custom Function"):
        view.mul_(2)
    assert grad(view.sum(), x)[0].tolist() == [[3.0, 3.0], [3.0, 3.0]]


# ---- leaves and results --------------------------------------------------------------


@pytest.mark.parametrize(
    ("write", "message"),
    [
        (lambda x: x.mul_(2), "a leaf Variable that requires grad"),
        (lambda x: x.zero_(), "a leaf Variable that requires grad"),
        (lambda x: x.t_(), "a leaf Variable that requires grad"),
        (lambda x: x[1:].mul_(2), "a view of a leaf Variable"),
        (lambda x: x.view(-1)[0].copy_(fb.tensor(1.0)), "a view of a leaf Variable"),
    ],
)
def test_leaves_refuse_every_recorded_write(
    write: Callable[[fb.Tensor], Any], message: str
) -> None:
    x = leaf([[1.0, 2.0], [3.0, 4.0]])
    with pytest.raises(RuntimeError, match=message):
        write(x)
    with pytest.raises(RuntimeError, match="leaf Variable"):
        x[0] = 5.0
    assert x._version == 0
    assert x.tolist() == [[1.0, 2.0], [3.0, 4.0]]


def test_writes_into_a_plain_base_through_views_of_views() -> None:
    x = leaf([1.0, 2.0, 3.0, 4.0])
    base = fb.zeros(4, dtype=fb.float64)
    square = base.view(2, 2)
    square[0].copy_(x[:2])
    square[1] = x[2:] * 3
    turned = square.t()
    (turned * turned).sum().backward()
    assert base.requires_grad
    assert base.tolist() == [1.0, 2.0, 9.0, 12.0]
    assert x.grad.tolist() == [2.0, 4.0, 54.0, 72.0]


def test_detach_in_place_of_a_view_is_refused() -> None:
    y = leaf([1.0, 2.0]) * 2
    with pytest.raises(RuntimeError, match="view"):
        y[1:].detach_()
    assert not y.detach_().requires_grad


def test_retained_gradient_moves_to_the_written_value() -> None:
    x = leaf([1.0, 2.0])
    y = x * 2
    y.retain_grad()
    before: list[float] = []
    y.register_hook(lambda g: before.extend(g.tolist()))
    y.mul_(3)
    (y * 5).sum().backward()
    assert y.retains_grad
    assert y.grad.tolist() == [5.0, 5.0]
    assert before == [15.0, 15.0]  # the hook stays with the value it was registered on
    assert x.grad.tolist() == [30.0, 30.0]


# What each op keeps decides whether its operand (a) or its result (y) may be written to.
@pytest.mark.parametrize(
    ("compute", "kept"),
    [
        (lambda a: a + 1, ""),
        (lambda a: a * 2, ""),
        (lambda a: a / 2, ""),
        (lambda a: a.sum(), ""),
        (lambda a: a.cumsum(0), ""),
        (lambda a: a[[0, 1]], ""),
        (lambda a: a * a, "a"),
        (lambda a: a**2, "a"),
        (lambda a: a**0.5, "a"),
        (lambda a: a.sin(), "a"),
        (lambda a: a.log(), "a"),
        (lambda a: a @ a, "a"),
        (lambda a: a.exp(), "y"),
        (lambda a: a.sqrt(), "y"),
        (lambda a: a.tanh(), "y"),
    ],
)
def test_what_may_be_written_to(compute: Callable[[fb.Tensor], fb.Tensor], kept: str) -> None:
    for name in "ay":
        a = leaf([1.0, 2.0]) * 1
        y = compute(a)
        (a if name == "a" else y).add_(1)
        if name == kept:
            with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                y.sum().backward()
        else:
            y.sum().backward()


# Where a backend has no kernel for these, their definitions decide what is kept.
@pytest.mark.parametrize(
    ("compute", "slopes"),
    [
        (lambda a: a.sigmoid(), [0.19661193324148185, 0.10499358540350662]),
        (lambda a: a.relu(), [1.0, 1.0]),
        (lambda a: a.softmax(0)[1:], [-0.19661193324148185, 0.19661193324148185]),
    ],
)
def test_a_write_is_noticed_or_does_no_harm(
    compute: Callable[[fb.Tensor], fb.Tensor], slopes: list[float]
) -> None:
    for name in "ay":
        x = leaf([1.0, 2.0])
        a = x * 1
        y = compute(a)
        (a if name == "a" else y).add_(1)
        try:
            y.sum().backward()
        except RuntimeError as error:
            assert "modified by an inplace operation" in str(error)
            continue
        assert x.grad.tolist() == pytest.approx(slopes)


# ---- .data ---------------------------------------------------------------------------


def test_writes_to_data_are_not_counted() -> None:
    x, w = leaf([1.0, 2.0]), leaf([3.0, 4.0])
    a = x * 1
    y = (a * w).sum()
    before = a._version
    a.data.add_(1)
    a.data[0] = 7.0
    assert a._version == before
    y.backward()
    assert w.grad.tolist() == [7.0, 3.0]


def test_writes_to_a_detached_tensor_are() -> None:
    x, w = leaf([1.0, 2.0]), leaf([3.0, 4.0])
    a = x * 1
    y = (a * w).sum()
    a.detach().add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


# ---- inference mode ------------------------------------------------------------------


def test_what_inference_mode_makes() -> None:
    x = leaf([1.0, 2.0])
    with fb.inference_mode():
        made, computed, viewed = fb.ones(2), x * 2, x[1:]
        assert made.is_inference() and computed.is_inference()
        assert not viewed.is_inference()  # it is x's memory
        assert not computed.requires_grad
        with fb.inference_mode(False):
            assert fb.is_grad_enabled() and not fb.is_inference_mode_enabled()
            assert not fb.ones(2).is_inference()
            assert (x * 2).requires_grad
        assert fb.is_inference_mode_enabled()
        made.add_(1)
        assert made.requires_grad_().requires_grad
        assert not (made * 2).requires_grad
    assert made.view(2).is_inference()
    assert not made.clone().is_inference()
    assert not (made + 1).is_inference()


def test_inference_tensors_outside() -> None:
    x = leaf([1.0, 2.0])
    with fb.inference_mode():
        made = fb.ones(2, dtype=fb.float64)
    assert (x + made).requires_grad  # saves nothing
    with pytest.raises(RuntimeError, match="cannot be saved for backward"):
        x * made
    for write in (
        lambda: made.add_(1),
        lambda: made[0:1].zero_(),
        lambda: made.copy_(x.detach()),
        lambda: fb.add(x.detach(), 1, out=made),
    ):
        with pytest.raises(RuntimeError, match="inference tensor outside of inference mode"):
            write()
    with pytest.raises(RuntimeError, match="requires_grad=True on an inference tensor"):
        made.requires_grad_()
    with pytest.raises(RuntimeError, match="version counter"):
        made._version  # noqa: B018
    assert made.tolist() == [1.0, 1.0]
    assert fb.zeros(2, dtype=fb.float64).add_(made).tolist() == [1.0, 1.0]


def test_normal_tensors_inside() -> None:
    y = leaf([1.0, 2.0]) * 1
    plain = fb.ones(2)
    with fb.inference_mode():
        plain.add_(1)
        view = y[1:]
    assert plain.tolist() == [2.0, 2.0]
    assert plain._version == 1
    with pytest.raises(RuntimeError, match="created in inference mode"):
        view.mul_(2)
