"""The base class: shapes, checks, expansion, representation."""

import copy
import pickle
import warnings

import pytest

import flambeau_core as fb
import flambeau_distributions as dist
from flambeau_distributions import constraints


class Shifted(dist.Normal):
    """A subclass with a constructor of its own, but without `expand`."""

    def __init__(self, loc):
        super().__init__(loc + 1, 1.0)


def test_parameters_broadcast():
    normal = dist.Normal(fb.zeros(3, 1), fb.ones(2))
    assert normal.batch_shape == (3, 2) and normal.event_shape == ()
    assert normal.loc.shape == normal.scale.shape == (3, 2)
    assert isinstance(normal.batch_shape, fb.Size)
    with pytest.raises(RuntimeError):
        dist.Normal(fb.zeros(3), fb.ones(2))


def test_numbers_take_the_type_of_tensors():
    assert dist.Normal(0, 1).loc.dtype == fb.get_default_dtype()
    assert dist.Normal(0, 1).batch_shape == ()
    assert dist.Normal(fb.zeros((), dtype=fb.float64), 1).scale.dtype == fb.float64
    with pytest.raises(ValueError, match="numbers or tensors, but got str"):
        dist.Normal("zero", 1.0)


def test_parameters_are_checked():
    with pytest.raises(ValueError, match=r"parameter scale of Normal\(loc: 0.0, scale: -1.0\)"):
        dist.Normal(0.0, -1.0)
    with pytest.raises(ValueError, match=r"GreaterThan\(lower_bound=0.0\)"):
        dist.Normal(0.0, fb.tensor([1.0, 0.0]))
    with pytest.raises(ValueError, match="parameter loc"):
        dist.Normal(fb.tensor(fb.nan), 1.0)
    assert dist.Normal(0.0, -1.0, validate_args=False).scale == -1


def test_values_are_checked():
    normal = dist.Normal(fb.zeros(3), 1.0)
    with pytest.raises(ValueError, match="must be a Tensor, but got float"):
        normal.log_prob(1.0)
    with pytest.raises(ValueError, match=r"\(2,\) does not broadcast with .* \(3,\)"):
        normal.log_prob(fb.zeros(2))
    with pytest.raises(ValueError, match=r"support Boolean\(\) of Bernoulli"):
        dist.Bernoulli(0.5).log_prob(fb.tensor(0.5))
    with pytest.raises(ValueError, match=r"event shape \(2,\), but its shape is \(3,\)"):
        dist.Dirichlet(fb.ones(2)).log_prob(fb.ones(3) / 3)
    unchecked = dist.Normal(fb.zeros(3), 1.0, validate_args=False)
    assert unchecked.log_prob(fb.tensor(fb.nan)).isnan().all()


def test_the_default_of_checks():
    try:
        dist.Distribution.set_default_validate_args(False)
        assert dist.Normal(0.0, -1.0).scale == -1
        with pytest.raises(ValueError):
            dist.Normal(0.0, -1.0, validate_args=True)
    finally:
        dist.Distribution.set_default_validate_args(True)
    with pytest.raises(ValueError, match="True or False, but got 3"):
        dist.Distribution.set_default_validate_args(3)


def test_a_bare_distribution_implements_nothing():
    bare = dist.Distribution((2,), (3,), validate_args=False)
    assert bare.batch_shape == (2,) and bare.event_shape == (3,)
    zero = fb.zeros(())
    for attribute in ("arg_constraints", "support", "mean", "mode", "variance", "stddev"):
        with pytest.raises(NotImplementedError):
            getattr(bare, attribute)
    for method in ("sample", "rsample", "entropy", "enumerate_support", "perplexity"):
        with pytest.raises(NotImplementedError):
            getattr(bare, method)()
    for method in ("log_prob", "cdf", "icdf", "expand"):
        with pytest.raises(NotImplementedError):
            getattr(bare, method)(zero)


def test_without_constraints_there_is_a_warning():
    class Unconstrained(dist.Distribution):
        pass

    with pytest.warns(UserWarning, match="Unconstrained has no arg_constraints"):
        made = Unconstrained(validate_args=True)
    with pytest.warns(UserWarning, match="Unconstrained has no support"):
        made._validate_sample(fb.zeros(()))


def test_sample_n_still_works():
    with pytest.warns(UserWarning, match="sample_n is deprecated"):
        assert dist.Normal(fb.zeros(3), 1.0).sample_n(2).shape == (2, 3)


ONE_OF_EACH = [
    dist.Bernoulli(0.25),
    dist.Bernoulli(logits=0.25),
    dist.Beta(1.5, 2.0),
    dist.Binomial(3, fb.tensor(0.25)),
    dist.Categorical(fb.ones(3)),
    dist.Categorical(logits=fb.zeros(3)),
    dist.Cauchy(0.0, 1.0),
    dist.Chi2(2.0),
    dist.ContinuousBernoulli(0.25),
    dist.Dirichlet(fb.ones(3)),
    dist.Exponential(1.0),
    dist.FisherSnedecor(2.0, 3.0),
    dist.Gamma(1.0, 2.0),
    dist.GeneralizedPareto(0.0, 1.0, 0.25),
    dist.Geometric(0.25),
    dist.Gumbel(0.0, 1.0),
    dist.HalfCauchy(1.0),
    dist.HalfNormal(1.0),
    dist.Independent(dist.Normal(fb.zeros(3), 1.0), 1),
    dist.InverseGamma(1.0, 2.0),
    dist.Kumaraswamy(1.5, 2.0),
    dist.LKJCholesky(3, 1.5),
    dist.Laplace(0.0, 1.0),
    dist.LogNormal(0.0, 1.0),
    dist.LogisticNormal(fb.zeros(3), fb.ones(3)),
    dist.LowRankMultivariateNormal(fb.zeros(2), fb.ones(2, 1), fb.ones(2)),
    dist.MixtureSameFamily(dist.Categorical(fb.ones(2)), dist.Normal(fb.zeros(2), 1.0)),
    dist.Multinomial(4, fb.ones(3)),
    dist.MultivariateNormal(fb.zeros(2), fb.eye(2)),
    dist.MultivariateNormal(fb.zeros(2), precision_matrix=fb.eye(2)),
    dist.MultivariateNormal(fb.zeros(2), scale_tril=fb.eye(2)),
    dist.NegativeBinomial(2.5, fb.tensor(0.25)),
    dist.Normal(0.0, 1.0),
    dist.OneHotCategorical(fb.ones(3)),
    dist.OneHotCategoricalStraightThrough(fb.ones(3)),
    dist.Pareto(1.0, 2.0),
    dist.Poisson(2.0),
    dist.RelaxedBernoulli(fb.tensor(0.5), fb.tensor(0.25)),
    dist.RelaxedOneHotCategorical(fb.tensor(0.5), fb.ones(3)),
    dist.StudentT(3.0),
    dist.TransformedDistribution(dist.Normal(0.0, 1.0), dist.ExpTransform()),
    dist.Uniform(0.0, 1.0),
    dist.VonMises(0.0, 1.0),
    dist.Weibull(1.0, 2.0),
    dist.Wishart(3.0, fb.eye(2)),
]


def _id(distribution):
    return type(distribution).__name__


def test_every_family_is_here():
    families = {
        name
        for name in dist.__all__
        if isinstance(getattr(dist, name), type)
        and issubclass(getattr(dist, name), dist.Distribution)
    }
    assert families - {"Distribution", "ExponentialFamily"} == {_id(d) for d in ONE_OF_EACH}


@pytest.mark.parametrize("distribution", ONE_OF_EACH, ids=_id)
def test_expand(distribution):
    expanded = distribution.expand((4, 2))
    assert type(expanded) is type(distribution)
    assert expanded.batch_shape == (4, 2)
    assert expanded.event_shape == distribution.event_shape
    drawn = expanded.sample((3,))
    assert drawn.shape == (3, 4, 2, *distribution.event_shape)
    # One draw has the same probability in every place of the batch.
    one = drawn[0, 0, 0]
    log_prob = expanded.log_prob(one)
    assert log_prob.shape == (4, 2)
    assert fb.allclose(log_prob, distribution.log_prob(one))
    again = expanded.expand((5, 4, 2))
    assert again.sample().shape == (5, 4, 2, *distribution.event_shape)


@pytest.mark.parametrize("distribution", ONE_OF_EACH, ids=_id)
def test_subclasses_with_constructors_of_their_own_need_expand(distribution):
    class Own(type(distribution)):
        def __init__(self):
            pass

    with pytest.raises(NotImplementedError, match="Own, a subclass of .* must define expand"):
        Own().expand((2,))


def test_subclasses_can_fill_in_their_own_instance():
    class Named(dist.Normal):
        def __init__(self, name, loc):
            self.name = name
            super().__init__(loc, 1.0)

        def expand(self, batch_shape, _instance=None):
            new = self._get_checked_instance(Named, _instance)
            new.name = self.name
            return super().expand(batch_shape, new)

    expanded = Named("first", 0.5).expand((3,))
    assert expanded.name == "first" and expanded.loc.tolist() == [0.5] * 3
    with pytest.raises(NotImplementedError):
        Shifted(0.0).expand((3,))


@pytest.mark.parametrize("distribution", ONE_OF_EACH, ids=_id)
def test_support_and_representation(distribution):
    drawn = distribution.sample((10,))
    assert distribution.support.check(drawn).all()
    assert distribution.support.event_dim == len(distribution.event_shape)
    assert repr(distribution).startswith(type(distribution).__name__ + "(")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        distribution.log_prob(drawn)


@pytest.mark.parametrize("distribution", ONE_OF_EACH, ids=_id)
def test_what_has_no_rsample_says_so(distribution):
    if distribution.has_rsample:
        assert distribution.rsample((2,)).shape == (2, *distribution.event_shape)
    else:
        with pytest.raises(NotImplementedError):
            distribution.rsample()


@pytest.mark.parametrize("distribution", ONE_OF_EACH, ids=_id)
def test_enumerated_support(distribution):
    if not distribution.has_enumerate_support:
        with pytest.raises(NotImplementedError):
            distribution.enumerate_support()
        return
    batch = distribution.expand((2, 4))
    values = batch.enumerate_support()
    assert values.shape[1:] == (2, 4, *distribution.event_shape)
    assert batch.enumerate_support(expand=False).shape[1:3] == (1, 1)
    total = batch.log_prob(values).exp().sum(0)
    assert fb.allclose(total, fb.ones(2, 4))


def test_representations():
    assert repr(dist.Normal(0.0, 1.0)) == "Normal(loc: 0.0, scale: 1.0)"
    assert repr(dist.Normal(fb.zeros(3), 1.0)) == (
        "Normal(loc: flambeau.Size([3]), scale: flambeau.Size([3]))"
    )
    assert repr(dist.Bernoulli(logits=2.0)) == "Bernoulli(logits: 2.0)"
    assert repr(dist.Independent(dist.Normal(fb.zeros(1), 1.0), 1)) == (
        "Independent(Normal(loc: tensor([0.]), scale: tensor([1.])), 1)"
    )


def test_arg_constraints_hold_for_what_is_computed():
    """The derived ones of probs, logits and matrices too, which are checked only when given."""
    for distribution in ONE_OF_EACH:
        for name, constraint in distribution.arg_constraints.items():
            if not constraints.is_dependent(constraint):
                assert constraint.check(getattr(distribution, name)).all(), (distribution, name)


@pytest.mark.parametrize("distribution", ONE_OF_EACH, ids=_id)
def test_copies_and_pickles(distribution):
    drawn = distribution.sample((3,))
    for copied in (copy.deepcopy(distribution), pickle.loads(pickle.dumps(distribution))):
        assert repr(copied) == repr(distribution)
        assert fb.equal(copied.log_prob(drawn), distribution.log_prob(drawn))
