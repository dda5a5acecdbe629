"""What follows from natural parameters, against the closed forms."""

import pytest

import flambeau_core as fb
import flambeau_distributions as dist
from flambeau_distributions.exp_family import ExponentialFamily
from flambeau_distributions.kl.one_family import _exponential_family


def t(values):
    return fb.tensor(values, dtype=fb.float64)


MATRIX = t([[2.0, 0.5], [0.5, 1.0]])
PAIRS = {
    "Bernoulli": (dist.Bernoulli(t([0.25, 0.5])), dist.Bernoulli(t([0.125, 0.75]))),
    "Beta": (dist.Beta(t([0.5, 2.0]), t(1.5)), dist.Beta(t([1.5, 3.0]), t(0.5))),
    "ContinuousBernoulli": (
        dist.ContinuousBernoulli(t([0.25, 0.5])),
        dist.ContinuousBernoulli(t([0.125, 0.75])),
    ),
    "Dirichlet": (dist.Dirichlet(t([[0.5, 2.0]] * 2)), dist.Dirichlet(t([[1.5, 3.0]] * 2))),
    "Exponential": (dist.Exponential(t([0.5, 2.0])), dist.Exponential(t([1.5, 3.0]))),
    "Gamma": (dist.Gamma(t([0.5, 2.0]), t(1.5)), dist.Gamma(t([1.5, 3.0]), t(0.5))),
    "Normal": (dist.Normal(t([0.5, 2.0]), t(1.5)), dist.Normal(t([1.5, 3.0]), t(0.5))),
    "Poisson": (dist.Poisson(t([0.5, 2.0])), dist.Poisson(t([1.5, 3.0]))),
    "Wishart": (dist.Wishart(t([2.5, 4.0]), MATRIX), dist.Wishart(t([3.5, 3.0]), MATRIX * 2)),
}


@pytest.mark.parametrize("name", PAIRS)
def test_entropy(name, close):
    p, _ = PAIRS[name]
    if name == "Poisson":  # the mean of log(x!) has no closed form
        with pytest.raises(NotImplementedError):
            p.entropy()
        return
    # That of Wishart has the carrier measure 1 too.
    close(ExponentialFamily.entropy(p), p.entropy(), rel=1e-9)
    assert not ExponentialFamily.entropy(p).requires_grad


@pytest.mark.parametrize("name", PAIRS)
def test_divergence(name, close, within_error):
    p, q = PAIRS[name]
    divergence = _exponential_family(p, q)
    if name == "Wishart":  # has no other: it is held against draws
        x = p.sample((5000,))
        within_error(p.log_prob(x) - q.log_prob(x), divergence)
    else:
        close(divergence, dist.kl_divergence(p, q), rel=1e-8)


def test_entropy_is_differentiable(close):
    scale = t(2.0).requires_grad_()
    ExponentialFamily.entropy(dist.Normal(t(0.0), scale)).backward()
    close(scale.grad, 0.5)  # d log(s) / ds


def test_a_family_without_natural_parameters():
    with pytest.raises(NotImplementedError):
        ExponentialFamily((), (), validate_args=False).entropy()
