import pytest

import flambeau_core as fb
import flambeau_nn as nn


@pytest.mark.parametrize(
    ("cell", "layer"),
    [(nn.RNNCell, nn.RNN), (nn.GRUCell, nn.GRU), (nn.LSTMCell, nn.LSTM)],
)
def test_cells_are_one_step_of_layers(cell, layer):
    single, whole = cell(2, 3), layer(2, 3)
    with fb.no_grad():
        for a, b in zip(single.parameters(), whole.parameters()):
            a.copy_(b)
    x = fb.randn(4, 2)
    after = single(x)
    hidden = after[0] if cell is nn.LSTMCell else after
    expected = whole(x.unsqueeze(0))[0][0]
    assert hidden.reshape(-1).tolist() == pytest.approx(expected.reshape(-1).tolist(), rel=1e-5)
    alone = single(x[0])
    alone = alone[0] if cell is nn.LSTMCell else alone
    assert alone.shape == (3,)


@pytest.mark.parametrize("cell", [nn.RNNCell, nn.GRUCell])
def test_states_are_used(cell):
    single, x = cell(2, 3), fb.zeros(4, 2)
    fresh, later = single(x), single(x, fb.ones(4, 3))
    assert fresh.shape == later.shape == (4, 3) and fresh.tolist() != later.tolist()
    alone = single(x[0], fb.ones(3))
    assert alone.tolist() == pytest.approx(later[0].tolist())


def test_gradients(gradcheck, values):
    cell = nn.LSTMCell(2, 2, dtype=fb.float64)
    gradcheck(
        lambda x, h, c: cell(x, (h, c))[0], values(1, 2), values(1, 2, shift=0.1), values(1, 2)
    )


def test_refused():
    with pytest.raises(RuntimeError, match="got 3 expected 2"):
        nn.GRUCell(2, 3)(fb.zeros(1, 3))
    with pytest.raises(ValueError, match="GRUCell: Expected input to be 1D or 2D, got 3D"):
        nn.GRUCell(2, 3)(fb.zeros(1, 1, 2))
    with pytest.raises(RuntimeError, match="Input batch size 1 doesn't match hidden0 batch size 2"):
        nn.GRUCell(2, 3)(fb.zeros(1, 2), fb.zeros(2, 3))
    with pytest.raises(RuntimeError, match="inconsistent hidden_size: got 4, expected 3"):
        nn.GRUCell(2, 3)(fb.zeros(1, 2), fb.zeros(1, 4))
    with pytest.raises(RuntimeError, match="Unknown nonlinearity: cube"):
        nn.RNNCell(2, 3, nonlinearity="cube")(fb.zeros(1, 2))


def test_reprs():
    assert repr(nn.RNNCell(2, 3, nonlinearity="relu")) == "RNNCell(2, 3, nonlinearity=relu)"
    assert repr(nn.LSTMCell(2, 3, bias=False)) == "LSTMCell(2, 3, bias=False)"
