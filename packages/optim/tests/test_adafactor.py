import pytest

import flambeau_core as fb
from flambeau_optim import Adafactor

VECTOR = [1.0, -2.0, 3.0]
MATRIX = [[1.0, -2.0, 3.0], [0.5, 0.25, -1.0]]


def after(start, grads, **options):
    param = fb.tensor(start, dtype=fb.float64, requires_grad=True)
    optimizer = Adafactor([param], **options)
    for grad in grads:
        param.grad = fb.tensor(grad, dtype=fb.float64)
        optimizer.step()
    return param, optimizer


def matrix_grads():
    for k in range(3):
        yield [[0.5 * (k + 1) - k, -1.0 * (k + 1), 2.0 * (k + 1)]] + [
            [0.25 * (k + 1), 1.0 * (k + 1), -0.5 * (k + 1)]
        ]


def test_a_first_step_by_hand():
    # The moments are the squared gradient, so each step is one in size; relative to the parameter.
    param, _ = after([3.0, -4.0], [[2.0, -0.5]], lr=0.1)
    size = 12.5**0.5
    assert param.tolist() == pytest.approx([3 - 0.1 * size, -4 + 0.1 * size], rel=1e-9)


# Recorded from PyTorch 2.13 after three steps.
@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (
            {"lr": 0.1},
            [0.92158356, -1.6779971, 2.5582157, -0.098926108, -0.38567759, -0.78196438],
        ),
        (
            {"lr": 0.5, "weight_decay": 0.1, "maximize": True, "d": 2.0},
            [0.23787855, -5.0308746, 7.1218104, 7.2724386, 6.732449, -3.0930666],
        ),
    ],
)
def test_recorded_of_a_matrix(options, expected):
    param, optimizer = after(MATRIX, matrix_grads(), **options)
    assert param.flatten().tolist() == pytest.approx(expected, rel=1e-6)
    state = optimizer.state[param]
    assert list(state) == ["step", "row_var", "col_var"]
    assert (state["row_var"].shape, state["col_var"].shape) == ((2, 1), (1, 3))


def test_recorded_of_a_vector():
    # From PyTorch 2.13.
    grads = [[0.5 * k, -1.0 * k, 2.0 * k] for k in (1, 2, 3)]
    param, optimizer = after(VECTOR, grads, lr=0.1)
    assert param.tolist() == pytest.approx([0.409238942, -1.40923894, 2.40923894], rel=1e-7)
    assert list(optimizer.state[param]) == ["step", "variance"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"lr": -1}, "learning rate"),
        ({"beta2_decay": 0.8}, "beta2_decay should be <= 0 but is: 0.8"),
        ({"eps": (-1, 0.1)}, "epsilon1"),
        ({"eps": (None, -0.1)}, "epsilon2"),
        ({"d": 0.5}, "threshold d"),
        ({"weight_decay": -1}, "weight_decay"),
    ],
)
def test_arguments_out_of_range(options, message):
    with pytest.raises(ValueError, match=message):
        Adafactor([fb.zeros(2, requires_grad=True)], **options)
