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
