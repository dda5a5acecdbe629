"""Nodes and edges of the graph as programs see them, and hooks that belong to several."""

from __future__ import annotations

import gc
import math
from typing import Any

import pytest

import flambeau_core as fb
from flambeau_core import _C
from flambeau_core.autograd import Function, Variable, backward, grad
from flambeau_core.autograd.graph import (
    Node,
    get_gradient_edge,
    increment_version,
    register_multi_grad_hook,
)


def leaf(values: object) -> fb.Tensor:
    return fb.tensor(values, dtype=fb.float64, requires_grad=True)


# ---- nodes ---------------------------------------------------------------------------


def test_nodes_tell_their_name_and_type() -> None:
    x = leaf([1.0, 2.0])
    z = (x * 2).exp().sum()
    names = []
    node = z.grad_fn
    while node is not None:
        assert isinstance(node, Node)
        assert type(node).__name__ == node.name()
        names.append(node.name())
        node = node.next_functions[0][0] if node.next_functions else None
    assert names == ["SumBackward0", "ExpBackward0", "MulBackward0", "AccumulateGrad"]
    assert repr(z.grad_fn).startswith("<SumBackward0 object at 0x")
    with pytest.raises(TypeError):
        type(z.grad_fn)()


def test_a_node_is_one_object_while_somebody_holds_it() -> None:
    x = leaf([1.0, 2.0])
    y = x * 2
    node = y.sum().grad_fn
    assert node.next_functions[0][0] is y.grad_fn
    end = y.grad_fn.next_functions[0][0]
    assert (x * 3).grad_fn.next_functions[0][0] is end
    assert end.variable is x
    with pytest.raises(AttributeError):
        node.variable  # noqa: B018


def test_notes_on_a_node_last_as_long_as_it() -> None:
    x = leaf([1.0])
    y = x * 2
    y.grad_fn.metadata["note"] = 7
    gc.collect()
    assert y.grad_fn.metadata == {"note": 7}


def test_inputs_without_gradients_have_no_edge() -> None:
    x, c = leaf([1.0, 2.0]), fb.ones(2, dtype=fb.float64)

    def names(t: fb.Tensor) -> list[Any]:
        return [(n and n.name(), nr) for n, nr in t.grad_fn.next_functions]

    assert names(c * x) == [(None, 0), ("AccumulateGrad", 0)]
    assert names(fb.cat([x, c, x])) == [("AccumulateGrad", 0), (None, 0), ("AccumulateGrad", 0)]
    a, b = x.unbind()
    assert names(a + b) == [("UnbindBackward0", 0), ("UnbindBackward0", 1)]


# ---- hooks of the node that stands for a leaf ----------------------------------------


def test_hooks_around_the_accumulation() -> None:
    x = leaf([1.0, 2.0])
    log: list[Any] = []
    end = get_gradient_edge(x).node
    end.register_prehook(lambda gs: log.append(("before", gs[0].tolist())) or (gs[0] * 10,))
    end.register_hook(lambda gi, go: log.append(("after", gi, go[0].tolist(), x.grad.tolist())))
    x.register_hook(lambda g: log.append(("tensor", g.tolist())))
    x.register_post_accumulate_grad_hook(lambda p: log.append(("sum", p.grad.tolist())))
    (x * 3).sum().backward()
    assert log == [
        ("tensor", [3.0, 3.0]),
        ("before", [3.0, 3.0]),
        ("sum", [30.0, 30.0]),
        ("after", (), [30.0, 30.0], [30.0, 30.0]),
    ]
    log.clear()
    grad((x * 3).sum(), x)  # nothing is accumulated
    assert log == [("tensor", [3.0, 3.0])]


# ---- edges ---------------------------------------------------------------------------


def test_edges_stand_for_tensors() -> None:
    x = leaf([1.0, 2.0])
    y = x * 2
    z = (y * y).sum()
    edge = get_gradient_edge(y)
    assert edge.node is y.grad_fn
    assert edge.output_nr == 0
    del y
    to_y, to_x = grad(z, [edge, x], retain_graph=True)
    assert to_y.tolist() == [4.0, 8.0]
    assert to_x.tolist() == [8.0, 16.0]
    assert grad(z, get_gradient_edge(x), retain_graph=True)[0].tolist() == [8.0, 16.0]
    ones = fb.ones(2, dtype=fb.float64)
    assert grad(edge, x, grad_outputs=ones, retain_graph=True)[0].tolist() == [2.0, 2.0]
    backward(edge, ones, retain_graph=True)
    assert x.grad.tolist() == [2.0, 2.0]
    x.grad = None
    z.backward(inputs=[get_gradient_edge(x)])
    assert x.grad.tolist() == [8.0, 16.0]


def test_edge_of_one_output_of_several() -> None:
    x = leaf([1.0, 2.0])
    _, second = x.unbind()
    edge = get_gradient_edge(second)
    assert edge.output_nr == 1
    assert grad(second * 5, edge)[0].item() == 5.0


def test_edges_that_are_none() -> None:
    with pytest.raises(RuntimeError, match="not require grad"):
        get_gradient_edge(fb.ones(2))
    x = leaf([1.0, 2.0])
    with pytest.raises(RuntimeError, match="needs a gradient to start from"):
        grad(get_gradient_edge(x * 2), x)


# ---- hooks of several tensors --------------------------------------------------------


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("all", [[[2.0], [1.0], None], [[3.0], None, [1.0]], [[6.0], [3.0], [2.0]]]),
        ("any", [1, 1, 1]),
    ],
)
def test_one_call_a_pass(mode: str, expected: list[Any]) -> None:
    x, y, z = leaf([1.0]), leaf([2.0]), leaf([3.0])
    seen: list[Any] = []

    def note(found: Any) -> None:
        seen.append([g and g.tolist() for g in found] if mode == "all" else found.numel())

    handle = register_multi_grad_hook((x, y, z), note, mode=mode)
    (x * y).backward()
    (x * z).backward()
    (x * y * z).backward()
    handle.remove()
    (x * y).backward()
    assert seen == expected


def test_only_what_a_pass_computes_is_waited_for() -> None:
    x = leaf([1.0, 2.0])
    y = x * 2
    z = y * 3
    seen: list[Any] = []

    def note(found: Any) -> None:
        seen.append([None if g is None else g.tolist() for g in found])

    register_multi_grad_hook((y, z), note)
    (y + z).sum().backward(retain_graph=True)
    grad(z.sum(), y, retain_graph=True)
    grad((y * 5).sum(), x)
    assert seen == [
        [[4.0, 4.0], [1.0, 1.0]],
        [[3.0, 3.0], [1.0, 1.0]],
        [[5.0, 5.0], None],
    ]


def test_wrong_mode() -> None:
    with pytest.raises(ValueError, match="mode"):
        register_multi_grad_hook((leaf([1.0]),), print, mode="some")


# ---- the rest ------------------------------------------------------------------------


def test_incremented_versions_are_noticed() -> None:
    x, w = leaf([1.0, 2.0]), leaf([2.0, 2.0])
    a = x * 1
    y = (a * w).sum()
    before = a._version
    increment_version([a])
    assert a._version == before + 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


def test_attributes_of_a_context_are_those_of_its_node() -> None:
    class Scaled(Function):
        @staticmethod
        def forward(ctx: Any, x: fb.Tensor) -> fb.Tensor:
            ctx.factor = 3
            ctx.save_for_backward(x)
            return x * 3

        @staticmethod
        def backward(ctx: Any, g: fb.Tensor) -> fb.Tensor:
            return g * ctx.factor

    x = leaf([1.0, 2.0])
    y = Scaled.apply(x)
    assert y.grad_fn.factor == 3
    assert y.grad_fn.needs_input_grad == (True,)
    assert y.grad_fn.saved_tensors[0] is x
    y.grad_fn.factor = 10
    y.sum().backward()
    assert x.grad.tolist() == [10.0, 10.0]
    with pytest.raises(AttributeError):
        y.grad_fn.nothing  # noqa: B018
    with pytest.raises(RuntimeError, match="second time"):
        y.grad_fn.saved_tensors  # noqa: B018


def test_live_nodes_are_counted() -> None:
    gc.collect()
    before = _C._live_nodes()
    x = leaf([1.0, 2.0])
    y = (x * 2).exp().sum()
    assert _C._live_nodes() == before + 3
    y.backward()
    del y
    assert _C._live_nodes() == before


def test_variables_of_the_early_days() -> None:
    x = leaf([1.0, 2.0])
    v = Variable(x * 2)
    assert isinstance(v, Variable) and isinstance(x, Variable) and not isinstance(3, Variable)
    assert not v.requires_grad
    assert v.grad_fn is None
    assert Variable(x, requires_grad=True).requires_grad
    with pytest.warns(UserWarning, match="volatile"):
        assert not Variable(x, volatile=True).requires_grad


def test_only_inputs_changes_nothing() -> None:
    x, w = leaf([1.0]), leaf([2.0])
    with pytest.warns(FutureWarning, match="only_inputs"):
        assert grad(x * w, x, only_inputs=False)[0].tolist() == [2.0]
    assert w.grad is None


def test_slopes_at_nan_and_at_the_origin() -> None:
    a = fb.tensor([math.nan, 1.0, 2.0, 3.0], requires_grad=True)
    b = fb.tensor([0.0, math.nan, 2.0, 1.0], requires_grad=True)
    for extremum, of_a, of_b in (
        (fb.maximum, [1.0, 1.0, 0.5, 1.0], [1.0, 1.0, 0.5, 0.0]),
        (fb.minimum, [1.0, 1.0, 0.5, 0.0], [1.0, 1.0, 0.5, 1.0]),
    ):
        grads = fb.autograd.grad(extremum(a, b).sum(), (a, b))
        assert [g.tolist() for g in grads] == [of_a, of_b]
    y, x = fb.zeros(1, requires_grad=True), fb.zeros(1, requires_grad=True)
    grads = fb.autograd.grad(fb.atan2(y, x).sum(), (y, x))
    assert [g.item() for g in grads] == [0.0, 0.0]


def test_slopes_of_logaddexp_keep_their_digits_far_out() -> None:
    a = fb.tensor([1e6], requires_grad=True)
    b = fb.tensor([1e6 - 8.0], requires_grad=True)
    slopes = fb.autograd.grad(fb.logaddexp(a, b).sum(), (a, b))
    share = 1 / (1 + math.exp(-8.0))
    assert [s.item() for s in slopes] == pytest.approx([share, 1 - share], rel=1e-5)


def test_numbers_lose_no_gradient() -> None:
    """Arguments that are plain numbers take a tensor's element, but not its history."""
    x, number = fb.ones(3), fb.tensor(2.0)
    assert fb.add(x, x, alpha=number).tolist() == [3.0, 3.0, 3.0]
    number.requires_grad_()
    for call in (
        lambda: fb.add(x, x, alpha=number),
        lambda: fb.full((2,), number),
        lambda: x.normal_(number),
        lambda: fb.nn_ops.elu(x, number),
    ):
        with pytest.raises(TypeError):
            call()
    assert fb.mul(x, number).requires_grad and fb.clamp(x, number).requires_grad
