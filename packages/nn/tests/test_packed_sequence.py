import pytest

import flambeau_core as fb
from flambeau_nn.utils import rnn

SEQUENCES = [[1.0], [2.0, 3.0, 4.0], [5.0, 6.0]]


def sequences():
    return [fb.tensor(values) for values in SEQUENCES]


def test_pad_sequence():
    assert rnn.pad_sequence(sequences(), batch_first=True, padding_value=9.0).tolist() == [
        [1.0, 9.0, 9.0],
        [2.0, 3.0, 4.0],
        [5.0, 6.0, 9.0],
    ]
    assert rnn.pad_sequence(sequences()).shape == (3, 3)
    left = rnn.pad_sequence(sequences(), batch_first=True, padding_side="left")
    assert left[0].tolist() == [0.0, 0.0, 1.0]
    with pytest.raises(RuntimeError, match="empty list of sequences"):
        rnn.pad_sequence([])


def test_packing_orders_by_length():
    packed = rnn.pack_sequence(sequences(), enforce_sorted=False)
    assert packed.data.tolist() == [2.0, 5.0, 1.0, 3.0, 6.0, 4.0]
    assert packed.batch_sizes.tolist() == [3, 2, 1]
    assert packed.sorted_indices.tolist() == [1, 2, 0]
    assert packed.unsorted_indices.tolist() == [2, 0, 1]


def test_unpacking_restores_the_order():
    packed = rnn.pack_sequence(sequences(), enforce_sorted=False)
    padded, lengths = rnn.pad_packed_sequence(packed, batch_first=True, total_length=4)
    assert padded.shape == (3, 4) and lengths.tolist() == [1, 3, 2]
    assert [s.tolist() for s in rnn.unpack_sequence(packed)] == SEQUENCES


def test_unpad_sequence():
    padded = rnn.pad_sequence(sequences())
    assert [s.tolist() for s in rnn.unpad_sequence(padded, fb.tensor([1, 3, 2]))] == SEQUENCES


def test_gradient_flows_through_packing():
    x = fb.rand(3, 2, requires_grad=True)
    packed = rnn.pack_padded_sequence(x, [3, 1])
    rnn.pad_packed_sequence(packed)[0].sum().backward()
    assert x.grad.tolist() == [[1.0, 1.0], [1.0, 0.0], [1.0, 0.0]]


@pytest.mark.parametrize(
    ("lengths", "message"),
    [
        ([1, 2], "must be sorted in decreasing order"),
        ([2, 0], "has to be greater than 0"),
        ([2], "to be equal to batch_size"),
        ([9, 1], "at most the padded length 3"),
    ],
)
def test_lengths_are_checked(lengths, message):
    with pytest.raises(RuntimeError, match=message):
        rnn.pack_padded_sequence(fb.zeros(3, 2), lengths)


def test_total_length_must_suffice():
    packed = rnn.pack_sequence([fb.zeros(3)])
    with pytest.raises(ValueError, match="max sequence length being 3"):
        rnn.pad_packed_sequence(packed, total_length=2)


def test_moving_keeps_the_order():
    packed = rnn.pack_sequence(sequences(), enforce_sorted=False).double()
    assert packed.data.dtype == fb.float64 and packed.sorted_indices.tolist() == [1, 2, 0]
    assert not packed.cpu().is_cuda
