"""Custom differentiable functions."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest

import flambeau_core as fb
from flambeau_core.autograd import Function, grad
from flambeau_core.autograd.function import NestedIOFunction, once_differentiable


def leaf(values: object) -> fb.Tensor:
    return fb.tensor(values, dtype=fb.float64, requires_grad=True)


class Cube(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 3 * x * x


class Scale(Function):
    """The form with setup_context, and an argument that is no tensor."""

    @staticmethod
    def forward(x, factor):
        return x * factor

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.factor = inputs[1]

    @staticmethod
    def backward(ctx, g):
        return g * ctx.factor, None


class Exponential(Function):
    """Saves its output."""

    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * y


def test_forward_and_backward() -> None:
    x = leaf([1.0, 2.0])
    y = Cube.apply(x)
    assert y.grad_fn.name() == "CubeBackward" and y.requires_grad
    y.sum().backward()
    assert x.grad.tolist() == [3.0, 12.0]
    assert not Cube.apply(fb.ones(2)).requires_grad
    with fb.no_grad():
        assert not Cube.apply(x).requires_grad


def test_setup_context() -> None:
    x = leaf([1.0, 2.0])
    Scale.apply(x, 5).sum().backward()
    assert x.grad.tolist() == [5.0, 5.0]


@pytest.mark.parametrize(
    ("function", "derivatives"),
    [(Cube, [12.0, 12.0, 6.0]), (Exponential, [2.0, 2.0, 2.0])],
)
def test_higher_derivatives(function, derivatives) -> None:
    x = leaf(2.0)
    y = function.apply(x)
    for slope in derivatives:
        (y,) = grad(y, x, create_graph=True)
        expected = slope if function is Cube else x.exp().item()
        assert y.item() == pytest.approx(expected, rel=1e-15)


def test_needs_input_grad() -> None:
    seen = []

    class Product(Function):
        @staticmethod
        def forward(ctx, a, b, scale):
            seen.append(ctx.needs_input_grad)
            ctx.save_for_backward(a, b)
            return a * b * scale

        @staticmethod
        def backward(ctx, g):
            seen.append(ctx.needs_input_grad)
            a, b = ctx.saved_tensors
            return g * b, None, None

    x = leaf([1.0, 2.0])
    Product.apply(x, fb.ones(2, dtype=fb.float64), 3.0).sum().backward()
    assert seen == [(True, False, False)] * 2


def test_several_outputs_and_missing_gradients() -> None:
    seen = []

    class Split(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2, x * 3

        @staticmethod
        def backward(ctx, ga, gb):
            seen.append((ga, gb))
            return ga * 2 + gb * 3

    x = leaf([1.0, 2.0])
    a, b = Split.apply(x)
    a.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]
    assert seen[0][1].tolist() == [0.0, 0.0] and seen[0][1].dtype == fb.float64


def test_unmaterialized_gradients() -> None:
    seen = []

    class Split(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(False)
            return x * 2, x * 3

        @staticmethod
        def backward(ctx, ga, gb):
            seen.append((ga, gb))
            return ga * 2 if gb is None else gb * 3

    x = leaf([1.0, 2.0])
    Split.apply(x)[0].sum().backward()
    assert seen[0][1] is None and x.grad.tolist() == [2.0, 2.0]


def test_mark_non_differentiable() -> None:
    class Sorted(Function):
        @staticmethod
        def forward(ctx, x):
            values, order = x.sort()
            ctx.mark_non_differentiable(order)
            ctx.save_for_backward(order)
            return values, order

        @staticmethod
        def backward(ctx, g, _):
            (order,) = ctx.saved_tensors
            return fb.zeros_like(g).scatter(0, order, g)

    x = leaf([3.0, 1.0, 2.0])
    values, order = Sorted.apply(x)
    assert values.requires_grad and not order.requires_grad
    values.backward(fb.tensor([10.0, 20.0, 30.0], dtype=fb.float64))
    assert x.grad.tolist() == [30.0, 10.0, 20.0]


class Double(Function):
    """Writes into its argument."""

    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        ctx.mark_dirty(x)
        return x

    @staticmethod
    def backward(ctx, g):
        return g * 2


def test_mark_dirty() -> None:
    x = leaf([1.0, 2.0])
    y = x * 3
    version = y._version
    z = Double.apply(y)
    assert z is y and y.tolist() == [6.0, 12.0] and y._version > version
    assert y.grad_fn.name() == "DoubleBackward"
    y.sum().backward()
    assert x.grad.tolist() == [6.0, 6.0]


def test_mark_dirty_of_a_leaf_is_refused() -> None:
    x = leaf([1.0, 2.0])
    with pytest.raises(RuntimeError, match="leaf"):
        Double.apply(x)


def test_mark_dirty_of_a_view_rewrites_its_base() -> None:
    x = leaf([1.0, 2.0, 3.0])
    base = x * 1
    Double.apply(base[1:])
    assert base.tolist() == [1.0, 4.0, 6.0]
    base.sum().backward()
    assert x.grad.tolist() == [1.0, 2.0, 2.0]


def test_argument_handed_through() -> None:
    class Identity(Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, g):
            return g * 7

    x = leaf([1.0, 2.0])
    y = Identity.apply(x)
    assert y is not x and x.is_leaf
    y.sum().backward()
    assert x.grad.tolist() == [7.0, 7.0]


def test_view_of_an_argument() -> None:
    class First(Function):
        @staticmethod
        def forward(ctx, x):
            return x[:1]

        @staticmethod
        def backward(ctx, g):
            return fb.cat([g, fb.zeros(1, dtype=g.dtype)])

    x = leaf([1.0, 2.0])
    First.apply(x * 1).sum().backward()
    assert x.grad.tolist() == [1.0, 0.0]


def test_once_differentiable() -> None:
    class Square(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        @once_differentiable
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g * 2 * x

    x = leaf([1.0, 2.0])
    Square.apply(x).sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]
    (first,) = grad(Square.apply(x).square().sum(), x, create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        first.sum().backward()


# ---- errors --------------------------------------------------------------------------------


def test_saved_tensors_are_guarded() -> None:
    x = leaf([1.0, 2.0])
    y = x * 1
    z = Cube.apply(y)
    with fb.no_grad():
        y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.sum().backward()


def test_saved_tensors_are_freed() -> None:
    x = leaf([1.0, 2.0])
    z = Cube.apply(x).sum()
    z.backward(retain_graph=True)
    z.backward()
    with pytest.raises(RuntimeError, match="second time"):
        z.backward()


def test_wrong_numbers_and_kinds_of_gradients() -> None:
    answers = {
        "too many": lambda g: (g, g),
        "too few": lambda g: (),
        "no tensor": lambda g: "gradient",
        "wrong shape": lambda g: g[:1].expand(3),
    }
    for name, answer in answers.items():

        class Wrong(Function):
            @staticmethod
            def forward(ctx, x):
                return x * 2

            @staticmethod
            def backward(ctx, g, answer=answer):
                return answer(g)

        x = leaf([1.0, 2.0])
        with pytest.raises((RuntimeError, TypeError)):
            Wrong.apply(x).sum().backward()
            raise AssertionError(name)


def test_extra_gradients_that_are_none_are_allowed() -> None:
    class Generous(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2, None, None

    x = leaf([1.0])
    Generous.apply(x).sum().backward()
    assert x.grad.tolist() == [2.0]


def test_missing_parts() -> None:
    class Empty(Function):
        pass

    class ForwardOnly(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

    with pytest.raises(NotImplementedError):
        Empty.apply(leaf([1.0]))
    y = ForwardOnly.apply(leaf([1.0]))
    with pytest.raises((NotImplementedError, RuntimeError)):
        y.sum().backward()
    with pytest.raises(TypeError):
        Cube.save_for_backward_of("x") if hasattr(
            Cube, "save_for_backward_of"
        ) else _save_a_string()


def _save_a_string() -> None:
    class Wrong(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward("text")
            return x * 2

    Wrong.apply(leaf([1.0]))


def test_error_in_backward_reaches_the_caller() -> None:
    class Failing(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            raise KeyError("inside")

    x = leaf([1.0])
    with pytest.raises(KeyError, match="inside"):
        Failing.apply(x).sum().backward()


def test_context_is_freed_with_the_graph() -> None:
    contexts = []

    class Watched(Function):
        @staticmethod
        def forward(ctx, x):
            contexts.append(weakref.ref(ctx))
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    x = leaf([1.0])
    y = Watched.apply(x)
    del y
    gc.collect()
    assert contexts[0]() is None


def test_backward_within_backward() -> None:
    class Reentrant(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            with fb.enable_grad():
                again = x.detach().requires_grad_()
                (again**3).sum().backward()
            return g * again.grad

    x = leaf([1.0, 2.0])
    y = Reentrant.apply(x * 1)
    Reentrant.apply(y).sum().backward()
    assert x.grad.tolist() == [9.0, 9 * 2.0**8]


# ---- forms of a function -------------------------------------------------------------


def test_setup_context_sees_defaults() -> None:
    class Scaled(Function):
        @staticmethod
        def forward(x: fb.Tensor, factor: float = 3.0) -> tuple[fb.Tensor, fb.Tensor]:
            return x * factor, x + 1

        @staticmethod
        def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
            _, ctx.factor = inputs
            assert len(output) == 2

        @staticmethod
        def backward(ctx: Any, g: fb.Tensor, h: fb.Tensor) -> tuple[Any, None]:
            return g * ctx.factor + h, None

    x = leaf([1.0, 2.0])
    for args, kwargs, slope in (((), {}, 5.0), ((4.0,), {}, 6.0), ((), {"factor": 7.0}, 9.0)):
        a, b = Scaled.apply(x, *args, **kwargs)
        assert grad(a.sum() + 2 * b.sum(), x)[0].tolist() == [slope, slope]


def test_vjp_is_backward_by_another_name() -> None:
    class Nine(Function):
        @staticmethod
        def forward(ctx: Any, x: fb.Tensor) -> fb.Tensor:
            return x * 2

        @staticmethod
        def vjp(ctx: Any, g: fb.Tensor) -> fb.Tensor:
            return g * 9

    class Both(Nine):
        @staticmethod
        def backward(ctx: Any, g: fb.Tensor) -> fb.Tensor:
            return g

    x = leaf([1.0])
    assert grad(Nine.apply(x), x)[0].tolist() == [9.0]
    with pytest.raises(RuntimeError, match="either backward or vjp"):
        Both.apply(x)


def test_marked_inputs_must_be_returned() -> None:
    class Lost(Function):
        @staticmethod
        def forward(ctx: Any, x: fb.Tensor) -> fb.Tensor:
            ctx.mark_dirty(x.mul_(2))
            return x * 1

    with pytest.raises(RuntimeError, match="must all be outputs"):
        Lost.apply(leaf([1.0]) * 1)


def test_written_input_can_be_saved_as_the_output() -> None:
    class ExpInPlace(Function):
        @staticmethod
        def forward(ctx: Any, x: fb.Tensor) -> fb.Tensor:
            x.exp_()
            ctx.mark_dirty(x)
            ctx.save_for_backward(x)
            return x

        @staticmethod
        def backward(ctx: Any, g: fb.Tensor) -> fb.Tensor:
            (y,) = ctx.saved_tensors
            return g * y

    x = leaf([0.0, 1.0])
    y = x * 1
    assert ExpInPlace.apply(y) is y
    (first,) = grad(y.sum(), x, create_graph=True)
    (second,) = grad(first.sum(), x)
    assert first.tolist() == pytest.approx([1.0, 2.718281828459045])
    assert second.tolist() == pytest.approx([1.0, 2.718281828459045])


@pytest.mark.parametrize("size", [1, 5])
def test_gradients_of_another_size(size: int) -> None:
    class Wrong(Function):
        @staticmethod
        def forward(ctx: Any, x: fb.Tensor) -> fb.Tensor:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: fb.Tensor) -> fb.Tensor:
            return fb.ones(size, dtype=fb.float64)

    y = Wrong.apply(leaf([1.0, 2.0]))
    with pytest.raises(RuntimeError, match=rf"invalid gradient at index 0 - got \[{size}\]"):
        y.sum().backward()


def test_broader_and_narrower_gradients_are_fitted() -> None:
    class Broad(Function):
        @staticmethod
        def forward(ctx: Any, x: fb.Tensor) -> fb.Tensor:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: fb.Tensor) -> fb.Tensor:
            return g.expand(3, 2).float()

    x = leaf([1.0, 2.0])
    Broad.apply(x).sum().backward()
    assert x.grad.dtype == fb.float64
    assert x.grad.tolist() == [3.0, 3.0]


def test_gradient_for_a_number_is_refused() -> None:
    class Product(Function):
        @staticmethod
        def forward(ctx: Any, x: fb.Tensor, k: float) -> fb.Tensor:
            return x * k

        @staticmethod
        def backward(ctx: Any, g: fb.Tensor) -> Any:
            return g, g

    with pytest.raises(RuntimeError, match="different from None at position 2"):
        Product.apply(leaf([1.0]), 2.0).backward()


def test_functions_are_not_called_as_objects() -> None:
    with pytest.raises(RuntimeError, match="static methods"):
        Function()(leaf([1.0]))


def test_nested_arguments_and_results() -> None:
    class Mixed(NestedIOFunction):
        @staticmethod
        def forward_extended(ctx: Any, pair: tuple[Any, Any], rest: list[Any]) -> Any:
            (a, b), (c,) = pair, rest
            return a * 2, [b * 3, (c * 5,)]

        @staticmethod
        def backward_extended(ctx: Any, ga: Any, others: Any) -> Any:
            gb, (gc,) = others
            return (ga * 2, gb * 3), [gc * 5]

    a, b, c = leaf([1.0]), leaf([2.0]), leaf([3.0])
    x, (y, (z,)) = Mixed.apply((a, b), [c])
    assert (x.item(), y.item(), z.item()) == (2.0, 6.0, 15.0)
    (x + y + z).backward()
    assert [t.grad.item() for t in (a, b, c)] == [2.0, 3.0, 5.0]
