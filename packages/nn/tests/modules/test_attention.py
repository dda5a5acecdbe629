import pytest

import flambeau_core as fb
import flambeau_nn as nn


def test_against_pytorch(patterned, values, close):
    layer = patterned(nn.MultiheadAttention(4, 2))
    key = values(3, 1, 4, dtype=fb.float32)
    output, weights = layer(values(2, 1, 4, dtype=fb.float32), key, key)
    # Recorded from PyTorch 2.13.
    close(
        output,
        [
            [[0.0795897, 0.3283997, -0.1839167, 0.0648934]],
            [[0.2780909, 0.2779296, 0.0119008, 0.0117396]],
        ],
    )
    close(
        weights,
        [
            [
                [0.4426806, 0.1144170, 0.4429024],
                [0.2044908, 0.5852063, 0.2103029],
            ]
        ],
    )


def test_other_widths_biases_zeros_and_padding(patterned, values, close):
    layer = patterned(
        nn.MultiheadAttention(
            4, 2, kdim=3, vdim=2, add_bias_kv=True, add_zero_attn=True, batch_first=True
        )
    )
    query, key, value = (values(*s, dtype=fb.float32) for s in ((1, 2, 4), (1, 3, 3), (1, 3, 2)))
    output, weights = layer(query, key, value, key_padding_mask=fb.tensor([[False, False, True]]))
    # Recorded from PyTorch 2.13.
    close(
        output,
        [
            [
                [-0.1839481, 0.7511899, -0.4457235, 0.4894145],
                [-0.0698360, 0.6329515, -0.3328872, 0.3699003],
            ]
        ],
    )
    close(
        weights,
        [
            [
                [
                    0.2547609,
                    0.2984206,
                    0.0,
                    0.2404549,
                    0.2063636,
                ],
                [
                    0.2591797,
                    0.2160008,
                    0.0,
                    0.2664184,
                    0.2584012,
                ],
            ]
        ],
    )


def test_without_weights_the_output_is_the_same(patterned, values):
    layer = patterned(nn.MultiheadAttention(4, 2))
    x = values(3, 2, 4, dtype=fb.float32)
    mask = fb.tensor([[False, True, True], [False, False, True], [False, False, False]])
    with_weights, _ = layer(x, x, x, attn_mask=mask)
    alone, none = layer(x, x, x, attn_mask=mask, need_weights=False)
    assert none is None
    assert alone.reshape(-1).tolist() == pytest.approx(with_weights.reshape(-1).tolist(), abs=1e-5)


def test_without_a_batch(patterned, values):
    layer = patterned(nn.MultiheadAttention(4, 2))
    x = values(3, 4, dtype=fb.float32)
    alone, weights = layer(x, x, x, average_attn_weights=False)
    batched, _ = layer(x.unsqueeze(1), x.unsqueeze(1), x.unsqueeze(1))
    assert alone.shape == (3, 4) and weights.shape == (2, 3, 3)
    assert alone.reshape(-1).tolist() == pytest.approx(batched.reshape(-1).tolist())


def test_gradients(patterned, gradcheck, values):
    layer = patterned(nn.MultiheadAttention(4, 2)).double()
    gradcheck(lambda q, k: layer(q, k, k)[0], values(2, 1, 4), values(3, 1, 4))


def test_names_of_weights():
    assert list(nn.MultiheadAttention(4, 2, add_bias_kv=True).state_dict()) == [
        "in_proj_weight",
        "in_proj_bias",
        "bias_k",
        "bias_v",
        "out_proj.weight",
        "out_proj.bias",
    ]
    assert list(nn.MultiheadAttention(4, 2, kdim=3, bias=False).state_dict()) == [
        "q_proj_weight",
        "k_proj_weight",
        "v_proj_weight",
        "out_proj.weight",
    ]


def test_refused(values):
    with pytest.raises(ValueError, match="must be greater than 0"):
        nn.MultiheadAttention(0, 1)
    with pytest.raises(AssertionError, match="embed_dim must be divisible by num_heads"):
        nn.MultiheadAttention(3, 2)
    layer, x = nn.MultiheadAttention(4, 2), fb.zeros(2, 1, 4)
    with pytest.raises(AssertionError, match="expected `key` and `value` to be 3-D"):
        layer(x, x[0], x[0])
    with pytest.raises(RuntimeError, match="The shape of the 2D attn_mask"):
        layer(x, x, x, attn_mask=fb.zeros(3, 3))
    with pytest.raises(RuntimeError, match="Need attn_mask if specifying the is_causal hint"):
        layer(x, x, x, is_causal=True)
    with pytest.raises(AssertionError, match="expecting embedding dimension of 4, but got 6"):
        layer(fb.zeros(2, 1, 6), x, x)


def test_repr():
    # As PyTorch 2.13 prints it.
    assert repr(nn.MultiheadAttention(4, 2)) == (
        "MultiheadAttention(\n"
        "  (out_proj): NonDynamicallyQuantizableLinear(in_features=4, out_features=4, bias=True)\n"
        ")"
    )
