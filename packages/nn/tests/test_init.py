import math

import pytest

import flambeau_core as fb
import flambeau_nn as nn
from flambeau_nn import init


@pytest.fixture(autouse=True)
def seed():
    fb.manual_seed(0)


def test_gains():
    assert init.calculate_gain("relu") == math.sqrt(2)
    assert init.calculate_gain("tanh") == 5 / 3
    assert init.calculate_gain("leaky_relu", 1) == 1.0
    assert init.calculate_gain("leaky_relu") == math.sqrt(2 / (1 + 0.01**2))
    with pytest.raises(ValueError, match="Unsupported nonlinearity nothing"):
        init.calculate_gain("nothing")
    with pytest.raises(ValueError, match="negative_slope True not a valid number"):
        init.calculate_gain("leaky_relu", True)


def test_plain_fillings():
    tensor = fb.empty(2, 3)
    assert init.constant_(tensor, 2.5) is tensor and set(tensor.reshape(-1).tolist()) == {2.5}
    assert set(init.ones_(tensor).reshape(-1).tolist()) == {1.0}
    assert set(init.zeros_(tensor).reshape(-1).tolist()) == {0.0}
    assert init.eye_(tensor).tolist() == [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    with pytest.raises(ValueError, match="Only tensors with 2 dimensions"):
        init.eye_(fb.empty(2))


def test_parameters_are_filled_without_recording():
    weight = init.normal_(nn.Parameter(fb.empty(3)))
    assert weight.requires_grad and weight.grad_fn is None


def test_uniform_and_normal():
    x = init.uniform_(fb.empty(10000), -2.0, 4.0)
    assert -2 <= float(x.min()) and float(x.max()) <= 4
    assert float(x.mean()) == pytest.approx(1.0, abs=0.1)
    y = init.normal_(fb.empty(10000), 3.0, 0.5)
    assert float(y.mean()) == pytest.approx(3.0, abs=0.03)
    assert float(y.std()) == pytest.approx(0.5, abs=0.03)


def test_generator_decides_the_values():
    draws = []
    for _ in range(2):
        generator = fb.Generator().manual_seed(7)
        draws.append(init.normal_(fb.empty(5), generator=generator).tolist())
    assert draws[0] == draws[1]


def test_trunc_normal_stays_inside():
    x = init.trunc_normal_(fb.empty(10000), mean=1.0, std=2.0, a=0.0, b=3.0)
    assert 0 <= float(x.min()) < 0.1 and 2.9 < float(x.max()) <= 3
    with pytest.warns(UserWarning, match="more than 2 std"):
        init.trunc_normal_(fb.empty(3), mean=9.0)


@pytest.mark.parametrize(
    ("fill", "std"),
    [
        (init.xavier_uniform_, math.sqrt(2 / (200 + 100))),
        (init.xavier_normal_, math.sqrt(2 / (200 + 100))),
        (lambda t: init.kaiming_uniform_(t, nonlinearity="relu"), math.sqrt(2 / 200)),
        (lambda t: init.kaiming_normal_(t, mode="fan_out"), math.sqrt(2 / 100)),
        (lambda t: init.kaiming_normal_(t, a=1.0), math.sqrt(1 / 200)),
    ],
)
def test_spread_by_fan(fill, std):
    # The fans of a weight (out, in, *field): 50 * 4 in, 25 * 4 out.
    assert float(fill(fb.empty(25, 50, 2, 2)).std()) == pytest.approx(std, rel=0.05)


def test_uniform_variants_keep_their_bound():
    bound = math.sqrt(6 / 300)
    assert float(init.xavier_uniform_(fb.empty(100, 200)).abs().max()) <= bound


def test_fan_needs_two_dimensions():
    with pytest.raises(ValueError, match="fewer than 2 dimensions"):
        init.xavier_normal_(fb.empty(3))
    with pytest.raises(ValueError, match="Mode sideways not supported"):
        init.kaiming_normal_(fb.empty(3, 3), mode="sideways")
    with pytest.warns(UserWarning, match="zero-element"):
        init.kaiming_uniform_(fb.empty(0, 3))


@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (4, 2, 3)])
def test_orthogonal(shape):
    matrix = init.orthogonal_(fb.empty(shape, dtype=fb.float64), gain=2.0).reshape(shape[0], -1)
    rows, columns = matrix.shape
    product = matrix @ matrix.t() if rows <= columns else matrix.t() @ matrix
    expected = 4 * fb.eye(min(rows, columns), dtype=fb.float64)
    assert float((product - expected).abs().max()) < 1e-12
    with pytest.raises(ValueError, match="2 or more dimensions"):
        init.orthogonal_(fb.empty(3))


def test_dirac_passes_channels_through(close):
    weight = init.dirac_(fb.empty(4, 2, 3), groups=2)
    x = fb.rand(1, 4, 5)
    out = nn.functional.conv1d(x, weight, padding=1, groups=2)
    close(out, x.tolist())
    with pytest.raises(ValueError, match="divisible by groups"):
        init.dirac_(fb.empty(3, 1, 1), groups=2)
    with pytest.raises(ValueError, match="3, 4, or 5 dimensions"):
        init.dirac_(fb.empty(3, 1))


def test_sparse_zeroes_a_share_of_each_column():
    matrix = init.sparse_(fb.empty(10, 4), 0.25)
    assert (matrix == 0).sum(0).tolist() == [3, 3, 3, 3]
