"""Layers that take the number of their inputs from the first input."""

import copy
import pickle

import pytest

import flambeau_core as fb
import flambeau_nn as nn
from flambeau_nn.parameter import UninitializedBuffer, UninitializedParameter, is_lazy


@pytest.mark.parametrize(
    ("lazy", "shape", "cls", "weight"),
    [
        (lambda: nn.LazyLinear(3), (2, 5), nn.Linear, (3, 5)),
        (lambda: nn.LazyConv1d(4, 3), (2, 6, 7), nn.Conv1d, (4, 6, 3)),
        (lambda: nn.LazyConv2d(4, 3, groups=2), (6, 7, 7), nn.Conv2d, (4, 3, 3, 3)),
        (lambda: nn.LazyConv3d(4, 2), (1, 3, 4, 4, 4), nn.Conv3d, (4, 3, 2, 2, 2)),
        (lambda: nn.LazyConvTranspose1d(4, 3), (2, 6, 7), nn.ConvTranspose1d, (6, 4, 3)),
        (
            lambda: nn.LazyConvTranspose2d(4, 3, 2, 1, 1, 2),
            (2, 6, 5, 5),
            nn.ConvTranspose2d,
            (6, 2, 3, 3),
        ),
        (
            lambda: nn.LazyConvTranspose3d(4, 2),
            (1, 3, 4, 4, 4),
            nn.ConvTranspose3d,
            (3, 4, 2, 2, 2),
        ),
        (lambda: nn.LazyBatchNorm1d(), (4, 3), nn.BatchNorm1d, (3,)),
        (lambda: nn.LazyBatchNorm2d(), (4, 3, 2, 2), nn.BatchNorm2d, (3,)),
        (lambda: nn.LazyBatchNorm3d(), (4, 3, 2, 2, 2), nn.BatchNorm3d, (3,)),
        (lambda: nn.LazyInstanceNorm1d(), (3, 6), nn.InstanceNorm1d, (3,)),
        (lambda: nn.LazyInstanceNorm2d(), (4, 3, 2, 2), nn.InstanceNorm2d, (3,)),
        (lambda: nn.LazyInstanceNorm3d(), (4, 3, 2, 2, 2), nn.InstanceNorm3d, (3,)),
    ],
)
def test_becomes_the_plain_layer(lazy, shape, cls, weight):
    module = lazy()
    assert module.has_uninitialized_params()
    x = fb.randn(shape)
    result = module(x)
    assert type(module) is cls
    assert type(module.weight) is nn.Parameter and tuple(module.weight.shape) == weight
    assert not any(map(is_lazy, [*module.parameters(), *module.buffers()]))
    twin = copy.deepcopy(module)
    module.eval(), twin.eval()
    assert module(x).shape == result.shape
    assert fb.equal(module(x), twin(x))


def test_gradients_reach_the_new_parameters():
    module = nn.LazyLinear(1, bias=False)
    module(fb.tensor([[2.0, 3.0]])).sum().backward()
    assert module.weight.grad.tolist() == [[2.0, 3.0]]
    assert "Lazy" not in repr(module) and not module._forward_pre_hooks


def test_running_statistics_start_with_the_first_batch():
    module = nn.LazyBatchNorm1d(momentum=1.0)
    module(fb.tensor([[1.0, 10.0], [3.0, 30.0]]))
    assert module.running_mean.tolist() == [2.0, 20.0]
    assert module.running_var.tolist() == [2.0, 200.0]
    assert int(module.num_batches_tracked) == 1


def test_state_serves_as_well_as_an_input():
    source = nn.Linear(5, 3)
    module = nn.LazyLinear(3)
    module.load_state_dict(source.state_dict())
    x = fb.randn(2, 5)
    assert fb.equal(module(x), source(x))
    assert module.in_features == 5


def test_state_without_shapes():
    module = nn.LazyLinear(3)
    assert is_lazy(module.state_dict()["weight"])
    module.load_state_dict(nn.LazyLinear(3).state_dict())
    assert module.has_uninitialized_params()
    with pytest.raises(RuntimeError, match="shape of an uninitialized parameter"):
        nn.Linear(2, 3).load_state_dict(module.state_dict())


@pytest.mark.parametrize("make", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_copies_are_lazy_by_themselves(make):
    module = nn.LazyConv1d(2, 1)
    twin = make(module)
    assert twin(fb.randn(1, 3, 4)).shape == (1, 2, 4)
    assert type(twin) is nn.Conv1d and not twin._forward_pre_hooks
    assert module.has_uninitialized_params()


def test_dtype_is_kept_for_later():
    module = nn.LazyBatchNorm1d().double()
    module(fb.randn(4, 3, dtype=fb.float64))
    assert module.weight.dtype == module.running_mean.dtype == fb.float64


def test_uninitialized_tensors_refuse_work():
    parameter = UninitializedParameter(dtype=fb.float64)
    for use in (lambda: parameter + 1, lambda: fb.exp(parameter), lambda: parameter.numel()):
        with pytest.raises(ValueError, match="uninitialized parameter"):
            use()
    with pytest.raises(RuntimeError, match="shape"):
        _ = parameter.shape
    with pytest.raises(RuntimeError, match="share memory"):
        parameter.share_memory_()
    parameter.materialize((2, 3))
    assert (parameter + 1).shape == (2, 3) and parameter.dtype == fb.float64
    buffer = UninitializedBuffer()
    buffer.materialize((2,), dtype=fb.int64)
    assert buffer.shape == (2,) and buffer.dtype == fb.int64


def test_inputs_that_do_not_fit():
    with pytest.raises(RuntimeError, match="Expected 3D .* or 4D"):
        nn.LazyConv2d(4, 3)(fb.zeros(3, 3))
    with pytest.raises(ValueError, match="divisible by groups"):
        nn.LazyConv2d(4, 3, groups=2)(fb.zeros(1, 3, 5, 5))
