"""The optimizers written over tensor operations."""

import pytest

import flambeau_core as fb
import flambeau_optim as optim

# Recorded from PyTorch 2.13: class, options, steps, parameter afterwards.
RECORDED = [
    (
        "Adagrad",
        {"lr": 0.1, "lr_decay": 0.1, "weight_decay": 0.05, "initial_accumulator_value": 0.2},
        4,
        [0.9389629879, -1.947755415, 2.942434289],
    ),
    ("RMSprop", {"lr": 0.1}, 4, [0.4714570744, -1.640916349, 2.640916296]),
    (
        "RMSprop",
        {"lr": 0.1, "centered": True, "momentum": 0.9, "weight_decay": 0.05},
        4,
        [-2.796688975, 1.622923724, -0.6421555933],
    ),
    ("Adadelta", {"lr": 0.5, "weight_decay": 0.05}, 4, [1.000699491, -2.001525765, 3.001562765]),
    ("Adamax", {"lr": 0.1, "weight_decay": 0.05}, 4, [0.8206945854, -1.854140919, 2.855601585]),
    ("NAdam", {"lr": 0.1}, 4, [0.9494981237, -1.973877231, 2.97387723]),
    (
        "NAdam",
        {"lr": 0.1, "weight_decay": 0.05, "decoupled_weight_decay": True},
        4,
        [0.9318199158, -1.936289358, 2.916438858],
    ),
    ("RAdam", {"lr": 0.1, "betas": (0.9, 0.9)}, 8, [0.7992089321, -1.86440734, 2.72621314]),
    (
        "RAdam",
        {"lr": 0.1, "weight_decay": 0.05, "decoupled_weight_decay": True},
        8,
        [0.7717189475, -1.788977479, 2.616973792],
    ),
    (
        "ASGD",
        {"lr": 0.1, "t0": 1, "weight_decay": 0.05},
        4,
        [1.081850142, -2.362200081, 3.744289841],
    ),
    ("Rprop", {"lr": 0.1}, 4, [0.84, -1.84, 2.84]),
    ("Rprop", {"lr": 0.1, "maximize": True}, 4, [1.16, -2.16, 3.16]),
]

STATES = {
    "Adagrad": ["step", "sum"],
    "RMSprop": ["step", "square_avg"],
    "Adadelta": ["step", "square_avg", "acc_delta"],
    "Adamax": ["step", "exp_avg", "exp_inf"],
    "NAdam": ["step", "mu_product", "exp_avg", "exp_avg_sq"],
    "RAdam": ["step", "exp_avg", "exp_avg_sq"],
    "ASGD": ["step", "eta", "mu", "ax"],
    "Rprop": ["step", "prev", "step_size"],
}


@pytest.mark.parametrize(("name", "options", "steps", "expected"), RECORDED)
def test_recorded(after, name, options, steps, expected):
    assert after(getattr(optim, name), steps, **options) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("name", STATES)
def test_states_are_laid_out_and_saved_as_usual(name):
    param = fb.ones(2, requires_grad=True)
    optimizer = getattr(optim, name)([param], lr=0.125)
    param.grad = fb.ones(2)
    optimizer.step()
    assert list(optimizer.state[param]) == STATES[name]
    assert optimizer.state[param]["step"].item() == 1

    twin = fb.tensor(param.tolist(), requires_grad=True)
    resumed = getattr(optim, name)([twin], lr=0.5)
    resumed.load_state_dict(optimizer.state_dict())
    # Loading shares the tensors of the state: step on copies, one after the other.
    resumed.state[twin] = {key: value.clone() for key, value in resumed.state[twin].items()}
    for one, each in ((optimizer, param), (resumed, twin)):
        each.grad = fb.full((2,), 0.5)
        one.step()
    assert twin.tolist() == param.tolist()


def test_rms_prop_by_hand():
    param = fb.tensor([1.0], dtype=fb.float64, requires_grad=True)
    param.grad = fb.tensor([2.0], dtype=fb.float64)
    optim.RMSprop([param], lr=0.1, alpha=0.75, eps=1.0).step()
    # v = 0.25 * 4, the step 0.1 * 2 / (1 + 1).
    assert param.item() == pytest.approx(0.9, rel=1e-12)


def test_the_average_of_asgd():
    param = fb.tensor([0.0], dtype=fb.float64, requires_grad=True)
    optimizer = optim.ASGD([param], lr=1.0, lambd=0.0, t0=1)
    visited = []
    for _ in range(4):
        param.grad = fb.ones(1, dtype=fb.float64)
        optimizer.step()
        visited.append(param.item())
    assert visited == [-1, -2, -3, -4]
    # The mean of the iterates from step t0 + 2 on.
    assert optimizer.state[param]["ax"].item() == pytest.approx(-3.5, rel=1e-6)


def test_closure_is_evaluated_with_gradients():
    param = fb.ones(1, requires_grad=True)
    optimizer = optim.RMSprop([param])

    def closure():
        optimizer.zero_grad()
        loss = (param**2).sum()
        loss.backward()
        return loss

    with fb.no_grad():
        assert optimizer.step(closure).item() == 1.0


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("RMSprop", {"alpha": -1}, "Invalid alpha value: -1"),
        ("RMSprop", {"momentum": -1}, "Invalid momentum value: -1"),
        ("Adagrad", {"lr_decay": -1}, "Invalid lr_decay value: -1"),
        ("Adagrad", {"initial_accumulator_value": -1}, "Invalid initial_accumulator_value"),
        ("Adadelta", {"rho": 2}, "Invalid rho value: 2"),
        ("Adamax", {"betas": (2, 0.9)}, "index 0: 2"),
        ("NAdam", {"momentum_decay": -1}, "Invalid momentum_decay value: -1"),
        ("RAdam", {"eps": -1}, "Invalid epsilon value: -1"),
        ("ASGD", {"weight_decay": -1}, "Invalid weight_decay value: -1"),
        ("Rprop", {"etas": (2, 1)}, "Invalid eta values: 2, 1"),
    ],
)
def test_arguments_out_of_range(name, options, message):
    with pytest.raises(ValueError, match=message):
        getattr(optim, name)([fb.zeros(1, requires_grad=True)], **options)
