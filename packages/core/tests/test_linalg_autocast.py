"""Linear algebra under autocast: in float32, whatever its products would be lowered to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import flambeau_core as fb

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "cholesky_inverse": fb.cholesky_inverse,
    "det": fb.det,
    "eigh": lambda A: fb.linalg.eigh(A)[0],
    "inverse": fb.inverse,
    "lu": lambda A: fb.linalg.lu(A)[1],
    "matrix_norm": lambda A: fb.linalg.matrix_norm(A, 2),
    "pinv": fb.linalg.pinv,
    "qr": lambda A: fb.linalg.qr(A)[1],
    "solve": lambda A: fb.linalg.solve(A, A),
    "svdvals": fb.linalg.svdvals,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_results_and_gradients_are_those_without_autocast(name: str) -> None:
    A = (fb.eye(3) * 2 + 0.25).requires_grad_()
    expected = FUNCTIONS[name](A)
    (gradient,) = fb.autograd.grad(expected.sum(), A)
    with fb.autocast("cpu", dtype=fb.bfloat16):
        found = FUNCTIONS[name](A)
        (found_gradient,) = fb.autograd.grad(found.float().sum(), A)
        narrow = FUNCTIONS[name](A.detach().bfloat16())
    assert found.dtype == narrow.dtype == fb.float32
    assert fb.equal(found, expected) and fb.allclose(found_gradient, gradient)
