"""The graph itself: long chains, memory, threads, anomaly detection."""

from __future__ import annotations

import gc
import threading
import warnings
import weakref

import pytest

import flambeau_core as fb
from flambeau_core.autograd import Function, detect_anomaly, grad, set_detect_anomaly


def leaf(values: object) -> fb.Tensor:
    return fb.tensor(values, dtype=fb.float64, requires_grad=True)


# ---- long and wide graphs ---------------------------------------------------------------


def test_long_chain() -> None:
    x = leaf(1.0)
    y = x
    for _ in range(200_000):
        y = y + 1
    y.backward()
    assert x.grad.item() == 1.0


def test_long_chain_freed_without_a_pass() -> None:
    x = leaf([1.0])
    y = x
    for _ in range(200_000):
        y = y * 1.0
    del y
    gc.collect()
    assert x.grad is None


def test_long_chain_of_views_and_writes() -> None:
    x = leaf([1.0, 2.0])
    y = x * 1
    for _ in range(3_000):
        y[:1].add_(1)
    y.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


def test_diamonds_are_walked_once_a_node() -> None:
    x = leaf(1.0)
    y = x
    for _ in range(60):  # 2^60 paths
        y = y * 0.5 + y * 0.5
    y.backward()
    assert x.grad.item() == 1.0


def test_node_of_many_inputs() -> None:
    parts = [leaf([float(i)]) for i in range(1000)]
    (fb.cat(parts) * fb.arange(1000, dtype=fb.float64)).sum().backward()
    assert [p.grad.item() for p in parts] == [float(i) for i in range(1000)]


# ---- memory --------------------------------------------------------------------------------


def test_graph_is_freed_with_its_result() -> None:
    x = leaf([1.0])
    middle = x * 2
    watch = weakref.ref(middle)
    y = middle * middle
    del middle
    assert watch() is not None
    del y
    assert watch() is None


def test_saved_tensors_are_freed_by_the_pass() -> None:
    x = leaf([1.0])
    middle = x * 2
    watch = weakref.ref(middle)
    y = middle * middle
    del middle
    y.backward()
    assert watch() is None and y is not None


def test_retained_graph_keeps_saved_tensors() -> None:
    x = leaf([1.0])
    middle = x * 2
    watch = weakref.ref(middle)
    y = middle * middle
    del middle
    y.backward(retain_graph=True)
    assert watch() is not None
    y.backward()
    assert watch() is None


def test_cycles_through_attributes_are_collected() -> None:
    x = leaf([1.0])
    y = x * 2
    y.itself = y
    watch = weakref.ref(y)
    del y
    gc.collect()
    assert watch() is None


def test_cycle_through_a_hook_is_collected() -> None:
    x = leaf([1.0])
    x.register_hook(lambda g, x=x: None)
    watch = weakref.ref(x)
    del x
    gc.collect()
    assert watch() is None


def test_cycle_of_a_result_and_its_hook_is_collected() -> None:
    x = leaf([1.0])
    y = x * 2
    y.register_hook(lambda g, y=y: None)
    watch = weakref.ref(y)
    del y
    gc.collect()
    assert watch() is None


def test_cycle_of_a_context_and_its_output_is_collected() -> None:
    x = leaf([1.0])
    y = Holds.apply(x)
    (holder,) = Holds.holders
    holder.output = y
    watch = weakref.ref(holder)
    Holds.holders.clear()
    del y, holder
    gc.collect()
    assert watch() is None


class Holder:
    output: fb.Tensor


class Holds(Function):
    """Its context holds what is going to hold its output."""

    holders: list[Holder] = []

    @staticmethod
    def forward(ctx, x):
        ctx.holder = Holder()
        Holds.holders.append(ctx.holder)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2


def test_no_memory_is_left_behind_by_training() -> None:
    w = fb.ones(50, 50, requires_grad=True)

    def step() -> None:
        loss = ((w @ w).tanh() ** 2).sum()
        loss.backward()
        with fb.no_grad():
            w.sub_(w.grad, alpha=1e-3)
        w.grad = None

    gc.collect()
    for _ in range(3):
        step()
    before = sum(isinstance(o, fb.Tensor) for o in gc.get_objects())
    for _ in range(20):
        step()
    gc.collect()
    assert sum(isinstance(o, fb.Tensor) for o in gc.get_objects()) <= before


# ---- threads ----------------------------------------------------------------------------------


def run_threads(work, count: int = 4) -> None:
    errors: list[BaseException] = []

    def guarded(i: int) -> None:
        try:
            work(i)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(i,)) for i in range(count)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    if errors:
        raise errors[0]


def test_graphs_of_several_threads() -> None:
    weight = leaf([[1.0, 2.0], [3.0, 4.0]])
    results: dict[int, list] = {}

    def work(i: int) -> None:
        x = fb.full((2, 2), float(i), dtype=fb.float64)
        for _ in range(30):
            (g,) = grad((x @ weight).tanh().sum(), weight)
        results[i] = g.tolist()

    run_threads(work)
    for i in range(4):
        x = fb.full((2, 2), float(i), dtype=fb.float64)
        (g,) = grad((x @ weight).tanh().sum(), weight)
        assert results[i] == g.tolist()


def test_backward_into_one_leaf_from_several_threads() -> None:
    big = fb.ones(300, 300, dtype=fb.float64)
    weight = fb.ones(300, 300, dtype=fb.float64, requires_grad=True)

    def work(i: int) -> None:
        for _ in range(5):
            (weight * big).sum().backward()

    run_threads(work)
    assert weight.grad.unique().tolist() == [20.0]


def test_one_graph_from_several_threads() -> None:
    x = fb.full((200, 200), 0.5, dtype=fb.float64, requires_grad=True)
    y = x
    for _ in range(5):
        y = (y * 1.01).sin()
    total = y.sum()
    (expected,) = grad(total, x, retain_graph=True)
    found: list[fb.Tensor] = []

    def work(i: int) -> None:
        for _ in range(5):
            found.append(grad(total, x, retain_graph=True)[0])

    run_threads(work)
    assert len(found) == 20
    assert all(bool((g == expected).all()) for g in found)


def test_modes_belong_to_their_thread() -> None:
    seen = []
    with fb.no_grad():
        run_threads(lambda i: seen.append(fb.is_grad_enabled()), 1)
    assert seen == [True]


# ---- anomaly detection ---------------------------------------------------------------------------


def test_anomaly_points_at_the_forward_line() -> None:
    x = leaf([1.0, 2.0])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with detect_anomaly():
            y = x * 2
            z = y.log()  # the guilty line
            y.add_(1)
            with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                z.sum().backward()
    messages = [str(w.message) for w in caught]
    assert any("Anomaly Detection has been enabled" in m for m in messages)
    (report,) = [m for m in messages if "Error detected in LogBackward0" in m]
    assert "test_autograd_graph.py" in report and "# the guilty line" in report


def test_anomaly_finds_nan() -> None:
    x = leaf([-1.0, 0.0])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with set_detect_anomaly(True):
            y = (x * 0).sqrt()  # derivative infinite, times zero
            with pytest.raises(RuntimeError, match=r"MulBackward0.*nan values in its 0th output"):
                y.sum().backward()
    assert any("derivative infinite" in str(w.message) for w in caught)


def test_anomaly_without_the_check_for_nan() -> None:
    x = leaf([0.0])
    with set_detect_anomaly(True, check_nan=False):
        (x * 0).sqrt().sum().backward()
    assert x.grad.isnan().all()


def test_anomaly_ends_with_its_block() -> None:
    assert not fb.is_anomaly_enabled()
    with set_detect_anomaly(True):
        assert fb.is_anomaly_enabled()
    assert not fb.is_anomaly_enabled()
    x = leaf([0.0])
    (x * 0).sqrt().sum().backward()
    assert x.grad.isnan().all()
