import copy

import pytest

import flambeau_core as fb
from flambeau_optim.swa_utils import (
    AveragedModel,
    get_ema_avg_fn,
    get_ema_multi_avg_fn,
    get_swa_avg_fn,
    update_bn,
)


class Scale:
    """What the averages need to know of a module: y = weight * x, and a count of its calls."""

    def __init__(self, weight):
        self.weight = fb.tensor([weight], requires_grad=True)
        self.calls = fb.tensor([0])

    def __call__(self, x):
        self.calls += 1
        return self.weight * x

    def parameters(self):
        return iter([self.weight])

    def buffers(self):
        return iter([self.calls])

    def state_dict(self):
        return {"weight": self.weight.detach(), "calls": self.calls}

    def load_state_dict(self, state, strict=True):
        with fb.no_grad():
            self.weight.copy_(state["weight"])
            self.calls.copy_(state["calls"])


def averaged_over(weights, **options):
    model = Scale(0.0)
    averaged = AveragedModel(model, **options)
    for weight in weights:
        with fb.no_grad():
            model.weight.fill_(weight)
        averaged.update_parameters(model)
    return averaged


def test_the_mean_of_all_updates():
    averaged = averaged_over([1.0, 2.0, 6.0])
    assert averaged.module.weight.item() == pytest.approx(3.0)
    assert averaged.n_averaged.item() == 3
    assert averaged(fb.tensor([2.0])).item() == pytest.approx(6.0)
    assert averaged_over([1.0, 2.0, 6.0], avg_fn=get_swa_avg_fn()).weight.item() == pytest.approx(3)


@pytest.mark.parametrize(
    "options", [{"avg_fn": get_ema_avg_fn(0.5)}, {"multi_avg_fn": get_ema_multi_avg_fn(0.5)}]
)
def test_an_exponential_average(options):
    # The first update is copied: 0.5 (0.5 * 1 + 0.5 * 2) + 0.5 * 6.
    assert averaged_over([1.0, 2.0, 6.0], **options).weight.item() == pytest.approx(3.75)


def test_buffers_are_copied():
    model = Scale(1.0)
    averaged = AveragedModel(model)
    model(fb.ones(1))
    averaged.update_parameters(model)
    assert averaged.module.calls.item() == 1
    model(fb.ones(1))
    assert averaged.module.calls.item() == 1


def test_states():
    averaged = averaged_over([1.0, 3.0])
    saved = averaged.state_dict()
    assert list(saved) == ["n_averaged", "module.weight", "module.calls"]
    other = averaged_over([])
    other.load_state_dict(saved)
    assert other.weight.item() == 2.0
    assert other.n_averaged.item() == 2
    assert copy.deepcopy(averaged).weight.item() == 2.0


def test_what_it_refuses():
    with pytest.raises(AssertionError, match="not both"):
        AveragedModel(Scale(1.0), avg_fn=get_swa_avg_fn(), multi_avg_fn=get_ema_multi_avg_fn())
    with pytest.raises(ValueError, match="decay"):
        get_ema_avg_fn(2.0)


class Norm:
    momentum = 0.1

    def reset_running_stats(self):
        self.seen = []


class Normalised:
    def __init__(self):
        self.norm = Norm()
        self.training = False

    def modules(self):
        return [self, self.norm]

    def train(self, mode=True):
        self.training = mode

    def __call__(self, x):
        self.norm.seen.append((x.item(), self.training, self.norm.momentum))


def test_statistics_are_computed_in_one_pass_of_training_mode():
    model = Normalised()
    update_bn([fb.tensor([1.0]), (fb.tensor([2.0]), "label")], model)
    assert model.norm.seen == [(1.0, True, None), (2.0, True, None)]
    assert model.training is False
    assert model.norm.momentum == 0.1
