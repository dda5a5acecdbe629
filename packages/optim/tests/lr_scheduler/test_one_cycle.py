import pytest

import flambeau_core as fb
from flambeau_optim import SGD, Adagrad, Adam
from flambeau_optim.lr_scheduler import OneCycleLR


def leaf():
    return [fb.zeros(1, requires_grad=True)]


def test_start_peak_end_and_the_momentum():
    optimizer = Adam(leaf())
    schedule = OneCycleLR(optimizer, 1.0, total_steps=11, pct_start=0.5, div_factor=10.0)
    group = optimizer.param_groups[0]
    assert (group["lr"], group["betas"][0]) == pytest.approx((0.1, 0.95))
    highest = 0.0
    for _ in range(10):
        optimizer.step()
        schedule.step()
        highest = max(highest, group["lr"])
    assert 0.97 < highest <= 1.0
    assert (group["lr"], group["betas"][0]) == pytest.approx((1e-5, 0.95))


def test_stepping_beyond_the_end():
    optimizer = SGD(leaf(), momentum=0.9)
    schedule = OneCycleLR(optimizer, 1.0, total_steps=2)
    optimizer.step()
    schedule.step()
    schedule.step()
    with pytest.raises(ValueError, match=r"Tried to step 3 times.*total steps is 2"):
        schedule.step()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "total_steps"),
        ({"total_steps": -2}, "Expected positive integer total_steps, but got -2"),
        ({"epochs": 2, "steps_per_epoch": 0}, "positive integer steps_per_epoch"),
        ({"total_steps": 4, "pct_start": 2}, "pct_start"),
        ({"total_steps": 4, "anneal_strategy": "steps"}, "anneal_strategy"),
    ],
)
def test_arguments_out_of_range(options, message):
    with pytest.raises(ValueError, match=message):
        OneCycleLR(SGD(leaf()), 1.0, **options)


def test_momentum_needs_an_optimizer_that_has_one():
    with pytest.raises(ValueError, match="Adagrad has neither"):
        OneCycleLR(Adagrad(leaf()), 1.0, total_steps=4)
