import pytest

import flambeau_core as fb
from flambeau_optim import SGD
from flambeau_optim.lr_scheduler import (
    ChainedScheduler,
    ConstantLR,
    CosineAnnealingWarmRestarts,
    ExponentialLR,
    LinearLR,
    ReduceLROnPlateau,
    SequentialLR,
)


def sgd():
    return SGD([fb.zeros(1, requires_grad=True)], lr=1.0)


def rates(schedule, epochs):
    seen = list(schedule.get_last_lr())
    for _ in range(epochs - 1):
        schedule.optimizer.step()
        schedule.step()
        seen += schedule.get_last_lr()
    return seen


def warm_up_then_decay(optimizer):
    return SequentialLR(
        optimizer, [ConstantLR(optimizer, 0.5, 9), ExponentialLR(optimizer, 0.5)], [2]
    )


def test_sequence():
    assert rates(warm_up_then_decay(sgd()), 5) == [0.5, 0.5, 1.0, 0.5, 0.25]


def test_a_sequence_with_restarts():
    optimizer = sgd()
    schedule = SequentialLR(
        optimizer,
        [LinearLR(optimizer, 0.5, 1.0, 2), CosineAnnealingWarmRestarts(optimizer, 2)],
        [2],
    )
    assert rates(schedule, 6) == pytest.approx([0.5, 0.75, 1.0, 0.5, 1.0, 0.5])


def test_chain():
    optimizer = sgd()
    schedule = ChainedScheduler([ConstantLR(optimizer, 0.5, 2), ExponentialLR(optimizer, 0.5)])
    assert rates(schedule, 4) == [0.5, 0.25, 0.25, 0.125]


def test_states_are_nested():
    optimizer = sgd()
    schedule = warm_up_then_decay(optimizer)
    rates(schedule, 4)
    saved = schedule.state_dict()
    assert [state["last_epoch"] for state in saved["_schedulers"]] == [1, 1]
    other = sgd()
    resumed = warm_up_then_decay(other)
    resumed.load_state_dict(saved)
    other.load_state_dict(optimizer.state_dict())
    assert rates(resumed, 2) == [0.5, 0.25]
    assert len(saved["_schedulers"]) == 2


def test_what_they_refuse():
    optimizer = sgd()
    constant = ConstantLR(optimizer)
    with pytest.raises(ValueError, match="at least one scheduler"):
        SequentialLR(optimizer, [], [])
    with pytest.raises(ValueError, match="at least one scheduler"):
        ChainedScheduler([])
    with pytest.raises(ValueError, match="1 schedulers and 1 milestones"):
        SequentialLR(optimizer, [constant], [2])
    with pytest.raises(ValueError, match="ConstantLR at index 1 has another one"):
        SequentialLR(optimizer, [constant, ConstantLR(sgd())], [2])
    with pytest.raises(ValueError, match="ReduceLROnPlateau"):
        ChainedScheduler([constant, ReduceLROnPlateau(optimizer)])
