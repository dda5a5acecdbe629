"""Families whose parameter is given as probabilities or as logits."""

import math

import pytest

import flambeau_core as fb
import flambeau_distributions as dist

MAKERS = {
    "Bernoulli": dist.Bernoulli,
    "Binomial": lambda **kwargs: dist.Binomial(3, **kwargs),
    "Categorical": dist.Categorical,
    "ContinuousBernoulli": dist.ContinuousBernoulli,
    "Geometric": dist.Geometric,
    "Multinomial": lambda **kwargs: dist.Multinomial(3, **kwargs),
    "NegativeBinomial": lambda **kwargs: dist.NegativeBinomial(3.0, **kwargs),
    "OneHotCategorical": dist.OneHotCategorical,
    "RelaxedBernoulli": lambda **kwargs: dist.RelaxedBernoulli(fb.tensor(0.5), **kwargs),
    "RelaxedOneHotCategorical": lambda **kwargs: dist.RelaxedOneHotCategorical(
        fb.tensor(0.5), **kwargs
    ),
}
VECTORS = {"Categorical", "Multinomial", "OneHotCategorical", "RelaxedOneHotCategorical"}


@pytest.mark.parametrize("name", MAKERS)
def test_exactly_one_is_given(name):
    with pytest.raises(ValueError, match="exactly one of probs and logits .* got neither"):
        MAKERS[name]()
    with pytest.raises(ValueError, match="exactly one of probs and logits .* got both"):
        MAKERS[name](probs=fb.ones(2) / 2, logits=fb.zeros(2))


@pytest.mark.parametrize("name", MAKERS)
def test_each_follows_from_the_other(name, close):
    probs = fb.tensor([0.125, 0.25, 0.625], dtype=fb.float64)
    by_probs = MAKERS[name](probs=probs)
    logits = by_probs.logits
    close(logits, probs.log() if name in VECTORS else (probs / (1 - probs)).log())
    by_logits = MAKERS[name](logits=logits)
    close(by_logits.probs, probs)
    drawn = by_probs.sample((5,))
    close(by_logits.log_prob(drawn), by_probs.log_prob(drawn), rel=1e-9)
    assert by_probs.batch_shape == (() if name in VECTORS else (3,))


@pytest.mark.parametrize("name", MAKERS)
def test_what_is_derived_under_no_grad_has_a_gradient_later(name):
    logits = fb.tensor([0.5, 1.0, -1.0], dtype=fb.float64, requires_grad=True)
    distribution = MAKERS[name](logits=logits)
    with fb.no_grad():
        assert distribution.probs.requires_grad
    (gradient,) = fb.autograd.grad(distribution.probs[0], logits)
    assert gradient[0] > 0


def test_weights_are_normalised(close):
    categorical = dist.Categorical(fb.tensor([[1.0, 3.0], [2.0, 2.0]], dtype=fb.float64))
    close(categorical.probs, [[0.25, 0.75], [0.5, 0.5]])
    by_logits = dist.Categorical(logits=fb.tensor([5.0, 5.0 + math.log(3)], dtype=fb.float64))
    close(by_logits.logits, [math.log(0.25), math.log(0.75)])


def test_impossible_and_certain_outcomes(close):
    probs = fb.tensor([0.0, 1.0], dtype=fb.float64)
    bernoulli = dist.Bernoulli(probs)
    close(bernoulli.log_prob(probs), [0.0, 0.0], abs=1e-15)
    close(bernoulli.entropy(), [0.0, 0.0], abs=1e-13)
    categorical = dist.Categorical(probs)
    close(categorical.entropy(), 0.0, abs=1e-13)
    by_logits = dist.Categorical(logits=fb.tensor([-fb.inf, 0.0], dtype=fb.float64))
    close(by_logits.log_prob(fb.tensor([0, 1])), [-fb.inf, 0.0])
    close(by_logits.entropy(), 0.0)
    multinomial = dist.Multinomial(3, logits=fb.tensor([-fb.inf, 0.0], dtype=fb.float64))
    close(multinomial.log_prob(fb.tensor([0.0, 3.0], dtype=fb.float64)), 0.0)
    binomial = dist.Binomial(3, probs)
    close(binomial.log_prob(fb.tensor([0.0, 3.0], dtype=fb.float64)), [0.0, 0.0], abs=1e-12)
    geometric = dist.Geometric(fb.tensor(1.0, dtype=fb.float64))
    close(geometric.log_prob(fb.tensor([0.0, 1.0], dtype=fb.float64)), [0.0, -fb.inf])


def test_bernoulli_formulas(close):
    p = 0.25
    bernoulli = dist.Bernoulli(fb.tensor(p, dtype=fb.float64))
    close(bernoulli.log_prob(fb.tensor([0.0, 1.0]).double()), [math.log(1 - p), math.log(p)])
    close(bernoulli.entropy(), -p * math.log(p) - (1 - p) * math.log(1 - p))
    close(dist.Bernoulli(fb.tensor([0.25, 0.5, 0.75]).double()).mode, [0.0, fb.nan, 1.0])


def test_categorical_shapes():
    with pytest.raises(ValueError, match="probs must have at least one dimension"):
        dist.Categorical(fb.tensor(1.0))
    with pytest.raises(ValueError, match="logits must have at least one dimension"):
        dist.Categorical(logits=fb.tensor(1.0))
    with pytest.raises(ValueError, match="parameter probs"):
        dist.Categorical(fb.tensor([-1.0, 2.0]))
    categorical = dist.Categorical(fb.ones(2, 3))
    assert categorical.param_shape == (2, 3) and categorical.batch_shape == (2,)
    assert categorical.log_prob(fb.tensor([[0], [1], [2]])).shape == (3, 2)
    assert categorical.mean.isnan().all() and categorical.variance.isnan().all()
    assert categorical.sample((0, 5)).shape == (0, 5, 2)
    with pytest.raises(ValueError, match=r"IntegerInterval\(lower_bound=0, upper_bound=2\)"):
        categorical.log_prob(fb.tensor(3))


def test_geometric_needs_a_positive_probability():
    with pytest.raises(ValueError, match="must be positive"):
        dist.Geometric(fb.tensor([0.5, 0.0]))


def test_continuous_bernoulli_checks_before_it_clamps():
    with pytest.raises(ValueError, match=r"probs must lie in \[0, 1\]"):
        dist.ContinuousBernoulli(1.25)


def test_binomial_and_multinomial_counts():
    mixed = dist.Binomial(fb.tensor([3, 4]), fb.tensor(0.5))
    for method in ("entropy", "enumerate_support"):
        with pytest.raises(NotImplementedError, match=f"{method} of a batch with different"):
            getattr(mixed, method)()
    with pytest.raises(NotImplementedError, match="total_count must be one integer"):
        dist.Multinomial(fb.tensor([3, 4]), fb.ones(2))
    with pytest.raises(ValueError, match=r"support Multinomial\(\)"):
        dist.Multinomial(3, fb.ones(2)).log_prob(fb.tensor([2.0, 2.0]))
    drawn = dist.Multinomial(7, fb.ones(4, 3)).sample((5,))
    assert (drawn.sum(-1) == 7).all() and drawn.shape == (5, 4, 3)


def test_multinomial_entropy_is_a_sum(close):
    probs = fb.tensor([0.25, 0.75], dtype=fb.float64)
    counts = fb.arange(5, dtype=fb.float64)
    log_prob = dist.Multinomial(4, probs).log_prob(fb.stack([counts, 4 - counts], -1))
    close(dist.Multinomial(4, probs).entropy(), -(log_prob.exp() * log_prob).sum())


def test_negative_binomial_that_waits_for_no_failure(close):
    waits = dist.NegativeBinomial(fb.tensor(0.0).double(), fb.tensor(0.5).double())
    close(waits.log_prob(fb.tensor([0.0, 1.0]).double()), [0.0, -fb.inf])


def test_continuous_bernoulli_keeps_its_digits_near_one_half(close):
    """In float32 as in float64, on both sides of where the series end."""
    probs = fb.tensor([0.438, 0.437, 0.4989, 0.499, 0.5, 0.503, 0.55, 0.563])
    single, double = dist.ContinuousBernoulli(probs), dist.ContinuousBernoulli(probs.double())
    close(single.mean, double.mean, rel=1e-5)
    # Just outside, the formula is the difference of two numbers near 16, rounded by 1e-6 each.
    close(single.variance, double.variance, rel=1e-4)
    close(single.log_prob(probs), double.log_prob(probs.double()), rel=1e-5, abs=1e-6)
