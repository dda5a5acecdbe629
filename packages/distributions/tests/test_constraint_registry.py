"""Transforms found by the constraint that they lead to."""

import pytest

import flambeau_core as fb
from flambeau_distributions import biject_to, constraints, transform_to, transforms
from flambeau_distributions.constraint_registry import ConstraintRegistry

BOTH = {
    "real": constraints.real,
    "real_vector": constraints.real_vector,
    "positive": constraints.positive,
    "nonnegative": constraints.nonnegative,
    "greater_than": constraints.greater_than(fb.tensor([1.0, 2.0, 3.0])),
    "greater_than_eq": constraints.greater_than_eq(2.0),
    "less_than": constraints.less_than(-1.0),
    "unit_interval": constraints.unit_interval,
    "interval": constraints.interval(-1.0, 3.0),
    "intervals": constraints.interval(fb.zeros(3), fb.ones(3)),
    "half_open_interval": constraints.half_open_interval(-1.0, 3.0),
    "simplex": constraints.simplex,
    "corr_cholesky": constraints.corr_cholesky,
    "independent": constraints.independent(constraints.positive, 1),
    "cat": constraints.cat([constraints.positive, constraints.unit_interval], -1, [1, 2]),
    "stack": constraints.stack([constraints.positive, constraints.real, constraints.less_than(0)]),
}


@pytest.mark.parametrize("name", BOTH)
def test_both_lead_into_the_constraint(name, close):
    constraint = BOTH[name]
    x = fb.tensor([-1.5, 0.25, 2.0], dtype=fb.float64)
    for registry in (biject_to, transform_to):
        transform = registry(constraint)
        y = transform(x)
        assert constraint.check(y).all()
        close(transform(transform.inv(y)), y, rel=1e-9)
    bijection = biject_to(constraint)
    assert bijection.bijective
    close(bijection.inv(bijection(x)), x, rel=1e-9)
    assert bijection.log_abs_det_jacobian(x, bijection(x)).isfinite().all()


@pytest.mark.parametrize("name", ["lower_cholesky", "positive_definite", "positive_semidefinite"])
def test_matrices_have_transforms_but_no_bijections(name):
    constraint = getattr(constraints, name)
    x = fb.randn(4, 3, 3, dtype=fb.float64)
    assert constraint.check(transform_to(constraint)(x)).all()
    with pytest.raises(NotImplementedError, match="no transform is registered"):
        biject_to(constraint)


def test_simplex_goes_two_ways():
    assert isinstance(biject_to(constraints.simplex), transforms.StickBreakingTransform)
    assert isinstance(transform_to(constraints.simplex), transforms.SoftmaxTransform)
    assert isinstance(biject_to(constraints.unit_interval), transforms.SigmoidTransform)


def test_constraints_without_transforms():
    for registry in (biject_to, transform_to):
        for constraint in (constraints.boolean, constraints.Constraint(), constraints.dependent):
            with pytest.raises(NotImplementedError, match=type(constraint).__name__):
                registry(constraint)


def test_registering():
    registry = ConstraintRegistry()

    @registry.register(constraints.real)
    def to_real(constraint):
        return transforms.TanhTransform()

    assert isinstance(registry(constraints.real), transforms.TanhTransform)
    registry.register(constraints.interval, lambda c: transforms.ExpTransform())
    assert isinstance(registry(constraints.unit_interval), transforms.ExpTransform)
    assert to_real(None) == transforms.TanhTransform()
    with pytest.raises(TypeError, match="must be a Constraint or a subclass of it, but got 3"):
        registry.register(3, to_real)
    with pytest.raises(TypeError, match="must be a Constraint"):
        registry.register(int)(to_real)
