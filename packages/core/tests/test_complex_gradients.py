"""Gradients of complex functions, as PyTorch defines them: dL/d(re) + i dL/d(im) of a real loss."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import flambeau_core as fb
from flambeau_core.autograd import grad

STEP, TOLERANCE = 1e-6, 1e-7
PLAIN = (
    "neg abs square reciprocal sqrt rsqrt exp exp2 expm1 log log2 log10 log1p sin cos tan asin "
    "acos atan sinh cosh tanh asinh acosh atanh sigmoid angle conj conj_physical sgn sum prod mean "
    "var"
).split()
PAIRS = "add sub mul div pow logaddexp dot vdot".split()
CHOICE = [True, False, True]
# The function, and the shapes of its arguments.
FUNCTIONS: dict[str, tuple[Callable[..., fb.Tensor], list[tuple[int, ...]]]] = {
    **{name: (getattr(fb, name), [(4,)]) for name in PLAIN},
    **{name: (getattr(fb, name), [(3,), (3,)]) for name in PAIRS},
    "cumsum": (lambda z: z.cumsum(0), [(4,)]),
    "cumprod": (lambda z: z.cumprod(0), [(4,)]),
    "logcumsumexp": (lambda z: z.logcumsumexp(0), [(4,)]),
    "prod(dim)": (lambda z: z.prod(0), [(3, 2)]),
    "complex power": (lambda z: z ** (1.5 + 0.5j), [(3,)]),
    "power of a complex number": (lambda z: (2 + 1j) ** z, [(3,)]),
    "power of a real number": (lambda z: 2.0**z, [(3,)]),
    "whole power": (lambda z: z**3, [(3,)]),
    "scaled sum": (lambda a, b: fb.add(a, b, alpha=2j), [(3,), (3,)]),
    "scaled difference": (lambda a, b: fb.sub(a, b, alpha=2 - 1j), [(3,), (3,)]),
    "times a number": (lambda z: z * (1 + 2j), [(3,)]),
    "number divided": (lambda z: (1 + 2j) / z, [(3,)]),
    "times real": (lambda z: z * fb.tensor([1.0, 2.0, 3.0], dtype=fb.float64), [(3,)]),
    "matmul": (fb.matmul, [(2, 3), (3, 2)]),
    "bmm": (fb.bmm, [(2, 2, 3), (2, 3, 2)]),
    "mv": (fb.mv, [(2, 3), (3,)]),
    "addmm": (fb.addmm, [(2, 2), (2, 3), (3, 2)]),
    "linear": (lambda x, w: fb.nn_ops.linear(x, w), [(2, 3), (2, 3)]),
    "H": (lambda z: z.H @ z, [(2, 2)]),
    "mH": (lambda z: z.mH @ z, [(2, 2, 2)]),
    "view_as_real": (fb.view_as_real, [(3,)]),
    "real": (lambda z: z.real, [(3,)]),
    "imag": (lambda z: z.imag, [(3,)]),
    "where": (lambda a, b: fb.where(fb.tensor(CHOICE), a, b), [(3,), (3,)]),
    "addcmul": (lambda a, b, c: fb.addcmul(a, b, c, value=2j), [(3,)] * 3),
    "addcdiv": (lambda a, b, c: fb.addcdiv(a, b, c, value=2j), [(3,)] * 3),
    "lerp": (lambda a, b: fb.lerp(a, b, 0.3), [(3,), (3,)]),
    "lerp by a tensor": (fb.lerp, [(3,), (3,), (3,)]),
    "cat": (lambda a, b: fb.cat([a, b]), [(3,), (2,)]),
    "index": (lambda z: z[[0, 2, 0]], [(3,)]),
    "std": (lambda z: z.std(), [(4,)]),
    "norm": (lambda z: z.norm(), [(4,)]),
}


def samples(shapes: list[tuple[int, ...]]) -> list[fb.Tensor]:
    rng = np.random.default_rng(7)
    return [fb.from_numpy(rng.uniform(0.3, 1.2, s) + 1j * rng.uniform(0.2, 0.9, s)) for s in shapes]


def real_loss(y: fb.Tensor) -> fb.Tensor:
    parts = fb.view_as_real(y) if y.is_complex() else y
    weights = fb.arange(1, parts.numel() + 1, dtype=fb.float64).reshape(parts.shape).sin()
    return (parts * weights).sum()


def numeric(
    function: Callable[..., Any], values: list[fb.Tensor], place: int
) -> np.ndarray[Any, Any]:
    found = np.zeros(values[place].shape, dtype=complex)
    for i in np.ndindex(*values[place].shape):
        for unit in (1, 1j):
            ends = []
            for step in (STEP, -STEP):
                moved = [v.clone() for v in values]
                moved[place][i] = moved[place][i].item() + step * unit
                ends.append(function(*moved).item())
            found[i] += unit * (ends[0] - ends[1]) / (2 * STEP)
    return found


@pytest.mark.parametrize("name", FUNCTIONS)
def test_gradient(name: str) -> None:
    function, shapes = FUNCTIONS[name]
    values = samples(shapes)
    leaves = [v.clone().requires_grad_() for v in values]
    found = grad(real_loss(function(*leaves)), leaves)
    for place, g in enumerate(found):
        assert g.dtype == fb.complex128
        expected = numeric(lambda *xs: real_loss(function(*xs)), values, place)
        assert np.abs(g.numpy() - expected).max() < TOLERANCE


@pytest.mark.parametrize("name", ["abs", "sgn", "mul", "div", "exp", "tanh", "matmul", "angle"])
def test_second_gradient(name: str) -> None:
    function, shapes = FUNCTIONS[name]

    def slope(*xs: fb.Tensor) -> fb.Tensor:
        xs = tuple(x if x.requires_grad else x.requires_grad_() for x in xs)
        first = grad(real_loss(function(*xs)), xs, create_graph=True)
        return sum((real_loss(g) for g in first), fb.zeros((), dtype=fb.float64))

    values = samples(shapes)
    leaves = [v.clone().requires_grad_() for v in values]
    found = grad(slope(*leaves), leaves)
    for place, g in enumerate(found):
        expected = numeric(lambda *xs: slope(*xs).detach(), values, place)
        assert np.abs(g.numpy() - expected).max() < 10 * TOLERANCE


def test_gradients_at_zero() -> None:
    z = fb.zeros(2, dtype=fb.complex64, requires_grad=True)
    for function in (fb.abs, lambda z: fb.sgn(z).real, fb.angle):
        (g,) = grad(function(z).sum(), z)
        assert g.tolist() == [0, 0]


def test_real_input_of_a_complex_result() -> None:
    x = fb.tensor([1.0, 2.0], dtype=fb.float64, requires_grad=True)
    (x * (1 + 2j)).real.sum().backward()
    assert x.grad.dtype == fb.float64 and x.grad.tolist() == [1.0, 1.0]


def test_backward_of_a_complex_result_needs_a_gradient() -> None:
    z = fb.ones((), dtype=fb.complex64, requires_grad=True)
    with pytest.raises(RuntimeError, match="[Cc]omplex|real"):
        (z * 2).backward()
    (z * 2).backward(fb.tensor(1 + 1j))
    assert z.grad.item() == 2 + 2j
