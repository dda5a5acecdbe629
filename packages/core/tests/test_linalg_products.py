"""Chains of products and systems over whole tensors."""

from __future__ import annotations

import pytest

import flambeau_core as fb
from flambeau_core.linalg.products import _cheapest_splits


def test_cheapest_order() -> None:
    """Cormen et al., Introduction to Algorithms, 2009, figure 15.5: ((A1 (A2 A3)) ((A4 A5) A6))."""
    split = _cheapest_splits([30, 35, 15, 5, 10, 20, 25])
    assert (split[0][5], split[0][2], split[3][5]) == (2, 0, 4)


def test_multi_dot() -> None:
    a, b, c = fb.randn(3, 4), fb.randn(4, 2), fb.randn(2, 5)
    assert fb.allclose(fb.linalg.multi_dot([a, b, c]), a @ b @ c, atol=1e-5)
    assert fb.allclose(fb.chain_matmul(a, b, c), a @ b @ c, atol=1e-5)
    assert fb.linalg.multi_dot([a[0], b, c[:, 0]]).shape == ()
    assert fb.linalg.multi_dot((a[0], b)).shape == (2,)


@pytest.mark.parametrize(
    ("shapes", "text"),
    [
        (((2, 3),), "at least 2 tensors but got 1"),
        (((2, 3), (2, 3)), r"\[2, 3\] and \[2, 3\] cannot be multiplied"),
        (((2, 3), (3,), (3, 2)), "tensor 1 must be 2D but got 1D"),
        (((2, 3, 4), (4, 2)), "tensor 0 must be 1D or 2D but got 3D"),
    ],
)
def test_chains_are_refused(shapes: tuple[tuple[int, ...], ...], text: str) -> None:
    with pytest.raises(RuntimeError, match=text):
        fb.linalg.multi_dot([fb.ones(shape) for shape in shapes])


def test_tensor_systems() -> None:
    A = fb.randn(2, 3, 6, dtype=fb.float64)
    B = fb.randn(2, 3, dtype=fb.float64)
    X = fb.linalg.tensorsolve(A, B)
    assert fb.allclose(fb.tensordot(A, X, 1), B)
    inverse = fb.linalg.tensorinv(A, ind=2)
    assert inverse.shape == (6, 2, 3) and fb.allclose(fb.tensordot(inverse, B, 2), X)
    moved = fb.linalg.tensorsolve(A.movedim(-1, 0), B, dims=(0,))
    assert fb.allclose(moved, X)
    with pytest.raises(RuntimeError, match="linalg.tensorinv: .*positive integer for 'ind'"):
        fb.linalg.tensorinv(A, ind=0)
    with pytest.raises(RuntimeError, match=r"got 18 != 2 \(shape"):
        fb.linalg.tensorinv(A, ind=1)


def test_vecdot_conjugates_the_first() -> None:
    x = fb.tensor([1j, 2.0])
    assert fb.linalg.vecdot(x, x).item() == 5.0
    with pytest.raises(RuntimeError, match="floating point or complex"):
        fb.linalg.vecdot(fb.ones(2, dtype=fb.int64), fb.ones(2, dtype=fb.int64))


def test_vander() -> None:
    assert fb.linalg.vander(fb.tensor([1, 2, 3])).tolist() == [[1, 1, 1], [1, 2, 4], [1, 3, 9]]
    assert fb.linalg.vander(fb.tensor([[2.0], [3.0]]), N=2).tolist() == [[[1.0, 2.0]], [[1.0, 3.0]]]
    with pytest.raises(RuntimeError, match="linalg.vander: N must be greater than 1"):
        fb.linalg.vander(fb.tensor([1.0]), N=1)


def test_diagonal_is_a_view() -> None:
    A = fb.zeros(2, 3, 3)
    fb.linalg.diagonal(A).fill_(1)
    assert fb.equal(A[1], fb.eye(3))
