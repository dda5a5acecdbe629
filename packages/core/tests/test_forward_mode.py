"""Forward mode: tangents and views, writes, levels, custom functions, random ops."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import flambeau_core as fb
from flambeau_core.autograd import Function, forward_ad
from flambeau_core.func import grad, jacfwd, jacrev, jvp, linearize, vmap


def ramp(*shape: int) -> Any:
    n = 1
    for s in shape:
        n *= s
    return (fb.arange(n, dtype=fb.float64) / 7 + 0.1).reshape(shape)


def tangent(x: Any) -> Any:
    return forward_ad.unpack_dual(x).tangent


# ---- dual numbers by hand ----------------------------------------------------------


def test_products_follow_the_product_rule() -> None:
    x, v = ramp(3), fb.ones(3, dtype=fb.float64)
    with forward_ad.dual_level():
        y = forward_ad.make_dual(x, v)
        assert fb.allclose(tangent(y * y.sin()), x.sin() + x * x.cos())
        assert tangent(y.detach()) is None
        primal = forward_ad.unpack_dual(y).primal
        assert tangent(primal * 2) is None
    assert forward_ad.unpack_dual(y).tangent is None  # the level has ended
    assert tangent(x) is None


def test_levels_have_one_number() -> None:
    with forward_ad.dual_level():
        with pytest.raises(RuntimeError, match="nest"):
            forward_ad.enter_dual_level()
        value, pushed = jvp(lambda x: x**2, (ramp(2),), (ramp(2),))  # transforms do nest
        assert fb.allclose(pushed, 2 * ramp(2) ** 2)
    level = forward_ad.enter_dual_level()
    assert level == 0
    x = forward_ad.make_dual(ramp(2), ramp(2), level=level)
    assert forward_ad.unpack_dual(x, level=level).tangent is not None
    forward_ad.exit_dual_level(level=level)
    with pytest.raises(RuntimeError, match="not entered"):
        forward_ad.exit_dual_level()
    with pytest.raises(RuntimeError, match="no dual level"):
        forward_ad.make_dual(ramp(2), ramp(2))


def test_a_thread_has_a_level_of_its_own() -> None:
    found: list[int] = []

    def elsewhere() -> None:
        found.append(forward_ad.enter_dual_level())
        forward_ad.exit_dual_level()

    with forward_ad.dual_level():
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
    assert found == [0]


def test_wrong_tangents_are_named() -> None:
    with forward_ad.dual_level():
        with pytest.raises(RuntimeError, match=r"\[3\].*\[2\]"):
            forward_ad.make_dual(ramp(3), ramp(2))
        with pytest.raises(ValueError, match="int64"):
            forward_ad.make_dual(fb.arange(3), fb.arange(3))
    with pytest.raises(RuntimeError, match="structure"):
        jvp(lambda x: x, (ramp(2),), (ramp(2), ramp(2)))
    with pytest.raises(ValueError, match="int64"):
        jvp(lambda x: x, (fb.arange(2),), (fb.arange(2),))
    with pytest.raises(RuntimeError, match="strict"):
        jvp(lambda x: ramp(2), (ramp(2),), (ramp(2),), strict=True)


# ---- views and writes --------------------------------------------------------------


def test_views_made_earlier_see_tangents_written_later() -> None:
    with forward_ad.dual_level():
        z = fb.zeros(3, 2, dtype=fb.float64)
        flat, column = z.view(6), z[:, 0]
        z[0] = forward_ad.make_dual(ramp(2), fb.tensor([1.0, 2.0], dtype=fb.float64))
        assert tangent(z).tolist() == [[1, 2], [0, 0], [0, 0]]
        assert tangent(flat).tolist() == [1, 2, 0, 0, 0, 0]
        assert tangent(column).tolist() == [1, 0, 0]
        assert tangent(flat * 2).tolist() == [2, 4, 0, 0, 0, 0]
        assert tangent(-flat).tolist() == [-1, -2, 0, 0, 0, 0]
        assert tangent(flat[1:3]).tolist() == [2, 0]
        assert tangent(z.T).tolist() == [[1, 0, 0], [2, 0, 0]]
        column.mul_(3)
        assert tangent(z).tolist() == [[3, 2], [0, 0], [0, 0]]
        column.zero_()
        assert tangent(flat).tolist() == [0, 2, 0, 0, 0, 0]


def buffer(x: Any) -> Any:
    y = x.new_zeros(3, 2)
    first = y[:, 0]
    y[:, 1] = x * x
    first.copy_(x)
    y[0] *= x[1]
    return y + first.unsqueeze(1)


def windows(x: Any) -> Any:
    y = x.t().contiguous() * 2
    y.as_strided((2,), (1,), 1).mul_(x[0, 0])
    return y.as_strided((2, 2), (1, 2)) * x[0, 1]


def diagonals(x: Any) -> Any:
    y = x * 2
    y.diagonal().zero_()
    y.view(-1)[1:3].mul_(3)
    y.t()[0] += x.sum()
    return y * x


@pytest.mark.parametrize(
    ("function", "shape"), [(buffer, (3,)), (windows, (2, 2)), (diagonals, (3, 3))]
)
def test_writes_into_views(function: Any, shape: tuple[int, ...]) -> None:
    # Central differences in double precision.
    x, v, h = ramp(*shape), ramp(*shape).cos(), 1e-6
    expected = (function(x + h * v) - function(x - h * v)) / (2 * h)
    assert fb.allclose(jvp(function, (x,), (v,))[1], expected, 1e-7, 1e-8)
    by_columns = jacfwd(function)(x)
    assert fb.allclose(by_columns, jacrev(function)(x))
    directions = fb.stack([v, v * 2, v * 3])
    batch = vmap(lambda t: jvp(function, (x,), (t,))[1])(directions)
    assert fb.allclose(batch, fb.stack([expected, 2 * expected, 3 * expected]), 1e-6, 1e-7)


def test_tangents_that_differ_between_inputs() -> None:
    # One tangent is shared by the examples, the other is not; one is written into the other.
    def function(a: Any, b: Any) -> Any:
        c = a.clone()
        c[0] = b[1]
        return c

    a, shared, each = ramp(2), ramp(2).sin(), ramp(3, 2)
    pushed = vmap(lambda v: jvp(function, (a, a), (shared, v))[1])(each)
    assert fb.allclose(pushed, fb.stack([fb.stack([v[1], shared[1]]) for v in each]))


def test_what_cannot_keep_its_tangent_is_refused() -> None:
    def refuses(action: Any) -> None:
        with pytest.raises(RuntimeError):
            jvp(lambda x: (action(x.clone()), x)[1], (ramp(2),), (ramp(2),))

    refuses(lambda x: x.resize_(3))
    refuses(lambda x: x.set_(ramp(2)))
    refuses(lambda x: setattr(x, "data", ramp(2)))
    refuses(lambda x: x.detach_())
    refuses(lambda x: fb.add(x, 1, out=ramp(2)))


def test_subclasses_keep_tangents() -> None:
    class Kept(fb.Tensor):
        pass

    y, pushed = jvp(lambda x: x.as_subclass(Kept) * 2, (ramp(2),), (ramp(2),))
    assert isinstance(y, Kept) and fb.allclose(pushed, 2 * ramp(2))


# ---- ops that draw, functions of one's own -------------------------------------------


def test_random_ops_draw_once_for_value_and_tangent() -> None:
    ones = fb.ones(100)
    y, pushed = jvp(lambda x: fb._C.nn_ops.dropout(x, 0.5, True), (ones,), (ones,))
    assert fb.equal(y, pushed) and 0 < int((y == 0).sum()) < 100


class Noisy(Function):
    """x times a number that is drawn in forward."""

    @staticmethod
    def forward(x: Any) -> Any:
        factor = fb.rand(())
        return x * factor, factor

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(output[1])
        ctx.mark_non_differentiable(output[1])

    @staticmethod
    def backward(ctx: Any, g: Any, _: Any) -> Any:
        return g * ctx.saved_tensors[0]


def test_forward_of_a_function_runs_once() -> None:
    (y, factor), (pushed, _) = jvp(Noisy.apply, (fb.ones(2),), (fb.ones(2),))
    assert fb.equal(y, pushed) and fb.equal(y, factor.expand(2))


class Cube(Function):
    """x ** 3 with a rule for tangents."""

    calls: list[str] = []

    @staticmethod
    def forward(x: Any) -> Any:
        return x**3

    @staticmethod
    def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return 3 * ctx.saved_tensors[0] ** 2 * g

    @staticmethod
    def jvp(ctx: Any, t: Any) -> Any:
        Cube.calls.append("jvp")
        return 3 * ctx.saved_tensors[0] ** 2 * t


def test_a_functions_own_rule_is_used() -> None:
    Cube.calls.clear()
    x = ramp(3)
    assert fb.allclose(jvp(Cube.apply, (x,), (x,))[1], 3 * x**3)
    assert Cube.calls == ["jvp"]


# ---- results -----------------------------------------------------------------------


def test_tangents_can_be_differentiated() -> None:
    x = ramp(3)
    w = ramp(3).requires_grad_()
    _, pushed = jvp(lambda x: (x * w) ** 2, (x,), (fb.ones(3, dtype=fb.float64),))
    pushed.sum().backward()  # d/dw of 2 x w^2
    assert w.grad is not None and fb.allclose(w.grad, 4 * x * w.detach())
    plain = jvp(lambda x: x**2, (x,), (x,))
    assert not any(t.requires_grad for t in plain)


def test_linearize() -> None:
    y, pushed = linearize(lambda x, d: (x.sin() * d["a"], d["a"]), ramp(3), {"a": ramp(3)})
    assert fb.allclose(y[0], ramp(3).sin() * ramp(3))
    a, b = pushed(ramp(3), {"a": ramp(3)})
    assert fb.allclose(a, ramp(3) ** 2 * ramp(3).cos() + ramp(3) * ramp(3).sin())
    assert fb.equal(b, ramp(3))
    with pytest.raises(RuntimeError, match=r"\[3\].*\[4\]"):
        pushed(ramp(4), {"a": ramp(3)})


def test_forward_over_reverse_over_forward() -> None:
    def pushed(x: Any) -> Any:
        return jvp(lambda z: z**4, (x,), (fb.ones_like(x),))[1].sum()  # 4 x^3

    x = ramp(3)
    second = grad(pushed)  # 12 x^2
    assert fb.allclose(jvp(second, (x,), (fb.ones_like(x),))[1], 24 * x)
