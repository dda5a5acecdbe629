import copy
import pickle

import pytest

import flambeau_core as fb
import flambeau_nn as nn


def test_parameter_wants_gradients_and_shares_memory():
    data = fb.zeros(3)
    parameter = nn.Parameter(data)
    data[1] = 5.0
    assert parameter.requires_grad and parameter.is_leaf
    assert parameter.tolist() == [0.0, 5.0, 0.0]
    assert isinstance(parameter, fb.Tensor)


def test_parameter_made_under_no_grad_still_wants_gradients():
    with fb.no_grad():
        assert nn.Parameter(fb.zeros(2)).requires_grad


def test_parameter_can_be_frozen_and_empty():
    assert not nn.Parameter(fb.zeros(2), requires_grad=False).requires_grad
    assert nn.Parameter().numel() == 0


def test_results_of_operations_are_plain_tensors():
    assert type(nn.Parameter(fb.ones(2)) * 2) is fb.Tensor


def test_repr_names_the_parameter():
    assert repr(nn.Parameter(fb.ones(1))).startswith("Parameter containing:\n")


@pytest.mark.parametrize("copier", [copy.deepcopy, lambda p: pickle.loads(pickle.dumps(p))])
def test_copies_keep_type_values_and_flag(copier):
    parameter = nn.Parameter(fb.tensor([1.0, 2.0]), requires_grad=False)
    other = copier(parameter)
    assert type(other) is nn.Parameter
    assert other.tolist() == [1.0, 2.0] and not other.requires_grad
    other.data[0] = 9.0
    assert parameter.tolist() == [1.0, 2.0]


def test_files_give_parameters_back(tmp_path):
    fb.save([nn.Parameter(fb.ones(2)), fb.zeros(1)], tmp_path / "tensors.pt")
    parameter, tensor = fb.load(tmp_path / "tensors.pt")
    assert type(parameter) is nn.Parameter and parameter.requires_grad
    assert type(tensor) is fb.Tensor


def test_deepcopy_keeps_sharing():
    parameter = nn.Parameter(fb.ones(1))
    first, second = copy.deepcopy([parameter, parameter])
    assert first is second


def test_buffer_is_recognised():
    buffer = nn.Buffer(fb.zeros(2), persistent=False)
    assert isinstance(buffer, nn.Buffer)
    assert not isinstance(fb.zeros(2), nn.Buffer)
    assert buffer.persistent is False and not buffer.requires_grad
