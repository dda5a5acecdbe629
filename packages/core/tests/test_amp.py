"""Autocast, gradient scaling and their use in custom functions."""

from __future__ import annotations

import math
from typing import Any

import pytest

import flambeau_core as fb
from flambeau_core.amp import (
    GradScaler,
    autocast,
    custom_bwd,
    custom_fwd,
    get_autocast_dtype,
    is_autocast_available,
    is_autocast_enabled,
)


class Descent:
    """Plain gradient descent, enough of an optimizer for a scaler."""

    def __init__(self, *parameters: Any, lr: float = 0.5) -> None:
        self.param_groups = [{"params": list(parameters)}]
        self.lr = lr
        self.steps = 0

    def step(self) -> None:
        self.steps += 1
        with fb.no_grad():
            for parameter in self.param_groups[0]["params"]:
                if parameter.grad is not None:
                    parameter.sub_(parameter.grad * self.lr)


# -- autocast -------------------------------------------------------------------------


def test_matrix_products_are_narrow_inside_only() -> None:
    a, b = fb.ones(2, 3), fb.ones(3, 2)
    with autocast("cpu"):
        assert (a @ b).dtype == fb.bfloat16
    assert (a @ b).dtype == fb.float32


def test_convolutions_are_narrow_and_their_gradients_wide() -> None:
    weight = fb.ones(2, 1, 2, 2, requires_grad=True)
    with autocast("cpu"):
        out = fb.nn_ops.conv2d(fb.ones(1, 1, 3, 3), weight)
    assert out.dtype == fb.bfloat16
    assert out.tolist() == [[[[4.0] * 2] * 2] * 2]
    out.float().sum().backward()
    assert weight.grad.dtype == fb.float32


@pytest.mark.parametrize("loss", ["mse_loss", "binary_cross_entropy_with_logits", "cross_entropy"])
def test_losses_are_wide(loss: str) -> None:
    logits = fb.zeros(2, 2, dtype=fb.bfloat16)
    with autocast("cpu"):
        assert getattr(fb.nn_ops, loss)(logits, logits).dtype == fb.float32
        assert fb.nn_ops.nll_loss(logits, fb.tensor([0, 1])).dtype == fb.float32
        assert logits.prod().dtype == fb.float32


def test_dtype_can_be_chosen() -> None:
    with autocast("cpu", dtype=fb.float16):
        assert (fb.ones(2, 2) @ fb.ones(2, 2)).dtype == fb.float16
        assert get_autocast_dtype("cpu") == fb.float16
    assert get_autocast_dtype("cpu") == fb.bfloat16


def test_gradients_come_back_in_the_parameters_dtype() -> None:
    weight = fb.ones(3, 2, requires_grad=True)
    with autocast("cpu"):
        out = fb.ones(4, 3) @ weight
    out.float().sum().backward()
    assert weight.grad.dtype == fb.float32
    assert weight.grad.tolist() == [[4.0, 4.0]] * 3


def test_regions_nest_and_can_be_switched_off() -> None:
    a = fb.ones(2, 2)
    with autocast("cpu"):
        with autocast("cpu", enabled=False):
            assert not is_autocast_enabled("cpu")
            assert (a @ a).dtype == fb.float32
        assert is_autocast_enabled("cpu")
    assert not is_autocast_enabled("cpu")


def test_state_is_restored_after_an_error() -> None:
    with pytest.raises(KeyError), autocast("cpu"):
        raise KeyError
    assert not is_autocast_enabled("cpu")


def test_as_a_decorator() -> None:
    @autocast("cpu")
    def product(a: Any) -> Any:
        """Squares a matrix."""
        return a @ a

    assert product(fb.ones(2, 2)).dtype == fb.bfloat16
    assert product.__name__ == "product"
    assert not is_autocast_enabled("cpu")


def test_one_object_serves_many_regions() -> None:
    region = autocast("cpu")
    for _ in range(2):
        with region, region:
            assert is_autocast_enabled("cpu")
    assert not is_autocast_enabled("cpu")


def test_requests_that_cannot_be_served_warn_and_do_nothing() -> None:
    with pytest.warns(UserWarning, match="float64 is not supported"):
        region = autocast("cpu", dtype=fb.float64)
    with region:
        assert not is_autocast_enabled("cpu")
    with pytest.warns(UserWarning, match="'cuda' is not available"):
        region = autocast("cuda")
    with region:
        assert (fb.ones(2, 2) @ fb.ones(2, 2)).dtype == fb.float32


def test_device_type_must_be_a_string() -> None:
    with pytest.raises(ValueError, match="device_type must be a string, got bool"):
        autocast(True)  # type: ignore[arg-type]


def test_availability() -> None:
    assert is_autocast_available("cpu")
    assert not is_autocast_available("cuda")


# -- custom functions -----------------------------------------------------------------


class Product(fb.autograd.Function):
    seen: list[Any] = []

    @staticmethod
    @custom_fwd(device_type="cpu")
    def forward(ctx: Any, a: Any) -> Any:
        ctx.save_for_backward(a)
        Product.seen.append((a @ a).dtype)
        return a * 2

    @staticmethod
    @custom_bwd(device_type="cpu")
    def backward(ctx: Any, grad: Any) -> Any:
        (a,) = ctx.saved_tensors
        Product.seen.append((a @ a).dtype)
        return grad * 2


def test_backward_runs_under_the_state_of_its_forward() -> None:
    Product.seen.clear()
    a = fb.ones(2, 2, requires_grad=True)
    with autocast("cpu"):
        out = Product.apply(a)
    out.float().sum().backward()
    assert Product.seen == [fb.bfloat16, fb.bfloat16]
    Product.seen.clear()
    Product.apply(a).sum().backward()
    assert Product.seen == [fb.float32, fb.float32]


def test_cast_inputs_widens_and_switches_autocast_off() -> None:
    seen = []

    @custom_fwd(device_type="cpu", cast_inputs=fb.float32)
    def forward(ctx: Any, x: Any, rest: Any) -> None:
        seen.append((x.dtype, rest["y"][0].dtype, rest["n"].dtype, is_autocast_enabled("cpu")))

    class Context:
        pass

    narrow = fb.ones(1, dtype=fb.bfloat16)
    rest = {"y": [narrow], "n": fb.ones(1, dtype=fb.int64)}
    with autocast("cpu"):
        forward(Context(), narrow, rest)
    forward(Context(), narrow, rest)
    assert seen == [
        (fb.float32, fb.float32, fb.int64, False),
        (fb.bfloat16, fb.bfloat16, fb.int64, False),
    ]


# -- gradient scaling -----------------------------------------------------------------


def test_scaled_training_step_equals_the_plain_one() -> None:
    weight = fb.tensor([1.0, 2.0], requires_grad=True)
    optimizer, scaler = Descent(weight), GradScaler("cpu", init_scale=1024.0)
    loss = (weight * weight).sum()
    scaled = scaler.scale(loss)
    assert scaled.item() == 1024 * 5.0
    scaled.backward()
    scaler.step(optimizer)
    scaler.update()
    assert weight.tolist() == [0.0, 0.0]  # w - 0.5 * 2 w
    assert weight.grad.tolist() == [2.0, 4.0]


def test_overflow_skips_the_step_and_shrinks_the_scale() -> None:
    weight = fb.tensor([1.0], requires_grad=True)
    optimizer, scaler = Descent(weight), GradScaler("cpu", init_scale=4.0)
    scaler.scale((weight * math.inf).sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    assert optimizer.steps == 0
    assert weight.tolist() == [1.0]
    assert scaler.get_scale() == 2.0


def good_step(scaler: GradScaler) -> None:
    weight = fb.tensor([1.0], requires_grad=True)
    optimizer = Descent(weight)
    scaler.scale(weight.sum()).backward()
    scaler.step(optimizer)
    scaler.update()


def test_scale_grows_after_the_interval() -> None:
    scaler = GradScaler("cpu", init_scale=8.0, growth_interval=2)
    scales = []
    for _ in range(4):
        good_step(scaler)
        scales.append(scaler.get_scale())
    assert scales == [8.0, 16.0, 16.0, 32.0]


def test_unscale_for_clipping_happens_once() -> None:
    weight = fb.tensor([1.0], requires_grad=True)
    optimizer, scaler = Descent(weight), GradScaler("cpu", init_scale=64.0)
    scaler.scale(weight.sum()).backward()
    scaler.unscale_(optimizer)
    assert weight.grad.tolist() == [1.0]
    with pytest.raises(RuntimeError, match="already been called on this optimizer"):
        scaler.unscale_(optimizer)
    scaler.step(optimizer)
    assert weight.grad.tolist() == [1.0]
    with pytest.raises(RuntimeError, match="after step"):
        scaler.unscale_(optimizer)
    with pytest.raises(RuntimeError, match=r"step\(\) has already been called"):
        scaler.step(optimizer)


def test_half_precision_losses_do_not_overflow_when_scaled() -> None:
    scaler = GradScaler("cpu")
    scaled = scaler.scale(fb.tensor(2.0, dtype=fb.float16))
    assert scaled.item() == 2.0 * 65536.0


def test_scale_takes_nested_outputs() -> None:
    scaler = GradScaler("cpu", init_scale=2.0)
    first, (second,) = scaler.scale([fb.tensor(1.0), (fb.tensor(3.0),)])
    assert (first.item(), second.item()) == (2.0, 6.0)
    with pytest.raises(ValueError, match="got float"):
        scaler.scale(1.0)


def test_mistakes_in_the_order_of_calls() -> None:
    scaler = GradScaler("cpu")
    with pytest.raises(AssertionError, match=r"before scale\(\)"):
        scaler.step(Descent())
    scaler.scale(fb.tensor(1.0))
    with pytest.raises(AssertionError, match="No inf checks"):
        scaler.step(Descent(fb.tensor([1.0], requires_grad=True)))


def test_disabled_passes_everything_through() -> None:
    scaler = GradScaler("cpu", enabled=False)
    loss, optimizer = fb.tensor(1.0), Descent()
    assert scaler.scale(loss) is loss
    scaler.unscale_(optimizer)
    scaler.step(optimizer)
    scaler.update()
    assert optimizer.steps == 1
    assert scaler.get_scale() == 1.0
    assert scaler.state_dict() == {}


def test_missing_device_disables_with_a_warning() -> None:
    with pytest.warns(UserWarning, match="'cuda' is not available") as caught:
        assert not GradScaler().is_enabled()
        assert not fb.cuda.amp.GradScaler().is_enabled()
        fb.cuda.amp.autocast()
    assert [warning.filename for warning in caught] == [__file__] * 3


def test_state_dict_moves_to_another_scaler() -> None:
    first = GradScaler("cpu", init_scale=8.0, growth_interval=3)
    good_step(first)
    second = GradScaler("cpu")
    second.load_state_dict(first.state_dict())
    assert second.state_dict() == {
        "scale": 8.0,
        "growth_factor": 2.0,
        "backoff_factor": 0.5,
        "growth_interval": 3,
        "_growth_tracker": 1,
    }
    with pytest.raises(RuntimeError, match="empty"):
        second.load_state_dict({})
