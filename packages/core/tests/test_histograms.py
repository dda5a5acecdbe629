"""Histograms against NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

import flambeau_core as fb

RNG = np.random.default_rng(5)
X = RNG.normal(size=(6, 7))
WEIGHTS = RNG.uniform(size=(6, 7))


@pytest.mark.parametrize("density", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("bins", [1, 5, [-2.0, -0.5, 0.25, 3.0]])
def test_one_dimension(bins: object, weighted: bool, density: bool) -> None:
    weights = WEIGHTS if weighted else None
    expected, edges = np.histogram(X, bins, weights=weights, density=density)
    given = bins if isinstance(bins, int) else fb.tensor(bins, dtype=fb.float64)
    result = fb.histogram(
        fb.tensor(X),
        given,
        weight=None if weights is None else fb.tensor(weights),
        density=density,
    )
    np.testing.assert_allclose(result.hist.numpy(), expected)
    np.testing.assert_allclose(result.bin_edges.numpy(), edges)


def test_range_and_last_edge() -> None:
    x = fb.tensor([0.0, 0.5, 1.0, 2.0, 3.0])
    hist, edges = x.histogram(2, range=(0.0, 2.0))
    assert hist.tolist() == [2, 2] and edges.tolist() == [0, 1, 2]
    assert fb.histogram(fb.ones(3), 3).bin_edges.tolist() == pytest.approx([0.5, 5 / 6, 7 / 6, 1.5])
    assert fb.histogram(fb.empty(0), 2).bin_edges.tolist() == [0, 0.5, 1]
    nan = float("nan")
    assert fb.histogram(fb.tensor([nan, 1.5]), fb.tensor([0.0, 1.0, 2.0])).hist.tolist() == [0, 1]


@pytest.mark.parametrize("density", [False, True])
def test_several_dimensions(density: bool) -> None:
    points = RNG.normal(size=(20, 3))
    expected, edges = np.histogramdd(points, (2, 3, 4), density=density)
    result = fb.histogramdd(fb.tensor(points), (2, 3, 4), density=density)
    np.testing.assert_allclose(result.hist.numpy(), expected)
    for mine, theirs in zip(result.bin_edges, edges):
        np.testing.assert_allclose(mine.numpy(), theirs)


def test_several_dimensions_with_edges_weights_and_range() -> None:
    points, weights = RNG.normal(size=(4, 5, 2)), RNG.uniform(size=(4, 5))
    edges = ([-1.0, 0.0, 2.0], [-3.0, 0.5, 1.0, 3.0])
    expected, _ = np.histogramdd(points.reshape(-1, 2), edges, weights=weights.reshape(-1))
    given = [fb.tensor(edge, dtype=fb.float64) for edge in edges]
    result = fb.histogramdd(fb.tensor(points), given, weight=fb.tensor(weights))
    np.testing.assert_allclose(result.hist.numpy(), expected)
    expected, _ = np.histogramdd(points.reshape(-1, 2), 3, range=[(-1, 1), (0, 2)])
    result = fb.histogramdd(fb.tensor(points), 3, range=[-1.0, 1.0, 0.0, 2.0])
    np.testing.assert_allclose(result.hist.numpy(), expected)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda x: fb.histogram(x, 0), RuntimeError),
        (lambda x: fb.histogram(x, 3, range=(2, 1)), RuntimeError),
        (lambda x: fb.histogram(x, 3, range=(1, 2, 3)), RuntimeError),
        (lambda x: fb.histogram(x, 3, range=(0, float("inf"))), RuntimeError),
        (lambda x: fb.histogram(x, fb.ones(2, 2)), RuntimeError),
        (lambda x: fb.histogram(x, fb.ones(2).double()), RuntimeError),
        (lambda x: fb.histogram(x, 3, weight=fb.ones(2)), RuntimeError),
        (lambda x: fb.histogram(x.half(), 3), NotImplementedError),
        (lambda x: fb.histogramdd(x, [1, 2]), RuntimeError),
        (lambda x: fb.histogramdd(fb.ones(5, 6), [1, 1]), RuntimeError),
        (lambda x: fb.histogramdd(fb.ones(5, 2), fb.ones(2)), TypeError),
    ],
)
def test_arguments_that_do_not_fit(call: object, error: type[Exception]) -> None:
    with pytest.raises(error, match="histogram"):
        call(fb.arange(5.0))  # type: ignore[operator]
