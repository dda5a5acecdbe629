"""In-place writes under autograd: rewritten histories, views of views, version counters."""

from __future__ import annotations

import pytest

import flambeau_core as fb
from flambeau_core.autograd import grad


def leaf(values: object) -> fb.Tensor:
    return fb.tensor(values, dtype=fb.float64, requires_grad=True)


def test_write_into_a_result() -> None:
    x = leaf([1.0, 2.0])
    y = x * 2
    first = y.grad_fn
    y.mul_(3)
    assert y.grad_fn is not first and y.grad_fn.name() == "MulBackward0"
    y.sum().backward()
    assert x.grad.tolist() == [6.0, 6.0]


def test_write_that_reads_the_old_values() -> None:
    x = leaf([1.0, 2.0])
    y = x * 1
    y.mul_(x)
    y.pow_(2)
    y.sum().backward()
    assert x.grad.tolist() == [4.0, 32.0]


def test_operand_that_is_overwritten_itself() -> None:
    x = leaf([1.0, 2.0])
    y = x * 1
    y.mul_(y)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_plain_tensor_joins_the_graph() -> None:
    x = leaf([1.0, 2.0])
    total = fb.zeros(2, dtype=fb.float64)
    total += x * x
    total += x
    assert total.requires_grad and not total.is_leaf
    total.sum().backward()
    assert x.grad.tolist() == [3.0, 5.0]


def test_overwritten_history_is_dropped() -> None:
    x, y = leaf([1.0, 2.0]), leaf([3.0, 4.0])
    z = x * 2
    z.copy_(y)
    z.sum().backward()
    assert y.grad.tolist() == [1.0, 1.0]
    assert x.grad is None or x.grad.tolist() == [0.0, 0.0]
    z = x * 2
    z.zero_()
    (gx,) = grad(z.sum(), x, allow_unused=True, materialize_grads=True)
    assert gx.tolist() == [0.0, 0.0]


def test_leaves_refuse_writes() -> None:
    x = leaf([1.0, 2.0])
    for write in (
        lambda: x.add_(1),
        lambda: x.__setitem__(0, 5.0),
        lambda: x[0].fill_(1.0),
        lambda: x.zero_(),
        lambda: x.copy_(fb.zeros(2, dtype=fb.float64)),
        lambda: x.view(1, 2).mul_(2),
        lambda: x.masked_fill_(x > 1, 0.0),
        lambda: x.uniform_(),
    ):
        with pytest.raises(RuntimeError, match="leaf"):
            write()
    assert x.tolist() == [1.0, 2.0]
    with fb.no_grad():
        x[0] = 5.0
    assert x.tolist() == [5.0, 2.0]


# ---- views -----------------------------------------------------------------------------


def test_write_through_a_view() -> None:
    x = leaf([1.0, 2.0, 3.0])
    y = x * 2
    y[1:].mul_(10)
    assert y.tolist() == [2.0, 40.0, 60.0]
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 20.0, 20.0]


def test_views_taken_before_a_write_see_its_history() -> None:
    x, w = leaf([1.0, 2.0, 3.0, 4.0]), leaf([5.0, 6.0])
    base = x * 1
    early = base[:2]
    base[1:3] = w
    assert early.tolist() == [1.0, 5.0]
    early.sum().backward()
    assert x.grad.tolist() == [1.0, 0.0, 0.0, 0.0]
    assert w.grad.tolist() == [1.0, 0.0]


def test_base_sees_a_write_through_a_view_of_a_view() -> None:
    x, w = leaf([[1.0, 2.0], [3.0, 4.0]]), leaf(7.0)
    base = x * 1
    row = base[1]
    cell = row[0:1]
    cell.mul_(w)
    assert base.tolist() == [[1.0, 2.0], [21.0, 4.0]]
    assert row.tolist() == [21.0, 4.0]
    (base * fb.tensor([[1.0, 10.0], [100.0, 1000.0]], dtype=fb.float64)).sum().backward()
    assert x.grad.tolist() == [[1.0, 10.0], [700.0, 1000.0]]
    assert w.grad.item() == 300.0


def test_sibling_views() -> None:
    x = leaf([1.0, 2.0, 3.0])
    base = x * 1
    left, right = base[:2], base[1:]
    left.mul_(3)
    right.mul_(5)
    assert left.tolist() == [3.0, 30.0]
    left.sum().backward(retain_graph=True)
    assert x.grad.tolist() == [3.0, 15.0, 0.0]
    x.grad = None
    right.sum().backward()
    assert x.grad.tolist() == [0.0, 15.0, 5.0]


def test_writes_through_many_layouts() -> None:
    x = leaf([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    weights = fb.arange(1.0, 7.0, dtype=fb.float64).reshape(2, 3)
    cases = {
        "transposed": (lambda b: b.t()[0].mul_(2), [[2.0, 1.0, 1.0], [2.0, 1.0, 1.0]]),
        "diagonal": (lambda b: b.diagonal().mul_(2), [[2.0, 1.0, 1.0], [1.0, 2.0, 1.0]]),
        "strided": (lambda b: b[:, ::2].mul_(2), [[2.0, 1.0, 2.0], [2.0, 1.0, 2.0]]),
        "flat": (lambda b: b.view(-1)[2:4].mul_(2), [[1.0, 1.0, 2.0], [2.0, 1.0, 1.0]]),
        "unsqueezed": (lambda b: b[None, :, None, 1].mul_(2), [[1.0, 2.0, 1.0], [1.0, 2.0, 1.0]]),
        "masked": (lambda b: b.__setitem__(b > 4, 0.0), [[1.0] * 3, [1.0, 0.0, 0.0]]),
        "listed": (
            lambda b: b.__setitem__(([0, 1], [2, 0]), 0.0),
            [[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]],
        ),
    }
    for name, (write, slopes) in cases.items():
        base = x * 1
        before = base[0]
        write(base)
        (found,) = grad((base * weights).sum(), x, retain_graph=True)
        expected = fb.tensor(slopes, dtype=fb.float64) * weights
        assert found.tolist() == expected.tolist(), name
        (found,) = grad(before.sum(), x)
        assert found.tolist() == [slopes[0], [0.0] * 3], name


def test_write_into_a_transposed_base() -> None:
    x = leaf([[1.0, 2.0], [3.0, 4.0]])
    base = (x * 1).t().clone().t()
    base[0, :] *= 2
    base.sum().backward()
    assert x.grad.tolist() == [[2.0, 2.0], [1.0, 1.0]]


def test_second_derivative_through_a_write() -> None:
    x = leaf([1.0, 2.0, 3.0])
    y = x**3
    y[1:].mul_(x[:2])
    (first,) = grad(y.sum(), x, create_graph=True)
    assert first.tolist() == [3 + 8.0, 12 + 27.0, 27 * 2.0]
    (second,) = grad(first.sum(), x)
    # d/dx of x0^3 + x1^3 x0 + x2^3 x1, twice
    assert second.tolist() == [6 + 12.0, 6 * 2 + 12 + 27.0, 27 + 18 * 2.0]


def test_view_of_a_plain_tensor_that_joins_the_graph() -> None:
    x = leaf([1.0, 2.0])
    table = fb.zeros(3, 2, dtype=fb.float64)
    other = table[0]
    table[1] = x * x
    assert table.requires_grad and other.requires_grad
    table.sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]


def test_writes_under_no_grad_keep_the_history() -> None:
    x = leaf([1.0, 2.0])
    y = x * 2
    with fb.no_grad():
        y[0] = 100.0
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_rows_of_a_recurrence() -> None:
    x = leaf([0.5, 0.25])
    states = fb.zeros(4, 2, dtype=fb.float64)
    states[0] = x
    for i in range(1, 4):
        states[i] = states[i - 1].clone() * 2 + x
    states[3].sum().backward()
    assert x.grad.tolist() == [15.0, 15.0]


def test_is_view_and_base() -> None:
    x = fb.zeros(4)
    y = x[1:]
    assert y._is_view() and y._base is x
    assert y[0]._base is x
    assert not x._is_view() and x._base is None


# ---- version counters -------------------------------------------------------------------


def test_versions_count_writes() -> None:
    x = fb.zeros(3)
    view = x[1:]
    before = x._version
    x.add_(1)
    view.mul_(2)
    assert x._version == view._version == before + 2
    x[0] = 1.0
    x[x > 0] = 3.0
    assert x._version == before + 4
    assert x.detach()._version == before + 4


@pytest.mark.parametrize(
    "op",
    [
        lambda y: y * y,
        lambda y: y.exp(),
        lambda y: y.square(),
        lambda y: fb.maximum(y, y * 2),
        lambda y: y / y.detach(),
        lambda y: y @ y,
        lambda y: y.pow(3),
        lambda y: y.prod(),
        lambda y: y.log(),
        lambda y: y.cumprod(0),
    ],
)
def test_modified_saved_tensors_are_noticed(op) -> None:
    x = leaf([1.0, 2.0])
    y = x * 2
    z = op(y)
    saved = z if z.grad_fn.name() == "ExpBackward0" else y
    with fb.no_grad():
        saved.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.sum().backward()


def test_the_message_names_type_shape_and_versions() -> None:
    x = leaf([1.0, 2.0])
    y = x * 2
    z = y.log()
    y.add_(1)
    with pytest.raises(RuntimeError, match=r"DoubleTensor \[2\].*version 1.*version 0"):
        z.sum().backward()


def test_write_through_a_view_is_noticed() -> None:
    x = leaf([1.0, 2.0, 3.0])
    y = x * 2
    z = y.log()
    y[0] = 1.0
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.sum().backward()


def test_saved_index_is_guarded() -> None:
    x, index = leaf([1.0, 2.0, 3.0]), fb.tensor([0, 1])
    for read in (lambda: x[index], lambda: x.index_select(0, index), lambda: x.gather(0, index)):
        y = read()
        index.add_(1)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            y.sum().backward()
        index.sub_(1)


def test_harmless_writes_are_allowed() -> None:
    x = leaf([1.0, 2.0])
    y = x + 1
    z = y + 2
    y.mul_(5)
    z.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


def test_expanded_tensors_refuse_writes() -> None:
    x = fb.zeros(1, 3).expand(2, 3)
    with pytest.raises(RuntimeError, match="single memory location"):
        x.add_(1)
