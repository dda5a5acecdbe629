import pytest

import flambeau_core as fb
from flambeau_optim import Adam


def test_the_first_step_by_hand():
    param = fb.tensor([1.0, -1.0], dtype=fb.float64, requires_grad=True)
    optimizer = Adam([param], lr=0.1, eps=0.5)
    param.grad = fb.tensor([2.0, -0.25], dtype=fb.float64)
    optimizer.step()
    # Corrected for their start at zero the moments are g and g^2: the step is g / (|g| + eps).
    expected = [1 - 0.1 * 2 / 2.5, -1 + 0.1 * 0.25 / 0.75]
    assert param.tolist() == pytest.approx(expected, rel=1e-12)


# Recorded from PyTorch 2.13 after four steps.
@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"lr": 0.1}, [0.815107965, -1.856320782, 2.856320781]),
        (
            {"lr": 0.1, "amsgrad": True, "weight_decay": 0.05},
            [0.8078566754, -1.848483355, 2.850349551],
        ),
        (
            {"lr": 0.1, "betas": (0.5, 0.8), "maximize": True},
            [1.104298197, -2.071315984, 3.071315984],
        ),
    ],
)
def test_recorded(after, options, expected):
    assert after(Adam, 4, **options) == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("amsgrad", [False, True])
def test_the_state_has_the_usual_layout(amsgrad):
    param = fb.ones(3, dtype=fb.float64, requires_grad=True)
    optimizer = Adam([param], amsgrad=amsgrad)
    for _ in range(2):
        param.grad = fb.ones(3, dtype=fb.float64)
        optimizer.step()
    state = optimizer.state[param]
    assert list(state) == ["step", "exp_avg", "exp_avg_sq"] + ["max_exp_avg_sq"] * amsgrad
    assert (state["step"].item(), state["step"].dtype, state["step"].shape) == (2, fb.float32, ())
    assert state["exp_avg"].dtype == fb.float64
    # 1 - b^2 for a gradient of ones.
    assert state["exp_avg"].tolist() == pytest.approx([0.19] * 3, rel=1e-12)
    assert state["exp_avg_sq"].tolist() == pytest.approx([1 - 0.999**2] * 3, rel=1e-9)
    assert not state["exp_avg"].requires_grad


def test_step_counts_of_old_checkpoints_are_plain_numbers():
    param = fb.ones(1, requires_grad=True)
    optimizer = Adam([param])
    param.grad = fb.ones(1)
    optimizer.step()
    saved = optimizer.state_dict()
    saved["state"][0]["step"] = 7
    optimizer.load_state_dict(saved)
    optimizer.step()
    assert optimizer.state[param]["step"].item() == 8


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"lr": -1}, "Invalid learning rate: -1"),
        ({"eps": -1}, "Invalid epsilon value: -1"),
        ({"betas": (1.0, 0.9)}, "Invalid beta parameter at index 0: 1.0"),
        ({"betas": (0.9, 1.0)}, "Invalid beta parameter at index 1: 1.0"),
        ({"weight_decay": -1}, "Invalid weight_decay value: -1"),
        ({"lr": fb.tensor(0.1), "foreach": True}, "lr as a Tensor"),
    ],
)
def test_arguments_out_of_range(options, message):
    with pytest.raises(ValueError, match=message):
        Adam([fb.zeros(1, requires_grad=True)], **options)
