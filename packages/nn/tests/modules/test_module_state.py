import pytest

import flambeau_core as fb
import flambeau_nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 3)
        self.norm = nn.BatchNorm1d(3)
        self.register_buffer("scratch", fb.zeros(1), persistent=False)


def test_keys_and_metadata():
    state = Net().state_dict()
    assert list(state) == [
        "fc.weight",
        "fc.bias",
        "norm.weight",
        "norm.bias",
        "norm.running_mean",
        "norm.running_var",
        "norm.num_batches_tracked",
    ]
    assert state._metadata["norm"] == {"version": 2}
    assert state._metadata[""] == {"version": 1}


def test_tensors_are_detached_and_shared():
    net = Net()
    state = net.state_dict()
    assert type(state["fc.weight"]) is fb.Tensor and not state["fc.weight"].requires_grad
    state["fc.bias"].fill_(4.0)
    assert net.fc.bias.tolist() == [4.0, 4.0, 4.0]
    assert net.state_dict(keep_vars=True)["fc.bias"] is net.fc.bias


def test_prefix_and_destination():
    destination = {}
    nn.Linear(1, 1).state_dict(destination=destination, prefix="a.")
    assert list(destination) == ["a.weight", "a.bias"]


def test_round_trip():
    source, target = Net(), Net()
    result = target.load_state_dict(source.state_dict())
    assert repr(result) == "<All keys matched successfully>"
    for a, b in zip(source.state_dict().values(), target.state_dict().values()):
        assert a.tolist() == b.tolist()
    assert target.fc.weight is not source.fc.weight


def test_strict_complains_of_missing_and_unexpected_keys():
    state = Net().state_dict()
    del state["fc.bias"]
    state["other"] = fb.zeros(1)
    state["fc.deep.key"] = fb.zeros(1)
    with pytest.raises(RuntimeError) as caught:
        Net().load_state_dict(state)
    # The text of PyTorch 2.13.
    assert str(caught.value) == (
        "Error(s) in loading state_dict for Net:\n"
        '\tMissing key(s) in state_dict: "fc.bias". \n'
        '\tUnexpected key(s) in state_dict: "other", "fc.deep.key". '
    )


def test_not_strict_reports_keys():
    state = Net().state_dict()
    del state["fc.bias"]
    state["other"] = fb.zeros(1)
    result = Net().load_state_dict(state, strict=False)
    assert result.missing_keys == ["fc.bias"] and result.unexpected_keys == ["other"]
    assert repr(result) == "_IncompatibleKeys(missing_keys=['fc.bias'], unexpected_keys=['other'])"


def test_sizes_must_match_even_when_not_strict():
    state = Net().state_dict()
    state["fc.weight"] = fb.zeros(3, 5)
    with pytest.raises(RuntimeError) as caught:
        Net().load_state_dict(state, strict=False)
    message = str(caught.value)
    assert message.startswith(
        "Error(s) in loading state_dict for Net:\n\tsize mismatch for fc.weight"
    )
    assert "[3, 5]" in message and "[3, 2]" in message


def test_values_must_be_tensors():
    state = Net().state_dict()
    state["fc.bias"] = [1.0, 2.0, 3.0]
    with pytest.raises(RuntimeError, match='"fc.bias", expected torch.Tensor or Tensor-like'):
        Net().load_state_dict(state)
    with pytest.raises(TypeError, match="Expected state_dict to be dict-like, got <class 'int'>"):
        Net().load_state_dict(3)


def test_assign_takes_the_tensors_themselves():
    net = nn.Linear(1, 1)
    weight = fb.full((1, 1), 2.0, dtype=fb.float64)
    net.load_state_dict({"weight": weight, "bias": net.bias}, assign=True)
    assert net.weight.dtype == fb.float64 and isinstance(net.weight, nn.Parameter)
    weight.fill_(3.0)
    assert net.weight.tolist() == [[3.0]] and net.weight.requires_grad


def test_copying_converts_the_dtype():
    net = nn.Linear(1, 1)
    net.load_state_dict({"weight": fb.full((1, 1), 2.0, dtype=fb.float64), "bias": fb.zeros(1)})
    assert net.weight.dtype == fb.float32 and net.weight.tolist() == [[2.0]]


def test_states_before_batch_counts_load():
    net = nn.BatchNorm1d(2)
    state = net.state_dict()
    del state["num_batches_tracked"]
    state._metadata[""]["version"] = 1
    net.load_state_dict(state)
    assert int(net.num_batches_tracked) == 0


def test_extra_state_travels():
    class Extra(nn.Module):
        def __init__(self, value=0):
            super().__init__()
            self.value = value

        def get_extra_state(self):
            return self.value

        def set_extra_state(self, state):
            self.value = state

    source, target = nn.Sequential(Extra(5)), nn.Sequential(Extra())
    assert source.state_dict() == {"0._extra_state": 5}
    target.load_state_dict(source.state_dict())
    assert target[0].value == 5
    with pytest.raises(RuntimeError, match='Missing key.*"0._extra_state"'):
        target.load_state_dict({})
    with pytest.raises(RuntimeError, match='Unexpected key.*"0._extra_state"'):
        nn.Sequential(nn.ReLU()).load_state_dict(source.state_dict())


def test_hooks_around_saving():
    net = nn.Sequential(nn.Linear(1, 1))
    seen = []
    net.register_state_dict_pre_hook(lambda module, prefix, keep: seen.append((prefix, keep)))
    handle = net.register_state_dict_post_hook(
        lambda module, state, prefix, metadata: state.update(mark=fb.zeros(1))
    )
    assert "mark" in net.state_dict() and seen == [("", False)]
    handle.remove()
    assert "mark" not in net.state_dict()
    net._register_state_dict_hook(lambda module, state, prefix, metadata: {"only": 1})
    assert net.state_dict() == {"only": 1}


def test_post_hook_must_return_nothing():
    net = nn.Linear(1, 1)
    net.register_state_dict_post_hook(lambda *args: {})
    with pytest.raises(RuntimeError, match="state_dict post-hook must return None"):
        net.state_dict()


def test_hooks_around_loading():
    net = nn.Linear(1, 1)

    def rename(module, state, prefix, *rest):
        assert module is net
        state[prefix + "weight"] = state.pop(prefix + "w")

    net.register_load_state_dict_pre_hook(rename)
    net.register_load_state_dict_post_hook(
        lambda module, incompatible: incompatible.missing_keys.clear()
    )
    result = net.load_state_dict({"w": fb.full((1, 1), 6.0)})
    assert net.weight.tolist() == [[6.0]] and result.missing_keys == []


def test_overridden_save_and_load_take_part():
    class Halved(nn.Module):
        def __init__(self):
            super().__init__()
            self.w = nn.Parameter(fb.full((1,), 8.0))

        def _save_to_state_dict(self, destination, prefix, keep_vars):
            destination[prefix + "half"] = self.w.detach() / 2

        def _load_from_state_dict(self, state_dict, prefix, *rest):
            with fb.no_grad():
                self.w.copy_(state_dict[prefix + "half"] * 2)

    net = nn.Sequential(Halved())
    state = net.state_dict()
    assert state["0.half"].tolist() == [4.0]
    state["0.half"].fill_(5.0)
    net.load_state_dict(state)
    assert net[0].w.tolist() == [10.0]
