import pytest

import flambeau_core as fb
from flambeau_optim import SGD
from flambeau_optim.lr_scheduler import LambdaLR


class Warmup:
    def __init__(self, epochs):
        self.epochs = epochs

    def __call__(self, epoch):
        return min(1.0, (epoch + 1) / self.epochs)


def two_groups():
    params = [fb.zeros(1, requires_grad=True) for _ in range(2)]
    return SGD([{"params": [param]} for param in params], lr=1.0)


def test_a_function_for_each_group():
    schedule = LambdaLR(two_groups(), [lambda epoch: 0.5, lambda epoch: 0.25])
    assert schedule.get_last_lr() == [0.5, 0.25]
    with pytest.raises(ValueError, match="Expected 2 lr_lambdas, but got 1"):
        LambdaLR(two_groups(), [lambda epoch: 1])


def test_objects_are_saved_and_functions_are_not():
    schedule = LambdaLR(two_groups(), [Warmup(4), lambda epoch: 1])
    saved = schedule.state_dict()
    assert saved["lr_lambdas"] == [{"epochs": 4}, None]
    other = LambdaLR(two_groups(), [Warmup(9), lambda epoch: 1])
    other.load_state_dict(saved)
    assert other.lr_lambdas[0].epochs == 4
    assert saved["lr_lambdas"] == [{"epochs": 4}, None]
