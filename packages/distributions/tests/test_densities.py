"""Densities against their own integrals, without anybody's tables: each integrates to 1, and mean,
variance, entropy and distribution function are those that follow from it."""

import math

import flambeau_core as fb
import flambeau_distributions as dist


def _tolerance(family):
    if family.name == "Laplace":
        return 5e-5  # the rule converges only as the square of its step where there is a kink
    # Of a density like x ** -0.5 some 1e-6 lies so near to 1 that no node is left.
    return 5e-6 if family.line == "unit" else 1e-8


def test_density_integrates_to_one(density, nodes, close):
    x, weights = nodes(density.line)
    distribution, _ = density.make()
    total = (weights * distribution.log_prob(x).exp()).sum()
    close(total, 1.0, rel=_tolerance(density))


def test_mean_and_variance_are_integrals(continuous, nodes, close):
    x, weights = nodes(continuous.line)
    distribution, _ = continuous.make()
    mass = weights * distribution.log_prob(x).exp()
    mean = (mass * x).sum()
    tolerance = _tolerance(continuous)
    close(distribution.mean, mean, rel=tolerance)
    close(distribution.variance, (mass * (x - mean).square()).sum(), rel=tolerance)
    close(distribution.stddev, distribution.variance.sqrt())


def test_entropy_is_an_integral(density, nodes, close):
    x, weights = nodes(density.line)
    distribution, _ = density.make()
    try:
        entropy = distribution.entropy()
    except NotImplementedError:
        assert density.name in {"FisherSnedecor"}
        return
    log_prob = distribution.log_prob(x)
    # Where the density is rounded to 0 its logarithm is not: 0 * log(0) is 0.
    terms = fb.where(log_prob.exp() > 0, log_prob.exp() * log_prob, 0.0)
    close(entropy, -(weights * terms).sum(), rel=2e-5, abs=2e-5)
    close(distribution.perplexity(), entropy.exp())


def test_mode_has_the_highest_density(continuous, nodes):
    distribution, _ = continuous.make()
    try:
        mode = distribution.mode
    except NotImplementedError:
        assert continuous.name == "ContinuousBernoulli"
        return
    if not mode.isfinite():  # as of a uniform distribution
        assert continuous.name == "Uniform"
        return
    x, _ = nodes(continuous.line)
    edge = {"real": 0.0, "positive": 1e-300, "unit": 1e-14}[continuous.line]
    highest = distribution.log_prob(mode.clamp(min=edge, max=1 - edge if edge == 1e-14 else None))
    assert (distribution.log_prob(x) <= highest + 1e-9).all()


def _points(family):
    points = {"real": [-2.0, 0.25, 3.0], "positive": [0.125, 1.0, 4.0], "unit": [0.125, 0.5, 0.875]}
    return fb.tensor(points[family.line], dtype=fb.float64, requires_grad=True)


def test_derivative_of_the_distribution_function_is_the_density(density, close):
    distribution, _ = density.make()
    x = _points(density)
    try:
        cdf = distribution.cdf(x)
    except NotImplementedError:
        assert density.name in {"StudentT", "FisherSnedecor", "Beta"}
        return
    (derivative,) = fb.autograd.grad(cdf.sum(), x)
    close(derivative, distribution.log_prob(x).exp(), rel=1e-8)


def test_icdf_inverts_the_distribution_function(density, close):
    distribution, _ = density.make()
    quantiles = fb.tensor([0.0625, 0.5, 0.875], dtype=fb.float64)
    try:
        x = distribution.icdf(quantiles)
    except NotImplementedError:
        gammas = {"Gamma", "Chi2", "InverseGamma"}
        assert density.name in {"StudentT", "FisherSnedecor", "Beta", *gammas}
        return
    close(distribution.cdf(x), quantiles, rel=1e-9)


def test_distribution_function_is_an_integral(density, nodes, close):
    """Up to the median of the nodes, which pins the constant that the derivative leaves open."""
    distribution, _ = density.make()
    x, weights = nodes(density.line)
    middle = x.numel() // 2
    try:
        cdf = distribution.cdf(x[middle])
    except NotImplementedError:
        return
    mass = weights * distribution.log_prob(x).exp()
    # The last node counts half. At this end the rule converges only as the square of its step.
    close(cdf, mass[:middle].sum() + mass[middle] / 2, rel=1e-3)


def _counts(family, distribution):
    last = int(distribution.total_count) if family.name == "Binomial" else 400
    return fb.arange(0, 2 if family.name == "Bernoulli" else last + 1, dtype=fb.float64)


def test_probabilities_add_up(discrete, close):
    distribution, _ = discrete.make()
    counts = _counts(discrete, distribution)
    probs = distribution.log_prob(counts).exp()
    mean = (probs * counts).sum()
    close(probs.sum(), 1.0)
    close(distribution.mean, mean)
    close(distribution.variance, (probs * (counts - mean).square()).sum())
    close(distribution.mode, counts[probs.argmax()])


def test_entropy_of_counts_is_a_sum(discrete, close):
    distribution, _ = discrete.make()
    try:
        entropy = distribution.entropy()
    except NotImplementedError:
        assert discrete.name in {"NegativeBinomial", "Poisson"}
        return
    log_prob = distribution.log_prob(_counts(discrete, distribution))
    close(entropy, -(log_prob.exp() * log_prob).sum())


def test_von_mises_integrates_over_the_circle(close):
    distribution = dist.VonMises(fb.tensor(0.5, dtype=fb.float64), fb.tensor(2.0, dtype=fb.float64))
    step = 2 * math.pi / 512
    angles = fb.arange(-math.pi, math.pi - step / 2, step, dtype=fb.float64)
    probs = step * distribution.log_prob(angles).exp()
    close(probs.sum(), 1.0)
    close(distribution.variance, 1 - (probs * (angles - 0.5).cos()).sum())
