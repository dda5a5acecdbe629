"""Complex parameters step as the pairs of real numbers that they are."""

import pytest

import flambeau_core as fb
import flambeau_optim as optim

RULES = [
    ("SGD", {"momentum": 0.9, "weight_decay": 0.05}),
    ("Adam", {"amsgrad": True}),
    ("AdamW", {"weight_decay": 0.05}),
    ("Adagrad", {"initial_accumulator_value": 0.2}),
    ("RMSprop", {"centered": True, "momentum": 0.9}),
    ("Adadelta", {}),
    ("Adamax", {}),
    ("NAdam", {}),
    ("RAdam", {"betas": (0.9, 0.9)}),
    ("ASGD", {}),
    ("Rprop", {}),
]


@pytest.mark.parametrize(("name", "options"), RULES, ids=[name for name, _ in RULES])
def test_complex_parameters_step_as_pairs(name, options):
    pairs = fb.tensor([[1.0, -2.0], [3.0, 0.5], [-0.25, 4.0]], dtype=fb.float64)
    real = pairs.clone().requires_grad_()
    numbers = fb.view_as_complex(pairs.clone()).clone().requires_grad_()
    rule = getattr(optim, name)
    steppers = [rule([param], lr=0.1, **options) for param in (real, numbers)]
    for step in range(6):
        grad = (pairs * (step + 1)).sin()
        real.grad, numbers.grad = grad, fb.view_as_complex(grad.clone())
        for stepper in steppers:
            stepper.step()
    assert not fb.equal(real, pairs)
    assert fb.allclose(fb.view_as_real(numbers.detach()), real.detach(), rtol=1e-12)
    for key, value in steppers[1].state[numbers].items():
        if key not in ("step", "eta", "mu", "mu_product"):
            assert value.is_complex(), key
