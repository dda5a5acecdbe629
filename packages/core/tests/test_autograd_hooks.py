"""Hooks on tensors, on nodes and after accumulation; retained gradients; removable handles."""

from __future__ import annotations

import gc
import weakref

import pytest

import flambeau_core as fb
from flambeau_core.autograd import grad


def leaf(values: object) -> fb.Tensor:
    return fb.tensor(values, dtype=fb.float64, requires_grad=True)


# ---- on tensors ----------------------------------------------------------------------


def test_hook_sees_the_gradient() -> None:
    x = leaf([1.0, 2.0])
    y = x * 2
    seen = []
    y.register_hook(lambda g: seen.append(g.tolist()))
    (y * y).sum().backward()
    assert seen == [[4.0, 8.0]]
    assert x.grad.tolist() == [8.0, 16.0]


def test_hook_replaces_the_gradient() -> None:
    x = leaf([1.0, 2.0])
    y = x * 2
    y.register_hook(lambda g: g * 10)
    x.register_hook(lambda g: g + 1)
    y.sum().backward()
    assert x.grad.tolist() == [21.0, 21.0]


def test_hooks_run_in_order_on_the_whole_gradient() -> None:
    x = leaf(2.0)
    y = x * 1
    seen = []

    def first(g: fb.Tensor) -> fb.Tensor:
        seen.append(("first", g.item()))
        return g * 3

    y.register_hook(first)
    y.register_hook(lambda g: seen.append(("second", g.item())))
    (y * 2 + y * 5).backward()
    assert seen == [("first", 7.0), ("second", 21.0)]
    assert x.grad.item() == 21.0


def test_removed_hooks() -> None:
    x = leaf(1.0)
    calls = []
    handle = x.register_hook(lambda g: calls.append("x"))
    x.backward()
    handle.remove()
    handle.remove()
    (x * 1).backward()
    assert calls == ["x"]
    with x.register_hook(lambda g: calls.append("inside")):
        (x * 1).backward()
    (x * 1).backward()
    assert calls == ["x", "inside"]


def test_hook_that_removes_itself() -> None:
    x = leaf(1.0)
    calls = []

    def once(g: fb.Tensor) -> None:
        calls.append(g.item())
        handle.remove()

    handle = x.register_hook(once)
    x.register_hook(lambda g: calls.append(-1.0))
    (x * 1).backward()
    (x * 1).backward()
    assert calls == [1.0, -1.0, -1.0]


def test_hooks_of_autograd_grad() -> None:
    x = leaf(3.0)
    y = x * 2
    y.register_hook(lambda g: g * 10)
    x.register_hook(lambda g: g + 1)
    assert grad(y * y, y, retain_graph=True)[0].item() == 120.0
    assert grad(y * y, x)[0].item() == 241.0


def test_hooks_under_create_graph() -> None:
    x = leaf(3.0)
    y = x * 1
    y.register_hook(lambda g: g * g)
    (first,) = grad(y**3, x, create_graph=True)
    assert first.item() == 27.0**2
    (second,) = grad(first, x)
    assert second.item() == (2 * 27 * 18) ** 2  # the hook runs in the second pass too


def test_wrong_answers_and_errors() -> None:
    x = leaf([1.0, 2.0])
    handle = x.register_hook(lambda g: "no tensor")
    with pytest.raises(TypeError):
        x.sum().backward()
    handle.remove()
    handle = x.register_hook(lambda g: g[0])
    with pytest.raises(RuntimeError, match="size|shape"):
        x.sum().backward()
    handle.remove()
    handle = x.register_hook(lambda g: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        x.sum().backward()
    handle.remove()
    x.grad = None
    x.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]
    with pytest.raises(RuntimeError, match="require"):
        fb.zeros(1).register_hook(print)


# ---- after accumulation ------------------------------------------------------------------


def test_post_accumulate_hook() -> None:
    x = leaf([1.0, 2.0])
    seen = []

    def step(parameter: fb.Tensor) -> None:
        seen.append(parameter.grad.tolist())
        with fb.no_grad():
            parameter -= 0.1 * parameter.grad
        parameter.grad = None

    handle = x.register_post_accumulate_grad_hook(step)
    (x * 2).sum().backward()
    assert seen == [[2.0, 2.0]] and x.grad is None
    assert x.tolist() == pytest.approx([0.8, 1.8])
    handle.remove()
    (x * 2).sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]
    with pytest.raises(RuntimeError):
        (x * 2).register_post_accumulate_grad_hook(step)


def test_post_accumulate_hook_runs_once_a_pass() -> None:
    x = leaf(1.0)
    calls = []
    x.register_post_accumulate_grad_hook(lambda p: calls.append(p.grad.item()))
    (x * 2 + x * 3).backward()
    assert calls == [5.0]


# ---- on nodes ----------------------------------------------------------------------------


def test_node_hooks() -> None:
    x, y = leaf(2.0), leaf(3.0)
    z = x * y
    seen = []
    pre = z.grad_fn.register_prehook(lambda out: (out[0] * 10,))
    post = z.grad_fn.register_hook(
        lambda into, out: seen.append(([g.item() for g in into], [g.item() for g in out]))
    )
    z.backward(retain_graph=True)
    assert seen == [([30.0, 20.0], [10.0])]
    assert x.grad.item() == 30.0
    pre.remove()
    post.remove()
    x.grad = y.grad = None
    z.grad_fn.register_hook(lambda into, out: (into[0] + 1, None))
    z.backward()
    assert x.grad.item() == 4.0


# ---- retained gradients ---------------------------------------------------------------------


def test_retain_grad() -> None:
    x = leaf([1.0, 2.0])
    y = x * 2
    y.retain_grad()
    y.retain_grad()
    assert y.retains_grad and not x.retains_grad
    z = (y * y).sum()
    z.backward(retain_graph=True)
    assert y.grad.tolist() == [4.0, 8.0]
    z.backward()
    assert y.grad.tolist() == [8.0, 16.0]
    with pytest.raises(RuntimeError, match="requires_grad=False"):
        fb.zeros(1).retain_grad()
    x.retain_grad()
    assert not x.retains_grad


def test_retained_gradient_is_after_the_hooks() -> None:
    x = leaf(1.0)
    y = x * 2
    y.retain_grad()
    y.register_hook(lambda g: g * 100)
    (y * 3).backward()
    assert y.grad.item() == 300.0 and x.grad.item() == 600.0


def test_retain_grad_keeps_nothing_alive() -> None:
    x = leaf(1.0)
    y = x * 2
    y.retain_grad()
    watch = weakref.ref(y)
    z = y.exp()
    del y
    gc.collect()
    assert watch() is None
    z.backward()
    assert x.grad.item() == pytest.approx(2 * 7.38905609893065)


# ---- in which order ------------------------------------------------------------------


def test_order_of_all_kinds_of_hooks() -> None:
    x = leaf([1.0, 2.0])
    y = x * 2
    log = []
    y.retain_grad()
    y.register_hook(lambda g: log.append(("tensor", g.tolist())) or g * 2)
    y.grad_fn.register_prehook(lambda gs: log.append(("before", gs[0].tolist())) or (gs[0] * 3,))
    y.register_hook(lambda g: log.append(("tensor", g.tolist())) or g * 2)
    y.grad_fn.register_hook(lambda gi, go: log.append(("after", gi[0].tolist(), go[0].tolist())))
    x.register_hook(lambda g: log.append(("leaf", g.tolist())))
    x.register_post_accumulate_grad_hook(lambda p: log.append(("sum", p.grad.tolist())))
    y.sum().backward()
    assert log == [
        ("tensor", [1.0, 1.0]),
        ("tensor", [2.0, 2.0]),
        ("before", [4.0, 4.0]),
        ("after", [24.0, 24.0], [12.0, 12.0]),
        ("leaf", [24.0, 24.0]),
        ("sum", [24.0, 24.0]),
    ]
    assert y.grad.tolist() == [4.0, 4.0]  # after the tensor's hooks, before the node's


def test_hooks_of_what_autograd_grad_returns() -> None:
    x = leaf([1.0, 2.0])
    y = x * 2
    y.register_hook(lambda g: g * 2)
    y.grad_fn.register_prehook(lambda gs: (gs[0] * 3,))
    # The node itself does not run, the tensor's hooks do.
    assert grad(y.sum(), y, retain_graph=True)[0].tolist() == [2.0, 2.0]
    to_y, to_x = grad(y.sum(), (y, x))
    assert to_y.tolist() == [1.0, 1.0]  # as it arrived at a node that does run
    assert to_x.tolist() == [12.0, 12.0]


def test_node_hooks_see_missing_gradients() -> None:
    x = leaf([1.0, 2.0])
    first, second = x.unbind()
    seen = []
    first.grad_fn.register_hook(lambda gi, go: seen.append([g is None for g in go]))
    first.backward()
    assert seen == [[False, True]]
    assert x.grad.tolist() == [1.0, 0.0]
    assert second.grad_fn is not None


@pytest.mark.parametrize(
    ("answer", "error"), [(3, TypeError), ((fb.ones(2), fb.ones(2)), RuntimeError)]
)
def test_wrong_answers_of_node_hooks(answer: object, error: type[Exception]) -> None:
    y = leaf([1.0, 2.0]) * 2
    y.grad_fn.register_prehook(lambda gs: answer)
    with pytest.raises(error):
        y.sum().backward()


def test_hooks_from_several_threads() -> None:
    import threading

    x = leaf([1.0, 2.0])
    shared = (x * 2).sin()
    calls: list[int] = []
    shared.register_hook(lambda g: calls.append(1))
    sums = [(shared * float(k)).sum() for k in range(1, 9)]
    threads = [threading.Thread(target=s.backward, kwargs={"retain_graph": True}) for s in sums]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(calls) == 8
    slope = [2 * -0.4161468365471424, 2 * -0.6536436208636119]  # of sin(2x): 2 cos(2x)
    assert x.grad.tolist() == pytest.approx([36 * s for s in slope])
