import pytest

import flambeau_core as fb
from flambeau_optim import LBFGS


def minimise(function, start, steps, **options):
    params = [fb.tensor(part, dtype=fb.float64, requires_grad=True) for part in start]
    optimizer = LBFGS(params, **options)

    def closure():
        optimizer.zero_grad()
        loss = function(*params)
        loss.backward()
        return loss

    losses = [optimizer.step(closure).item() for _ in range(steps)]
    return params, losses, optimizer


def rosenbrock(point):
    return 100 * (point[1] - point[0] ** 2) ** 2 + (1 - point[0]) ** 2


def test_rosenbrock_valley():
    (point,), losses, _ = minimise(
        rosenbrock, [[-1.2, 1.0]], 8, line_search_fn="strong_wolfe", tolerance_change=1e-14
    )
    assert point.tolist() == pytest.approx([1.0, 1.0], abs=1e-6)
    assert losses == sorted(losses, reverse=True)


def test_a_quadratic_without_line_search():
    def bowl(one, two):
        return ((one - 3) ** 2).sum() + 2 * ((two + 1) ** 2).sum()

    (one, two), _, optimizer = minimise(bowl, [[0.0, 1.0], [5.0]], 2)
    assert one.tolist() == pytest.approx([3.0, 3.0], abs=1e-5)
    assert two.tolist() == pytest.approx([-1.0], abs=1e-5)
    state = optimizer.state_dict()["state"][0]
    assert {"func_evals", "n_iter", "d", "t", "old_dirs", "old_stps", "ro", "H_diag"} <= set(state)


def test_limits():
    _, _, optimizer = minimise(rosenbrock, [[-1.2, 1.0]], 1, lr=1e-3, max_iter=4, max_eval=9)
    state = next(iter(optimizer.state.values()))
    assert state["n_iter"] == 4
    # One at the start, and none after the last iteration.
    assert state["func_evals"] == 4
    _, _, optimizer = minimise(rosenbrock, [[-1.2, 1.0]], 1, lr=1e-3, max_eval=3)
    assert next(iter(optimizer.state.values()))["func_evals"] == 3
    _, _, optimizer = minimise(
        rosenbrock, [[-1.2, 1.0]], 3, line_search_fn="strong_wolfe", history_size=2
    )
    assert len(next(iter(optimizer.state.values()))["old_dirs"]) == 2


def test_at_the_minimum_nothing_happens():
    (point,), _, optimizer = minimise(rosenbrock, [[1.0, 1.0]], 1)
    assert point.tolist() == [1.0, 1.0]
    assert next(iter(optimizer.state.values()))["n_iter"] == 0


def test_what_it_refuses():
    one, two = (fb.zeros(1, requires_grad=True) for _ in range(2))
    with pytest.raises(ValueError, match="parameter groups"):
        LBFGS([{"params": [one]}, {"params": [two]}])
    with pytest.raises(ValueError, match="learning rate"):
        LBFGS([one], lr=-1)
    with pytest.raises(RuntimeError, match="strong_wolfe"):
        LBFGS([one], line_search_fn="golden").step(lambda: one.sum())
