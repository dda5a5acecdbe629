"""Gradients of programs with views and writes against central differences and other modes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import flambeau_core as fb
from flambeau_core import func

from .drawing import Drawing
from .gradient_steps import Step, drawn_program, run, total

STEP = 1e-5
WIDE_STEP = 1e-4
# What a later write makes of a tensor that the backward pass needs, and of a part of it.
SPOILED = ("modified by an inplace operation", "function that returns multiple views")


def drawn_leaves(draw: Drawing) -> list[fb.Tensor]:
    def shape() -> tuple[int, ...]:
        return tuple(draw.choice([1, 2, 3]) for _ in range(draw.integer(0, 3)))

    return [0.5 * fb.from_numpy(draw.array(shape(), "float64")) for _ in range(draw.choice([1, 2]))]


def slope(steps: list[Step], leaves: list[fb.Tensor], along: list[fb.Tensor]) -> float:
    """By differences of fourth order: nested exponentials bend too much for those of second."""

    def value(distance: float) -> float:
        with fb.no_grad():
            return float(total(steps, [x + distance * v for x, v in zip(leaves, along)]))

    near, far = (value(h) - value(-h) for h in (WIDE_STEP, 2 * WIDE_STEP))
    return (8 * near - far) / (12 * WIDE_STEP)


def check_gradient(draw: Drawing) -> None:
    leaves = drawn_leaves(draw)
    steps = drawn_program(draw, leaves)
    along = [fb.from_numpy(draw.array(tuple(x.shape), "float64")) for x in leaves]
    expected = slope(steps, leaves, along)
    # Copies, since under no_grad a program may shift a leaf through a view of it.
    origins, leaves = leaves, [x.clone().requires_grad_() for x in leaves]
    try:
        gradients = fb.autograd.grad(total(steps, leaves), leaves, create_graph=True)
    except RuntimeError as error:
        if not any(why in str(error) for why in SPOILED):
            raise
        return
    actual = sum(float((g * v).sum().detach()) for g, v in zip(gradients, along))
    assert actual == pytest.approx(expected, rel=1e-5, abs=1e-6)
    if draw.chance(25):
        check_second(steps, origins, leaves, along, gradients)


def check_second(
    steps: list[Step],
    origins: list[fb.Tensor],
    leaves: list[fb.Tensor],
    along: list[fb.Tensor],
    gradients: tuple[fb.Tensor, ...],
) -> None:
    inner = sum((g * v).sum() for g, v in zip(gradients, along))
    assert isinstance(inner, fb.Tensor)
    second = fb.autograd.grad(inner, leaves, allow_unused=True)
    actual = sum(float((h * v).sum()) for h, v in zip(second, along) if h is not None)
    slopes = []
    for sign in (1, -1):
        moved = [(x + sign * STEP * v).detach().requires_grad_() for x, v in zip(origins, along)]
        firsts = fb.autograd.grad(total(steps, moved), moved)
        slopes.append(sum(float((g * v).sum()) for g, v in zip(firsts, along)))
    expected = (slopes[0] - slopes[1]) / (2 * STEP)
    assert actual == pytest.approx(expected, rel=1e-4, abs=1e-5)


def check_forward_mode(draw: Drawing) -> None:
    leaves = drawn_leaves(draw)
    steps = drawn_program(draw, leaves, pure=True)
    along = [fb.from_numpy(draw.array(tuple(x.shape), "float64")) for x in leaves]
    _, forward = func.jvp(lambda *x: total(steps, list(x)), tuple(leaves), tuple(along))
    reverse = func.grad(lambda x: total(steps, list(x)))(tuple(leaves))
    expected = sum(float((g * v).sum()) for g, v in zip(reverse, along))
    assert float(forward) == pytest.approx(expected, rel=1e-8, abs=1e-9)


def check_batches(draw: Drawing) -> None:
    leaves = drawn_leaves(draw)
    steps = drawn_program(draw, leaves, pure=True)
    batches = [fb.stack([x, x * 0.5, x - 0.25]) for x in leaves]
    together = func.vmap(lambda *x: tuple(run(steps, list(x))))(*batches)
    for k in range(3):
        alone = run(steps, [x[k] for x in batches])
        for a, b in zip(together, alone):
            assert a[k].shape == b.shape
            assert fb.allclose(a[k], b, 1e-9, 1e-9), (a[k], b)


@given(data=st.data())
def test_gradients_are_those_of_central_differences(data: st.DataObject) -> None:
    check_gradient(Drawing(data))


@given(data=st.data())
def test_forward_mode_agrees_with_reverse_mode(data: st.DataObject) -> None:
    check_forward_mode(Drawing(data))


@given(data=st.data())
def test_a_batched_program_is_the_loop_of_programs(data: st.DataObject) -> None:
    check_batches(Drawing(data))
