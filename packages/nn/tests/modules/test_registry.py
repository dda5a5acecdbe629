import copy
import gc
import pickle
import weakref

import pytest

import flambeau_core as fb
import flambeau_nn as nn


@pytest.fixture
def module():
    module = nn.Module()
    module.a = nn.Linear(1, 1)
    module.b = nn.ReLU()
    return module


def test_writing_the_registry_sets_the_attribute(module):
    other = nn.Tanh()
    module._modules["a"] = other
    assert module.a is other
    module._modules.update(c=other, b=None)
    assert module.c is other and module.b is None


@pytest.mark.parametrize("remove", [lambda m: m.pop("a"), lambda m: m.__delitem__("a")])
def test_removing_from_the_registry_removes_the_attribute(module, remove):
    remove(module._modules)
    assert not hasattr(module, "a") and hasattr(module, "b")


def test_popitem_clear_and_setdefault(module):
    assert module._modules.popitem()[0] == "b"
    assert module._modules.setdefault("a", None) is module.a
    module._modules.clear()
    assert not hasattr(module, "a") and len(module._modules) == 0
    with pytest.raises(KeyError):
        module._modules.popitem()


def test_pop_with_default(module):
    assert module._modules.pop("nothing", 3) == 3
    with pytest.raises(KeyError):
        module._modules.pop("nothing")


def test_a_new_registry_replaces_the_old_members(module):
    module._modules = {"z": nn.ReLU()}
    assert hasattr(module, "z") and not hasattr(module, "a")


@pytest.mark.parametrize("copier", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_a_copy_has_its_own_registry(module, copier):
    other = copier(module)
    other._modules["a"] = None
    assert other.a is None and module.a is not None


def test_a_module_is_freed_without_the_garbage_collector():
    gc.disable()
    try:
        module = nn.Linear(2, 2)
        module(fb.zeros(1, 2))
        reference = weakref.ref(module)
        del module
        assert reference() is None
    finally:
        gc.enable()
