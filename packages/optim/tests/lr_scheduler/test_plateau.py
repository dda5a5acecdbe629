import pytest

import flambeau_core as fb
from flambeau_optim import SGD
from flambeau_optim.lr_scheduler import ReduceLROnPlateau


def sgd(groups=1):
    return SGD([{"params": [fb.zeros(1, requires_grad=True)]} for _ in range(groups)], lr=1.0)


def rates(schedule, metrics):
    seen = []
    for metric in metrics:
        schedule.step(metric)
        seen.append(schedule.get_last_lr()[0])
    return seen


def test_patience():
    schedule = ReduceLROnPlateau(sgd(), factor=0.5, patience=1)
    assert rates(schedule, [3, 2, 2, 2, 2, 1, 1]) == [1, 1, 1, 0.5, 0.5, 0.5, 0.5]
    assert schedule.best == 1


def test_cooldown():
    schedule = ReduceLROnPlateau(sgd(), factor=0.5, patience=0, cooldown=2)
    assert rates(schedule, [1, 1, 1, 1, 1]) == [1, 0.5, 0.5, 0.5, 0.25]


@pytest.mark.parametrize(
    ("mode", "threshold_mode", "better", "not_better"),
    [("min", "rel", 89, 91), ("max", "rel", 111, 109), ("min", "abs", 99.8, 99.95)]
    + [("max", "abs", 100.2, 100.05)],
)
def test_what_counts_as_better(mode, threshold_mode, better, not_better):
    schedule = ReduceLROnPlateau(
        sgd(), mode=mode, threshold=0.1, threshold_mode=threshold_mode, patience=0
    )
    schedule.step(100)
    schedule.step(not_better)
    assert schedule.best == 100
    schedule.step(better)
    assert schedule.best == better


def test_the_lowest_rate_and_the_smallest_change():
    schedule = ReduceLROnPlateau(sgd(2), factor=0.5, patience=0, min_lr=[0.4, 0.75])
    schedule.step(1)
    schedule.step(1)
    schedule.step(1)
    assert schedule.get_last_lr() == [0.4, 0.75]
    unchanged = ReduceLROnPlateau(sgd(), factor=0.5, patience=0, eps=0.6)
    assert rates(unchanged, [1, 1, 1]) == [1, 1, 1]


def test_metrics_may_be_tensors_and_states_are_saved():
    optimizer = sgd()
    schedule = ReduceLROnPlateau(optimizer, factor=0.5, patience=1)
    schedule.step(fb.tensor(2.0))
    schedule.step(fb.tensor(2.0))
    other = ReduceLROnPlateau(optimizer, factor=0.1, patience=9)
    other.load_state_dict(schedule.state_dict())
    assert rates(other, [2.0]) == [0.5]


def test_what_it_refuses():
    with pytest.raises(ValueError, match="Factor should be < 1.0"):
        ReduceLROnPlateau(sgd(), factor=1.0)
    with pytest.raises(ValueError, match="mode best is unknown"):
        ReduceLROnPlateau(sgd(), mode="best")
    with pytest.raises(ValueError, match="threshold mode x"):
        ReduceLROnPlateau(sgd(), threshold_mode="x")
    with pytest.raises(ValueError, match="expected 1 min_lrs, got 2"):
        ReduceLROnPlateau(sgd(), min_lr=[0.1, 0.2])
    with pytest.raises(TypeError, match="not an Optimizer"):
        ReduceLROnPlateau(3)
