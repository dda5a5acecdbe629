import pytest

import flambeau_core as fb
from flambeau_optim import SGD, Adagrad, Adam
from flambeau_optim.lr_scheduler import CyclicLR


def leaf():
    return [fb.zeros(1, requires_grad=True)]


def test_momentum_moves_against_the_rate():
    optimizer = SGD(leaf(), lr=1.0, momentum=0.5)
    schedule = CyclicLR(optimizer, 0.1, 0.5, 2)
    seen = [optimizer.param_groups[0]["momentum"]]
    for _ in range(4):
        optimizer.step()
        schedule.step()
        seen.append(optimizer.param_groups[0]["momentum"])
    assert seen == pytest.approx([0.9, 0.85, 0.8, 0.85, 0.9])


def test_the_momentum_of_adam_is_its_first_beta():
    optimizer = Adam(leaf())
    CyclicLR(optimizer, 0.1, 0.5, max_momentum=0.95)
    assert optimizer.param_groups[0]["betas"] == (0.95, 0.999)


def test_a_scale_of_ones_own():
    optimizer = SGD(leaf(), lr=1.0)
    schedule = CyclicLR(
        optimizer, 0.0, 1.0, 1, scale_fn=lambda cycle: 1 / cycle, cycle_momentum=False
    )
    seen = []
    for _ in range(4):
        optimizer.step()
        schedule.step()
        seen.append(schedule.get_last_lr()[0])
    assert seen == [1.0, 0.0, 0.5, 0.0]
    assert schedule.state_dict()["_scale_fn_custom"] is None


def test_what_it_refuses():
    with pytest.raises(ValueError, match="cycle_momentum"):
        CyclicLR(Adagrad(leaf()), 0.1, 0.5)
    with pytest.raises(ValueError, match="mode 'square'"):
        CyclicLR(SGD(leaf()), 0.1, 0.5, mode="square")
    with pytest.raises(ValueError, match="expected 1 values for max_lr"):
        CyclicLR(SGD(leaf()), 0.1, [0.5, 0.6])
    with pytest.raises(TypeError, match="not an Optimizer"):
        CyclicLR(None, 0.1, 0.5)
