"""Samples: their shapes, types and support, their moments, their distribution functions, and the
gradients that flow through them. Seeds are fixed; bounds are those of `within_error`."""

import math

import pytest

import flambeau_core as fb
import flambeau_distributions as dist

COUNT = 20_000


def test_moments(with_moments, within_error):
    distribution, _ = with_moments.make()
    drawn = distribution.sample((COUNT,))
    assert drawn.shape == (COUNT,) and drawn.dtype == fb.float64
    distribution._validate_sample(drawn)
    within_error(drawn, distribution.mean)
    within_error((drawn - distribution.mean).square(), distribution.variance)


def test_draws_follow_the_distribution_function(density):
    """Kolmogorov's test: the largest distance of the two functions, times the root of the count,
    is below 1.95 except with a probability of 0.001 (Kolmogorov, 1933)."""
    distribution, _ = density.make()
    drawn = distribution.sample((COUNT,)).sort().values
    try:
        cdf = distribution.cdf(drawn)
    except NotImplementedError:
        return
    rank = fb.arange(1, COUNT + 1, dtype=fb.float64) / COUNT
    distance = (cdf - rank).abs().max()
    assert distance * math.sqrt(COUNT) < 1.95


def test_counts_come_up_as_often_as_their_probabilities_say(discrete, within_error):
    distribution, _ = discrete.make()
    drawn = distribution.sample((COUNT,))
    counts = fb.arange(0, 2 if discrete.name == "Bernoulli" else 6, dtype=fb.float64)
    is_count = (drawn.unsqueeze(-1) == counts).double()
    within_error(is_count, distribution.log_prob(counts).exp())


def test_gradients_of_means(continuous, within_error):
    """The mean of the gradients of draws is the gradient of the mean."""
    distribution, parameters = continuous.make(COUNT, requires_grad=True)
    assert distribution.has_rsample
    distribution.rsample().sum().backward()
    drawn = {name: tensor.grad for name, tensor in parameters.items()}
    distribution, parameters = continuous.make(requires_grad=True)
    names = list(parameters)
    of_mean = fb.autograd.grad(distribution.mean, list(parameters.values()), allow_unused=True)
    for name, expected in zip(names, of_mean):
        if (name, continuous.parameters[name]) == ("concentration", 0.0):
            continue  # the formula taken at 0 does not know of the concentration
        within_error(drawn[name], 0.0 if expected is None else expected)


def test_sample_has_no_gradient(continuous):
    distribution, _ = continuous.make(2, requires_grad=True)
    assert not distribution.sample((3,)).requires_grad
    assert distribution.rsample((3,)).requires_grad


def test_normal_draws_are_affine_functions_of_their_parameters(close):
    loc = fb.zeros(4, dtype=fb.float64, requires_grad=True)
    scale = fb.full((4,), 2.0, dtype=fb.float64, requires_grad=True)
    drawn = dist.Normal(loc, scale).rsample()
    drawn.sum().backward()
    close(loc.grad, fb.ones(4))
    close(scale.grad, drawn / 2)


def test_gamma_draws_have_the_implicit_gradient(close):
    """dx/da is -(dF/da) / f of the distribution function F and the density f (Figurnov, Mohamed
    and Mnih, "Implicit reparameterization gradients", NeurIPS 2018); dF/da by differences."""
    concentration = fb.tensor([0.75, 1.5, 4.0, 30.0], dtype=fb.float64, requires_grad=True)
    drawn = dist.Gamma(concentration, 1.0).rsample()
    drawn.sum().backward()
    step = 1e-5
    x, a = drawn.detach(), concentration.detach()
    above, below = dist.Gamma(a + step, 1.0).cdf(x), dist.Gamma(a - step, 1.0).cdf(x)
    implicit = -(above - below) / (2 * step) / dist.Gamma(a, 1.0).log_prob(x).exp()
    # The gradient op is a series for each range of a and x that is good to about 1e-4 (its source).
    close(concentration.grad, implicit, rel=2e-3)


VECTORS = {
    "Dirichlet": lambda t: dist.Dirichlet(t([0.5, 2.0, 1.5])),
    "MultivariateNormal": lambda t: dist.MultivariateNormal(
        t([0.5, -1.0]), covariance_matrix=t([[2.0, 0.5], [0.5, 1.0]])
    ),
    "LowRankMultivariateNormal": lambda t: dist.LowRankMultivariateNormal(
        t([0.5, -1.0]), t([[1.0], [-0.5]]), t([0.5, 1.5])
    ),
    "Multinomial": lambda t: dist.Multinomial(5, t([0.25, 0.5, 0.25])),
    "OneHotCategorical": lambda t: dist.OneHotCategorical(t([0.25, 0.5, 0.25])),
    "OneHotCategoricalStraightThrough": lambda t: dist.OneHotCategoricalStraightThrough(
        t([0.25, 0.5, 0.25])
    ),
    "Wishart": lambda t: dist.Wishart(t(4.5), t([[2.0, 0.5], [0.5, 1.0]])),
    "Independent": lambda t: dist.Independent(dist.Normal(t([0.5, -1.0]), t([2.0, 0.5])), 1),
    "MixtureSameFamily": lambda t: dist.MixtureSameFamily(
        dist.Categorical(t([0.25, 0.75])),
        dist.Independent(dist.Normal(t([[0.5, -1.0], [2.0, 3.0]]), t([[2.0, 0.5], [1, 1]])), 1),
    ),
}


@pytest.mark.parametrize("name", VECTORS)
def test_moments_of_vectors(name, within_error):
    distribution = VECTORS[name](lambda values: fb.tensor(values, dtype=fb.float64))
    drawn = distribution.sample((COUNT,))
    assert drawn.shape == (COUNT, *distribution.event_shape)
    distribution._validate_sample(drawn)
    within_error(drawn, distribution.mean)
    within_error((drawn - distribution.mean).square(), distribution.variance)


def test_covariance_of_normal_vectors(within_error):
    covariance = fb.tensor([[2.0, 0.5], [0.5, 1.0]], dtype=fb.float64)
    for given in ("covariance_matrix", "precision_matrix", "scale_tril"):
        matrix = {
            "covariance_matrix": covariance,
            "precision_matrix": fb.linalg.inv(covariance),
            "scale_tril": fb.linalg.cholesky(covariance),
        }[given]
        distribution = dist.MultivariateNormal(fb.zeros(2, dtype=fb.float64), **{given: matrix})
        drawn = distribution.sample((COUNT,))
        within_error(drawn[:, 0] * drawn[:, 1], 0.5)


def test_correlations_of_lkj(within_error):
    """Each correlation of a matrix of n rows has the variance 1 / (2 c + n - 1) around 0."""
    concentration = fb.tensor([1.0, 2.5], dtype=fb.float64)
    distribution = dist.LKJCholesky(3, concentration)
    factor = distribution.sample((COUNT,))
    distribution._validate_sample(factor)
    matrix = factor @ factor.mT
    for row, column in ((1, 0), (2, 0), (2, 1)):
        correlation = matrix[..., row, column]
        within_error(correlation, 0.0)
        within_error(correlation.square(), 1 / (2 * concentration + 2))


def test_von_mises_draws_have_the_circular_moments(within_error):
    loc = fb.tensor([0.5, -2.0, 3.0], dtype=fb.float64)
    distribution = dist.VonMises(loc, fb.tensor([0.25, 4.0, 1e-7], dtype=fb.float64))
    drawn = distribution.sample((COUNT,))
    assert (drawn.abs() <= math.pi).all()
    within_error((drawn - loc).sin(), 0.0)
    within_error((drawn - loc).cos(), 1 - distribution.variance)


@pytest.mark.parametrize("name", ["RelaxedBernoulli", "RelaxedOneHotCategorical"])
def test_relaxed_draws_choose_as_often_as_the_probabilities_say(name, within_error):
    """The largest element, or the side of 1/2, has the distribution of the discrete variable."""
    probs = fb.tensor([0.25, 0.5, 0.25], dtype=fb.float64)
    drawn = getattr(dist, name)(fb.tensor(0.75, dtype=fb.float64), probs).sample((COUNT,))
    if name == "RelaxedBernoulli":
        within_error((drawn > 0.5).double(), probs)
    else:
        chosen = drawn.argmax(-1)
        within_error((chosen.unsqueeze(-1) == fb.arange(3)).double(), probs)


def test_categorical_draws(within_error):
    probs = fb.tensor([[0.25, 0.5, 0.25], [0.0, 0.125, 0.875]], dtype=fb.float64)
    drawn = dist.Categorical(probs).sample((COUNT,))
    assert drawn.dtype == fb.int64 and drawn.shape == (COUNT, 2)
    within_error((drawn.unsqueeze(-1) == fb.arange(3)).double(), probs)


def test_straight_through_draws_have_the_gradient_of_the_probabilities(close):
    logits = fb.tensor([0.5, 1.0, -1.0], dtype=fb.float64, requires_grad=True)
    weights = fb.tensor([1.0, 2.0, 3.0], dtype=fb.float64)
    drawn = dist.OneHotCategoricalStraightThrough(logits=logits).rsample()
    assert sorted(drawn.tolist()) == [0.0, 0.0, 1.0]
    (actual,) = fb.autograd.grad((drawn * weights).sum(), logits)
    (expected,) = fb.autograd.grad((fb.softmax(logits, -1) * weights).sum(), logits)
    close(actual, expected)


@pytest.mark.parametrize("sample_shape", [(), (2,), (2, 0), (3, 2)])
def test_shapes(density, sample_shape):
    distribution, _ = density.make(4)
    assert distribution.sample(sample_shape).shape == (*sample_shape, 4)
    assert distribution.rsample(sample_shape).shape == (*sample_shape, 4)


@pytest.mark.parametrize("sample_shape", [(), (2,), (2, 0), (3, 2)])
def test_shapes_of_counts(discrete, sample_shape):
    distribution, _ = discrete.make(4)
    assert distribution.sample(sample_shape).shape == (*sample_shape, 4)


def test_seeds_repeat_draws(with_moments):
    distribution, _ = with_moments.make(3)
    fb.manual_seed(7)
    first = distribution.sample((2,))
    fb.manual_seed(7)
    assert fb.equal(distribution.sample((2,)), first)
