import pytest

import flambeau_core as fb
import flambeau_nn as nn


@pytest.fixture
def net():
    net = nn.Module()
    net.block = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
    net.again = net.block
    net.own = nn.Parameter(fb.zeros(1))
    return net


def test_parameters_in_order_and_once(net):
    names = [name for name, _ in net.named_parameters()]
    assert names == ["own", "block.0.weight", "block.0.bias", "block.1.weight", "block.1.bias"]
    assert len(list(net.parameters())) == 5
    assert [name for name, _ in net.named_parameters(recurse=False)] == ["own"]
    assert next(iter(net.named_parameters(prefix="net")))[0] == "net.own"


def test_duplicates_on_request(net):
    names = [name for name, _ in net.named_parameters(remove_duplicate=False)]
    assert "again.0.weight" in names and len(names) == 9


def test_buffers(net):
    names = [name for name, _ in net.named_buffers()]
    assert names == ["block.1.running_mean", "block.1.running_var", "block.1.num_batches_tracked"]
    assert len(list(net.buffers(recurse=False))) == 0


def test_modules_and_children(net):
    assert [name for name, _ in net.named_modules()] == ["", "block", "block.0", "block.1"]
    assert len(list(net.modules())) == 4
    assert [name for name, _ in net.named_children()] == ["block"]
    assert list(net.children()) == [net.block]


def test_get_submodule(net):
    assert net.get_submodule("") is net
    assert net.get_submodule("block.1") is net.block[1]
    with pytest.raises(AttributeError, match="Sequential has no attribute `7`"):
        net.get_submodule("block.7")
    with pytest.raises(AttributeError, match="`weight` is not an nn.Module"):
        net.get_submodule("block.0.weight")


def test_set_submodule(net):
    relu = nn.ReLU()
    net.set_submodule("block.0", relu)
    assert net.block[0] is relu
    with pytest.raises(AttributeError):
        net.set_submodule("block.9", relu, strict=True)
    with pytest.raises(ValueError):
        net.set_submodule("", relu)


def test_get_parameter_and_buffer(net):
    assert net.get_parameter("block.0.weight") is net.block[0].weight
    assert net.get_buffer("block.1.running_var") is net.block[1].running_var
    with pytest.raises(AttributeError, match="`running_var` is not an nn.Parameter"):
        net.get_parameter("block.1.running_var")
    with pytest.raises(AttributeError, match="`weight` is not a buffer"):
        net.get_buffer("block.1.weight")
    with pytest.raises(AttributeError, match="Linear has no attribute `nothing`"):
        net.get_parameter("block.0.nothing")
