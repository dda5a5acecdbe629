"""Poisson and binomial samples: frequencies against probabilities, and refusals."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

import flambeau_core as fb

COUNT = 20_000


@pytest.fixture(autouse=True)
def seeded() -> None:
    fb.manual_seed(8)


def check_frequencies(sample: fb.Tensor, probability: Callable[[int], float]) -> None:
    """Each count's frequency is within five standard deviations of its probability."""
    counts = fb.bincount(sample.to(fb.int64)).tolist()
    assert sum(counts) == sample.numel()
    for k, seen in enumerate(counts):
        p = probability(k)
        deviation = math.sqrt(max(p * (1 - p), 1 / COUNT) / COUNT)
        assert abs(seen / COUNT - p) < 5 * deviation, k


@pytest.mark.parametrize("rate", [0.0, 0.3, 4.0, 9.99, 10.0, 30.0, 150.0])
def test_poisson(rate: float) -> None:
    x = fb.poisson(fb.full((COUNT,), rate))
    assert x.dtype == fb.float32
    check_frequencies(
        x,
        lambda k: (
            math.exp(k * math.log(rate) - rate - math.lgamma(k + 1)) if rate else float(k == 0)
        ),
    )


def test_poisson_of_a_large_rate() -> None:
    x = fb.poisson(fb.full((COUNT,), 1e10, dtype=fb.float64))
    assert x.mean().item() == pytest.approx(1e10, abs=5 * 1e5 / math.sqrt(COUNT))
    assert x.std().item() == pytest.approx(1e5, rel=0.03)


def test_poisson_refuses() -> None:
    with pytest.raises(RuntimeError, match="non-negative"):
        fb.poisson(fb.tensor([1.0, -1.0]))
    with pytest.raises(NotImplementedError):
        fb.poisson(fb.tensor([1]))
    assert fb.poisson(fb.tensor([math.nan])).isnan().all()
    assert fb.poisson(fb.empty(0, 2)).shape == (0, 2)


def test_poisson_gradient_is_zero() -> None:
    rate = fb.tensor([3.0, 30.0], requires_grad=True)
    fb.poisson(rate).sum().backward()
    assert rate.grad is not None and rate.grad.tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("count", "probability"),
    [(5, 0.3), (40, 0.1), (40, 0.5), (40, 0.9), (300, 0.25), (300, 0.99), (7, 0.0), (7, 1.0)],
)
def test_binomial(count: int, probability: float) -> None:
    x = fb.binomial(fb.full((COUNT,), float(count)), fb.tensor([probability]))
    assert x.dtype == fb.float32
    check_frequencies(
        x,
        lambda k: math.comb(count, k) * probability**k * (1 - probability) ** (count - k),
    )


def test_binomial_broadcasts_and_clamps() -> None:
    x = fb.binomial(fb.tensor([[5.0], [-5.0]]), fb.tensor([2.0, -1.0]))
    assert x.tolist() == [[5.0, 0.0], [0.0, 0.0]]
    assert fb.binomial(fb.tensor([5.0]), fb.tensor([math.nan])).isnan().all()


def test_binomial_refuses() -> None:
    with pytest.raises(ValueError, match="floating-point"):
        fb.binomial(fb.tensor([5]), fb.tensor([0.5]))
    with pytest.raises(RuntimeError, match="dtype"):
        fb.binomial(fb.ones(2, dtype=fb.float64), fb.ones(2))
    with pytest.raises(RuntimeError, match=r"\(3,\), \(2,\)"):
        fb.binomial(fb.ones(3), fb.ones(2))
    prob = fb.tensor([0.5], requires_grad=True)
    with pytest.raises(NotImplementedError, match="binomial"):
        fb.binomial(fb.ones(1), prob).backward()


def test_one_stream_on_every_backend() -> None:
    from flambeau_core import plugins

    drawn = []
    for name in ("reference", "cpu"):
        try:
            with plugins.use_backend("cpu", name):
                fb.manual_seed(3)
                rates = fb.linspace(0, 40, 500)
                drawn.append(
                    (
                        fb.poisson(rates),
                        fb.binomial(rates.floor(), fb.tensor([0.4])),
                        fb._standard_gamma(rates + 0.1),
                    )
                )
        except RuntimeError as error:
            pytest.skip(f"backend {name} is not installed: {error}")
    for one, other in zip(*drawn, strict=True):
        assert fb.allclose(one, other, rtol=1e-6)
