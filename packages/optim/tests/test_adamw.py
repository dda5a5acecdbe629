import pytest

import flambeau_core as fb
from flambeau_optim import Adam, AdamW


def test_decay_shrinks_the_parameter_by_itself():
    param = fb.tensor([2.0], dtype=fb.float64, requires_grad=True)
    param.grad = fb.zeros(1, dtype=fb.float64)
    AdamW([param], lr=0.1, weight_decay=0.5).step()
    assert param.item() == pytest.approx(2 * (1 - 0.1 * 0.5), rel=1e-12)


# Recorded from PyTorch 2.13 after four steps.
@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"lr": 0.1, "weight_decay": 0.2}, [0.7475699202, -1.710626825, 2.632994984]),
        ({"lr": 0.1, "amsgrad": True}, [0.8116261782, -1.848818754, 2.844824749]),
    ],
)
def test_recorded(after, options, expected):
    assert after(AdamW, 4, **options) == pytest.approx(expected, rel=1e-8)


def test_it_is_adam_with_decoupled_decay(after):
    expected = after(Adam, 3, weight_decay=0.1, decoupled_weight_decay=True)
    assert after(AdamW, 3, weight_decay=0.1) == expected
    group = AdamW([fb.zeros(1, requires_grad=True)]).param_groups[0]
    assert group["decoupled_weight_decay"] is True
    assert group["weight_decay"] == 0.01
