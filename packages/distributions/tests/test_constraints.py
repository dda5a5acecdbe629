"""Constraints: what lies inside, their event dimensions, their representations."""

import pytest

import flambeau_core as fb
import flambeau_distributions as dist
from flambeau_distributions import constraints as c

NAN, INF = float("nan"), float("inf")
EYE = [[1.0, 0.0], [0.0, 1.0]]
# constraint, event dimensions, whether discrete, points inside, points outside
CASES = {
    "boolean": (c.boolean, 0, True, [0.0, 1.0], [0.5, -1.0, NAN]),
    "real": (c.real, 0, False, [0.0, -INF, INF], [NAN]),
    "positive": (c.positive, 0, False, [1e-30, INF], [0.0, -1.0, NAN]),
    "nonnegative": (c.nonnegative, 0, False, [0.0, 1.0], [-1e-30, NAN]),
    "greater_than": (c.greater_than(2.0), 0, False, [2.5], [2.0, 1.0]),
    "greater_than_eq": (c.greater_than_eq(2.0), 0, False, [2.0], [1.5]),
    "less_than": (c.less_than(2.0), 0, False, [1.5, -INF], [2.0, 3.0, NAN]),
    "interval": (c.interval(-1.0, 2.0), 0, False, [-1.0, 0.5, 2.0], [-1.5, 2.5, NAN]),
    "half_open": (c.half_open_interval(-1.0, 2.0), 0, False, [-1.0, 1.5], [2.0, -2.0]),
    "unit_interval": (c.unit_interval, 0, False, [0.0, 1.0], [-0.5, 1.5]),
    "integer_interval": (c.integer_interval(0, 3), 0, True, [0.0, 3.0], [0.5, 4.0, -1.0]),
    "nonnegative_integer": (c.nonnegative_integer, 0, True, [0.0, 7.0], [-1.0, 0.5]),
    "positive_integer": (c.positive_integer, 0, True, [1.0, 7.0], [0.0, 1.5]),
    "integers below": (c._IntegerLessThan(3), 0, True, [3.0, -7.0], [4.0, 0.5]),
    "real_vector": (c.real_vector, 1, False, [[0.0, 1.0]], [[0.0, NAN]]),
    "simplex": (c.simplex, 1, False, [[0.25, 0.75], [0.0, 1.0]], [[0.5, 0.6], [1.5, -0.5]]),
    "one_hot": (c.one_hot, 1, True, [[0.0, 1.0], [1.0, 0.0]], [[1.0, 1.0], [0.0, 0.0], [0.5, 0.5]]),
    "multinomial": (c.multinomial(3), 1, True, [[1.0, 2.0], [0.0, 0.0]], [[2.0, 2.0], [-1.0, 1.0]]),
    "square": (c.square, 2, False, [EYE], []),
    "lower_triangular": (
        *(c.lower_triangular, 2, False),
        *([EYE, [[-1.0, 0.0], [2.0, 0.0]]], [[[1.0, 1.0], [0.0, 1.0]]]),
    ),
    "lower_cholesky": (
        *(c.lower_cholesky, 2, False),
        *([EYE, [[2.0, 0.0], [-1.0, 0.5]]], [[[1.0, 1.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 0.0]]]),
    ),
    "corr_cholesky": (
        *(c.corr_cholesky, 2, False),
        *([EYE, [[1.0, 0.0], [0.6, 0.8]]], [[[1.0, 0.0], [0.6, 0.9]], [[2.0, 0.0], [0.0, 1.0]]]),
    ),
    "symmetric": (
        *(c.symmetric, 2, False),
        *([EYE, [[1.0, -2.0], [-2.0, 0.0]]], [[[1.0, 2.0], [2.5, 1.0]]]),
    ),
    "positive_semidefinite": (
        *(c.positive_semidefinite, 2, False),
        *([EYE, [[2.0, 0.0], [0.0, 0.0]]], [[[1.0, 2.0], [2.0, 1.0]]]),
    ),
    "positive_definite": (
        *(c.positive_definite, 2, False),
        *([EYE, [[2.0, 1.0], [1.0, 1.0]]], [[[1.0, 1.0], [1.0, 1.0]], [[1.0, 2.0], [2.0, 1.0]]]),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_points(name):
    constraint, event_dim, is_discrete, inside, outside = CASES[name]
    assert constraint.event_dim == event_dim and constraint.is_discrete is is_discrete
    result = constraint.check(fb.tensor(inside))
    assert result.dtype == fb.bool and result.tolist() == [True] * len(inside)
    if outside:
        assert constraint.check(fb.tensor(outside)).tolist() == [False] * len(outside)
        both = constraint.check(fb.tensor([inside[0], outside[0]]))
        # Of matrices the ones that need an eigenvalue or a factor are told apart in one batch too.
        assert both.tolist() == [True, False]


def test_matrices_that_are_not_square():
    wide = fb.ones(4, 2, 3)
    for constraint in (c.square, c.symmetric, c.positive_definite, c.positive_semidefinite):
        assert constraint.check(wide).tolist() == [False] * 4


def test_bounds_may_be_tensors():
    bounded = c.interval(fb.tensor([0.0, 1.0]), fb.tensor([1.0, 2.0]))
    assert bounded.check(fb.tensor(1.5)).tolist() == [False, True]


def test_independent():
    constraint = c.independent(c.positive, 2)
    assert constraint.event_dim == 2 and not constraint.is_discrete
    assert constraint.check(fb.tensor([[[1.0, 2.0]], [[1.0, -2.0]]])).tolist() == [True, False]
    with pytest.raises(ValueError, match=r"at least 2 dimensions, but got one of the shape \(3,\)"):
        constraint.check(fb.ones(3))
    assert c.independent(c.positive, 0).check(fb.ones(3)).shape == (3,)
    assert c.independent(c.boolean, 1).is_discrete


def test_cat_and_stack():
    joined = c.cat([c.positive, c.boolean], dim=-1, lengths=[1, 2])
    assert joined.check(fb.tensor([2.0, 1.0, 2.0])).tolist() == [True, True, False]
    assert joined.is_discrete and joined.event_dim == 0
    events = c.cat([c.simplex, c.real_vector], dim=-1, lengths=[2, 1])
    assert events.check(fb.tensor([[0.25, 0.75, 9.0], [0.5, 0.75, 9.0]])).tolist() == [True, False]
    mixed = c.cat([c.simplex, c.positive], dim=0)
    assert mixed.check(fb.tensor([[0.25, 0.75], [1.0, 2.0]])).tolist() == [True, True]
    assert mixed.check(fb.tensor([[0.25, 0.75], [1.0, -2.0]])).tolist() == [True, False]
    with pytest.raises(AssertionError, match="2 constraints need as many lengths, but got 1"):
        c.cat([c.real, c.real], lengths=[1])
    stacked = c.stack([c.positive, c.real], dim=-1)
    assert stacked.check(fb.tensor([[2.0, -1.0], [-2.0, -1.0]])).tolist() == [
        [True, True],
        [False, True],
    ]
    assert c.stack([c.real, c.real], 0).event_dim == 0
    assert c.stack([c.simplex, c.simplex], -2).event_dim == 2
    assert not stacked.is_discrete


def test_mixture():
    unit_or_shifted = c.interval(fb.tensor([0.0, 1.0]), fb.tensor([2.0, 3.0]))
    mixture = c.MixtureSameFamilyConstraint(unit_or_shifted)
    assert mixture.check(fb.tensor([0.5, 1.5])).tolist() == [False, True]
    vectors = c.MixtureSameFamilyConstraint(c.simplex)
    assert vectors.event_dim == 1 and not vectors.is_discrete
    assert vectors.check(fb.tensor([[0.5, 0.5], [0.5, 0.6]])).tolist() == [True, False]
    with pytest.raises(AssertionError, match="must be a Constraint, but got int"):
        c.MixtureSameFamilyConstraint(3)


def test_dependent():
    assert c.is_dependent(c.dependent) and not c.is_dependent(c.real)
    assert c.is_dependent(dist.Uniform.support) and not c.is_dependent(dist.Uniform(0, 1).support)
    for attribute in ("event_dim", "is_discrete"):
        with pytest.raises(NotImplementedError, match=f"{attribute} is known only of an instance"):
            getattr(c.dependent, attribute)
    refined = c.dependent(event_dim=1)(is_discrete=True)
    assert refined.event_dim == 1 and refined.is_discrete
    assert dist.Uniform.support.event_dim == 0 and dist.Categorical.support.is_discrete
    with pytest.raises(ValueError, match="cannot be checked without an instance"):
        c.dependent.check(fb.ones(2))


def test_a_bare_dependent_property():
    class Own:
        @c.dependent_property
        def support(self):
            return c.positive

    assert Own().support is c.positive and c.is_dependent(Own.support)


def test_the_base_checks_nothing():
    with pytest.raises(NotImplementedError):
        c.Constraint().check(fb.ones(2))


def test_representations():
    assert repr(c.real) == "Real()"
    assert repr(c.positive) == "GreaterThan(lower_bound=0.0)"
    assert repr(c.integer_interval(0, 3)) == "IntegerInterval(lower_bound=0, upper_bound=3)"
    assert repr(c.real_vector) == "IndependentConstraint(Real(), 1)"
    assert repr(c.MixtureSameFamilyConstraint(c.real)) == "MixtureSameFamilyConstraint(Real())"
