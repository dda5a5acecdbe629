"""Mixtures of one family."""

import pytest

import flambeau_core as fb
import flambeau_distributions as dist


def t(values):
    return fb.tensor(values, dtype=fb.float64)


def test_it_is_the_weighted_sum(close):
    loc, scale, weights = t([0.5, -1.0]), t([2.0, 0.25]), t([0.25, 0.75])
    mixture = dist.MixtureSameFamily(dist.Categorical(weights), dist.Normal(loc, scale))
    x = t([-1.5, 0.0, 3.0])
    components = dist.Normal(loc, scale)
    by_component = components.log_prob(x[:, None]).exp()
    close(mixture.log_prob(x), (by_component @ weights).log())
    close(mixture.cdf(x), components.cdf(x[:, None]) @ weights)
    mean = (weights * loc).sum()
    close(mixture.mean, mean)
    close(mixture.variance, (weights * (scale.square() + loc.square())).sum() - mean.square())
    assert mixture.mixture_distribution.probs.tolist() == weights.tolist()
    assert mixture.component_distribution.loc.tolist() == loc.tolist()


def test_a_component_far_away_does_not_underflow():
    mixture = dist.MixtureSameFamily(
        dist.Categorical(t([0.5, 0.5])), dist.Normal(t([0.0, 1e4]), t(1.0))
    )
    assert mixture.log_prob(t(5e3)).isfinite()


def test_shapes():
    vectors = dist.Independent(dist.Normal(fb.zeros(4, 2, 3), 1.0), 1)
    for weights in (fb.ones(2), fb.ones(4, 2)):
        mixture = dist.MixtureSameFamily(dist.Categorical(weights), vectors)
        assert mixture.batch_shape == (4,) and mixture.event_shape == (3,)
        assert mixture.sample((5, 6)).shape == (5, 6, 4, 3)
        assert mixture.log_prob(fb.zeros(5, 4, 3)).shape == (5, 4)
        assert mixture.mean.shape == mixture.variance.shape == (4, 3)
        assert mixture.support.event_dim == 1
    assert not mixture.has_rsample


def test_each_place_of_a_batch_chooses_for_itself():
    far_apart = dist.Normal(t([[0.0, 100.0]] * 50), t(1.0))
    drawn = dist.MixtureSameFamily(dist.Categorical(t([0.5, 0.5])), far_apart).sample()
    # That all 50 choose alike has the probability 2 ** -49.
    assert 0 < (drawn > 50).sum() < 50


def test_discrete_components(close):
    mixture = dist.MixtureSameFamily(dist.Categorical(t([0.25, 0.75])), dist.Poisson(t([1.0, 4.0])))
    assert mixture.support.is_discrete
    counts = fb.arange(100, dtype=fb.float64)
    probs = mixture.log_prob(counts).exp()
    close(probs.sum(), 1.0)
    close(mixture.mean, (probs * counts).sum())


def test_errors():
    normals = dist.Normal(fb.zeros(4, 2), 1.0)
    with pytest.raises(ValueError, match="must be a Categorical, but got Normal"):
        dist.MixtureSameFamily(normals, normals)
    with pytest.raises(ValueError, match="must be a Distribution, but got int"):
        dist.MixtureSameFamily(dist.Categorical(fb.ones(2)), 3)
    with pytest.raises(ValueError, match="chooses among 3 components, but there are 2"):
        dist.MixtureSameFamily(dist.Categorical(fb.ones(3)), normals)
    with pytest.raises(ValueError, match=r"batch shape \(3,\) .* batch shape \(4, 2\)"):
        dist.MixtureSameFamily(dist.Categorical(fb.ones(3, 2)), normals)
    with pytest.raises(ValueError, match="does not go together"):
        dist.MixtureSameFamily(dist.Categorical(fb.ones(2)), dist.Normal(0.0, 1.0))
    uniform = dist.Uniform(fb.tensor([0.0, 1.0]), fb.tensor([2.0, 3.0]))
    mixture = dist.MixtureSameFamily(dist.Categorical(fb.ones(2)), uniform)
    with pytest.raises(ValueError, match="support MixtureSameFamilyConstraint"):
        mixture.log_prob(fb.tensor(0.5))


def test_representation():
    mixture = dist.MixtureSameFamily(dist.Categorical(fb.ones(2)), dist.Exponential(fb.ones(2)))
    assert repr(mixture) == (
        "MixtureSameFamily(\n  Categorical(probs: flambeau.Size([2])),\n"
        "  Exponential(rate: flambeau.Size([2])))"
    )
