import math

import pytest

import flambeau_core as fb
from flambeau_optim import SGD
from flambeau_optim.lr_scheduler import CosineAnnealingLR, CosineAnnealingWarmRestarts


def sgd():
    return SGD([fb.zeros(1, requires_grad=True)], lr=1.0)


def test_the_recursion_stays_on_the_cosine():
    optimizer = sgd()
    schedule = CosineAnnealingLR(optimizer, 10, eta_min=0.2)
    for epoch in range(1, 45):
        optimizer.step()
        schedule.step()
        expected = 0.2 + 0.8 * (1 + math.cos(math.pi * epoch / 10)) / 2
        assert schedule.get_last_lr() == pytest.approx([expected], abs=1e-9)


def test_restarts_within_an_epoch():
    schedule = CosineAnnealingWarmRestarts(sgd(), 2, T_mult=2)
    schedule.step(0.5)
    assert schedule.get_last_lr() == pytest.approx([(1 + math.cos(math.pi / 4)) / 2])
    # The second round lasts from 2 to 6.
    schedule.step(5.0)
    assert schedule.get_last_lr() == pytest.approx([(1 + math.cos(math.pi * 3 / 4)) / 2])
    assert schedule.last_epoch == 5


def test_arguments_out_of_range():
    with pytest.raises(ValueError, match="T_0"):
        CosineAnnealingWarmRestarts(sgd(), 0)
    with pytest.raises(ValueError, match="T_mult"):
        CosineAnnealingWarmRestarts(sgd(), 2, T_mult=0)
    with pytest.raises(ValueError, match="non-negative epoch"):
        CosineAnnealingWarmRestarts(sgd(), 2).step(-1)
