import pytest

import flambeau_core as fb
import flambeau_nn as nn


def net():
    net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    net(fb.tensor([[1.0, 2.0], [3.0, 5.0]])).square().sum().backward()
    return net


@pytest.mark.parametrize(
    ("cast", "dtype"),
    [
        (lambda m: m.double(), fb.float64),
        (lambda m: m.half(), fb.float16),
        (lambda m: m.bfloat16(), fb.bfloat16),
        (lambda m: m.to(fb.float64), fb.float64),
        (lambda m: m.to("cpu", fb.float64), fb.float64),
        (lambda m: m.to(device="cpu", dtype=fb.float64, non_blocking=True), fb.float64),
        (lambda m: m.to(fb.zeros(1, dtype=fb.float64)), fb.float64),
        (lambda m: m.double().float(), fb.float32),
    ],
)
def test_casts_reach_parameters_gradients_and_buffers(cast, dtype):
    module = net()
    weight = module[0].weight
    assert cast(module) is module
    assert module[0].weight is weight  # an optimizer keeps its hold
    assert weight.dtype == weight.grad.dtype == dtype
    assert module[1].running_mean.dtype == dtype
    assert module[1].num_batches_tracked.dtype == fb.int64
    assert module(fb.zeros(2, 2, dtype=dtype)).dtype == dtype


def test_to_device_alone_keeps_dtypes():
    module = net().to("cpu")
    assert module[0].weight.dtype == fb.float32
    assert module.cpu() is module


def test_to_refuses_integers_and_nonsense():
    with pytest.raises(TypeError, match="only accepts floating point or complex dtypes"):
        net().to(fb.int32)
    with pytest.raises(TypeError):
        net().to([1])


def test_values_survive_a_cast():
    module = nn.Linear(1, 1)
    with fb.no_grad():
        module.weight.fill_(0.5)
    assert module.double().weight.tolist() == [[0.5]]
    assert module.weight.requires_grad and module.weight.is_leaf


def test_to_empty_keeps_shapes():
    module = net()
    module.to_empty(device="cpu")
    assert module[0].weight.shape == (2, 2)


def test_requires_grad_and_zero_grad():
    module = net()
    module.zero_grad(set_to_none=False)
    assert module[0].weight.grad.tolist() == [[0.0, 0.0], [0.0, 0.0]]
    module.zero_grad()
    assert all(p.grad is None for p in module.parameters())
    assert module.requires_grad_(False) is module
    assert not any(p.requires_grad for p in module.parameters())


def test_apply_visits_children_first():
    module, seen = nn.Sequential(nn.Sequential(nn.ReLU()), nn.Tanh()), []
    assert module.apply(lambda m: seen.append(type(m).__name__)) is module
    assert seen == ["ReLU", "Sequential", "Tanh", "Sequential"]
