import pytest

import flambeau_core as fb
import flambeau_nn.functional as F


def test_one_hot():
    assert F.one_hot(fb.tensor([0, 2])).tolist() == [[1, 0, 0], [0, 0, 1]]
    assert F.one_hot(fb.tensor([[1]]), num_classes=3).tolist() == [[[0, 1, 0]]]
    assert F.one_hot(fb.tensor([0])).dtype == fb.int64
    with pytest.raises(RuntimeError, match="smaller than num_classes"):
        F.one_hot(fb.tensor([3]), 3)
    with pytest.raises(RuntimeError, match="non-negative"):
        F.one_hot(fb.tensor([-1]))


def test_embedding_gradients(gradcheck, values):
    index = fb.tensor([[0, 2], [2, 2]])
    gradcheck(lambda table: F.embedding(index, table), values(3, 2))
    gradcheck(lambda table: F.embedding_bag(index, table), values(3, 2))


def test_bag_modes_are_checked():
    with pytest.raises(ValueError, match="mode has to be one of sum, mean or max"):
        F.embedding_bag(fb.tensor([[0]]), fb.zeros(1, 1), mode="median")


def test_sparse_gradients_hold_the_rows_that_were_looked_up():
    index = fb.tensor([[0, 2], [2, 1]])
    table = fb.zeros(4, 2, requires_grad=True)
    (F.embedding(index, table, padding_idx=1, sparse=True) * 3).sum().backward()
    assert table.grad.is_sparse and table.grad._indices().tolist() == [[0, 2, 2]]
    assert table.grad.to_dense().tolist() == [[3, 3], [0, 0], [6, 6], [0, 0]]
    table.grad = None
    F.embedding_bag(index, table, sparse=True, mode="sum").sum().backward()
    assert table.grad.is_sparse
    assert table.grad.to_dense().tolist() == [[1, 1], [1, 1], [2, 2], [0, 0]]
    with pytest.raises(RuntimeError, match="scale_grad_by_freq"):
        F.embedding(index, table, scale_grad_by_freq=True, sparse=True).sum().backward()
