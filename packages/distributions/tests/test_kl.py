"""Finding the divergence of two types, and what is infinite, zero or not there."""

import warnings

import pytest

import flambeau_core as fb
import flambeau_distributions as dist
from flambeau_distributions import kl_divergence, register_kl


def t(values):
    return fb.tensor(values, dtype=fb.float64)


class Left(dist.Normal):
    pass


class Right(dist.Normal):
    pass


def test_subclasses_use_what_is_registered_for_their_bases(close):
    p, q = Left(t(0.5), t(2.0)), Right(t(0.0), t(1.0))
    close(kl_divergence(p, q), kl_divergence(dist.Normal(0.5, 2.0), dist.Normal(0.0, 1.0)), 1e-6)


def test_the_nearest_pair_wins_and_ties_warn():
    class P(dist.Normal):
        pass

    class Q(dist.Normal):
        pass

    p, q = P(0.0, 1.0), Q(0.0, 1.0)

    @register_kl(P, dist.Normal)
    def near_p(p, q):
        return fb.tensor(1.0)

    assert kl_divergence(p, q) == 1
    assert kl_divergence(dist.Normal(0.0, 1.0), q) == 0

    @register_kl(dist.Normal, Q)
    def near_q(p, q):
        return fb.tensor(2.0)

    with pytest.warns(RuntimeWarning, match=r"kl_divergence\(P, Q\) is ambiguous"):
        assert kl_divergence(p, q) == 1

    @register_kl(P, Q)
    def exact(p, q):
        return fb.tensor(3.0)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert kl_divergence(p, q) == 3


def test_what_is_not_registered():
    with pytest.raises(NotImplementedError, match="p of the type Cauchy and q of the type Normal"):
        kl_divergence(dist.Cauchy(0.0, 1.0), dist.Normal(0.0, 1.0))
    with pytest.raises(NotImplementedError, match="none is registered for Normal and Bernoulli"):
        kl_divergence(dist.Normal(0.0, 1.0), dist.Bernoulli(0.5))
    with pytest.raises(TypeError, match="type_p must be a subclass of Distribution, but got 3"):
        register_kl(3, dist.Normal)
    with pytest.raises(TypeError, match="type_q must be a subclass of Distribution"):
        register_kl(dist.Normal, int)


SAME = {
    "Bernoulli": dist.Bernoulli(t([0.0, 0.25, 1.0])),
    "Beta": dist.Beta(t([0.5, 2.0, 3.0]), t(1.5)),
    "Binomial": dist.Binomial(4, t([0.125, 0.25, 0.5])),
    "Categorical": dist.Categorical(t([[0.0, 1.0]] * 3)),
    "Cauchy": dist.Cauchy(t([0.0, 1.0, 2.0]), t(2.0)),
    "ContinuousBernoulli": dist.ContinuousBernoulli(t([0.125, 0.5, 0.75])),
    "Dirichlet": dist.Dirichlet(t([[0.5, 2.0]] * 3)),
    "Exponential": dist.Exponential(t([0.5, 2.0, 3.0])),
    "Gamma": dist.Gamma(t([0.5, 2.0, 3.0]), t(1.5)),
    "Geometric": dist.Geometric(t([0.125, 0.25, 0.5])),
    "Gumbel": dist.Gumbel(t([0.0, 1.0, 2.0]), t(2.0)),
    "HalfNormal": dist.HalfNormal(t([0.5, 2.0, 3.0])),
    "Laplace": dist.Laplace(t([0.0, 1.0, 2.0]), t(2.0)),
    "LogNormal": dist.LogNormal(t([0.0, 1.0, 2.0]), t(2.0)),
    "LowRank": dist.LowRankMultivariateNormal(t([[0.0, 1.0]] * 3), t([[1.0], [2.0]]), t([1.0, 2])),
    "MultivariateNormal": dist.MultivariateNormal(t([[0.0, 1.0]] * 3), fb.eye(2).double()),
    "Normal": dist.Normal(t([0.0, 1.0, 2.0]), t(2.0)),
    "OneHotCategorical": dist.OneHotCategorical(t([[0.25, 0.75]] * 3)),
    "Pareto": dist.Pareto(t([0.5, 2.0, 3.0]), t(1.5)),
    "Poisson": dist.Poisson(t([0.5, 2.0, 3.0])),
    "Uniform": dist.Uniform(t([0.0, 1.0, 2.0]), t(3.0)),
    "Wishart": dist.Wishart(t([2.5, 3.0, 4.0]), fb.eye(2).double()),
}


@pytest.mark.parametrize("name", SAME)
def test_of_a_distribution_to_itself_it_is_zero(name, close):
    close(kl_divergence(SAME[name], SAME[name]), [0.0] * 3, abs=1e-12)


UNIT = dist.Beta(t(2.0), t(3.0))
OUTSIDE = [
    (UNIT, dist.Pareto(t(1.0), t(2.0))),
    (dist.ContinuousBernoulli(t(0.25)), dist.Pareto(t(1.0), t(2.0))),
    *(
        (p, q)
        for p in (dist.Exponential(t(1.0)), dist.Gamma(t(1.0), t(2.0)), dist.Chi2(t(1.0)))
        for q in (
            UNIT,
            dist.ContinuousBernoulli(t(0.25)),
            dist.Pareto(t(1.0), t(2.0)),
            dist.Uniform(t(0.0), t(9.0)),
        )
    ),
    *(
        (p(t(0.0), t(1.0)), q)
        for p in (dist.Normal, dist.Laplace, dist.Gumbel)
        for q in (
            UNIT,
            dist.ContinuousBernoulli(t(0.25)),
            dist.Exponential(t(1.0)),
            dist.Gamma(t(1.0), t(1.0)),
            dist.Pareto(t(1.0), t(2.0)),
            dist.Uniform(t(-9.0), t(9.0)),
        )
    ),
    *(
        (dist.Pareto(t(1.0), t(2.0)), q)
        for q in (UNIT, dist.ContinuousBernoulli(t(0.25)), dist.Uniform(t(0.0), t(9.0)))
    ),
    (dist.Poisson(t(1.0)), dist.Bernoulli(t(0.5))),
    (dist.Poisson(t(1.0)), dist.Binomial(3, t(0.5))),
    (dist.Bernoulli(t(0.5)), dist.Bernoulli(t(0.0))),
    (dist.Bernoulli(t(0.5)), dist.Bernoulli(t(1.0))),
    (dist.Binomial(4, t(0.5)), dist.Binomial(3, t(0.5))),
    (dist.Categorical(t([0.5, 0.5])), dist.Categorical(t([0.0, 1.0]))),
    (dist.Uniform(t(0.0), t(2.0)), dist.Uniform(t(0.0), t(1.0))),
    (dist.Uniform(t(-1.0), t(1.0)), dist.Exponential(t(1.0))),
    (dist.Uniform(t(-1.0), t(1.0)), dist.Gamma(t(1.0), t(1.0))),
    (dist.Uniform(t(-1.0), t(1.0)), UNIT),
    (dist.Uniform(t(0.5), t(1.5)), dist.ContinuousBernoulli(t(0.25))),
    (dist.Uniform(t(0.5), t(1.5)), dist.Pareto(t(1.0), t(2.0))),
    (UNIT, dist.Uniform(t(0.25), t(1.0))),
    (dist.ContinuousBernoulli(t(0.25)), dist.Uniform(t(0.0), t(0.75))),
    (dist.Pareto(t(1.0), t(2.0)), dist.Pareto(t(2.0), t(2.0))),
    (dist.Pareto(t(1.0), t(1.0)), dist.Exponential(t(1.0))),  # the mean of p is infinite
    (dist.Pareto(t(1.0), t(1.0)), dist.Gamma(t(1.0), t(2.0))),
    (dist.Pareto(t(1.0), t(2.0)), dist.Normal(t(0.0), t(1.0))),  # and so is its variance
]


@pytest.mark.parametrize(
    ("p", "q"), OUTSIDE, ids=lambda d: f"{type(d).__name__}{tuple(d.batch_shape)}"
)
def test_where_p_has_mass_outside_of_q_it_is_infinite(p, q, close):
    close(kl_divergence(p, q), fb.inf)
    close(kl_divergence(p.expand((2, 1)), q.expand((3,))), [[fb.inf] * 3] * 2)


def test_an_interval_that_covers_the_support_is_enough(close):
    close(kl_divergence(UNIT, dist.Uniform(t(0.0), t(1.0))), -UNIT.entropy())
    continuous = dist.ContinuousBernoulli(t(0.25))
    close(kl_divergence(continuous, dist.Uniform(t(0.0), t(1.0))), -continuous.entropy())


def test_independent_adds_up(close):
    p = dist.Normal(t([[0.0, 1.0, 2.0]] * 2), t(2.0))
    q = dist.Normal(t([0.5, 0.5, 0.5]), t(1.0))
    elementwise = kl_divergence(p, q)
    pair = dist.Independent(p, 1), dist.Independent(q.expand((2, 3)), 1)
    close(kl_divergence(*pair), elementwise.sum(-1))
    with pytest.raises(NotImplementedError, match="over 1 and 0 batch dimensions"):
        kl_divergence(pair[0], dist.Independent(q, 0))


def test_transformed_needs_the_same_transforms(close):
    p, q = dist.LogNormal(t(0.0), t(1.0)), dist.LogNormal(t(1.0), t(2.0))
    close(kl_divergence(p, q), kl_divergence(p.base_dist, q.base_dist))
    with pytest.raises(NotImplementedError, match="different transforms"):
        kl_divergence(p, dist.HalfNormal(t(1.0)))


def test_binomial_counts():
    with pytest.raises(NotImplementedError, match="larger total_count"):
        kl_divergence(dist.Binomial(3, t(0.5)), dist.Binomial(4, t(0.5)))


def test_normal_vectors_of_different_lengths():
    two = dist.MultivariateNormal(fb.zeros(2), fb.eye(2))
    low = dist.LowRankMultivariateNormal(fb.zeros(3), fb.ones(3, 1), fb.ones(3))
    three = dist.MultivariateNormal(fb.zeros(3), fb.eye(3))
    for pair in ((two, three), (two, low), (low, two)):
        with pytest.raises(ValueError, match=r"event shapes \(\d,\) and \(\d,\)"):
            kl_divergence(*pair)


def test_batches_broadcast(close):
    """Element by element it is that of the elements, also where only one side has a batch."""
    covariance = t([[[2.0, 0.5], [0.5, 1.0]], [[1.0, 0.0], [0.0, 3.0]]])
    low = dist.LowRankMultivariateNormal(t([0.5, 0.0]), t([[1.0], [-0.5]]), t([0.5, 1.5]))
    full = dist.MultivariateNormal(t([0.5, -1.0]), covariance)
    wishart = dist.Wishart(t([3.0, 4.0]), covariance)
    other = dist.Wishart(t(2.5), covariance[0])
    for p, q, part in (
        (full, low, lambda i: (dist.MultivariateNormal(t([0.5, -1.0]), covariance[i]), low)),
        (low, full, lambda i: (low, dist.MultivariateNormal(t([0.5, -1.0]), covariance[i]))),
        (wishart, other, lambda i: (dist.Wishart(wishart.df[i], covariance[i]), other)),
    ):
        whole = kl_divergence(p, q)
        close(whole, fb.stack([kl_divergence(*part(i)) for i in range(2)]))


def test_it_is_differentiable(close):
    scale = t(2.0).requires_grad_()
    kl_divergence(dist.Normal(t(0.0), scale), dist.Normal(t(0.0), t(1.0))).backward()
    close(scale.grad, 2.0 - 0.5)  # s - 1 / s
    rate = t(2.0).requires_grad_()
    p = dist.Wishart(rate + 1, fb.eye(2).double())
    kl_divergence(p, dist.Wishart(t(2.5), fb.eye(2).double())).backward()
    assert rate.grad.isfinite() and rate.grad != 0
