from collections import OrderedDict

import pytest

import flambeau_core as fb
import flambeau_nn as nn


class Add(nn.Module):
    def __init__(self, amount):
        super().__init__()
        self.amount = amount

    def forward(self, x):
        return x + self.amount

    def extra_repr(self):
        return f"{self.amount}"


def amounts(container):
    return [module.amount for module in container]


# -- Sequential -----------------------------------------------------------------------------


def test_sequential_chains_its_modules():
    assert nn.Sequential(Add(1), Add(2))(10) == 13
    assert nn.Sequential()(10) == 10


def test_sequential_from_an_ordered_dict():
    chain = nn.Sequential(OrderedDict(a=Add(1), b=Add(2)))
    assert list(chain._modules) == ["a", "b"] and chain.a is chain[0]


def test_sequential_indexing():
    chain = nn.Sequential(Add(1), Add(2), Add(3))
    assert len(chain) == 3 and chain[-1].amount == 3
    assert isinstance(chain[:2], nn.Sequential) and amounts(chain[1:]) == [2, 3]
    chain[0] = Add(9)
    assert amounts(chain) == [9, 2, 3]
    with pytest.raises(IndexError, match="index 3 is out of range"):
        chain[3]


def test_sequential_deletion_renumbers():
    chain = nn.Sequential(Add(1), Add(2), Add(3))
    del chain[0]
    assert amounts(chain) == [2, 3] and list(chain._modules) == ["0", "1"]
    del chain[0:2]
    assert len(chain) == 0


def test_sequential_growth():
    chain = nn.Sequential(Add(1))
    assert chain.append(Add(3)) is chain
    chain.insert(1, Add(2))
    chain.extend([Add(4)])
    assert amounts(chain) == [1, 2, 3, 4]
    assert chain.pop(0).amount == 1 and amounts(chain) == [2, 3, 4]
    with pytest.raises(AssertionError):
        chain.insert(0, 3)
    with pytest.raises(IndexError):
        chain.insert(9, Add(1))


def test_sequential_arithmetic():
    chain = nn.Sequential(Add(1)) + nn.Sequential(Add(2))
    assert amounts(chain * 2) == [1, 2, 1, 2] == amounts(2 * chain)
    chain += nn.Sequential(Add(3))
    chain *= 2
    assert amounts(chain) == [1, 2, 3, 1, 2, 3]
    with pytest.raises(ValueError, match="supports only objects of Sequential"):
        chain + [Add(1)]
    with pytest.raises(TypeError, match="unsupported operand"):
        chain * 1.5
    with pytest.raises(ValueError, match="Non-positive multiplication factor"):
        chain * 0


# -- ModuleList -----------------------------------------------------------------------------


def test_module_list_is_a_list():
    modules = nn.ModuleList([Add(1), Add(2)])
    modules.append(Add(3)).extend([Add(4)])
    modules += [Add(5)]
    modules.insert(0, Add(0))
    assert amounts(modules) == [0, 1, 2, 3, 4, 5]
    assert isinstance(modules[1:3], nn.ModuleList) and amounts(modules[1:3]) == [1, 2]
    modules[-1] = Add(50)
    del modules[0]
    assert amounts(modules) == [1, 2, 3, 4, 50] and list(modules._modules) == list("01234")
    assert modules.pop(1).amount == 2
    assert amounts(modules + [Add(7)])[-1] == 7
    with pytest.raises(TypeError, match="should be called with an iterable, but got int"):
        modules.extend(3)
    with pytest.raises(IndexError):
        modules[9]


def test_module_list_registers_parameters():
    modules = nn.ModuleList(nn.Linear(1, 1) for _ in range(2))
    assert [name for name, _ in modules.named_parameters()] == [
        "0.weight",
        "0.bias",
        "1.weight",
        "1.bias",
    ]


def test_module_list_repr_folds_equal_modules():
    # As PyTorch 2.13 prints it.
    assert repr(nn.ModuleList([Add(1), Add(1), Add(2), nn.Sequential(Add(1))])) == (
        "ModuleList(\n"
        "  (0-1): 2 x Add(1)\n"
        "  (2): Add(2)\n"
        "  (3): Sequential(\n"
        "    (0): Add(1)\n"
        "  )\n"
        ")"
    )
    assert repr(nn.ModuleList()) == "ModuleList()"


# -- ModuleDict -----------------------------------------------------------------------------


def test_module_dict_is_a_dict():
    modules = nn.ModuleDict({"a": Add(1)})
    modules["b"] = Add(2)
    modules.update([("c", Add(3))])
    modules.update(nn.ModuleDict({"d": Add(4)}))
    assert list(modules) == ["a", "b", "c", "d"] == list(modules.keys())
    assert amounts(modules.values()) == [1, 2, 3, 4]
    assert "b" in modules and len(modules) == 4 and modules["b"].amount == 2
    assert modules.pop("a").amount == 1
    del modules["b"]
    assert [name for name, _ in modules.items()] == ["c", "d"]
    modules.clear()
    assert len(modules) == 0


def test_module_dict_refuses():
    with pytest.raises(TypeError, match="should be called with an iterable of key/value"):
        nn.ModuleDict(3)
    with pytest.raises(ValueError, match="element #0 has length 1; 2 is required"):
        nn.ModuleDict([("a",)])
    with pytest.raises(KeyError, match="attribute 'forward' already exists"):
        nn.ModuleDict({"forward": Add(1)})


def test_containers_are_not_called():
    for container in (nn.ModuleList(), nn.ModuleDict()):
        with pytest.raises(NotImplementedError):
            container(fb.zeros(1))
