import pytest

import flambeau_core as fb
import flambeau_nn as nn


def test_encoder_layer_against_pytorch(patterned, values, close):
    layer = patterned(
        nn.TransformerEncoderLayer(4, 2, 6, activation="gelu", norm_first=True, batch_first=True)
    )
    # Recorded from PyTorch 2.13.
    close(
        layer(values(1, 2, 4, dtype=fb.float32)),
        [
            [
                [
                    -1.7132628,
                    -0.1815749,
                    1.5703374,
                    -1.4124964,
                ],
                [0.1356998, 1.7634128, -0.5456895, 0.4332567],
            ]
        ],
    )


def test_transformer_against_pytorch(patterned, values, close):
    model = patterned(nn.Transformer(4, 2, 1, 1, 6))
    mask = nn.Transformer.generate_square_subsequent_mask(2)
    output = model(
        values(3, 1, 4, dtype=fb.float32), values(2, 1, 4, dtype=fb.float32), tgt_mask=mask
    )
    # Recorded from PyTorch 2.13.
    close(
        output,
        [
            [[-0.2574862, 0.4669330, -0.5082301, -0.1592595]],
            [[-0.0992218, 0.4707589, -0.4037163, -0.2332361]],
        ],
        rel=1e-4,
    )


def test_causal_mask():
    mask = nn.Transformer.generate_square_subsequent_mask(2)
    assert mask.tolist() == [[0.0, float("-inf")], [0.0, 0.0]]


def test_a_causal_encoder_does_not_look_ahead(close):
    encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 8), 2).eval()
    mask = nn.Transformer.generate_square_subsequent_mask(3)
    x = fb.randn(3, 1, 4)
    before = encoder(x, mask=mask, is_causal=True)
    x[2] = 9.0
    after = encoder(x, mask=mask, is_causal=True)
    assert before[:2].reshape(-1).tolist() == pytest.approx(
        after[:2].reshape(-1).tolist(), abs=1e-5
    )
    assert before[2].tolist() != after[2].tolist()


def test_layers_are_copies():
    layer = nn.TransformerDecoderLayer(4, 2, 8)
    decoder = nn.TransformerDecoder(layer, 2, norm=nn.LayerNorm(4))
    assert decoder.layers[0].linear1.weight is not decoder.layers[1].linear1.weight
    assert decoder(fb.randn(2, 1, 4), fb.randn(3, 1, 4)).shape == (2, 1, 4)


def test_norm_first_decoder_gives_other_values(patterned, values):
    first = patterned(nn.TransformerDecoderLayer(4, 2, 8, norm_first=True))
    last = patterned(nn.TransformerDecoderLayer(4, 2, 8))
    x, memory = values(2, 1, 4, dtype=fb.float32), values(3, 1, 4, dtype=fb.float32)
    assert first(x, memory).shape == last(x, memory).shape == (2, 1, 4)
    assert first(x, memory).tolist() != last(x, memory).tolist()


def test_refused():
    with pytest.raises(RuntimeError, match="activation should be relu/gelu, not swish"):
        nn.TransformerEncoderLayer(4, 2, activation="swish")
    model = nn.Transformer(4, 2, 1, 1, 6)
    with pytest.raises(RuntimeError, match="the batch number of src and tgt must be equal"):
        model(fb.zeros(2, 1, 4), fb.zeros(2, 2, 4))
    with pytest.raises(RuntimeError, match="must be equal to d_model"):
        model(fb.zeros(2, 1, 5), fb.zeros(2, 1, 5))
