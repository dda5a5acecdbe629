"""Gradients of split, chunk and unbind: one node for all parts."""

import pytest

import flambeau_core as fb


@pytest.mark.parametrize(
    ("part", "name"),
    [
        (lambda x: x.split(2, 1), "SplitBackward0"),
        (lambda x: x.split([1, 4], 1), "SplitWithSizesBackward0"),
        (lambda x: x.chunk(2, 1), "SplitBackward0"),
        (lambda x: x.unbind(1), "UnbindBackward0"),
    ],
)
def test_each_part_gets_its_own_gradient(part, name):
    x = fb.arange(10.0).reshape(2, 5).requires_grad_()
    parts = part(x)
    assert len({id(p.grad_fn) for p in parts}) == 1 and parts[0].grad_fn.name() == name
    sum((p * (k + 1)).sum() for k, p in enumerate(parts)).backward()
    expected = fb.empty(2, 5)
    for k, p in enumerate(part(expected)):
        p.fill_(k + 1)
    assert x.grad.equal(expected)


def test_unused_parts_give_zeros():
    x = fb.ones(6, requires_grad=True)
    x.split([1, 2, 3])[1].sum().backward()
    assert x.grad.tolist() == [0, 1, 1, 0, 0, 0]


def test_parts_are_differentiated_one_after_the_other():
    x = fb.ones(2, 3, requires_grad=True)
    first, second = x.unbind()
    first.sum().backward()
    second.sum().backward()
    assert x.grad.tolist() == [[1, 1, 1], [1, 1, 1]]


def test_second_derivative():
    x = fb.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
    (slope,) = fb.autograd.grad((x.chunk(2)[1] ** 3).sum(), x, create_graph=True)
    assert slope.tolist() == [0, 0, 27, 48]
    (curvature,) = fb.autograd.grad(slope.sum(), x)
    assert curvature.tolist() == [0, 0, 18, 24]


@pytest.mark.parametrize(
    "part",
    [lambda y: y.chunk(2)[0], lambda y: y.split([3, 1])[0], lambda y: y.view(2, 2).unbind()[1][1:]],
)
def test_parts_refuse_recorded_writes(part):
    y = fb.ones(4, requires_grad=True) * 1
    p = part(y)
    with pytest.raises(RuntimeError, match="a function that returns multiple views"):
        p.mul_(5)
    assert y.tolist() == [1, 1, 1, 1]
    # The whole is no longer what the parts were taken from.
    y.mul_(3)
    with pytest.raises(RuntimeError, match="its base or another view of its base has been"):
        p.sum()


def test_a_part_refuses_to_join_a_graph():
    whole = fb.zeros(4)
    part = whole.chunk(2)[0]
    part.add_(1)  # nothing to record
    with pytest.raises(RuntimeError, match="multiple views"):
        part.mul_(fb.ones(2, requires_grad=True))
    assert whole.tolist() == [1, 1, 0, 0]


def test_parts_that_are_cut_one_by_one_take_writes():
    x = fb.ones(4, requires_grad=True)
    y = x * 1
    y.tensor_split(2)[0].mul_(5)
    y.sum().backward()
    assert x.grad.tolist() == [5, 5, 1, 1]


def test_part_of_a_part():
    x = fb.arange(4.0).reshape(2, 2).requires_grad_()
    rows = x.unbind()
    rows[1].unbind()[0].backward()
    assert x.grad.tolist() == [[0, 0], [1, 0]]
