import math

import pytest

import flambeau_core as fb
import flambeau_nn as nn

XS = [-4.0, -1.0, -0.25, 0.5, 2.0, 7.0]


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def elu(x, alpha=1.0):
    return x if x > 0 else alpha * math.expm1(x)


SELU_ALPHA, SELU_SCALE = 1.6732632423543772, 1.0507009873554805

FORMULAS = [
    (nn.ReLU(), lambda x: max(x, 0)),
    (nn.ReLU6(), lambda x: min(max(x, 0), 6)),
    (nn.LeakyReLU(0.2), lambda x: x if x > 0 else 0.2 * x),
    (nn.ELU(1.5), lambda x: elu(x, 1.5)),
    (nn.SELU(), lambda x: SELU_SCALE * elu(x, SELU_ALPHA)),
    (nn.CELU(2.0), lambda x: x if x > 0 else 2 * math.expm1(x / 2)),
    (nn.PReLU(init=0.3), lambda x: x if x > 0 else 0.3 * x),
    (nn.RReLU(0.1, 0.3).eval(), lambda x: x if x > 0 else 0.2 * x),
    (nn.Sigmoid(), sigmoid),
    (nn.Tanh(), math.tanh),
    (nn.GELU(), lambda x: x * 0.5 * math.erfc(-x / math.sqrt(2))),
    (
        nn.GELU("tanh"),
        lambda x: 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    ),
    (nn.SiLU(), lambda x: x * sigmoid(x)),
    (nn.Mish(), lambda x: x * math.tanh(math.log1p(math.exp(x)))),
    (nn.Softplus(2.0), lambda x: math.log1p(math.exp(2 * x)) / 2),
    (nn.Softsign(), lambda x: x / (1 + abs(x))),
    (nn.Hardtanh(-2.0, 1.0), lambda x: min(max(x, -2), 1)),
    (nn.Hardswish(), lambda x: x * min(max(x + 3, 0), 6) / 6),
    (nn.Hardsigmoid(), lambda x: min(max(x + 3, 0), 6) / 6),
    (nn.LogSigmoid(), lambda x: math.log(sigmoid(x))),
    (nn.Tanhshrink(), lambda x: x - math.tanh(x)),
    (nn.Hardshrink(0.5), lambda x: x if abs(x) > 0.5 else 0),
    (nn.Softshrink(0.5), lambda x: math.copysign(max(abs(x) - 0.5, 0), x)),
    (nn.Threshold(0.5, -3.0), lambda x: x if x > 0.5 else -3),
]


@pytest.mark.parametrize(("layer", "formula"), FORMULAS, ids=[repr(layer) for layer, _ in FORMULAS])
def test_values(layer, formula, close):
    close(layer.double()(fb.tensor(XS, dtype=fb.float64)), [formula(x) for x in XS], rel=1e-9)


@pytest.mark.parametrize("layer", [layer for layer, _ in FORMULAS], ids=repr)
def test_gradients(layer, gradcheck):
    layer = layer.double()
    points = [-4.1, -1.2, -0.3, 0.2, 0.7, 2.3, 7.1]
    gradcheck(layer, fb.tensor(points, dtype=fb.float64))


INPLACE = [
    nn.ReLU,
    nn.ReLU6,
    nn.LeakyReLU,
    nn.ELU,
    nn.SELU,
    nn.CELU,
    nn.SiLU,
    nn.Mish,
    nn.Hardtanh,
    nn.Hardswish,
    nn.Hardsigmoid,
]


@pytest.mark.parametrize("kind", INPLACE)
def test_in_place_writes_over_the_input_and_keeps_gradients(kind):
    start = fb.tensor(XS, requires_grad=True)
    plain = kind()(start)
    plain.sum().backward()
    expected, start.grad = start.grad, None
    x = start * 1
    y = kind(inplace=True)(x)
    assert y is x and y.tolist() == pytest.approx(plain.tolist())
    y.sum().backward()
    assert start.grad.tolist() == pytest.approx(expected.tolist(), rel=1e-5)


def test_kinks_have_pytorchs_gradient():
    for layer, x, slope in (
        (nn.ReLU(), 0.0, 0.0),
        (nn.ReLU6(), 6.0, 0.0),
        (nn.Hardtanh(), 1.0, 0.0),
    ):
        point = fb.tensor(x, requires_grad=True)
        layer(point).backward()
        assert float(point.grad) == slope


def test_no_overflow_far_out(close):
    x = fb.tensor([-1000.0, 1000.0])
    close(nn.LogSigmoid()(x), [-1000.0, 0.0])
    close(nn.Softplus()(x), [0.0, 1000.0])
    close(nn.Sigmoid()(x), [0.0, 1.0])


def test_prelu_learns_a_slope_for_each_channel(close):
    layer = nn.PReLU(2)
    with fb.no_grad():
        layer.weight.copy_(fb.tensor([0.5, 2.0]))
    x = fb.tensor([[[-1.0], [-1.0]], [[3.0], [-2.0]]])
    out = layer(x)
    close(out, [[[-0.5], [-2.0]], [[3.0], [-4.0]]])
    out.sum().backward()
    close(layer.weight.grad, [-1.0, -3.0])
    with pytest.raises(RuntimeError):
        layer(fb.zeros(1, 3))


def test_rrelu_draws_its_slopes():
    fb.manual_seed(0)
    y = nn.RReLU(0.1, 0.3)(fb.full((1000,), -1.0))
    assert -0.3 <= float(y.min()) < -0.25 and -0.15 < float(y.max()) <= -0.1


def test_glu(close):
    close(nn.GLU()(fb.tensor([[3.0, 0.0]])), [[1.5]])
    close(nn.GLU(0)(fb.tensor([[3.0], [0.0]])), [[1.5]])
    with pytest.raises(RuntimeError, match="(?i)halving dimension must be even"):
        nn.GLU()(fb.zeros(1, 3))


def test_softmax_family(close):
    x = fb.tensor([[0.0, math.log(3.0)]])
    close(nn.Softmax(1)(x), [[0.25, 0.75]])
    close(nn.Softmin(1)(x), [[0.75, 0.25]])
    close(nn.LogSoftmax(-1)(x), [[math.log(0.25), math.log(0.75)]])
    assert nn.functional.softmax(x, dim=1, dtype=fb.float64).dtype == fb.float64
    close(nn.Softmax2d()(fb.zeros(1, 2, 1, 1)), [[[[0.5]], [[0.5]]]])
    with pytest.raises(ValueError, match="Softmax2d: expected input to be 3D or 4D, got 2D"):
        nn.Softmax2d()(x)


def test_softmax_without_a_dimension_warns_and_chooses(close):
    with pytest.warns(UserWarning, match="Implicit dimension choice for softmax"):
        close(nn.Softmax()(fb.zeros(1, 2)), [[0.5, 0.5]])
    with pytest.warns(UserWarning, match="Implicit dimension choice for log_softmax"):
        close(nn.functional.log_softmax(fb.zeros(2)), [-math.log(2)] * 2)


def test_gumbel_softmax():
    fb.manual_seed(0)
    logits = fb.tensor([math.log(1.0), math.log(3.0)]).expand(4000, 2)
    hard = nn.functional.gumbel_softmax(logits, hard=True)
    assert float(hard[:, 1].mean()) == pytest.approx(0.75, abs=0.03)
    assert float((hard.sum(1) - 1).abs().max()) < 1e-6
    leaf = logits[:3].detach().clone().requires_grad_()
    nn.functional.gumbel_softmax(leaf, tau=0.5, hard=True)[:, 0].sum().backward()
    assert float(leaf.grad.abs().sum()) > 0


def test_settings_are_checked():
    with pytest.raises(AssertionError, match="max_val must be larger than min_val"):
        nn.Hardtanh(1.0, 1.0)
    with pytest.raises(RuntimeError, match="lambda must be"):
        nn.Softshrink(-1.0)(fb.zeros(1))


def test_reprs():
    # As PyTorch 2.13 prints them.
    assert repr(nn.ReLU(inplace=True)) == "ReLU(inplace=True)"
    assert repr(nn.LeakyReLU()) == "LeakyReLU(negative_slope=0.01)"
    assert repr(nn.GELU()) == "GELU(approximate='none')"
    assert repr(nn.Hardtanh(inplace=True)) == "Hardtanh(min_val=-1.0, max_val=1.0, inplace=True)"
    assert repr(nn.Softmax(dim=1)) == "Softmax(dim=1)"
    assert repr(nn.PReLU()) == "PReLU(num_parameters=1)"
    assert repr(nn.Softplus()) == "Softplus(beta=1.0, threshold=20.0)"
