"""Batch dimensions as part of the event."""

import pytest

import flambeau_core as fb
import flambeau_distributions as dist


def t(values):
    return fb.tensor(values, dtype=fb.float64)


def test_shapes_move_from_the_batch_to_the_event():
    base = dist.Normal(fb.zeros(4, 3, 2), 1.0)
    for count, batch, event in ((0, (4, 3, 2), ()), (1, (4, 3), (2,)), (3, (), (4, 3, 2))):
        made = dist.Independent(base, count)
        assert made.batch_shape == batch and made.event_shape == event
        assert made.sample((5,)).shape == (5, 4, 3, 2)
        assert made.log_prob(made.sample((5,))).shape == (5, *batch)
        assert made.entropy().shape == batch
        assert made.mean.shape == made.mode.shape == made.variance.shape == (4, 3, 2)
        assert made.support.event_dim == count
    with pytest.raises(ValueError, match=r"is 4, but the base .* batch shape \(4, 3, 2\)"):
        dist.Independent(base, 4)


def test_a_diagonal_normal_vector(close):
    """It is the multivariate normal distribution with a diagonal covariance."""
    loc, scale = t([[0.5, -1.0], [0.0, 2.0]]), t([[2.0, 0.25], [1.0, 0.5]])
    made = dist.Independent(dist.Normal(loc, scale), 1)
    same = dist.MultivariateNormal(loc, scale_tril=scale.diag_embed())
    x = t([1.0, -0.5])
    close(made.log_prob(x), same.log_prob(x))
    close(made.entropy(), same.entropy())
    close(made.variance, same.variance)


def test_events_of_the_base_come_last(close):
    base = dist.Dirichlet(fb.ones(4, 3, dtype=fb.float64))
    made = dist.Independent(base, 1)
    assert made.batch_shape == () and made.event_shape == (4, 3)
    x = base.sample()
    close(made.log_prob(x), base.log_prob(x).sum())
    assert made.expand((2,)).base_dist.batch_shape == (2, 4)


def test_what_the_base_can_do():
    assert dist.Independent(dist.Normal(fb.zeros(3), 1.0), 1).has_rsample
    bernoulli = dist.Independent(dist.Bernoulli(fb.ones(3) / 2), 1)
    assert not bernoulli.has_rsample and not bernoulli.has_enumerate_support
    with pytest.raises(NotImplementedError, match="a product"):
        bernoulli.enumerate_support()
    plain = dist.Independent(dist.Bernoulli(fb.ones(3) / 2), 0)
    assert plain.has_enumerate_support and plain.enumerate_support().shape == (2, 3)


def test_gradients_flow_through_draws(close):
    loc = fb.zeros(3, dtype=fb.float64, requires_grad=True)
    dist.Independent(dist.Normal(loc, t(1.0)), 1).rsample((4,)).sum().backward()
    close(loc.grad, [4.0] * 3)
