"""Gradients: leaves and results, accumulation, freed graphs, higher derivatives, grad modes."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import flambeau_core as fb
from flambeau_core.autograd import backward, grad


def leaf(values: object) -> fb.Tensor:
    return fb.tensor(values, dtype=fb.float64, requires_grad=True)


# ---- leaves and results ------------------------------------------------------------


def test_leaves_and_results() -> None:
    x = leaf([1.0, 2.0])
    y = x * 2
    assert x.is_leaf and x.requires_grad and x.grad_fn is None
    assert not y.is_leaf and y.requires_grad and y.grad_fn is not None
    plain = fb.zeros(2)
    assert plain.is_leaf and not plain.requires_grad
    assert not (plain + 1).requires_grad


def test_graph_can_be_walked() -> None:
    x = leaf([1.0])
    y = (x * 3).exp()
    assert y.grad_fn.name() == "ExpBackward0"
    ((product, nr),) = y.grad_fn.next_functions
    assert product.name() == "MulBackward0" and nr == 0
    assert product.next_functions[0][0].variable is x
    assert y.grad_fn is y.grad_fn


def test_backward_fills_leaves_only() -> None:
    x = leaf([1.0, 2.0, 3.0])
    y = x * x
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 4.0, 6.0]
    with pytest.warns(UserWarning, match="leaf"):
        assert y.grad is None


def test_gradients_accumulate() -> None:
    x = leaf([1.0, 2.0])
    (x * 3).sum().backward()
    first = x.grad
    (x * x).sum().backward()
    assert x.grad is first
    assert x.grad.tolist() == [5.0, 7.0]
    x.grad = None
    (x * 3).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0]


def test_gradient_of_a_tensor_used_often() -> None:
    x = leaf(2.0)
    y = x * x + x * 3 + x
    y.backward()
    assert x.grad.item() == 2 * 2 + 3 + 1


def test_leaf_gradient_is_not_shared_with_the_result() -> None:
    x, y = leaf([1.0, 2.0]), leaf([3.0, 4.0])
    (x + y).sum().backward()
    x.grad.mul_(10)
    assert y.grad.tolist() == [1.0, 1.0]


def test_given_gradient() -> None:
    x = leaf([1.0, 2.0])
    given = fb.tensor([10.0, 20.0], dtype=fb.float64)
    (x * x).backward(given)
    assert x.grad.tolist() == [20.0, 80.0]
    assert given.tolist() == [10.0, 20.0]


def test_broadcasting_and_promotion_are_undone() -> None:
    row = fb.ones(3, requires_grad=True)
    column = fb.ones(2, 1, dtype=fb.float64, requires_grad=True)
    scalar = fb.tensor(2.0, dtype=fb.float16, requires_grad=True)
    (row * column * scalar).sum().backward()
    assert row.grad.tolist() == [4.0] * 3 and row.grad.dtype == fb.float32
    assert column.grad.tolist() == [[6.0], [6.0]] and column.grad.dtype == fb.float64
    assert scalar.grad.item() == 6.0 and scalar.grad.dtype == fb.float16


def test_backward_of_several_tensors() -> None:
    x = leaf([1.0, 2.0])
    backward([x.sum(), (x * x)], [None, fb.ones(2, dtype=fb.float64)])
    assert x.grad.tolist() == [3.0, 5.0]


def test_backward_into_chosen_inputs() -> None:
    x, y = leaf(2.0), leaf(3.0)
    (x * y).backward(inputs=[x])
    assert x.grad.item() == 3.0 and y.grad is None
    z = x * y
    (z * z).backward(inputs=[z])
    assert z.grad.item() == 12.0 and y.grad is None


def test_requires_grad_of_a_result_cannot_be_dropped() -> None:
    x = leaf([1.0])
    with pytest.raises(RuntimeError, match="leaf"):
        (x * 2).requires_grad = False
    with pytest.raises(RuntimeError, match="floating point"):
        fb.tensor([1]).requires_grad_()
    with pytest.raises(RuntimeError, match="floating point"):
        fb.tensor([1], requires_grad=True)


def test_assigned_gradients_are_checked() -> None:
    x = leaf([1.0, 2.0])
    with pytest.raises(RuntimeError, match=r"\[3\].*\[2\]|\[2\].*\[3\]"):
        x.grad = fb.zeros(3, dtype=fb.float64)
    with pytest.raises(RuntimeError):
        x.grad = fb.zeros(2, dtype=fb.float32)
    with pytest.raises(TypeError):
        x.grad = 3
    x.grad = fb.ones(2, dtype=fb.float64)
    del x.grad
    assert x.grad is None


def test_detach() -> None:
    x = leaf([1.0, 2.0])
    y = x.detach()
    assert not y.requires_grad and y.is_leaf
    y[0] = 5.0
    assert x.tolist() == [5.0, 2.0]
    z = x * 2
    z.detach_()
    assert z.is_leaf and not z.requires_grad


def test_data_shares_memory_outside_the_graph() -> None:
    x = leaf([1.0, 2.0])
    x.data.mul_(2)
    assert x.tolist() == [2.0, 4.0] and x.requires_grad
    x.data = fb.tensor([7.0], dtype=fb.float64)
    assert x.tolist() == [7.0]


# ---- errors ---------------------------------------------------------------------------


def test_backward_errors() -> None:
    x = leaf([1.0, 2.0])
    with pytest.raises(RuntimeError, match="scalar outputs"):
        (x * 2).backward()
    with pytest.raises(RuntimeError, match=r"\[3\].*\[2\]"):
        (x * 2).backward(fb.ones(3, dtype=fb.float64))
    with pytest.raises(RuntimeError, match="does not require grad"):
        fb.ones(()).backward()
    with pytest.raises(RuntimeError, match="empty"):
        backward(x.sum(), inputs=[])
    with pytest.raises(TypeError):
        x.sum().backward("gradient")


@pytest.mark.parametrize("op", [lambda x: x.exp(), lambda x: x * x, lambda x: x.amax(0)])
def test_second_pass_needs_retain_graph(op) -> None:
    x = leaf([1.0, 2.0])
    y = op(x).sum()
    y.backward(retain_graph=True)
    y.backward()
    with pytest.raises(RuntimeError, match="second time"):
        y.backward()


def test_second_pass_without_saved_values() -> None:
    x = leaf([1.0, 2.0])
    y = (x + 1).sum()
    y.backward()
    y.backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_an_error_leaves_no_trace_in_the_next_pass() -> None:
    x = leaf([1.0, 2.0])
    y = x.exp()
    total = (y * 2).sum() + y.sum()
    y.register_hook(fail_once := FailOnce())
    with pytest.raises(ValueError, match="once"):
        total.backward(retain_graph=True)
    x.grad = None
    fail_once.armed = False
    total.backward()
    assert x.grad.tolist() == (x.detach().exp() * 3).tolist()


class FailOnce:
    armed = True

    def __call__(self, gradient: fb.Tensor) -> None:
        if self.armed:
            raise ValueError("once")


# ---- autograd.grad ---------------------------------------------------------------------


def test_grad_returns_without_accumulating() -> None:
    x, y = leaf(2.0), leaf(3.0)
    gx, gy = grad(x * y * y, [x, y])
    assert (gx.item(), gy.item()) == (9.0, 12.0)
    assert x.grad is None and y.grad is None
    (gx,) = grad(x * y, x)
    assert gx.item() == 3.0


def test_grad_of_a_result() -> None:
    x = leaf(2.0)
    y = x * 3
    gy, gx = grad(y * y, [y, x])
    assert (gy.item(), gx.item()) == (12.0, 36.0)


def test_grad_of_a_tensor_by_itself() -> None:
    x = leaf(2.0)
    y = x * 3
    assert grad(y, y)[0].item() == 1.0
    assert grad(x, x)[0].item() == 1.0


def test_unused_inputs() -> None:
    x, y = leaf([1.0, 2.0]), leaf([3.0])
    with pytest.raises(RuntimeError, match="allow_unused"):
        grad(x.sum(), [x, y])
    gx, gy = grad(x.sum(), [x, y], allow_unused=True)
    assert gx.tolist() == [1.0, 1.0] and gy is None
    gx, gy = grad(x.sum(), [x, y], materialize_grads=True)
    assert gy.tolist() == [0.0]
    with pytest.raises(ValueError):
        grad(x.sum(), [x, y], allow_unused=False, materialize_grads=True)
    with pytest.raises(RuntimeError, match="does not require grad"):
        grad(x.sum(), [fb.zeros(1)])
    with pytest.raises(RuntimeError, match="empty"):
        grad(x.sum(), [])


def test_batched_gradients() -> None:
    x = leaf([1.0, 2.0, 3.0])
    y = x * x
    (jacobian,) = grad(y, x, fb.eye(3, dtype=fb.float64), is_grads_batched=True)
    assert jacobian.tolist() == [[2.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 6.0]]


# ---- higher derivatives ------------------------------------------------------------------


def test_derivatives_of_a_power() -> None:
    x = leaf(2.0)
    y = x**4
    expected = (32.0, 48.0, 48.0, 24.0)
    for value in expected:
        (y,) = grad(y, x, create_graph=True)
        assert y.item() == value


@pytest.mark.parametrize(
    ("function", "third"),
    [
        (lambda x: x.exp(), lambda x: x.exp()),
        (lambda x: x.sin(), lambda x: -x.cos()),
        (lambda x: x.log(), lambda x: 2 / x**3),
        (lambda x: x.tanh(), lambda x: (1 - x.tanh() ** 2) * (6 * x.tanh() ** 2 - 2)),
        (lambda x: 1 / x, lambda x: -6 / x**4),
        (lambda x: x.sqrt(), lambda x: 3 / 8 * x**-2.5),
        (lambda x: (x[:, None] * x[None, :]).diagonal().prod(), None),
    ],
)
def test_third_derivatives(function, third) -> None:
    x = leaf([0.7, 1.3])
    y = function(x)
    for _ in range(3):
        (y,) = grad(y.sum(), x, create_graph=True)
    if third is not None:
        assert fb.allclose(y, third(x.detach()), rtol=1e-12)
    else:  # x0^2 x1^2: the sum of the gradients is differentiated in turn
        a, b = x.tolist()
        assert y.tolist() == pytest.approx(
            [4 * a + 8 * b - 4 * a + 4 * a, 8 * a + 4 * b], rel=1e-12
        )


def test_backward_with_create_graph() -> None:
    x = leaf(3.0)
    (x**3).backward(create_graph=True)
    assert x.grad.requires_grad
    slope = x.grad
    x.grad = None
    slope.backward()
    assert x.grad.item() == 18.0


def test_gradient_penalty() -> None:
    w = leaf([[1.0, -2.0], [0.5, 3.0]])
    x = leaf([1.0, 2.0])
    (gx,) = grad((w @ x).square().sum(), x, create_graph=True)
    penalty = gx.square().sum()
    penalty.backward()
    step = 1e-6
    numeric = []
    for i in range(4):
        ends = []
        for s in (step, -step):
            v = w.detach().clone().reshape(-1)
            v[i] += s
            m = v.reshape(2, 2)
            ends.append((2 * m.T @ (m @ x.detach())).square().sum().item())
        numeric.append((ends[0] - ends[1]) / (2 * step))
    assert w.grad.reshape(-1).tolist() == pytest.approx(numeric, rel=1e-6)


# ---- modes --------------------------------------------------------------------------------


def test_no_grad() -> None:
    x = leaf([1.0])
    with fb.no_grad():
        assert not fb.is_grad_enabled()
        assert not (x * 2).requires_grad
        with fb.enable_grad():
            assert (x * 2).requires_grad
        assert not fb.is_grad_enabled()
        x.mul_(3)
        assert fb.zeros(1, requires_grad=True).requires_grad
    assert fb.is_grad_enabled() and x.tolist() == [3.0]


def test_modes_as_decorators() -> None:
    x = leaf([1.0])

    @fb.no_grad()
    def without(scale: float) -> fb.Tensor:
        """Doc."""
        return x * scale

    @fb.no_grad
    def bare() -> fb.Tensor:
        return x * 2

    @fb.enable_grad()
    def recorded() -> fb.Tensor:
        return x * 2

    assert without.__name__ == "without" and without.__doc__ == "Doc."
    assert not without(2.0).requires_grad
    assert not bare().requires_grad
    with fb.no_grad():
        assert recorded().requires_grad
    assert fb.is_grad_enabled()


def test_mode_of_a_generator() -> None:
    x = leaf([1.0])

    @fb.no_grad()
    def values() -> Iterator[bool]:
        for _ in range(2):
            yield (x * 2).requires_grad

    for recorded in values():
        assert not recorded
        assert fb.is_grad_enabled()


def test_mode_is_restored_after_an_error() -> None:
    with pytest.raises(ValueError), fb.no_grad():
        raise ValueError
    assert fb.is_grad_enabled()


def test_set_grad_enabled() -> None:
    with fb.set_grad_enabled(False):
        assert not fb.is_grad_enabled()
    assert fb.is_grad_enabled()
    fb.set_grad_enabled(False)
    try:
        assert not fb.is_grad_enabled()
    finally:
        fb.set_grad_enabled(True)


def test_inference_mode() -> None:
    x = leaf([1.0])
    with fb.inference_mode():
        assert fb.is_inference_mode_enabled() and not fb.is_grad_enabled()
        y = x * 2
        assert y.is_inference() and not y.requires_grad
        y.add_(1)
    assert not fb.is_inference_mode_enabled()
    assert not x.is_inference()
    with pytest.raises(RuntimeError, match="[Ii]nference"):
        x * y
    with pytest.raises(RuntimeError, match="[Ii]nference"):
        y.add_(1)
    assert (y.clone() * x).requires_grad

    @fb.inference_mode()
    def predict() -> fb.Tensor:
        return x * 2

    assert predict().is_inference()
    with fb.inference_mode(False):
        assert (x * 2).requires_grad
