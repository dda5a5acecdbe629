"""Extreme eigenpairs by iteration, held to whole decompositions and to published values."""

from __future__ import annotations

import math
from typing import Any

import pytest

import flambeau_core as fb
from flambeau_testing import gradcheck


def second_difference(n: int) -> fb.Tensor:
    """Its eigenvalues are 2 - 2 cos(pi j / (n + 1))."""
    return fb.diag(fb.full((n,), 2.0, dtype=fb.float64)) - (
        fb.diag(fb.ones(n - 1, dtype=fb.float64), 1) + fb.diag(fb.ones(n - 1, dtype=fb.float64), -1)
    )


@pytest.mark.parametrize("largest", [False, True])
def test_second_difference(largest: bool) -> None:
    n = 30
    E, V = fb.lobpcg(second_difference(n), k=3, largest=largest, tol=1e-10, n=6)
    which = [n, n - 1, n - 2] if largest else [1, 2, 3]
    expected = [2 - 2 * math.cos(math.pi * j / (n + 1)) for j in which]
    assert E.tolist() == pytest.approx(expected, abs=1e-9)
    assert fb.allclose(second_difference(n) @ V, V * E, atol=1e-8)


@pytest.mark.parametrize("dtype", [fb.float32, fb.float64, fb.complex128])
def test_batches_of_general_problems(dtype: fb.dtype) -> None:
    x, y = fb.randn(2, 12, 12, dtype=dtype), fb.randn(2, 12, 12, dtype=dtype)
    A, B = x @ x.mH, y @ y.mH + 4 * fb.eye(12, dtype=dtype)
    E, V = fb.lobpcg(A, 2, B, niter=-1)
    L = fb.linalg.inv(fb.linalg.cholesky(B))
    expected = fb.linalg.eigvalsh(L @ A @ L.mH)[:, -2:].flip(-1)
    assert fb.allclose(E, expected, rtol=1e-4)
    assert fb.allclose(V.mH @ B @ V, fb.eye(2, dtype=dtype).expand(2, 2, 2), atol=1e-4)


def test_preconditioner_and_start_save_steps() -> None:
    A = second_difference(60) + fb.diag(fb.arange(60, dtype=fb.float64) ** 2)
    steps: dict[str, int] = {}

    def count(name: str) -> Any:
        return lambda state: steps.__setitem__(name, state.ivars["istep"])

    fb.manual_seed(0)
    E, V = fb.lobpcg(A, largest=False, tracker=count("plain"))
    fb.lobpcg(A, largest=False, iK=fb.diag(1 / A.diagonal()), tracker=count("preconditioned"))
    fb.lobpcg(A, X=V, largest=False, tracker=count("started"))
    assert steps["started"] == 0 < steps["preconditioned"] < steps["plain"]


def test_tracker_may_stop() -> None:
    seen: list[int] = []

    def stop(state: Any) -> None:
        seen.append(state.ivars["istep"])
        state.bvars["force_stop"] = len(seen) == 2

    fb.lobpcg(second_difference(40), tol=0.0, tracker=stop)
    assert seen == [0, 1]
    fb.lobpcg(second_difference(40), tol=0.0, niter=3, tracker=stop)
    assert seen[2:] == [0, 1, 2, 3]


@pytest.mark.parametrize("batch", [(), (2,)])
def test_gradients(batch: tuple[int, ...]) -> None:
    x = fb.randn(*batch, 9, 9, dtype=fb.float64, requires_grad=True)

    def function(x: fb.Tensor) -> tuple[fb.Tensor, fb.Tensor]:
        E, V = fb.lobpcg(x @ x.mT, k=2, tol=1e-13, niter=300, n=3)
        return E, V * V

    assert gradcheck(function, [x])


def test_arguments_are_refused() -> None:
    A = second_difference(9)
    with pytest.raises(ValueError, match=r"\(=9\) is smaller than 3 x .*\(=4\)"):
        fb.lobpcg(A, k=4)
    with pytest.raises(ValueError, match="'basic' or 'ortho'"):
        fb.lobpcg(A, method="qr")
    with pytest.raises(RuntimeError, match="square"):
        fb.lobpcg(A[:, :3])
    B = fb.eye(9, dtype=fb.float64)
    with pytest.raises(ValueError, match="lobpcg.backward does not support"):
        fb.lobpcg(A.requires_grad_(), B=B)[0].sum().backward()
