"""Distributions of transformed variables."""

import math

import pytest

import flambeau_core as fb
import flambeau_distributions as dist
from flambeau_distributions import constraints, transforms


def t(values):
    return fb.tensor(values, dtype=fb.float64)


def test_density_is_that_of_the_log_normal(close):
    base = dist.Normal(t([0.5, -1.0]), t([2.0, 0.25]))
    made = dist.TransformedDistribution(base, transforms.ExpTransform())
    y = t([0.5, 0.375])
    for i, (mean, deviation) in enumerate(((0.5, 2.0), (-1.0, 0.25))):
        z = (math.log(y[i]) - mean) / deviation
        expected = -0.5 * z * z - math.log(deviation * math.sqrt(2 * math.pi)) - math.log(y[i])
        close(made.log_prob(y)[i], expected)
    close(made.cdf(y), base.cdf(y.log()))
    close(made.icdf(made.cdf(y)), y)


def test_falling_transforms_mirror_the_distribution_function(close):
    base = dist.Exponential(t(1.5))
    mirrored = dist.TransformedDistribution(base, transforms.AffineTransform(0.0, -2.0))
    y = t([-3.0, -0.5])
    close(mirrored.cdf(y), 1 - base.cdf(y / -2))
    close(mirrored.icdf(mirrored.cdf(y)), y)
    by_tensor = dist.TransformedDistribution(base, transforms.AffineTransform(0.0, t(-2.0)))
    close(by_tensor.cdf(y), mirrored.cdf(y))


def test_events_of_transforms_take_batch_dimensions(close):
    base = dist.Normal(fb.zeros(4, 3).double(), t(1.0))
    made = dist.TransformedDistribution(
        base, [transforms.AffineTransform(0.5, 2.0), transforms.StickBreakingTransform()]
    )
    assert made.batch_shape == (4,) and made.event_shape == (4,)
    assert isinstance(made.base_dist, dist.Independent)
    y = made.sample((5,))
    assert y.shape == (5, 4, 4)
    x = made.transforms[1].inv(y)
    expected = base.log_prob((x - 0.5) / 2).sum(-1) - 3 * math.log(2)
    expected = expected - made.transforms[1].log_abs_det_jacobian(x, y)
    close(made.log_prob(y), expected)


def test_elementwise_transforms_of_events(close):
    """Each element's log-determinant counts."""
    base = dist.MultivariateNormal(fb.zeros(2).double(), fb.eye(2).double())
    made = dist.TransformedDistribution(base, transforms.ExpTransform())
    y = t([0.5, 3.0])
    close(made.log_prob(y), base.log_prob(y.log()) - y.log().sum())
    assert made.support.event_dim == 1 and made.support.check(y)


def test_parameters_of_transforms_broadcast_the_base():
    made = dist.TransformedDistribution(
        dist.Normal(0.0, 1.0), transforms.AffineTransform(fb.zeros(3), fb.ones(2, 1))
    )
    assert made.batch_shape == (2, 3) and made.base_dist.batch_shape == (2, 3)
    assert made.sample((4,)).shape == (4, 2, 3)


def test_reshaped_events():
    made = dist.TransformedDistribution(
        dist.Normal(fb.zeros(5, 6), 1.0), transforms.ReshapeTransform((6,), (2, 3))
    )
    assert made.batch_shape == (5,) and made.event_shape == (2, 3)
    assert made.expand((7, 5)).sample().shape == (7, 5, 2, 3)
    assert made.log_prob(made.sample()).shape == (5,)


def test_no_transforms():
    made = dist.TransformedDistribution(dist.Normal(0.0, 1.0), [])
    assert made.support is constraints.real
    assert fb.equal(made.log_prob(fb.tensor(0.5)), dist.Normal(0.0, 1.0).log_prob(fb.tensor(0.5)))


def test_gradients_flow_through_draws(close):
    loc, scale = t(0.5).requires_grad_(), t(0.25).requires_grad_()
    y = dist.TransformedDistribution(dist.Normal(loc, scale), transforms.ExpTransform()).rsample()
    y.backward()
    close(loc.grad, y)
    close(scale.grad, y * (y.log() - 0.5) / 0.25, rel=1e-9)


def test_rsample_needs_that_of_the_base():
    made = dist.TransformedDistribution(dist.Poisson(2.0), transforms.AffineTransform(1.0, 2.0))
    assert not made.has_rsample
    assert (made.sample((9,)) % 2 == 1).all()
    with pytest.raises(NotImplementedError):
        made.rsample()


def test_errors():
    normal = dist.Normal(0.0, 1.0)
    with pytest.raises(ValueError, match="a Transform or a list, but got 3"):
        dist.TransformedDistribution(normal, 3)
    with pytest.raises(ValueError, match="hold Transforms only, but got 3"):
        dist.TransformedDistribution(normal, [3])
    with pytest.raises(ValueError, match=r"at least 1 dimensions, but its shape is \(\)"):
        dist.TransformedDistribution(normal, transforms.StickBreakingTransform())
    with pytest.raises(ValueError, match="support GreaterThan"):
        dist.TransformedDistribution(normal, transforms.ExpTransform()).log_prob(fb.tensor(-1.0))
    with pytest.raises(NotImplementedError):
        dist.TransformedDistribution(normal, transforms.AbsTransform()).log_prob(fb.tensor(1.0))
    vectors = dist.TransformedDistribution(
        dist.Normal(fb.zeros(3), 1.0), transforms.StickBreakingTransform()
    )
    with pytest.raises(NotImplementedError):
        vectors.cdf(fb.ones(4) / 4)


def test_half_families_have_no_density_below_zero():
    for family in (dist.HalfNormal, dist.HalfCauchy):
        half = family(1.0, validate_args=False)
        assert half.log_prob(fb.tensor([-1.0, 1.0])).isneginf().tolist() == [True, False]
        with pytest.raises(ValueError, match="support GreaterThanEq"):
            family(1.0).log_prob(fb.tensor(-1.0))
