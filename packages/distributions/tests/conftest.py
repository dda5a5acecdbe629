"""What the tests share: a table of families over single numbers, and comparisons."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

import flambeau_core as fb
import flambeau_distributions as dist


@dataclass(frozen=True)
class Family:
    """A class, its parameters, and where its density lies: "real", "positive" or "unit"."""

    name: str
    parameters: dict[str, float]
    line: str

    def make(self, count: int | None = None, requires_grad: bool = False) -> Any:
        """One distribution, or a batch of so many alike; and the tensors of its parameters."""
        shape = () if count is None else (count,)
        tensors = {
            name: fb.full(shape, value, dtype=fb.float64, requires_grad=requires_grad)
            for name, value in self.parameters.items()
        }
        return getattr(dist, self.name)(**tensors), tensors


# Of all of them the first four moments are finite, except where the test says so.
CONTINUOUS = [
    Family("Normal", {"loc": 0.5, "scale": 2.0}, "real"),
    Family("Laplace", {"loc": 0.5, "scale": 0.75}, "real"),
    Family("Gumbel", {"loc": 0.5, "scale": 0.75}, "real"),
    Family("StudentT", {"df": 9.0, "loc": 0.5, "scale": 0.75}, "real"),
    Family("Gamma", {"concentration": 2.5, "rate": 1.5}, "positive"),
    Family("Gamma", {"concentration": 0.75, "rate": 0.5}, "positive"),
    Family("Chi2", {"df": 3.0}, "positive"),
    Family("Exponential", {"rate": 1.5}, "positive"),
    Family("FisherSnedecor", {"df1": 5.0, "df2": 14.0}, "positive"),
    Family("InverseGamma", {"concentration": 7.0, "rate": 2.0}, "positive"),
    Family("HalfNormal", {"scale": 1.5}, "positive"),
    Family("LogNormal", {"loc": 0.25, "scale": 0.25}, "positive"),
    Family("Weibull", {"scale": 1.5, "concentration": 2.5}, "positive"),
    Family("GeneralizedPareto", {"loc": 0.0, "scale": 1.5, "concentration": 0.125}, "positive"),
    Family("GeneralizedPareto", {"loc": 0.0, "scale": 1.5, "concentration": 0.0}, "positive"),
    Family("Beta", {"concentration1": 2.5, "concentration0": 1.5}, "unit"),
    Family("Beta", {"concentration1": 0.75, "concentration0": 0.5}, "unit"),
    Family("Kumaraswamy", {"concentration1": 2.5, "concentration0": 1.5}, "unit"),
    Family("ContinuousBernoulli", {"probs": 0.25}, "unit"),
    Family("ContinuousBernoulli", {"probs": 0.4995}, "unit"),
    Family("ContinuousBernoulli", {"probs": 0.5}, "unit"),
    Family("Uniform", {"low": 0.0, "high": 1.0}, "unit"),
]
# These have no mean; what they have can be tested all the same.
HEAVY_TAILED = [
    Family("Cauchy", {"loc": 0.5, "scale": 0.75}, "real"),
    Family("HalfCauchy", {"scale": 0.75}, "positive"),
]
DISCRETE = [
    Family("Bernoulli", {"probs": 0.25}, "integers"),
    Family("Binomial", {"total_count": 5.0, "probs": 0.25}, "integers"),
    Family("Geometric", {"probs": 0.25}, "integers"),
    Family("NegativeBinomial", {"total_count": 2.5, "probs": 0.25}, "integers"),
    Family("Poisson", {"rate": 2.25}, "integers"),
]


def _id(family: Family) -> str:
    return f"{family.name}-{'-'.join(map(str, family.parameters.values()))}"


@pytest.fixture(params=CONTINUOUS, ids=_id)
def continuous(request: Any) -> Family:
    """Each family of a density with four moments."""
    return request.param


@pytest.fixture(params=[*CONTINUOUS, *HEAVY_TAILED], ids=_id)
def density(request: Any) -> Family:
    """Each family of a density."""
    return request.param


@pytest.fixture(params=DISCRETE, ids=_id)
def discrete(request: Any) -> Family:
    """Each family of counts."""
    return request.param


@pytest.fixture(params=[*CONTINUOUS, *DISCRETE], ids=_id)
def with_moments(request: Any) -> Family:
    """Each family with four moments."""
    return request.param


@pytest.fixture
def nodes() -> Callable[[str], tuple[fb.Tensor, fb.Tensor]]:
    """`nodes(line)`: points x on it and weights w such that ``sum(w * f(x))`` is the integral.

    The trapezoidal rule over t, where x is sinh(t), exp(t) or 1 / (1 + exp(-t)): the integrand
    falls off exponentially at both ends, so that the rule is precise to about 1e-10.
    """

    def make(line: str) -> tuple[fb.Tensor, fb.Tensor]:
        step = 0.01
        # Of a number nearer to 1 than 1e-12 the distance from 1 has too few digits.
        reach = 27.0 if line == "unit" else 36.0
        t = fb.arange(-reach, reach, step, dtype=fb.float64)
        if line == "real":
            return fb.sinh(t), step * fb.cosh(t)
        if line == "positive":
            return t.exp(), step * t.exp()
        x = fb.sigmoid(t)
        return x, step * x * fb.sigmoid(-t)

    return make


@pytest.fixture
def close() -> Callable[..., None]:
    """`close(tensor, expected)`: equal shapes, and equal values to a relative tolerance."""

    def check(actual: fb.Tensor, expected: Any, rel: float = 1e-10, abs: float = 1e-12) -> None:
        expected = fb.as_tensor(expected, dtype=fb.float64)
        assert tuple(actual.shape) == tuple(expected.shape)
        values = actual.detach().reshape(-1).tolist()
        wanted = expected.detach().reshape(-1).tolist()
        assert values == pytest.approx(wanted, rel=rel, abs=abs, nan_ok=True)

    return check


@pytest.fixture
def within_error() -> Callable[..., None]:
    """`within_error(draws, expected)`: their mean over the first dimension is the expected one.

    It may be off by 5 standard errors, which the spread of the draws gives: by chance about one
    comparison in two million fails, and the seeds are fixed.
    """

    def check(draws: fb.Tensor, expected: Any) -> None:
        count = len(draws)
        expected = fb.as_tensor(expected, dtype=draws.dtype).expand(draws.shape[1:])
        error = draws.std(0) / math.sqrt(count)
        distance = (draws.mean(0) - expected).abs()
        assert (distance <= 5 * error + 1e-12).all(), f"{distance} above 5 times {error}"

    return check


@pytest.fixture(autouse=True)
def _seed() -> None:
    fb.manual_seed(1)
