import math

import pytest

import flambeau_core as fb
import flambeau_nn as nn
from flambeau_nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


def sigmoid(x):
    return 1 / (1 + math.exp(-x))


def filled(layer, value=0.5):
    with fb.no_grad():
        for parameter in layer.parameters():
            parameter.fill_(value)
    return layer


def test_rnn_by_hand(close):
    output, last = filled(nn.RNN(1, 1, bias=False))(fb.tensor([[[1.0]], [[2.0]]]))
    first = math.tanh(0.5)
    second = math.tanh(1.0 + 0.5 * first)
    close(output, [[[first]], [[second]]])
    close(last, [[[second]]])


def test_lstm_by_hand(close):
    output, (hidden, cell) = filled(nn.LSTM(1, 1, bias=False))(fb.tensor([[[1.0]], [[1.0]]]))
    c = h = 0.0
    for _ in range(2):
        gate = 0.5 + 0.5 * h
        c = sigmoid(gate) * c + sigmoid(gate) * math.tanh(gate)
        h = sigmoid(gate) * math.tanh(c)
    close(hidden, [[[h]]])
    close(cell, [[[c]]])
    close(output[1], [[h]])


def test_gru_by_hand(close):
    output, hidden = filled(nn.GRU(1, 1, bias=False))(fb.tensor([[[1.0]], [[1.0]]]))
    h = 0.0
    for _ in range(2):
        gate = sigmoid(0.5 + 0.5 * h)
        new = math.tanh(0.5 + gate * 0.5 * h)
        h = (1 - gate) * new + gate * h
    close(hidden, [[[h]]])
    close(output[1], [[h]])


KINDS = [
    (nn.RNN, {}),
    (nn.RNN, {"nonlinearity": "relu"}),
    (nn.GRU, {}),
    (nn.LSTM, {}),
    (nn.LSTM, {"proj_size": 2}),
]


@pytest.mark.parametrize(("kind", "settings"), KINDS)
def test_shapes_of_layers_and_directions(kind, settings):
    layer = kind(3, 4, num_layers=2, bidirectional=True, batch_first=True, **settings)
    output, last = layer(fb.randn(5, 7, 3))
    width = settings.get("proj_size", 4)
    assert output.shape == (5, 7, 2 * width)
    hidden = last[0] if kind is nn.LSTM else last
    assert hidden.shape == (4, 5, width)
    # The last layer's states are the output's ends.
    assert hidden[2].tolist() == output[:, -1, :width].tolist()
    assert hidden[3].tolist() == output[:, 0, width:].tolist()


@pytest.mark.parametrize(("kind", "settings"), KINDS)
def test_packed_sequences_equal_single_ones(kind, settings):
    layer = kind(2, 3, num_layers=2, bidirectional=True, dtype=fb.float64, **settings)
    x = fb.randn(4, 3, 2, dtype=fb.float64)
    lengths = [2, 4, 1]
    packed = pack_padded_sequence(x, lengths, enforce_sorted=False)
    output, last = layer(packed)
    padded, sizes = pad_packed_sequence(output)
    assert sizes.tolist() == lengths
    for place, length in enumerate(lengths):
        alone, end = layer(x[:length, place])
        assert padded[:length, place].reshape(-1).tolist() == pytest.approx(
            alone.reshape(-1).tolist()
        )
        states = zip(last, end) if kind is nn.LSTM else [(last, end)]
        for whole, single in states:
            assert whole[:, place].reshape(-1).tolist() == pytest.approx(
                single.reshape(-1).tolist()
            )


def test_gradients(gradcheck, values):
    layer = nn.LSTM(2, 2, dtype=fb.float64)
    gradcheck(lambda x: layer(x)[0], values(3, 1, 2))
    gru = nn.GRU(2, 2, dtype=fb.float64)
    gradcheck(lambda x, h: gru(x, h)[0], values(3, 1, 2), values(1, 1, 2))


def test_names_of_weights():
    layer = nn.LSTM(2, 3, bidirectional=True, proj_size=1)
    assert list(layer.state_dict()) == [
        "weight_ih_l0",
        "weight_hh_l0",
        "bias_ih_l0",
        "bias_hh_l0",
        "weight_hr_l0",
        "weight_ih_l0_reverse",
        "weight_hh_l0_reverse",
        "bias_ih_l0_reverse",
        "bias_hh_l0_reverse",
        "weight_hr_l0_reverse",
    ]
    assert [len(weights) for weights in layer.all_weights] == [5, 5]
    layer.flatten_parameters()


def test_dropout_between_layers():
    fb.manual_seed(0)
    layer = nn.GRU(2, 8, num_layers=2, dropout=0.5)
    x = fb.randn(3, 1, 2)
    assert layer(x)[0].tolist() != layer(x)[0].tolist()
    layer.eval()
    assert layer(x)[0].tolist() == layer(x)[0].tolist()
    with pytest.warns(UserWarning, match="dropout option adds dropout after all but last"):
        nn.GRU(2, 2, dropout=0.5)


def test_arguments_are_checked():
    with pytest.raises(ValueError, match="hidden_size must be greater than zero"):
        nn.LSTM(2, 0)
    with pytest.raises(TypeError, match="hidden_size should be of type int, got: float"):
        nn.GRU(2, 2.0)
    with pytest.raises(ValueError, match="proj_size has to be smaller than hidden_size"):
        nn.LSTM(2, 2, proj_size=2)
    with pytest.raises(ValueError, match="only supported for LSTM"):
        nn.GRU(2, 2, proj_size=1)
    with pytest.raises(ValueError, match="Unknown nonlinearity 'sigmoid'"):
        nn.RNN(2, 2, nonlinearity="sigmoid")


def test_inputs_are_checked():
    layer = nn.GRU(2, 3)
    with pytest.raises(RuntimeError, match="Expected 2, got 5"):
        layer(fb.zeros(1, 1, 5))
    with pytest.raises(ValueError, match="Expected input to be 2D or 3D, got 4D"):
        layer(fb.zeros(1, 1, 1, 2))
    with pytest.raises(RuntimeError, match=r"Expected hidden size \(1, 4, 3\), got \[1, 5, 3\]"):
        layer(fb.zeros(1, 4, 2), fb.zeros(1, 5, 3))
    with pytest.raises(RuntimeError, match="For batched 3-D input, hx should also be 3-D"):
        layer(fb.zeros(1, 4, 2), fb.zeros(1, 3))
    with pytest.raises(ValueError, match="does not match weight dtype"):
        layer(fb.zeros(1, 4, 2, dtype=fb.float64))


def test_reprs():
    assert repr(nn.LSTM(2, 3, 2, batch_first=True, bidirectional=True)) == (
        "LSTM(2, 3, num_layers=2, batch_first=True, bidirectional=True)"
    )
