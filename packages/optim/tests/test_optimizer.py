import copy
import pickle

import pytest

import flambeau_core as fb
from flambeau_optim import SGD, Adam, Optimizer
from flambeau_optim.optimizer import required


def leaf(*shape):
    return fb.ones(*shape, requires_grad=True)


def test_repr():
    # As PyTorch 2.13 prints it.
    assert repr(SGD([leaf(1)], lr=0.1, momentum=0.9)) == (
        "SGD (\n"
        "Parameter Group 0\n"
        "    dampening: 0\n"
        "    differentiable: False\n"
        "    foreach: None\n"
        "    fused: None\n"
        "    lr: 0.1\n"
        "    maximize: False\n"
        "    momentum: 0.9\n"
        "    nesterov: False\n"
        "    weight_decay: 0\n"
        ")"
    )
    two = repr(SGD([{"params": [leaf(1)]}, {"params": [leaf(1)], "lr": 1}]))
    assert "weight_decay: 0\n\nParameter Group 1\n" in two


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        (list, ValueError, "optimizer got an empty parameter list"),
        (lambda: leaf(2), TypeError, "iterable of Tensors or dicts"),
        (lambda: [1], TypeError, "one of the params is int"),
        (lambda: [leaf(2) * 2], ValueError, "can't optimize a non-leaf Tensor"),
        (lambda: [{"params": {leaf(1)}}], TypeError, "a set"),
        (lambda: [("a", leaf(1)), leaf(1)], ValueError, "names are missing"),
    ],
)
def test_parameters_it_refuses(params, error, message):
    with pytest.raises(error, match=message):
        SGD(params())


def test_a_parameter_belongs_to_one_group():
    shared = leaf(1)
    with pytest.raises(ValueError, match="more than one parameter group"):
        SGD([{"params": [shared]}, {"params": [shared]}])
    with pytest.warns(UserWarning, match="duplicate parameters"):
        SGD([shared, shared])


def test_add_param_group():
    optimizer = SGD([leaf(1)], lr=0.5)
    optimizer.add_param_group({"params": leaf(2), "lr": 0.25})
    first, second = optimizer.param_groups
    assert (first["lr"], second["lr"]) == (0.5, 0.25)
    assert second["momentum"] == 0
    with pytest.raises(TypeError, match="must be a dict"):
        optimizer.add_param_group([leaf(1)])


def test_required_options():
    class Demanding(Optimizer):
        def __init__(self, params):
            super().__init__(params, {"lr": required})

    with pytest.raises(ValueError, match="required optimization parameter lr"):
        Demanding([leaf(1)])
    assert Demanding([{"params": [leaf(1)], "lr": 1}]).param_groups[0]["lr"] == 1


def test_names_of_parameters():
    optimizer = SGD([("weight", leaf(2)), ("bias", leaf(1))])
    assert optimizer.param_groups[0]["param_names"] == ["weight", "bias"]
    assert optimizer.state_dict()["param_groups"][0]["param_names"] == ["weight", "bias"]
    with pytest.raises(ValueError, match="with/without names"):
        optimizer.add_param_group({"params": [leaf(1)]})


def test_zero_grad():
    param, untouched = leaf(2), leaf(1)
    optimizer = SGD([param, untouched])
    param.grad = fb.ones(2)
    kept = param.grad
    optimizer.zero_grad(set_to_none=False)
    assert param.grad is kept
    assert kept.tolist() == [0, 0]
    assert untouched.grad is None
    optimizer.zero_grad()
    assert param.grad is None


def test_closure():
    param = leaf(1)
    optimizer = SGD([param], lr=0.25)

    def closure():
        optimizer.zero_grad()
        loss = (param**2).sum()
        loss.backward()
        return loss

    with fb.no_grad():
        assert optimizer.step(closure).item() == 1.0
    assert param.item() == 0.5
    assert optimizer.step() is None


def test_step_must_be_defined():
    with pytest.raises(NotImplementedError, match="step"):
        Optimizer([leaf(1)], {}).step()


def test_step_hooks_run_around_the_step_until_removed():
    param = leaf(1)
    optimizer = SGD([param], lr=0.25)
    param.grad = fb.ones(1)
    seen = []

    def before(hooked, args, kwargs):
        assert hooked is optimizer
        seen.append(("before", param.item()))

    def after(hooked, args, kwargs):
        seen.append(("after", param.item()))

    handles = [optimizer.register_step_pre_hook(before), optimizer.register_step_post_hook(after)]
    optimizer.step()
    assert seen == [("before", 1.0), ("after", 0.75)]
    for handle in handles:
        handle.remove()
    optimizer.step()
    assert len(seen) == 2
    assert "step" not in vars(optimizer)


def test_a_pre_hook_may_replace_the_arguments():
    optimizer = SGD([leaf(1)])
    optimizer.register_step_pre_hook(lambda hooked, args, kwargs: ((*args, lambda: "other"), {}))
    assert optimizer.step() == "other"
    optimizer.register_step_pre_hook(lambda hooked, args, kwargs: 3)
    with pytest.raises(RuntimeError, match="pre-hook"):
        optimizer.step()


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda o: pickle.loads(pickle.dumps(o))])
def test_copies_are_whole_and_independent(duplicate):
    param = leaf(2)
    optimizer = Adam([param], lr=0.1)
    optimizer.register_step_post_hook(lambda hooked, args, kwargs: None)
    param.grad = fb.ones(2)
    optimizer.step()
    other = duplicate(optimizer)
    (twin,) = other.param_groups[0]["params"]
    assert twin is not param
    assert other.state[twin]["step"].item() == 1
    twin.grad = fb.ones(2)
    other.step()
    assert other.state[twin]["step"].item() == 2
    assert optimizer.state[param]["step"].item() == 1
    assert other.defaults == optimizer.defaults
