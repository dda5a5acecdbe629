import pytest

import flambeau_core as fb
import flambeau_nn as nn


def test_parameter_list_makes_parameters():
    params = nn.ParameterList([fb.zeros(1), nn.Parameter(fb.ones(2))])
    params.append(fb.zeros(3)).extend([fb.zeros(4)])
    params += [fb.zeros(5)]
    assert [p.numel() for p in params] == [1, 2, 3, 4, 5]
    assert all(isinstance(p, nn.Parameter) for p in params)
    assert [name for name, _ in params.named_parameters()] == list("01234")


def test_parameter_list_indexing():
    params = nn.ParameterList(fb.zeros(n) for n in range(4))
    params[-1] = fb.ones(7)
    assert params[3].numel() == 7 and len(params[1:3]) == 2
    assert isinstance(params[1:3], nn.ParameterList)
    with pytest.raises(IndexError, match="index 4 is out of range"):
        params[4]
    with pytest.raises(TypeError, match="should be called with an iterable, but got Tensor"):
        nn.ParameterList(fb.zeros(2))


def test_parameter_dict():
    params = nn.ParameterDict({"a": fb.zeros(1)})
    params["b"] = fb.zeros(2)
    params.update([("c", fb.zeros(3))])
    assert list(params) == ["a", "b", "c"] and params.get("x") is None
    assert [name for name, _ in params.named_parameters()] == ["a", "b", "c"]
    assert params.pop("a").numel() == 1 and "a" not in params
    assert params.setdefault("d", fb.zeros(4)) is params["d"]
    assert params.popitem()[0] == "d"
    assert list((params | nn.ParameterDict({"z": fb.zeros(1)})).keys()) == ["b", "c", "z"]
    params |= nn.ParameterDict({"y": fb.zeros(1)})
    assert list(reversed(params)) == ["y", "c", "b"]
    params.clear()
    assert len(params) == 0 and list(params.parameters()) == []


def test_keys_must_exist_and_be_strings():
    params = nn.ParameterDict()
    with pytest.raises(KeyError):
        params["a"]
    with pytest.raises(TypeError, match="not a string"):
        params[0] = fb.zeros(1)


def test_parameter_containers_are_not_called():
    with pytest.raises(RuntimeError, match="ParameterList should not be called"):
        nn.ParameterList()()
    with pytest.raises(RuntimeError, match="ParameterDict should not be called"):
        nn.ParameterDict()()
