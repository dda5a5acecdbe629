"""Ops over lists of tensors: call forms, in-place forms, errors.

Values and gradients are among the samples of op_samples.
"""

from __future__ import annotations

from typing import Any

import pytest

import flambeau_core as fb
from flambeau_core.composed.foreach import CALL_FORMS, UNARY


def tensors() -> list[fb.Tensor]:
    return [fb.tensor([0.25, 0.5]), fb.tensor([[0.75]]), fb.tensor(0.5)]


def values(results: Any) -> list[Any]:
    return [result.tolist() for result in results]


@pytest.mark.parametrize("name", UNARY)
def test_unary_ops_are_those_of_one_tensor(name: str) -> None:
    results = getattr(fb, f"_foreach_{name}")(tensors())
    assert isinstance(results, tuple)
    expected = [getattr(fb, name)(x) for x in tensors()]
    assert values(results) == values(expected)
    changed = tensors()
    given = getattr(fb, f"_foreach_{name}_")(changed)
    assert isinstance(given, list)
    assert all(a is b for a, b in zip(given, changed))
    assert values(changed) == values(expected)


@pytest.mark.parametrize("name", CALL_FORMS)
def test_in_place_forms_keep_the_tensors(name: str) -> None:
    lists = 0 if name in UNARY else 2 if name in ("addcmul", "addcdiv") else 1
    operands = [tensors() for _ in range(lists)]
    rest: list[Any] = [0.25] if name == "lerp" else []
    expected = getattr(fb, f"_foreach_{name}")(tensors(), *operands, *rest)
    changed = tensors()
    same = list(changed)
    getattr(fb, f"_foreach_{name}_")(changed, *operands, *rest)
    assert all(a is b for a, b in zip(changed, same))
    assert values(changed) == values(expected)


def test_call_forms_of_add() -> None:
    x = [fb.tensor([1.0, 2.0]), fb.tensor(3.0)]
    assert values(fb._foreach_add(x, 1)) == [[2.0, 3.0], 4.0]
    assert values(fb._foreach_add(x, [1, 2])) == [[2.0, 3.0], 5.0]
    assert values(fb._foreach_add(x, x, alpha=2)) == [[3.0, 6.0], 9.0]
    assert values(fb._foreach_add(x, fb.tensor(1.0), alpha=3)) == [[4.0, 5.0], 6.0]
    assert values(fb._foreach_add(x, scalar=1)) == [[2.0, 3.0], 4.0]
    assert values(fb._foreach_add(x, scalars=[1, 2])) == [[2.0, 3.0], 5.0]
    assert values(fb._foreach_add(tuple(x), other=x)) == [[2.0, 4.0], 6.0]


def test_call_forms_of_products() -> None:
    x = [fb.tensor([1.0, 2.0]), fb.tensor(3.0)]
    assert values(fb._foreach_addcmul(x, x, x)) == [[2.0, 6.0], 12.0]
    assert values(fb._foreach_addcmul(x, x, x, 2)) == [[3.0, 10.0], 21.0]
    assert values(fb._foreach_addcmul(x, x, x, value=2)) == [[3.0, 10.0], 21.0]
    assert values(fb._foreach_addcmul(x, x, x, [1, 2])) == [[2.0, 6.0], 21.0]
    assert values(fb._foreach_addcdiv(x, x, x, fb.tensor([1.0, 2.0]))) == [[2.0, 3.0], 5.0]


def test_extrema_powers_and_the_rest() -> None:
    x = [fb.tensor([1.0, 4.0]), fb.tensor([[9.0]])]
    assert values(fb._foreach_maximum(x, 2.0)) == [[2.0, 4.0], [[9.0]]]
    assert values(fb._foreach_minimum(x, [2.0, 5.0])) == [[1.0, 2.0], [[5.0]]]
    assert values(fb._foreach_pow(2, x)) == [[2.0, 16.0], [[512.0]]]
    assert values(fb._foreach_pow(x, [2, 0.5])) == [[1.0, 16.0], [[3.0]]]
    assert values(fb._foreach_max(x)) == [4.0, 9.0]
    assert values(fb._foreach_powsum([fb.tensor([3.0, -4.0])])) == [25.0]
    assert values(fb._foreach_mm([x[1]], [x[1]])) == [[[81.0]]]
    copies = fb._foreach_clone(x)
    fb._foreach_zero_(x)
    assert values(x) == [[0.0, 0.0], [[0.0]]]
    fb._foreach_copy_(x, copies, non_blocking=True)
    assert values(x) == [[1.0, 4.0], [[9.0]]]


def test_norm() -> None:
    x = [fb.tensor([3.0, -4.0]), fb.tensor([[12.0], [5.0]])]
    assert values(fb._foreach_norm(x)) == [5.0, 13.0]
    assert values(fb._foreach_norm(x, 1)) == [7.0, 17.0]
    assert values(fb._foreach_norm(x, float("inf"))) == [4.0, 12.0]
    assert fb._foreach_norm(x, dtype=fb.float64)[0].dtype == fb.float64


def test_dtypes_differ_within_a_list() -> None:
    results = fb._foreach_mul([fb.ones(1), fb.ones(1, dtype=fb.int64)], 2.5)
    assert [r.dtype for r in results] == [fb.float32, fb.float32]
    with pytest.raises(RuntimeError, match="can't be cast"):
        fb._foreach_mul_([fb.ones(1, dtype=fb.int64)], 2.5)
    with pytest.raises(RuntimeError, match="maximum_"):
        fb._foreach_maximum_([fb.ones(1, dtype=fb.int64)], [fb.ones(1)])


def test_gradient_of_an_extremum_in_place() -> None:
    leaf = fb.tensor([1.0, 5.0], requires_grad=True)
    x = [leaf.clone()]
    fb._foreach_maximum_(x, [fb.tensor([3.0, 3.0])])
    x[0].sum().backward()
    assert leaf.grad is not None
    assert leaf.grad.tolist() == [0.0, 1.0]


@pytest.mark.parametrize(
    ("name", "arguments", "error"),
    [
        ("abs", ([],), RuntimeError),
        ("zero_", ([],), RuntimeError),
        ("add", (tensors(), tensors()[:1]), RuntimeError),
        ("add", (tensors(), [1.0]), RuntimeError),
        ("add", (tensors(), fb.ones(2)), RuntimeError),
        ("add", (tensors(), "a"), TypeError),
        ("add", (fb.ones(2), 1), TypeError),
        ("add", (tensors(), [1.0, "a", 2.0]), TypeError),
        ("clamp_max", (tensors(), fb.ones(3)), TypeError),
        ("addcmul", (tensors(), tensors(), tensors()[:1]), RuntimeError),
        ("addcmul", (tensors(), tensors(), tensors(), fb.tensor(1.0)), RuntimeError),
        ("addcmul", (tensors(), tensors(), tensors(), fb.ones(2)), RuntimeError),
        ("lerp", (tensors(), tensors(), [0.5]), RuntimeError),
        ("norm", ([fb.ones(2, dtype=fb.int64)],), RuntimeError),
        ("pow_", (2, tensors()), TypeError),
    ],
)
def test_errors(name: str, arguments: tuple[Any, ...], error: type[Exception]) -> None:
    with pytest.raises(error):
        getattr(fb, f"_foreach_{name}")(*arguments)


def test_an_extremum_that_ties_with_its_number_halves_the_gradient() -> None:
    x = fb.tensor([1.0, 2.0, 3.0], requires_grad=True)
    (largest,) = fb._foreach_maximum([x], 2.0)
    assert fb.autograd.grad(largest.sum(), x)[0].tolist() == [0.0, 0.5, 1.0]


def test_masks_stay_masks_whatever_alpha() -> None:
    mask = fb.tensor([True, False])
    assert fb._foreach_add([mask], [~mask], alpha=3)[0].tolist() == [True, True]
    assert fb.add(mask, ~mask, alpha=0).tolist() == [True, False]


def test_lerp_by_a_truth_value_has_a_gradient() -> None:
    x = fb.tensor([1.0, 2.0], requires_grad=True)
    (end,) = fb._foreach_lerp([x], [x.detach() * 3], True)
    assert end.tolist() == [3.0, 6.0]
    assert fb.autograd.grad(end.sum(), x)[0].tolist() == [0.0, 0.0]
