import pytest

import flambeau_core as fb
from flambeau_optim import Muon


def after_three_steps(**options):
    start = [[1.0, -2.0, 3.0], [0.5, 0.25, -1.0]]
    param = fb.tensor(start, dtype=fb.float64, requires_grad=True)
    optimizer = Muon([param], lr=0.1, **options)
    for k in range(3):
        grad = [[0.5 * (k + 1) - k, -1.0 * (k + 1), 2.0 * (k + 1)]]
        grad.append([0.25 * (k + 1), 1.0 * (k + 1), -0.5 * (k + 1)])
        param.grad = fb.tensor(grad, dtype=fb.float64)
        optimizer.step()
    return param, optimizer


# Recorded from PyTorch 2.13; the iteration runs in bfloat16, which has 8 bits.
@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, [0.92493504, -1.900644, 2.6977922, 0.39230102, 0.031601586, -0.99656283]),
        (
            {"nesterov": False, "adjust_lr_fn": "match_rms_adamw"},
            [0.9526513, -1.9271263, 2.8373473, 0.45123891, 0.16828448, -0.97981468],
        ),
    ],
)
def test_recorded(options, expected):
    param, optimizer = after_three_steps(**options)
    assert param.flatten().tolist() == pytest.approx(expected, abs=1e-2)
    assert list(optimizer.state[param]) == ["momentum_buffer"]


@pytest.mark.parametrize("shape", [(3, 6), (6, 3)])
def test_a_step_has_singular_values_near_one(shape):
    fb.manual_seed(0)
    param = fb.zeros(*shape, requires_grad=True)
    param.grad = fb.randn(*shape)
    Muon([param], lr=1.0, weight_decay=0.0).step()
    step = param.detach() / max(1.0, shape[0] / shape[1]) ** 0.5
    gram = step @ step.t() if shape[0] < shape[1] else step.t() @ step
    # Within the 0.7 to 1.2 that the coefficients are tuned for: the trace sums three squares.
    assert 3 * 0.65**2 < gram.trace().item() < 3 * 1.25**2


def test_what_it_refuses():
    matrix = [fb.zeros(2, 2, requires_grad=True)]
    with pytest.raises(ValueError, match="2D parameters"):
        Muon([fb.zeros(3, requires_grad=True)])
    with pytest.raises(ValueError, match="arbitrary is not supported"):
        Muon(matrix, adjust_lr_fn="arbitrary")
    with pytest.raises(ValueError, match="momentum"):
        Muon(matrix, momentum=-1)
