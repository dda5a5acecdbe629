"""Classes and modes that say what ops do: who is asked, with what, and what comes out."""

from __future__ import annotations

import copy
import inspect
import pickle
from typing import Any

import pytest

import flambeau_core as fb
from flambeau_core import overrides
from flambeau_core.overrides import TorchFunctionMode

Tensor = fb.Tensor


class Plain(Tensor):
    """A subclass that says nothing."""


class Logged(Tensor):
    log: list[Any] = []

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        cls.log.append(func.__name__)
        return super().__torch_function__(func, types, args, kwargs or {})


class Duck:
    """No tensor at all."""

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func.__name__, len(args), sorted(kwargs or {}), types


def plain(*shape: int) -> Any:
    return fb.ones(*(shape or (2, 2))).as_subclass(Plain)


def test_results_stay_in_the_class() -> None:
    s = plain()
    for y in (
        *(s + 1, 1 - s, s @ s, fb.ones(2, 2) + s, s == s, s.add_(1)),
        *(s.sum(), s[0], s.T, s.data, s.detach(), s.to(fb.float64)),
        *(fb.cat([s, fb.ones(1, 2)]), fb.zeros_like(s)),
    ):
        assert type(y) is Plain
    values, indices = s.max(0)
    assert type(values) is Plain and type(indices) is Plain
    assert all(type(y) is Plain for y in s.unbind())
    assert type(s.shape) is fb.Size and type(s[0, 0].item()) is float
    leaf = plain().requires_grad_()
    (leaf * 2).sum().backward()
    assert type(leaf.grad) is Tensor


def test_subclasses_of_two_branches() -> None:
    class Nearer(Plain): ...

    class Other(Tensor): ...

    a = fb.ones(2).as_subclass(Nearer)
    assert type(a + plain(2)) is Nearer and type(plain(2) + a) is Nearer
    with pytest.raises(TypeError, match="no implementation found for 'add'"):
        plain(2) + fb.ones(2).as_subclass(Other)


def test_what_a_class_is_shown() -> None:
    def log(action: Any) -> list[Any]:
        Logged.log = []
        action(fb.ones(2, 2).as_subclass(Logged))
        return Logged.log

    assert log(lambda s: s + 1) == ["add"]
    assert log(lambda s: s[0]) == ["__getitem__"]
    assert log(lambda s: s.__setitem__(0, 1.0)) == ["__setitem__"]
    assert log(lambda s: s.shape) == ["__get__"]
    assert log(len) == ["__len__"]
    assert log(lambda s: bool(s[0, 0])) == ["__getitem__", "__bool__"]
    assert log(lambda s: float(s[0, 0])) == ["__getitem__", "__float__"]
    assert log(lambda s: s.add_(1)) == ["add_"]
    assert log(lambda s: fb.stack([fb.ones(2, 2), s])) == ["stack"]
    assert log(lambda s: fb.add(fb.ones(2, 2), 1, out=s)) == ["add"]


def test_order_and_refusal() -> None:
    seen: list[Any] = []

    class A(Tensor):
        @classmethod
        def __torch_function__(
            cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            seen.append((cls, types))
            return NotImplemented

    class B(A): ...

    class C(Tensor):
        __torch_function__ = A.__dict__["__torch_function__"]

    a, b, c = (fb.ones(2).as_subclass(k) for k in (A, B, C))
    with pytest.raises(TypeError, match=r"no implementation found for 'stack'"):
        fb.stack([a, c, b])
    # Subclasses before their bases, otherwise from left to right.
    assert [cls for cls, _ in seen] == [B, A, C]
    assert all(types == (B, A, C) for _, types in seen)


def test_classes_that_are_no_tensors() -> None:
    d, t = Duck(), fb.ones(2)
    assert fb.add(t, d) == ("add", 2, [], (Duck,))
    assert fb.cat([t, d]) == ("cat", 1, [], (Duck,))
    assert fb.mean(input=d) == ("mean", 0, ["input"], (Duck,))
    assert t.add_(d)[0] == "add_"
    operators = [t + d, t * d, t - d, t / d, t**d, t @ d, t == d, t < d]
    assert [r[0] for r in operators] == ["add", "mul", "sub", "div", "pow", "matmul", "eq", "lt"]
    with pytest.raises(TypeError):
        t + object()
    assert (t == object()) is False


def test_a_class_that_wants_to_be_left_alone() -> None:
    class Alone(Tensor):
        __torch_function__ = fb._C._disabled_torch_function_impl  # type: ignore[attr-defined]

    assert type(fb.ones(2).as_subclass(Alone) + 1) is Tensor
    with overrides.DisableTorchFunctionSubclass():
        assert type(plain() + 1) is Tensor
    assert type(plain() + 1) is Plain


def test_attributes_constructors_and_copies() -> None:
    class Tagged(Tensor):
        @staticmethod
        def __new__(cls: Any, data: Any, tag: str) -> Any:
            made = Tensor._make_subclass(cls, data)
            made.tag = tag
            return made

        def __init__(self, data: Any, tag: str) -> None: ...

    w = Tagged(fb.ones(2), "here")
    assert w.tag == "here" and type(w + 1) is Tagged and not hasattr(w + 1, "tag")
    assert copy.deepcopy(w).tag == "here" and type(copy.deepcopy(w)) is Tagged
    assert copy.copy(w).tag == "here"
    again = pickle.loads(pickle.dumps(plain()))
    assert type(again) is Plain and again.shape == (2, 2)
    assert Tensor._make_subclass(Plain, fb.ones(1), True).requires_grad


# ---- modes --------------------------------------------------------------------------


class Recording(TorchFunctionMode):
    def __init__(self, name: str = "") -> None:
        self.name, self.seen = name, []  # type: ignore[var-annotated]

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.seen.append((func.__name__, types))
        return func(*args, **(kwargs or {}))


def test_modes_see_factories_and_nest() -> None:
    outer, inner = Recording(), Recording()
    with outer:
        fb.zeros(2)
        with inner:
            fb.rand(2) + 1
            fb.tensor([1.0])[0]
    fb.ones(2)
    assert [n for n, _ in inner.seen] == ["rand", "add", "tensor", "__getitem__"]
    assert [n for n, _ in outer.seen] == ["zeros", "rand", "add", "tensor", "__getitem__"]


def test_modes_come_before_classes() -> None:
    mode, Logged.log = Recording(), []
    s = fb.ones(2).as_subclass(Logged)
    with mode:
        y = s + 1
    assert type(y) is Logged
    assert mode.seen == [("add", (Logged,))] and Logged.log == ["add"]


def test_a_mode_that_fails_is_left() -> None:
    class Failing(TorchFunctionMode):
        def __torch_function__(self, *_: Any) -> Any:
            raise KeyError("no")

    with pytest.raises(KeyError), Failing():
        fb.ones(2)
    assert fb.ones(2).tolist() == [1.0, 1.0]
    assert fb._C.attend(0, 0) == 0


# ---- what libraries ask --------------------------------------------------------------


def test_has_and_handle() -> None:
    def api(a: Any, b: int, c: int = 1) -> Any:
        if overrides.has_torch_function((a,)):
            return overrides.handle_torch_function(api, (a,), a, b, c=c)
        return "plain"

    assert api(Duck(), 2, c=3) == ("api", 2, ["c"], (Duck,)) and api(fb.ones(1), 2) == "plain"
    assert overrides.has_torch_function((plain(),)) and not overrides.has_torch_function((1,))
    assert overrides.is_tensor_like(Duck()) and not overrides.is_tensor_like(3)
    wrapped = overrides.wrap_torch_function(lambda a: (a,))(lambda a: "plain")
    assert wrapped(Duck())[1] == 1 and wrapped(1) == "plain"


def test_inventories() -> None:
    known = overrides.get_overridable_functions()
    assert fb.add in known[fb] and Tensor.add in known[Tensor] and fb.linalg.inv in known[fb.linalg]
    assert fb.zeros in known[fb]  # modes see factories
    ignored = overrides.get_ignored_functions()
    assert fb.manual_seed in ignored and fb.add not in ignored
    # What they say is so: an op of the inventory is shown to a class, whatever its name.
    assert fb.special.erf(Duck())[1] == 1
    stand_ins = overrides.get_testing_overrides()
    assert stand_ins[fb.add](1, 2) == -1
    assert inspect.signature(stand_ins[fb.add]) == inspect.signature(fb.add)
    with pytest.raises(TypeError):
        stand_ins[fb.relu]()
    assert overrides.resolve_name(fb.add) == "flambeau.add"
    assert overrides.resolve_name(fb.linalg.inv) == "flambeau.linalg.inv"
    assert overrides.resolve_name(Tensor.shape.__get__) == "flambeau.Tensor.shape.__get__"
    assert overrides.resolve_name(len) is None
