"""What all schedules share."""

import warnings

import pytest

import flambeau_core as fb
from flambeau_optim import SGD, lr_scheduler
from flambeau_optim.lr_scheduler import ExponentialLR, LRScheduler, StepLR


def sgd(lr=1.0, **options):
    return SGD([fb.zeros(1, requires_grad=True)], lr=lr, **options)


def rates(schedule, optimizer, epochs=8):
    """The rate of each epoch."""
    seen = [optimizer.param_groups[0]["lr"]]
    for _ in range(epochs - 1):
        optimizer.step()
        schedule.step()
        seen.append(optimizer.param_groups[0]["lr"])
    return seen


# Recorded from PyTorch 2.13: the rates of eight epochs from lr=1.
RECORDED = [
    ("StepLR", (2, 0.5), {}, [1, 1, 0.5, 0.5, 0.25, 0.25, 0.125, 0.125]),
    ("MultiStepLR", ([2, 3, 3],), {}, [1, 1, 0.1, 0.001, 0.001, 0.001, 0.001, 0.001]),
    ("ConstantLR", (0.5, 3), {}, [0.5, 0.5, 0.5, 1, 1, 1, 1, 1]),
    ("LinearLR", (0.25, 1.0, 3), {}, [0.25, 0.5, 0.75, 1, 1, 1, 1, 1]),
    (
        "ExponentialLR",
        (0.5,),
        {},
        [1, 0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.0078125],
    ),
    ("PolynomialLR", (4, 2.0), {}, [1, 0.5625, 0.25, 0.0625, 0, 0, 0, 0]),
    (
        "CosineAnnealingLR",
        (4, 0.1),
        {},
        [1, 0.868198052, 0.55, 0.231801948, 0.1, 0.231801948, 0.55, 0.868198052],
    ),
    (
        "CosineAnnealingWarmRestarts",
        (2, 2),
        {},
        [1, 0.5, 1, 0.853553391, 0.5, 0.146446609, 1, 0.961939766],
    ),
    ("LambdaLR", (lambda e: 1 / (1 + e),), {}, [1 / n for n in range(1, 9)]),
    ("MultiplicativeLR", (lambda e: 0.5,), {}, [0.5**n for n in range(8)]),
    (
        "CyclicLR",
        (0.1, 0.5, 2, 3),
        {},
        [0.1, 0.3, 0.5, 0.366666667, 0.233333333, 0.1, 0.3, 0.5],
    ),
    (
        "CyclicLR",
        (0.1, 0.5, 2),
        {"mode": "triangular2"},
        [0.1, 0.3, 0.5, 0.3, 0.1, 0.2, 0.3, 0.2],
    ),
    (
        "CyclicLR",
        (0.1, 0.5, 2),
        {"mode": "exp_range", "gamma": 0.5},
        [0.1, 0.2, 0.2, 0.125, 0.1, 0.10625, 0.10625, 0.1015625],
    ),
    (
        "OneCycleLR",
        (1.0, 8),
        {},
        [
            0.04,
            0.819275105,
            0.971941777,
            0.811745654,
            0.555984014,
            0.283060998,
            0.0766415938,
            4e-06,
        ],
    ),
    (
        "OneCycleLR",
        (1.0,),
        {"epochs": 2, "steps_per_epoch": 4, "anneal_strategy": "linear", "three_phase": True},
        [0.04, 0.725714286, 0.588571429, 0.0380954286, 0.0285725714, 0.0190497143, 0.00952685714]
        + [4e-06],
    ),
]


@pytest.mark.parametrize(("name", "args", "options", "expected"), RECORDED)
def test_recorded(name, args, options, expected):
    optimizer = sgd(momentum=0.5)
    schedule = getattr(lr_scheduler, name)(optimizer, *args, **options)
    assert rates(schedule, optimizer) == pytest.approx(expected, rel=1e-7, abs=1e-15)
    assert schedule.get_last_lr() == [optimizer.param_groups[0]["lr"]]
    assert schedule.last_epoch == 7


@pytest.mark.parametrize(("name", "args", "options", "expected"), RECORDED)
def test_a_saved_schedule_goes_on(name, args, options, expected):
    make = getattr(lr_scheduler, name)
    optimizer = sgd(momentum=0.5)
    schedule = make(optimizer, *args, **options)
    rates(schedule, optimizer, 4)
    other = sgd(momentum=0.5)
    resumed = make(other, *args, **options)
    resumed.load_state_dict(schedule.state_dict())
    other.load_state_dict(optimizer.state_dict())
    assert rates(resumed, other, 5) == pytest.approx(expected[3:], rel=1e-7, abs=1e-15)


@pytest.mark.parametrize(("name", "args", "options", "expected"), RECORDED)
def test_a_rate_in_a_tensor_is_changed_in_place(name, args, options, expected):
    rate = fb.tensor(1.0, dtype=fb.float64)
    optimizer = sgd(rate, momentum=0.5)
    schedule = getattr(lr_scheduler, name)(optimizer, *args, **options)
    seen = [rate.item()]
    for _ in range(7):
        optimizer.step()
        schedule.step()
        seen.append(rate.item())
    assert optimizer.param_groups[0]["lr"] is rate
    assert seen == pytest.approx(expected, rel=1e-7, abs=1e-15)


def test_each_group_has_its_own_rate():
    params = [fb.zeros(1, requires_grad=True) for _ in range(2)]
    optimizer = SGD([{"params": [params[0]]}, {"params": [params[1]], "lr": 0.5}], lr=1.0)
    schedule = ExponentialLR(optimizer, 0.5)
    optimizer.step()
    schedule.step()
    assert schedule.get_last_lr() == [0.5, 0.25]
    assert schedule.base_lrs == [1.0, 0.5]
    assert [group["initial_lr"] for group in optimizer.param_groups] == [1.0, 0.5]


def test_stepping_before_the_optimizer_warns_once():
    optimizer = sgd()
    schedule = StepLR(optimizer, 1)
    with pytest.warns(UserWarning, match=r"before `optimizer\.step\(\)`"):
        schedule.step()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        schedule.step()


def test_stepping_after_the_optimizer_does_not_warn_and_leaves_step_alone():
    optimizer = sgd()
    schedule = StepLR(optimizer, 1)
    optimizer.step()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        schedule.step()
    assert "step" not in vars(optimizer)


def test_going_to_an_epoch_uses_the_closed_form_and_warns():
    optimizer = sgd()
    schedule = StepLR(optimizer, 2, gamma=0.5)
    optimizer.step()
    with pytest.warns(UserWarning, match="epoch"):
        schedule.step(5)
    assert schedule.get_last_lr() == [0.25]
    assert schedule.last_epoch == 5


def test_get_lr_is_not_get_last_lr():
    schedule = StepLR(sgd(), 2)
    with pytest.warns(UserWarning, match="get_last_lr"):
        schedule.get_lr()


def test_resuming_at_an_epoch_needs_the_initial_rates():
    with pytest.raises(KeyError, match="initial_lr"):
        StepLR(sgd(), 2, last_epoch=3)
    optimizer = sgd()
    optimizer.param_groups[0]["initial_lr"] = 8.0
    schedule = StepLR(optimizer, 2, gamma=0.5, last_epoch=2)
    assert schedule.last_epoch == 3
    assert schedule.base_lrs == [8.0]


def test_it_needs_an_optimizer():
    with pytest.raises(TypeError, match="int is not an Optimizer"):
        StepLR(3, 1)


def test_a_schedule_of_ones_own():
    class Halving(LRScheduler):
        def get_lr(self):
            return [base / 2**self.last_epoch for base in self.base_lrs]

    optimizer = sgd()
    assert rates(Halving(optimizer), optimizer, 3) == [1, 0.5, 0.25]
    with pytest.raises(NotImplementedError, match="get_lr"):
        LRScheduler(sgd())
