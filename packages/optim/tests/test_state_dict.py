import pytest

import flambeau_core as fb
from flambeau_optim import SGD, Adam


def stepped(optimizer_class, params, **options):
    optimizer = optimizer_class(params, **options)
    for group in optimizer.param_groups:
        for param in group["params"]:
            param.grad = fb.ones_like(param)
    optimizer.step()
    return optimizer


def leaf(*shape, dtype=fb.float32):
    return fb.ones(*shape, dtype=dtype, requires_grad=True)


def test_layout():
    # As PyTorch 2.13 lays it out.
    optimizer = stepped(SGD, [{"params": [leaf(2)]}, {"params": [leaf(1)], "lr": 1}], momentum=0.5)
    saved = optimizer.state_dict()
    assert list(saved) == ["state", "param_groups"]
    assert list(saved["state"]) == [0, 1]
    assert saved["state"][0]["momentum_buffer"].tolist() == [1, 1]
    assert saved["param_groups"][1] == {
        "lr": 1,
        "momentum": 0.5,
        "dampening": 0,
        "weight_decay": 0,
        "nesterov": False,
        "maximize": False,
        "foreach": None,
        "differentiable": False,
        "fused": None,
        "params": [1],
    }


def test_loading_continues_where_it_was_saved():
    param = leaf(2)
    optimizer = stepped(Adam, [param], lr=0.5)
    twin = fb.tensor(param.tolist(), requires_grad=True)
    resumed = Adam([twin], lr=0.1)
    resumed.load_state_dict(optimizer.state_dict())
    assert resumed.param_groups[0]["lr"] == 0.5
    assert resumed.param_groups[0]["params"][0] is twin
    assert resumed.state[twin]["step"].item() == 1
    assert resumed.state[twin]["exp_avg"].tolist() == pytest.approx([0.1, 0.1])


def test_the_state_is_cast_to_the_parameter_but_the_count_is_not():
    optimizer = stepped(Adam, [leaf(2)])
    half = leaf(2, dtype=fb.float16)
    resumed = Adam([half])
    resumed.load_state_dict(optimizer.state_dict())
    assert resumed.state[half]["exp_avg"].dtype == fb.float16
    assert resumed.state[half]["step"].dtype == fb.float32


def test_groups_that_do_not_match():
    saved = SGD([leaf(1), leaf(1)]).state_dict()
    with pytest.raises(ValueError, match="different number of parameter groups"):
        SGD([{"params": [leaf(1)]}, {"params": [leaf(1)]}]).load_state_dict(saved)
    with pytest.raises(ValueError, match="doesn't match the size"):
        SGD([leaf(1)]).load_state_dict(saved)


def test_options_of_a_later_release_get_their_defaults():
    optimizer = SGD([leaf(1)], momentum=0.5)
    saved = optimizer.state_dict()
    del saved["param_groups"][0]["nesterov"]
    optimizer.load_state_dict(saved)
    assert optimizer.param_groups[0]["nesterov"] is False


def test_loading_does_not_change_what_was_saved():
    optimizer = SGD([leaf(1)], lr=0.5)
    saved = optimizer.state_dict()
    other = SGD([leaf(1)])
    other.load_state_dict(saved)
    other.param_groups[0]["lr"] = 3
    assert saved["param_groups"][0]["lr"] == 0.5
    assert saved["param_groups"][0]["params"] == [0]


def test_hooks():
    optimizer = stepped(SGD, [leaf(1)], momentum=0.5)
    calls = []
    optimizer.register_state_dict_pre_hook(lambda hooked: calls.append("save"))
    optimizer.register_state_dict_post_hook(lambda hooked, state: {**state, "extra": 1})
    optimizer.register_load_state_dict_pre_hook(lambda hooked, state: calls.append(state["extra"]))
    handle = optimizer.register_load_state_dict_post_hook(lambda hooked: calls.append("loaded"))
    optimizer.load_state_dict(optimizer.state_dict())
    assert calls == ["save", 1, "loaded"]
    handle.remove()
    optimizer.load_state_dict(optimizer.state_dict())
    assert calls == ["save", 1, "loaded", "save", 1]
