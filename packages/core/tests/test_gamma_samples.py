"""Samples of the gamma and the Dirichlet distribution and their implicit gradients."""

from __future__ import annotations

import math

import pytest

import flambeau_core as fb
from flambeau_core.composed.gamma_samples import log_slope
from flambeau_testing import gradcheck, gradgradcheck

COUNT = 20_000


@pytest.fixture(autouse=True)
def seeded() -> None:
    fb.manual_seed(11)


def uniform_distance(values: fb.Tensor) -> float:
    """Kolmogorov's and Smirnov's distance of samples from the uniform distribution."""
    ordered = values.sort().values
    ranks = fb.arange(1, values.numel() + 1, dtype=fb.float64) / values.numel()
    return float((ordered - ranks).abs().max())


@pytest.mark.parametrize("alpha", [0.05, 0.7, 1.0, 4.5, 300.0])
def test_distribution(alpha: float) -> None:
    shapes = fb.full((COUNT,), alpha, dtype=fb.float64)
    x = fb._standard_gamma(shapes)
    # 1.95 / sqrt(n) is passed by one run in a thousand.
    assert uniform_distance(fb.igamma(shapes, x)) < 1.95 / math.sqrt(COUNT)


def test_reproducible() -> None:
    alpha = fb.tensor([0.3, 2.0, 7.0])
    generator = fb.Generator().manual_seed(4)
    first = fb._standard_gamma(alpha, generator)
    assert first.equal(fb._standard_gamma(alpha, fb.Generator().manual_seed(4)))
    assert not first.equal(fb._standard_gamma(alpha, generator))


def test_never_zero() -> None:
    x = fb._standard_gamma(fb.full((1000,), 1e-4))
    assert (x > 0).all() and x.min().item() == fb.finfo(fb.float32).tiny


def test_shapes_that_are_none() -> None:
    x = fb._standard_gamma(fb.tensor([-1.0, math.nan, math.inf]))
    assert x[:2].isnan().all() and x[2].item() == math.inf
    assert fb._standard_gamma(fb.empty(0, 3)).shape == (0, 3)
    with pytest.raises(NotImplementedError):
        fb._standard_gamma(fb.tensor([1]))


# Shape, sample and the derivative of the sample by the shape, from numerical differentiation of
# the distribution function in 50-digit arithmetic.
SLOPES = [
    (0.01, 1e-20, 4.5490816402e-17),
    (0.5, 0.3, 1.00980194595),
    (0.5, 3.0, 2.91294241644),
    (2.0, 1.5, 0.936639067877),
    (2.0, 6.0, 1.78801559469),
    (30.0, 25.0, 0.916681599736),
    (30.0, 45.0, 1.22314250637),
    (1000.0, 1010.0, 1.00515092968),
]


@pytest.mark.parametrize(("alpha", "x", "slope"), SLOPES)
def test_implicit_derivative(alpha: float, x: float, slope: float) -> None:
    a, sample = (fb.tensor([v], dtype=fb.float64) for v in (alpha, x))
    assert fb._standard_gamma_grad(a, sample).item() == pytest.approx(slope, rel=2e-9)


def test_gradient_of_samples() -> None:
    alpha = fb.tensor([0.2, 1.5, 40.0], dtype=fb.float64, requires_grad=True)
    x = fb._standard_gamma(alpha)
    x.sum().backward()
    expected = fb._standard_gamma_grad(alpha.detach(), x.detach())
    assert alpha.grad is not None
    assert fb.allclose(alpha.grad, expected, rtol=1e-10)


def test_mean_moves_with_the_shape() -> None:
    """The mean of gamma samples is the shape: the derivatives have the mean 1."""
    alpha = fb.full((COUNT,), 2.0, dtype=fb.float64, requires_grad=True)
    fb._standard_gamma(alpha).sum().backward()
    assert alpha.grad is not None
    assert alpha.grad.mean().item() == pytest.approx(1, abs=0.02)


def test_slope_is_differentiable() -> None:
    alpha = fb.tensor([0.3, 2.0, 5.0, 40.0], dtype=fb.float64, requires_grad=True)
    log_x = fb.tensor([-3.0, 0.2, 2.2, 3.6], dtype=fb.float64, requires_grad=True)
    assert gradcheck(log_slope, [alpha, log_x])
    assert gradgradcheck(log_slope, [alpha, log_x])


def test_dirichlet() -> None:
    concentration = fb.tensor([0.5, 1.5, 3.0], dtype=fb.float64, requires_grad=True)
    x = fb._sample_dirichlet(concentration.expand(COUNT, 3))
    assert fb.allclose(x.sum(-1), fb.ones(COUNT, dtype=fb.float64))
    means, total = [0.1, 0.3, 0.6], 5.0
    for k, mean in enumerate(means):
        deviation = math.sqrt(mean * (1 - mean) / (total + 1) / COUNT)
        assert x[:, k].mean().item() == pytest.approx(mean, abs=5 * deviation)
    # The mean's derivative by its own concentration is (total - c) / total^2.
    x[:, 0].mean().backward()
    assert concentration.grad is not None
    assert concentration.grad[0].item() == pytest.approx(4.5 / 25, abs=0.01)
    assert concentration.grad[1].item() == pytest.approx(-0.5 / 25, abs=0.005)


def test_dirichlet_of_small_concentrations() -> None:
    """Gamma samples that no number holds still give proportions."""
    x = fb._sample_dirichlet(fb.full((1000, 2), 1e-5))
    assert x.isfinite().all()
    assert fb.allclose(x.sum(-1), fb.ones(1000))
