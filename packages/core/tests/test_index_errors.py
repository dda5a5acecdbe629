"""What the ops on indexed slices refuse, and with which exception."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import flambeau_core as fb

X, Y = fb.zeros(3), fb.zeros(3, 2)
AT = fb.tensor([0, 1])


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: X.index_copy(0, fb.tensor([[0, 1]]), fb.ones(2)), IndexError),
        (lambda: X.index_copy(0, fb.tensor([0, 5]), fb.ones(2)), IndexError),
        (lambda: X.index_copy(0, fb.tensor([0, -1]), fb.ones(2)), IndexError),
        (lambda: X.index_copy(0, AT.int(), fb.ones(2)), RuntimeError),
        (lambda: X.index_copy(0, AT, fb.ones(3)), IndexError),
        (lambda: Y.index_copy(0, AT, fb.ones(2, 3)), RuntimeError),
        (lambda: Y.index_copy(0, AT, fb.ones(2)), IndexError),
        (lambda: X.index_add(0, fb.tensor([0, 5]), fb.ones(2)), IndexError),
        (lambda: X.index_add(0, fb.tensor([0, -1]), fb.ones(2)), IndexError),
        (lambda: X.index_add(0, AT, fb.ones(3)), RuntimeError),
        (lambda: X.index_add(0, AT[:1], fb.tensor(1.0)), RuntimeError),
        (lambda: Y.index_add(0, AT, fb.ones(2)), RuntimeError),
        (lambda: fb.zeros(0).index_add(0, AT, fb.ones(2)), IndexError),
        (lambda: X.index_reduce(0, fb.tensor([0, -1]), fb.ones(2), "amax"), IndexError),
        (lambda: X.index_reduce(0, AT.float(), fb.ones(2), "amax"), RuntimeError),
        (lambda: X.index_reduce(0, AT, fb.ones(3), "amax"), RuntimeError),
        (lambda: Y.index_reduce(0, AT, fb.ones(2, 3), "amax"), RuntimeError),
        (lambda: X.index_reduce(0, AT, fb.ones(2), "sum"), RuntimeError),
        (lambda: X.index_fill(0, AT.int(), 2), IndexError),
        (lambda: X.index_fill(0, fb.tensor([[0]]), 2), RuntimeError),
        (lambda: X.index_fill(0, fb.tensor([-4]), 2), IndexError),
        (lambda: X.put(AT, fb.ones(3)), IndexError),
        (lambda: X.put(fb.tensor([9]), fb.ones(1)), IndexError),
        (lambda: X.take(fb.tensor([9])), IndexError),
        (lambda: fb.zeros(2, 0).index_select(1, AT), RuntimeError),
        (lambda: fb.take_along_dim(fb.tensor(1.0), fb.tensor(0), 0), IndexError),
        (lambda: fb.take_along_dim(X, fb.tensor([3]), 0), RuntimeError),
    ],
)
def test_refused(call: Callable[[], object], error: type[Exception]) -> None:
    with pytest.raises(error):
        call()


def test_derivative_of_scattered_products_is_not_known() -> None:
    x = fb.ones(3, requires_grad=True)
    y = x.scatter(0, AT, 2.0, reduce="multiply")
    assert y.tolist() == [2, 2, 1]
    with pytest.raises(RuntimeError, match="multiply.*not implemented"):
        y.sum().backward()


def test_negative_places_where_they_are_known() -> None:
    assert X.index_fill(0, fb.tensor([-1]), 2).tolist() == [0, 0, 2]
    assert X.put(fb.tensor([-1]), fb.ones(1)).tolist() == [0, 0, 1]
    assert fb.take_along_dim(fb.tensor([1, 2, 3]), fb.tensor([-1, 0]), 0).tolist() == [3, 1]
    x = fb.tensor([1.0, 2.0, 3.0], requires_grad=True)
    x.take(fb.tensor([-1, -1])).sum().backward()
    assert x.grad is not None and x.grad.tolist() == [0, 0, 2]


def test_whole_numbers_and_truths_scaled() -> None:
    x = fb.zeros(2, dtype=fb.int32)
    one = fb.ones(2, dtype=fb.int32)
    assert x.index_add(0, AT, one, alpha=2.9).tolist() == [2, 2]
    assert x.bool().index_add(0, AT, one.bool(), alpha=0.5).tolist() == [True, True]


def test_narrow_and_empty_index_of_scatter_reduce() -> None:
    x, src = fb.ones(3, requires_grad=True), fb.ones(2, requires_grad=True)
    assert x.detach().scatter_reduce(0, AT.int(), fb.full((2,), 3.0), "prod").tolist() == [3, 3, 1]
    x.scatter_reduce(0, fb.empty(0, dtype=fb.int64), src, "amax").sum().backward()
    assert src.grad is not None and src.grad.tolist() == [0, 0]


def test_gradient_of_a_single_value_that_is_scattered() -> None:
    value = fb.tensor(3.0, requires_grad=True)
    fb.zeros(1).scatter(0, fb.tensor([0]), value).sum().backward()
    assert value.grad is not None and value.grad.shape == () and value.grad.item() == 1
