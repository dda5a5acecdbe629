import math

import pytest

import flambeau_core as fb
import flambeau_nn.functional as F


def test_weights_are_a_softmax_of_scaled_products(close):
    query, key = fb.tensor([[2.0 * math.log(3.0), 0.0, 0.0, 0.0]]), fb.eye(4)[:2]
    value = fb.tensor([[1.0], [5.0]])
    # Scores log 3 and 0: weights 3/4 and 1/4.
    close(F.scaled_dot_product_attention(query, key, value), [[2.0]])
    close(F.scaled_dot_product_attention(query, key, value, scale=0.0), [[3.0]])


def test_masks(close):
    query, key, value = fb.zeros(2, 1), fb.zeros(2, 1), fb.tensor([[1.0], [5.0]])
    close(F.scaled_dot_product_attention(query, key, value, is_causal=True), [[1.0], [3.0]])
    mask = fb.tensor([[False, True], [False, False]])
    close(F.scaled_dot_product_attention(query, key, value, mask), [[5.0], [0.0]])
    added = fb.tensor([[0.0, math.log(3.0)]])
    close(F.scaled_dot_product_attention(query, key, value, added), [[4.0], [4.0]])
    with pytest.raises(RuntimeError, match="(?i)explicit attn_mask should not be set"):
        F.scaled_dot_product_attention(query, key, value, mask, is_causal=True)


def test_gradients(gradcheck, values):
    gradcheck(F.scaled_dot_product_attention, values(2, 3), values(4, 3), values(4, 2))
