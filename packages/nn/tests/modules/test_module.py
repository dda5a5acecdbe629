import copy
import pickle

import pytest

import flambeau_core as fb
import flambeau_nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(2, 3)
        self.act = nn.ReLU()
        self.second = nn.Linear(3, 1, bias=False)
        self.scale = nn.Parameter(fb.ones(1))
        self.register_buffer("count", fb.zeros(1))
        self.register_buffer("scratch", fb.zeros(1), persistent=False)
        self.note = "plain"

    def forward(self, x):
        return self.second(self.act(self.first(x))) * self.scale


# -- registration ---------------------------------------------------------------------------


def test_attributes_are_registered_by_kind():
    net = Net()
    assert list(net._parameters) == ["scale"]
    assert list(net._buffers) == ["count", "scratch"]
    assert list(net._modules) == ["first", "act", "second"]
    assert net.note == "plain"


def test_assigning_another_kind_moves_the_name():
    net = Net()
    net.scale = nn.Linear(1, 1)
    assert "scale" in net._modules and "scale" not in net._parameters
    net.note = nn.Parameter(fb.zeros(1))
    assert "note" in net._parameters
    net.count = nn.Parameter(fb.zeros(1))
    assert "count" in net._parameters and "count" not in net._buffers


def test_parameter_slot_takes_only_parameters_or_none():
    net = Net()
    with pytest.raises(TypeError, match="cannot assign 'float' as parameter 'scale'"):
        net.scale = 2.0
    with pytest.raises(TypeError, match="as parameter 'scale'"):
        net.scale = fb.ones(1)
    net.scale = None
    assert net.scale is None and "scale" in net._parameters


def test_module_slot_takes_only_modules_or_none():
    net = Net()
    with pytest.raises(TypeError, match="cannot assign 'int' as child module 'first'"):
        net.first = 3
    net.first = None
    assert net.first is None and [name for name, _ in net.named_children()] == ["act", "second"]


def test_buffer_slot_takes_tensors_and_none():
    net = Net()
    net.count = fb.ones(2)
    assert net._buffers["count"].tolist() == [1.0, 1.0]
    with pytest.raises(TypeError, match="cannot assign 'str' as buffer 'count'"):
        net.count = "x"
    net.count = None
    assert net._buffers["count"] is None


def test_buffer_objects_register_themselves():
    module = nn.Module()
    module.kept = nn.Buffer(fb.zeros(1))
    module.left = nn.Buffer(fb.zeros(1), persistent=False)
    assert list(module.state_dict()) == ["kept"]


def test_register_parameter_refuses():
    net = Net()
    with pytest.raises(KeyError, match="attribute 'note' already exists"):
        net.register_parameter("note", nn.Parameter(fb.zeros(1)))
    with pytest.raises(KeyError, match="t contain"):
        net.register_parameter("a.b", None)
    with pytest.raises(KeyError, match="be empty string"):
        net.register_parameter("", None)
    with pytest.raises(TypeError, match="parameter name should be a string. Got int"):
        net.register_parameter(1, None)
    with pytest.raises(TypeError, match="cannot assign .* object to parameter 'w'"):
        net.register_parameter("w", fb.zeros(1))


def test_register_buffer_refuses():
    net = Net()
    with pytest.raises(KeyError, match="attribute 'first' already exists"):
        net.register_buffer("first", None)
    with pytest.raises(TypeError, match="cannot assign 'float' object to buffer 'b'"):
        net.register_buffer("b", 1.0)


def test_add_module_refuses():
    net = Net()
    with pytest.raises(TypeError, match="int is not a Module subclass"):
        net.add_module("x", 1)
    with pytest.raises(KeyError, match="attribute 'note' already exists"):
        net.add_module("note", nn.ReLU())


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (lambda: nn.Parameter(fb.zeros(1)), "cannot assign parameters before"),
        (lambda: nn.ReLU(), "cannot assign module before"),
    ],
)
def test_members_need_an_initialised_module(value, message):
    class Late(nn.Module):
        def __init__(self):
            self.member = value()

    with pytest.raises(AttributeError, match=message):
        Late()


def test_deleting_members():
    net = Net()
    del net.scale, net.first, net.count, net.note
    for name in ("scale", "first", "count", "note"):
        assert not hasattr(net, name)
    with pytest.raises(AttributeError):
        del net.scale


def test_missing_attribute_names_class_and_attribute():
    with pytest.raises(AttributeError, match="'Net' object has no attribute 'third'"):
        Net().third  # noqa: B018


def test_subclass_may_fall_back_on_getattr_of_module():
    class Wrapper(nn.Module):
        def __init__(self, inner):
            super().__init__()
            self.inner = inner

        def __getattr__(self, name):
            try:
                return super().__getattr__(name)
            except AttributeError:
                return getattr(self.inner, name)

    wrapped = Wrapper(Net())
    assert wrapped.note == "plain"
    with pytest.raises(AttributeError, match="'Net' object has no attribute 'third'"):
        wrapped.third  # noqa: B018
    with pytest.raises(AttributeError, match="'Wrapper' object has no attribute 'third'"):
        super(Wrapper, wrapped).__getattr__("third")


def test_dir_lists_members_and_leaves_out_numbers():
    names = dir(nn.Sequential(nn.ReLU()))
    assert "forward" in names and "training" in names and "0" not in names
    assert "scale" in dir(Net()) and "first" in dir(Net())


# -- calls ----------------------------------------------------------------------------------


def test_call_runs_forward_with_all_arguments():
    class Sum(nn.Module):
        def forward(self, a, b=0, *, c=0):
            return a + b + c

    assert Sum()(1) == 1 and Sum()(1, 2, c=3) == 6


def test_forward_must_be_defined():
    with pytest.raises(
        NotImplementedError, match='Module \\[Module\\] is missing the required "forward"'
    ):
        nn.Module()(1)


def test_gradients_reach_the_parameters(close):
    net = nn.Linear(2, 1)
    with fb.no_grad():
        net.weight.copy_(fb.tensor([[2.0, -1.0]]))
        net.bias.fill_(0.5)
    out = net(fb.tensor([[1.0, 3.0], [2.0, 0.0]]))
    close(out, [[-0.5], [4.5]])
    out.sum().backward()
    close(net.weight.grad, [[3.0, 3.0]])
    close(net.bias.grad, [2.0])


# -- mode -----------------------------------------------------------------------------------


def test_train_and_eval_reach_all_submodules():
    net = Net()
    assert net.training
    assert net.eval() is net
    assert not any(module.training for module in net.modules())
    net.train()
    assert all(module.training for module in net.modules())
    with pytest.raises(ValueError, match="training mode is expected to be boolean"):
        net.train(1)


# -- text -----------------------------------------------------------------------------------


def test_repr_of_a_network():
    # As PyTorch 2.13 prints it.
    assert repr(Net()) == (
        "Net(\n"
        "  (first): Linear(in_features=2, out_features=3, bias=True)\n"
        "  (act): ReLU()\n"
        "  (second): Linear(in_features=3, out_features=1, bias=False)\n"
        ")"
    )


def test_repr_with_settings_and_nesting():
    class Outer(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = nn.Sequential(nn.ReLU(), nn.Sequential(nn.Tanh()))

        def extra_repr(self):
            return "a=1\nb=2"

    assert repr(Outer()) == (
        "Outer(\n"
        "  a=1\n"
        "  b=2\n"
        "  (inner): Sequential(\n"
        "    (0): ReLU()\n"
        "    (1): Sequential(\n"
        "      (0): Tanh()\n"
        "    )\n"
        "  )\n"
        ")"
    )
    assert repr(nn.Module()) == "Module()"


# -- copies ---------------------------------------------------------------------------------


@pytest.mark.parametrize("copier", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
def test_copies_are_whole_and_independent(copier):
    net = Net().eval()
    other = copier(net)
    x = fb.tensor([[0.5, -1.0]])
    assert other(x).tolist() == net(x).tolist()
    assert not other.training and other.note == "plain"
    assert list(other.state_dict()) == list(net.state_dict())
    with fb.no_grad():
        other.scale.fill_(7.0)
    assert net.scale.tolist() == [1.0]
    assert other.first.weight is other._modules["first"]._parameters["weight"]


def test_deepcopy_keeps_shared_members_shared():
    net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    net[1].weight = net[0].weight
    other = copy.deepcopy(net)
    assert other[1].weight is other[0].weight is not net[0].weight


def test_own_state_of_a_subclass_is_honoured():
    class Counting(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(1, 1)
            self.handle = lambda: None

        def __getstate__(self):
            state = self.__dict__.copy()
            del state["handle"]
            return state

    counting = copy.deepcopy(Counting())
    assert not hasattr(counting, "handle") and counting.layer.weight.shape == (1, 1)
