"""Composed random numbers: their distributions, reproducibility and refusals.

Bounds are five standard deviations of the statistic wide.
"""

from __future__ import annotations

import math

import pytest

import flambeau_core as fb

COUNT = 20_000


@pytest.fixture(autouse=True)
def seeded() -> None:
    fb.manual_seed(20)


def near(value: float, expected: float, deviation: float) -> bool:
    return abs(value - expected) < 5 * deviation / math.sqrt(COUNT)


def test_bernoulli() -> None:
    x = fb.bernoulli(fb.full((COUNT,), 0.3))
    assert x.dtype == fb.float32
    assert set(x.unique().tolist()) == {0.0, 1.0}
    assert near(x.mean().item(), 0.3, math.sqrt(0.21))
    y = fb.zeros(COUNT, dtype=fb.int64).bernoulli_(0.8)
    assert near(y.to(fb.float64).mean().item(), 0.8, 0.4)
    assert fb.bernoulli(fb.tensor([0.0, 1.0])).tolist() == [0.0, 1.0]
    with pytest.raises(RuntimeError, match=r"\[0, 1\]"):
        fb.zeros(3).bernoulli_(1.5)


def test_multinomial_with_replacement() -> None:
    weights = fb.tensor([1.0, 0.0, 3.0])
    drawn = fb.multinomial(weights, COUNT, replacement=True)
    assert drawn.dtype == fb.int64
    counts = fb.bincount(drawn, minlength=3).tolist()
    assert counts[1] == 0
    assert near(counts[2] / COUNT, 0.75, math.sqrt(0.75 * 0.25))


def test_multinomial_without_replacement() -> None:
    weights = fb.tensor([[1.0, 2.0, 3.0, 0.0], [0.0, 1.0, 1.0, 1.0]])
    drawn = fb.multinomial(weights, 3)
    assert sorted(drawn[0].tolist()) == [0, 1, 2]
    assert sorted(drawn[1].tolist()) == [1, 2, 3]
    first = fb.multinomial(fb.tensor([1.0, 3.0]).expand(COUNT, 2), 1)
    assert near(first.to(fb.float64).mean().item(), 0.75, math.sqrt(0.75 * 0.25))


@pytest.mark.parametrize(
    ("weights", "count", "message"),
    [
        ([1.0, -1.0], 1, "element < 0"),
        ([1.0, math.nan], 1, "nan"),
        ([0.0, 0.0], 1, "sum of weights"),
        ([1.0, 1.0], 3, "3 of 2"),
        ([1.0, 1.0], 0, "n_sample <= 0"),
    ],
)
def test_multinomial_errors(weights: list[float], count: int, message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        fb.multinomial(fb.tensor(weights), count)


def test_exponential() -> None:
    x = fb.zeros(COUNT, dtype=fb.float64).exponential_(2.0)
    assert x.min().item() >= 0
    assert near(x.mean().item(), 0.5, 0.5)
    with pytest.raises(RuntimeError, match="lambda"):
        fb.zeros(1).exponential_(0.0)


def test_geometric() -> None:
    x = fb.zeros(COUNT, dtype=fb.float64).geometric_(0.25)
    assert x.min().item() == 1.0
    assert bool((x == x.round()).all())
    assert near(x.mean().item(), 4.0, math.sqrt(0.75) / 0.25)


def test_cauchy() -> None:
    x = fb.zeros(COUNT, dtype=fb.float64).cauchy_(1.0, 2.0)
    # A quarter of the distribution lies beyond the median plus sigma.
    share = (x > 3.0).to(fb.float64).mean().item()
    assert near(share, 0.25, math.sqrt(0.25 * 0.75))


def test_log_normal() -> None:
    x = fb.zeros(COUNT, dtype=fb.float64).log_normal_(0.5, 0.25).log()
    assert near(x.mean().item(), 0.5, 0.25)


def test_generators_repeat() -> None:
    weights = fb.ones(50)
    draws = []
    for _ in range(2):
        generator = fb.Generator().manual_seed(5)
        draws.append(fb.multinomial(weights, 10, generator=generator).tolist())
    assert draws[0] == draws[1]


def test_probabilities_of_draws_have_a_gradient_of_zero() -> None:
    p = fb.tensor([0.0, 0.5, 1.0], requires_grad=True)
    draws = fb.bernoulli(p)
    assert draws.requires_grad and draws[0] == 0 and draws[2] == 1
    assert fb.autograd.grad(draws.sum(), p)[0].tolist() == [0.0, 0.0, 0.0]
