"""Normal vectors, with a covariance of full and of low rank."""

import math

import pytest

import flambeau_core as fb
import flambeau_distributions as dist
from flambeau_distributions.multivariate_normal import precision_to_scale_tril


def t(values):
    return fb.tensor(values, dtype=fb.float64)


COVARIANCE = t([[2.0, 0.5, 0.25], [0.5, 1.0, -0.5], [0.25, -0.5, 1.5]])
LOC = t([0.5, -1.0, 2.0])
FACTOR, DIAGONAL = t([[1.0, 0.5], [-0.5, 2.0], [0.0, 1.0]]), t([0.5, 1.5, 1.0])


def _given(name, covariance=COVARIANCE):
    matrix = {
        "covariance_matrix": covariance,
        "precision_matrix": fb.linalg.inv(covariance),
        "scale_tril": fb.linalg.cholesky(covariance),
    }[name]
    return dist.MultivariateNormal(LOC, **{name: matrix})


MATRICES = ["covariance_matrix", "precision_matrix", "scale_tril"]


@pytest.mark.parametrize("name", MATRICES)
def test_formulas(name, close):
    normal = _given(name)
    x = t([1.0, 0.0, 1.5])
    deviation = x - LOC
    distance = deviation @ fb.linalg.inv(COVARIANCE) @ deviation
    log_det = math.log(fb.linalg.det(COVARIANCE))
    close(normal.log_prob(x), -0.5 * (3 * math.log(2 * math.pi) + log_det + distance.item()))
    close(normal.entropy(), 0.5 * (3 * math.log(2 * math.pi * math.e) + log_det))
    close(normal.covariance_matrix, COVARIANCE)
    close(normal.precision_matrix, fb.linalg.inv(COVARIANCE))
    close(normal.scale_tril, fb.linalg.cholesky(COVARIANCE))
    close(normal.variance, COVARIANCE.diagonal())
    close(normal.mode, LOC)


@pytest.mark.parametrize("name", MATRICES)
@pytest.mark.parametrize("batch", [(), (4,), (5, 1), (5, 4)])
def test_batches(name, batch, close):
    """The mean's batch and the matrix's broadcast with one another and with values."""
    single = getattr(_given(name), name)
    loc = LOC + fb.arange(math.prod(batch), dtype=fb.float64).reshape((*batch, 1))
    scaled = single * fb.arange(1, 5, dtype=fb.float64)[:, None, None]
    for matrix in (single, scaled):
        normal = dist.MultivariateNormal(loc, **{name: matrix})
        shape = fb.broadcast_shapes(batch, matrix.shape[:-2])
        assert normal.batch_shape == shape and normal.event_shape == (3,)
        assert normal.entropy().shape == shape and normal.variance.shape == (*shape, 3)
        x = normal.sample((2,))
        assert x.shape == (2, *shape, 3)
        log_prob = normal.log_prob(x)
        assert log_prob.shape == (2, *shape)
        last = (-1,) * len(shape)
        one = dist.MultivariateNormal(
            normal.loc[last], **{name: matrix[-1] if matrix.dim() == 3 else matrix}
        )
        close(log_prob[(1, *last)], one.log_prob(x[(1, *last)]))
        assert normal.log_prob(LOC).shape == shape


def test_gradients(close):
    """d log p / dL of a standard normal at x is ``(x x^T - I)`` below and on the diagonal."""
    factor = fb.eye(2, dtype=fb.float64, requires_grad=True)
    x = t([0.5, -2.0])
    dist.MultivariateNormal(fb.zeros(2).double(), scale_tril=factor).log_prob(x).backward()
    close(factor.grad, (x.outer(x) - fb.eye(2).double()).tril())
    loc = fb.zeros(2, dtype=fb.float64, requires_grad=True)
    dist.MultivariateNormal(loc, scale_tril=factor.detach()).rsample((3,)).sum().backward()
    close(loc.grad, [3.0, 3.0])


def test_precision_to_scale_tril(close):
    factor = precision_to_scale_tril(COVARIANCE)
    close(factor @ factor.mT, fb.linalg.inv(COVARIANCE))
    close(factor, factor.tril())


def test_errors():
    loc, eye = fb.zeros(2), fb.eye(2)
    with pytest.raises(ValueError, match="exactly one of .* got none"):
        dist.MultivariateNormal(loc)
    with pytest.raises(ValueError, match="got covariance_matrix and scale_tril"):
        dist.MultivariateNormal(loc, eye, scale_tril=eye)
    with pytest.raises(ValueError, match="loc must have at least one dimension"):
        dist.MultivariateNormal(fb.tensor(0.0), eye)
    for name in MATRICES:
        with pytest.raises(ValueError, match=rf"{name} must have .* shape \(2,\)"):
            dist.MultivariateNormal(loc, **{name: fb.ones(2)})
        with pytest.raises(ValueError, match=f"parameter {name}"):
            dist.MultivariateNormal(loc, **{name: -eye})
    with pytest.raises(ValueError, match="parameter covariance_matrix"):
        dist.MultivariateNormal(loc, fb.tensor([[1.0, 0.5], [0.0, 1.0]]))
    with pytest.raises(ValueError, match=r"for loc of the shape \(2,\), but got \(3, 3\)"):
        dist.MultivariateNormal(loc, fb.eye(3))


def test_low_rank_is_the_full_one(close):
    low = dist.LowRankMultivariateNormal(LOC, FACTOR, DIAGONAL)
    covariance = FACTOR @ FACTOR.mT + DIAGONAL.diag()
    full = dist.MultivariateNormal(LOC, covariance)
    x = fb.randn(5, 3, dtype=fb.float64)
    close(low.log_prob(x), full.log_prob(x))
    close(low.entropy(), full.entropy())
    close(low.variance, full.variance)
    for name in MATRICES:
        close(getattr(low, name), getattr(full, name))


def test_low_rank_batches(close):
    diagonal = DIAGONAL * fb.arange(1, 5, dtype=fb.float64)[:, None]
    low = dist.LowRankMultivariateNormal(LOC.expand(5, 1, 3), FACTOR, diagonal)
    assert low.batch_shape == (5, 4) and low.sample((2,)).shape == (2, 5, 4, 3)
    x = low.sample((2,))
    one = dist.LowRankMultivariateNormal(LOC, FACTOR, diagonal[2])
    close(low.log_prob(x)[1, 3, 2], one.log_prob(x[1, 3, 2]))
    for name in MATRICES:
        assert getattr(low, name).shape == (5, 4, 3, 3)
        close(getattr(low, name)[3, 2], getattr(one, name))


def test_low_rank_errors():
    loc, factor, diagonal = fb.zeros(2), fb.ones(2, 1), fb.ones(2)
    make = dist.LowRankMultivariateNormal
    with pytest.raises(ValueError, match="loc must have at least one dimension"):
        make(fb.tensor(0.0), factor, diagonal)
    for wrong in (fb.ones(2), fb.ones(3, 1)):
        with pytest.raises(ValueError, match=r"cov_factor must be of the shape \(..., 2, m\)"):
            make(loc, wrong, diagonal)
    for wrong in (fb.ones(3), fb.tensor(1.0)):
        with pytest.raises(ValueError, match=r"cov_diag must be of the shape \(..., 2\)"):
            make(loc, factor, wrong)
    with pytest.raises(RuntimeError, match="not positive-definite"):
        make(loc, factor, -diagonal)
