import pytest

import flambeau_core as fb
from flambeau_optim import SGD


def test_a_plain_step_by_hand():
    param = fb.tensor([1.0, -2.0], requires_grad=True)
    optimizer = SGD([param], lr=0.5)
    (param**2).sum().backward()
    optimizer.step()
    # p - 0.5 * 2 p
    assert param.tolist() == [0.0, 0.0]
    assert optimizer.state_dict()["state"] == {}


def test_momentum_by_hand():
    param = fb.tensor([1.0], dtype=fb.float64, requires_grad=True)
    optimizer = SGD([param], lr=0.1, momentum=0.5)
    for _ in range(3):
        param.grad = fb.tensor([1.0], dtype=fb.float64)
        optimizer.step()
    # The buffer is 1, 1.5, 1.75.
    assert param.item() == pytest.approx(1 - 0.1 * (1 + 1.5 + 1.75), rel=1e-12)
    assert optimizer.state[param]["momentum_buffer"].item() == pytest.approx(1.75, rel=1e-12)


# Recorded from PyTorch 2.13 after four steps.
@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (
            {"lr": 0.1, "momentum": 0.9, "dampening": 0.1, "weight_decay": 0.05},
            [0.770763904, -1.962930736, 2.968001765],
        ),
        ({"lr": 0.1, "momentum": 0.9, "nesterov": True}, [0.9342425, -2.47569, 3.95138]),
        (
            {"lr": 0.1, "maximize": True, "weight_decay": 0.05},
            [0.8784082412, -1.558311489, 2.136473477],
        ),
    ],
)
def test_recorded(after, options, expected):
    assert after(SGD, 4, **options) == pytest.approx(expected, rel=1e-8)


def test_the_rate_may_be_a_tensor():
    param = fb.tensor([1.0], requires_grad=True)
    rate = fb.tensor(0.5)
    optimizer = SGD([param], lr=rate)
    param.grad = fb.ones(1)
    optimizer.step()
    rate.fill_(0.25)
    optimizer.step()
    assert param.item() == 0.25


def test_parameters_without_gradient_are_left_alone():
    used, unused = (fb.ones(2, requires_grad=True) for _ in range(2))
    optimizer = SGD([unused, used], lr=1.0, momentum=0.9, weight_decay=0.5)
    used.grad = fb.ones(2)
    optimizer.step()
    assert unused.tolist() == [1, 1]
    assert used.tolist() == [-0.5, -0.5]
    assert list(optimizer.state) == [used]


def test_groups_have_options_of_their_own():
    slow, fast = (fb.zeros(1, requires_grad=True) for _ in range(2))
    optimizer = SGD([{"params": slow, "lr": 0.125}, {"params": [fast]}], lr=1.0)
    slow.grad = fast.grad = fb.ones(1)
    optimizer.step()
    assert (slow.item(), fast.item()) == (-0.125, -1.0)


def test_a_step_leaves_no_trace_in_autograd():
    param = fb.ones(2, requires_grad=True)
    param.grad = fb.ones(2)
    SGD([param], lr=0.1, momentum=0.9).step()
    assert param.is_leaf
    assert param.requires_grad


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"lr": -1}, "Invalid learning rate: -1"),
        ({"momentum": -1}, "Invalid momentum value: -1"),
        ({"weight_decay": -1}, "Invalid weight_decay value: -1"),
        ({"nesterov": True}, "Nesterov momentum requires a momentum and zero dampening"),
        ({"nesterov": True, "momentum": 0.9, "dampening": 0.1}, "Nesterov"),
    ],
)
def test_arguments_out_of_range(options, message):
    with pytest.raises(ValueError, match=message):
        SGD([fb.zeros(1, requires_grad=True)], **options)


def test_execution_switches():
    param = fb.zeros(1, requires_grad=True)
    with pytest.raises(RuntimeError, match="fused"):
        SGD([param], foreach=True, fused=True)
    with pytest.raises(NotImplementedError, match="differentiable"):
        SGD([param], differentiable=True)
    with pytest.raises(ValueError, match="1-element"):
        SGD([param], lr=fb.tensor([0.1, 0.2]))
