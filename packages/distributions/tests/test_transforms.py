"""Transforms: inverses, log-determinants against the Jacobian by autograd, shapes, caching."""

import copy
import gc
import math
import pickle

import pytest

import flambeau_core as fb
import flambeau_distributions as dist
from flambeau_distributions import constraints, transforms


def t(values):
    return fb.tensor(values, dtype=fb.float64)


SCALAR = {
    "exp": transforms.ExpTransform(),
    "power": transforms.PowerTransform(t(2.5)),
    "negative power": transforms.PowerTransform(t(-1.5)),
    "sigmoid": transforms.SigmoidTransform(),
    "softplus": transforms.SoftplusTransform(),
    "tanh": transforms.TanhTransform(),
    "affine": transforms.AffineTransform(0.5, -2.0),
    "affine tensors": transforms.AffineTransform(t([0.5, 1.0, -1.0]), t([2.0, -0.5, 3.0])),
    "cumulative": transforms.CumulativeDistributionTransform(dist.Normal(t(0.5), t(2.0))),
    "composed": transforms.ComposeTransform(
        [transforms.AffineTransform(0.5, -2.0), transforms.SigmoidTransform()]
    ),
    "identity": transforms.identity_transform,
    "inverse": transforms.ExpTransform().inv,
    "cached": transforms.TanhTransform(cache_size=1),
}
VECTOR = {
    "stick breaking": transforms.StickBreakingTransform(),
    "correlations": transforms.CorrCholeskyTransform(),
    "independent": transforms.IndependentTransform(transforms.ExpTransform(), 1),
    "affine event": transforms.AffineTransform(0.5, t([2.0, -0.5, 3.0]), event_dim=1),
    "affine event, one scale": transforms.AffineTransform(0.5, t(2.0), event_dim=1),
    "composed events": transforms.ComposeTransform(
        [transforms.AffineTransform(0.5, -2.0), transforms.StickBreakingTransform()]
    ),
    "cat of events": transforms.CatTransform(
        [
            transforms.IndependentTransform(transforms.ExpTransform(), 1),
            transforms.AffineTransform(0.5, 2.0, event_dim=1),
        ],
        dim=-1,
        lengths=[1, 2],
    ),
}
PIECEWISE = {
    "cat": transforms.CatTransform(
        [transforms.ExpTransform(), transforms.AffineTransform(0.5, 2.0)], -1, lengths=[1, 2]
    ),
    "stack": transforms.StackTransform(
        [
            transforms.ExpTransform(),
            transforms.AffineTransform(0.5, 2.0),
            transforms.SigmoidTransform(),
        ],
        -1,
    ),
}
POSITIVE_INPUT = {"power", "negative power", "inverse"}


def _input(name):
    return t([0.25, 1.5, 2.0]) if name in POSITIVE_INPUT else t([-0.75, 0.25, 1.5])


@pytest.mark.parametrize("name", [*SCALAR, *PIECEWISE])
def test_elementwise(name, close):
    transform = {**SCALAR, **PIECEWISE}[name]
    x = _input(name).requires_grad_()
    y = transform(x)
    assert transform.bijective and transform.inv.bijective
    close(transform.inv(y), x)
    (derivative,) = fb.autograd.grad(y.sum(), x)
    close(transform.log_abs_det_jacobian(x, y), derivative.abs().log(), rel=1e-9)
    close(transform.inv.log_abs_det_jacobian(y, x), -derivative.abs().log(), rel=1e-9)
    assert transform.domain.check(x).all() and transform.codomain.check(y).all()
    assert transform.forward_shape(x.shape) == y.shape == transform.inverse_shape(y.shape)
    if name in SCALAR:
        sign = fb.as_tensor(transform.sign, dtype=fb.float64)
        close(sign.expand(3), derivative.sign())


def _coordinates(name, y):
    """As many of the numbers of an event as it has degrees of freedom."""
    if name in {"stick breaking", "composed events"}:
        return y[:-1]  # the last one follows from the sum
    if name == "correlations":
        return y[fb.tensor([1, 2, 2]), fb.tensor([0, 0, 1])]
    return y


@pytest.mark.parametrize("name", VECTOR)
def test_events(name, close):
    transform = VECTOR[name]
    x = t([-0.75, 0.25, 1.5])
    y = transform(x)
    close(transform.inv(y), x, rel=1e-9)
    jacobian = fb.autograd.functional.jacobian(lambda x: _coordinates(name, transform(x)), x)
    expected = fb.linalg.slogdet(jacobian).logabsdet
    close(transform.log_abs_det_jacobian(x, y), expected, rel=1e-9)
    close(transform.inv.log_abs_det_jacobian(y, x), -expected, rel=1e-9)
    assert transform.domain.event_dim == 1
    assert transform.domain.check(x).all() and transform.codomain.check(y).all()
    assert transform.forward_shape((5, 3)) == (5, *y.shape)
    assert transform.inverse_shape((5, *y.shape)) == (5, 3)
    # A batch is so many events.
    batch = fb.stack([x, 2 * x])
    assert transform(batch).shape == (2, *y.shape)
    close(transform(batch)[0], y)
    log_det = transform.log_abs_det_jacobian(batch, transform(batch))
    assert log_det.shape == (2,)
    close(log_det[0], expected, rel=1e-9)


def test_matrices(close):
    x = t([[[0.5, 9.0], [1.0, -0.5]]])
    factor = transforms.LowerCholeskyTransform()(x)
    close(factor, [[[math.exp(0.5), 0.0], [1.0, math.exp(-0.5)]]])
    close(transforms.LowerCholeskyTransform().inv(factor), x.tril())
    matrix = transforms.PositiveDefiniteTransform()(x)
    close(matrix, factor @ factor.mT)
    close(transforms.PositiveDefiniteTransform().inv(matrix), x.tril())
    for transform in (transforms.LowerCholeskyTransform(), transforms.PositiveDefiniteTransform()):
        assert transform.codomain.check(transform(x)).all()
        assert transform.domain.event_dim == transform.codomain.event_dim == 2
        assert transform.forward_shape((3, 2, 2)) == transform.inverse_shape((3, 2, 2)) == (3, 2, 2)
        with pytest.raises(ValueError, match=r"needs a matrix, but got the shape \(2,\)"):
            transform.forward_shape((2,))


def test_zeros_break_a_stick_evenly(close):
    close(transforms.StickBreakingTransform()(fb.zeros(3).double()), [0.25] * 4)


def test_softmax_and_abs_have_one_sided_inverses(close):
    x = t([-0.75, 0.25, 1.5])
    for transform in (transforms.SoftmaxTransform(), transforms.AbsTransform()):
        assert not transform.bijective
        y = transform(x)
        close(transform(transform.inv(y)), y)
        with pytest.raises(NotImplementedError):
            transform.log_abs_det_jacobian(x, y)
        with pytest.raises(NotImplementedError):
            _ = transform.sign
    with pytest.raises(ValueError, match="needs a vector"):
        transforms.SoftmaxTransform().forward_shape(())


def test_reshape(close):
    transform = transforms.ReshapeTransform((2, 3), (6,))
    x = fb.arange(24.0).reshape(4, 2, 3)
    y = transform(x)
    assert y.shape == (4, 6) and fb.equal(transform.inv(y), x)
    assert transform.domain.event_dim == 2 and transform.codomain.event_dim == 1
    close(transform.log_abs_det_jacobian(x, y), fb.zeros(4))
    assert transform.forward_shape((4, 2, 3)) == (4, 6)
    assert transform.inverse_shape((4, 6)) == (4, 2, 3)
    with pytest.raises(ValueError, match="different numbers of elements"):
        transforms.ReshapeTransform((2,), (3,))
    for shape in ((3,), (4, 3, 2)):
        with pytest.raises(ValueError, match=r"must end with \(2, 3\)"):
            transform.forward_shape(shape)
    with pytest.raises(ValueError, match="event_dim differ"):
        _ = transform.event_dim


def test_composition_widens_events():
    """A transform of numbers before one of vectors works on vectors too."""
    exp, stick = transforms.ExpTransform(), transforms.StickBreakingTransform()
    before = transforms.ComposeTransform([exp, stick])
    assert before.domain.event_dim == before.codomain.event_dim == 1
    after = transforms.ComposeTransform([transforms.ReshapeTransform((2,), (1, 2)), exp])
    assert after.domain.event_dim == 1 and after.codomain.event_dim == 2
    assert before.inv.inv is before
    assert transforms.identity_transform.domain is constraints.real


def test_equality():
    assert transforms.ExpTransform() == transforms.ExpTransform()
    assert transforms.ExpTransform() != transforms.TanhTransform()
    assert transforms.ExpTransform().inv == transforms.ExpTransform().inv
    assert transforms.AffineTransform(0, 1) == transforms.AffineTransform(0.0, 1.0)
    assert transforms.AffineTransform(t([0.0, 1.0]), 1) == transforms.AffineTransform(t([0, 1]), 1)
    assert transforms.AffineTransform(0, 1) != transforms.AffineTransform(0, 2)
    assert transforms.PowerTransform(2.0) == transforms.PowerTransform(2.0)
    assert transforms.PowerTransform(2.0) != transforms.PowerTransform(3.0)
    first = transforms.ComposeTransform([transforms.ExpTransform()])
    assert first == transforms.ComposeTransform([transforms.ExpTransform()])
    assert first != transforms.ComposeTransform([])
    with pytest.raises(TypeError, match="unhashable"):
        hash(transforms.ExpTransform())


def test_the_cache_returns_the_very_input():
    x = t([20.0])  # its tanh is rounded to 1
    plain = transforms.TanhTransform()
    assert plain.inv(plain(x)).isinf().all()
    cached = plain.with_cache(1)
    y = cached(x)
    assert cached.inv(y) is x and cached(x) is y
    other = cached(t([1.0]))
    assert cached.inv(other) is not x and cached(x) is not y
    z = t([0.5])
    assert cached(cached.inv(z)) is z
    with pytest.raises(ValueError, match="cache_size must be 0 or 1, but got 2"):
        transforms.ExpTransform(cache_size=2)


@pytest.mark.parametrize("name", [*SCALAR, *VECTOR, *PIECEWISE])
def test_with_cache(name):
    transform = {**SCALAR, **VECTOR, **PIECEWISE}[name]
    cached = transform.with_cache(1)
    assert cached.with_cache(1) is cached
    x = _input(name)
    y = cached(x)
    assert cached.inv(y) is (x if name != "identity" else y)
    assert fb.equal(y, transform(x))


def test_a_transform_without_with_cache_says_so():
    class Own(transforms.Transform):
        def __init__(self, factor, cache_size=0):
            super().__init__(cache_size=cache_size)

    with pytest.raises(NotImplementedError, match="Own does not implement with_cache"):
        Own(2.0).with_cache()
    for call in (Own(2.0), Own(2.0).inv):
        with pytest.raises(NotImplementedError):
            call(t(1.0))


def test_inverses_are_kept_only_while_used():
    transform = transforms.ExpTransform()
    assert transform.inv is not None and transform.inv.inv is transform
    inverse = transform.inv
    assert transform.inv is inverse
    del inverse
    gc.collect()
    assert transform._inv() is None


@pytest.mark.parametrize("name", [*SCALAR, *VECTOR, *PIECEWISE])
def test_copies_and_pickles(name):
    transform = {**SCALAR, **VECTOR, **PIECEWISE}[name]
    _ = transform.inv
    x = _input(name)
    for copied in (copy.deepcopy(transform), pickle.loads(pickle.dumps(transform))):
        assert fb.equal(copied(x), transform(x))


def test_affine_shapes(close):
    transform = transforms.AffineTransform(fb.zeros(3), fb.ones(2, 1))
    assert transform.forward_shape(()) == (2, 3)
    assert transforms.AffineTransform(0.0, 2.0).sign == 1
    assert transforms.AffineTransform(0.0, -2.0).sign == -1
    event = transforms.AffineTransform(0.0, 2.0, event_dim=2)
    assert event.domain.event_dim == event.event_dim == 2
    close(
        event.log_abs_det_jacobian(fb.ones(4, 3, 2), fb.ones(4, 3, 2)), [6 * math.log(2)] * 4, 1e-6
    )


def test_independent_needs_its_dimensions():
    transform = transforms.IndependentTransform(transforms.ExpTransform(), 1)
    for call in (transform, transform.inv):
        with pytest.raises(
            ValueError, match=r"needs at least 1 dimensions, but got the shape \(\)"
        ):
            call(fb.tensor(1.0))


def test_correlation_shapes():
    transform = transforms.CorrCholeskyTransform()
    assert transform.forward_shape((5, 6)) == (5, 4, 4)
    assert transform.inverse_shape((5, 4, 4)) == (5, 6)
    with pytest.raises(ValueError, match=r"no n has n\(n - 1\)/2 = 4"):
        transform.forward_shape((4,))
    with pytest.raises(ValueError, match="square matrices"):
        transform.inverse_shape((4, 3))
    with pytest.raises(ValueError, match="needs a vector"):
        transform.forward_shape(())


def test_pieces_must_fit():
    exp = transforms.ExpTransform()
    with pytest.raises(AssertionError, match=r"x of the shape \(3,\) must have the size 2"):
        transforms.CatTransform([exp], lengths=[2])(fb.ones(3))
    with pytest.raises(AssertionError, match=r"y of the shape \(3,\) must have the size 1"):
        transforms.StackTransform([exp]).inv(fb.ones(3))
    with pytest.raises(AssertionError, match="has no dimension 1"):
        transforms.StackTransform([exp], dim=1)(fb.ones(3))
    with pytest.raises(AssertionError, match="1 transforms need as many lengths, but got 2"):
        transforms.CatTransform([exp], lengths=[2, 3])
    for join in (transforms.CatTransform, transforms.StackTransform):
        with pytest.raises(AssertionError, match="expected transforms, but got int"):
            join([3])


def test_representations():
    affine = transforms.AffineTransform(0, 1)
    assert repr(affine) == "AffineTransform()"
    assert repr(affine.inv) == "_InverseTransform(AffineTransform())"
    assert repr(transforms.IndependentTransform(affine, 1)) == (
        "IndependentTransform(AffineTransform(), 1)"
    )
    assert repr(transforms.ComposeTransform([affine, affine])) == (
        "ComposeTransform(\n    AffineTransform(),\n    AffineTransform()\n)"
    )
