import pytest

import flambeau_core as fb
import flambeau_nn as nn

TABLE = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]


def table(**settings):
    return nn.Embedding.from_pretrained(fb.tensor(TABLE), freeze=False, **settings)


def test_rows_by_index(close):
    close(table()(fb.tensor([[0, 2], [1, 1]])), [[TABLE[0], TABLE[2]], [TABLE[1], TABLE[1]]])


def test_gradient_counts_uses(close):
    layer = table()
    layer(fb.tensor([0, 2, 2])).sum().backward()
    close(layer.weight.grad, [[1.0, 1.0], [0.0, 0.0], [2.0, 2.0]])


def test_padding_row_starts_at_zero_and_gets_no_gradient(close):
    layer = nn.Embedding(3, 2, padding_idx=-1)
    assert layer.padding_idx == 2 and layer.weight[2].tolist() == [0.0, 0.0]
    layer(fb.tensor([0, 2])).sum().backward()
    close(layer.weight.grad, [[1.0, 1.0], [0.0, 0.0], [0.0, 0.0]])
    with pytest.raises(AssertionError, match="Padding_idx must be within num_embeddings"):
        nn.Embedding(3, 2, padding_idx=3)


def test_gradient_scaled_by_frequency(close):
    layer = table(scale_grad_by_freq=True)
    out = layer(fb.tensor([0, 2, 2]))
    close(out, [TABLE[0], TABLE[2], TABLE[2]])
    (out * fb.tensor([[1.0], [2.0], [4.0]])).sum().backward()
    close(layer.weight.grad, [[1.0, 1.0], [0.0, 0.0], [3.0, 3.0]])


def test_max_norm_limits_used_rows(close):
    layer = table(max_norm=5.0)
    close(layer(fb.tensor([1])), [[3.0, 4.0]])
    layer(fb.tensor([2]))
    norms = layer.weight.norm(dim=1)
    close(norms, [5.0**0.5, 5.0, 5.0], rel=1e-4)


def test_from_pretrained_is_frozen():
    layer = nn.Embedding.from_pretrained(fb.tensor(TABLE))
    assert not layer.weight.requires_grad and layer.num_embeddings == 3
    with pytest.raises(AssertionError, match="expected to be 2-dimensional"):
        nn.Embedding.from_pretrained(fb.zeros(3))
    with pytest.raises(AssertionError, match="Shape of weight does not match"):
        nn.Embedding(4, 2, _weight=fb.tensor(TABLE))


def test_index_out_of_range():
    with pytest.raises(IndexError):
        table()(fb.tensor([3]))


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("sum", [[4.0, 6.0], [0.0, 0.0], [5.0, 6.0]]),
        ("mean", [[2.0, 3.0], [0.0, 0.0], [5.0, 6.0]]),
        ("max", [[3.0, 4.0], [0.0, 0.0], [5.0, 6.0]]),
    ],
)
def test_bags_by_offsets(mode, expected, close):
    bag = nn.EmbeddingBag.from_pretrained(fb.tensor(TABLE), mode=mode)
    close(bag(fb.tensor([0, 1, 2]), fb.tensor([0, 2, 2])), expected)


def test_bags_of_rows_weights_and_padding(close):
    bag = nn.EmbeddingBag.from_pretrained(fb.tensor(TABLE), mode="sum")
    weights = fb.tensor([[1.0, 10.0]])
    close(bag(fb.tensor([[0, 2]]), per_sample_weights=weights), [[51.0, 62.0]])
    padded = nn.EmbeddingBag.from_pretrained(fb.tensor(TABLE), mode="mean", padding_idx=0)
    close(padded(fb.tensor([[0, 2], [1, 2]])), [[5.0, 6.0], [4.0, 5.0]])


def test_bag_arguments_are_checked():
    bag = nn.EmbeddingBag(3, 2)
    with pytest.raises(ValueError, match="offsets has to be a 1D Tensor but got None"):
        bag(fb.tensor([0]))
    with pytest.raises(ValueError, match=r"offsets\[0\] has to be 0"):
        bag(fb.tensor([0]), fb.tensor([1]))
    with pytest.raises(NotImplementedError, match="only supported for mode='sum'"):
        bag(fb.tensor([[0]]), per_sample_weights=fb.ones(1, 1))


def test_reprs():
    assert repr(nn.Embedding(3, 2, padding_idx=1)) == "Embedding(3, 2, padding_idx=1)"
    assert repr(nn.EmbeddingBag(3, 2)) == "EmbeddingBag(3, 2, mode='mean')"
