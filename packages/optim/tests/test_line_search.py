import math

import pytest

from flambeau_optim.line_search import Trial, cubic_minimum, strong_wolfe


def trial_of(function, derivative):
    return lambda t: Trial(t, function(t), None, derivative(t))


def test_the_minimum_of_a_cubic():
    # t^3 - 3 t has its minimum at 1.
    trial = trial_of(lambda t: t**3 - 3 * t, lambda t: 3 * t**2 - 3)
    assert cubic_minimum(trial(0.0), trial(3.0)) == pytest.approx(1.0, rel=1e-12)
    assert cubic_minimum(trial(3.0), trial(0.0)) == pytest.approx(1.0, rel=1e-12)
    assert cubic_minimum(trial(0.0), trial(3.0), bounds=(1.5, 2.0)) == 1.5


def test_without_a_minimum_it_is_the_middle():
    trial = trial_of(lambda t: t**3 + t, lambda t: 3 * t**2 + 1)
    assert cubic_minimum(trial(-1.0), trial(2.0)) == 0.5


@pytest.mark.parametrize("first", [1e-3, 0.1, 1.0, 30.0])
@pytest.mark.parametrize(
    ("function", "derivative"),
    [
        (lambda t: (t - 2) ** 2, lambda t: 2 * (t - 2)),
        (lambda t: math.cosh(t - 3), lambda t: math.sinh(t - 3)),
        (lambda t: -t / (t * t + 2), lambda t: (t * t - 2) / (t * t + 2) ** 2),
    ],
)
def test_the_step_satisfies_the_strong_wolfe_conditions(function, derivative, first):
    start = Trial(0.0, function(0.0), None, derivative(0.0))
    best, evaluations = strong_wolfe(trial_of(function, derivative), start, first, 1.0, 1e-9)
    assert best.value <= start.value + 1e-4 * best.t * start.slope
    assert abs(best.slope) <= 0.9 * abs(start.slope)
    assert 1 <= evaluations <= 26
