"""Randomised decompositions."""

from __future__ import annotations

import pytest

import flambeau_core as fb


@pytest.mark.parametrize("shape", [(20, 8), (8, 20), (3, 12, 9)])
def test_a_matrix_of_low_rank_is_recovered(shape: tuple[int, ...]) -> None:
    fb.manual_seed(0)
    A = fb.randn(*shape[:-1], 3, dtype=fb.float64) @ fb.randn(3, shape[-1], dtype=fb.float64)
    U, S, V = fb.svd_lowrank(A, q=5)
    assert U.shape[-1] == S.shape[-1] == V.shape[-1] == 5
    assert fb.allclose((U * S.unsqueeze(-2)) @ V.mH, A)
    assert fb.allclose(S[..., :3], fb.linalg.svdvals(A)[..., :3])


def test_principal_components() -> None:
    """Points on a line through (1, 2) along (3, 4) vary in that direction alone."""
    t = fb.tensor([[-2.0], [-1.0], [0.0], [1.0], [2.0]], dtype=fb.float64)
    points = fb.tensor([1.0, 2.0]) + t * fb.tensor([3.0, 4.0])
    U, S, V = fb.pca_lowrank(points)
    assert V[:, 0].abs().tolist() == pytest.approx([0.6, 0.8])
    assert S.tolist() == pytest.approx([5 * 10**0.5, 0.0], abs=1e-9)


def test_what_is_subtracted() -> None:
    A = fb.randn(6, 4, dtype=fb.float64)
    assert fb.svd_lowrank(A, q=2, M=A)[1].tolist() == pytest.approx([0.0, 0.0])


def test_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match=r"q\(=5\) must be non-negative"):
        fb.pca_lowrank(fb.ones(4, 3), q=5)
    with pytest.raises(ValueError, match=r"niter\(=-1\)"):
        fb.pca_lowrank(fb.ones(4, 3), niter=-1)
