import pytest

import flambeau_core as fb
import flambeau_nn as nn
from flambeau_nn import clip_grad


def parameters():
    first, second, third = (nn.Parameter(fb.zeros(2)) for _ in range(3))
    first.grad = fb.tensor([3.0, 0.0])
    second.grad = fb.tensor([0.0, -4.0])
    return [first, second, third]  # the third has no gradient


def test_norm_is_limited_and_returned(close):
    params = parameters()
    total = nn.utils.clip_grad_norm_(params, 1.0)
    assert float(total) == pytest.approx(5.0)
    close(params[0].grad, [0.6, 0.0], rel=1e-4)
    close(params[1].grad, [0.0, -0.8], rel=1e-4)


def test_small_gradients_stay():
    params = parameters()
    nn.utils.clip_grad_norm_((p for p in params), 10.0)
    assert params[0].grad.tolist() == [3.0, 0.0]


@pytest.mark.parametrize(("order", "norm"), [(1, 7.0), (float("inf"), 4.0), (3, 91 ** (1 / 3))])
def test_other_norms(order, norm):
    grads = [p.grad for p in parameters() if p.grad is not None]
    assert float(nn.utils.get_total_norm(grads, order)) == pytest.approx(norm)


def test_one_tensor_and_none():
    params = parameters()
    assert float(nn.utils.clip_grad_norm_(params[0], 1.0)) == 3.0
    assert float(nn.utils.clip_grad_norm_([params[2]], 1.0)) == 0.0


def test_non_finite_norm():
    params = parameters()
    params[0].grad = fb.tensor([float("inf"), 0.0])
    with pytest.raises(RuntimeError, match="non-finite"):
        nn.utils.clip_grad_norm_(params, 1.0, error_if_nonfinite=True)


def test_values_are_limited(close):
    params = parameters()
    nn.utils.clip_grad_value_(params, 3.5)
    close(params[1].grad, [0.0, -3.5])
    close(params[0].grad, [3.0, 0.0])


def test_given_norm(close):
    params = parameters()
    clip_grad.clip_grads_with_norm_(params, 1.0, fb.tensor(2.0))
    close(params[0].grad, [1.5, 0.0], rel=1e-4)
