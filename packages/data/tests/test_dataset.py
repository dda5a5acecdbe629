import pytest

import flambeau_core as fb
from flambeau_data import (
    ChainDataset,
    ConcatDataset,
    Dataset,
    IterableDataset,
    StackDataset,
    Subset,
    TensorDataset,
)


class Numbers(IterableDataset):
    def __init__(self, *numbers):
        self.numbers = numbers

    def __iter__(self):
        return iter(self.numbers)

    def __len__(self):
        return len(self.numbers)


def test_the_base_classes_ask_for_the_missing_method():
    with pytest.raises(NotImplementedError, match="__getitem__"):
        Dataset()[0]
    with pytest.raises(NotImplementedError, match="__iter__"):
        iter(IterableDataset())


def test_tensor_dataset_gives_rows_and_slices():
    dataset = TensorDataset(fb.arange(6).view(3, 2), fb.arange(3))
    assert len(dataset) == 3
    features, label = dataset[1]
    assert features.tolist() == [2, 3]
    assert label.item() == 1
    features, labels = dataset[1:]
    assert features.tolist() == [[2, 3], [4, 5]]
    assert labels.tolist() == [1, 2]


def test_tensor_dataset_gathers_what_collating_rows_would_give():
    dataset = TensorDataset(fb.arange(6).view(3, 2), fb.arange(3))
    features, labels = dataset.gather([2, 0, 2])
    assert features.tolist() == [[4, 5], [0, 1], [4, 5]]
    assert labels.tolist() == [2, 0, 2]


def test_tensor_dataset_names_both_shapes_when_the_rows_differ():
    with pytest.raises(AssertionError, match=r"\(3,\).*\(4, 2\)"):
        TensorDataset(fb.zeros(3), fb.zeros(4, 2))


def test_stack_dataset_gives_tuples_or_dicts():
    assert StackDataset([1, 2], "ab")[1] == (2, "b")
    assert StackDataset(number=[1, 2], letter="ab")[0] == {"number": 1, "letter": "a"}
    assert StackDataset([1, 2], "ab").__getitems__([1, 0]) == [(2, "b"), (1, "a")]
    assert len(StackDataset([1, 2])) == 2


@pytest.mark.parametrize(
    ("args", "kwargs", "message"),
    [
        ((), {}, "at least one"),
        (([1], [1, 2]), {}, "Size mismatch"),
        (([1],), {"a": [1]}, "not both"),
    ],
)
def test_stack_dataset_refuses(args, kwargs, message):
    with pytest.raises(ValueError, match=message):
        StackDataset(*args, **kwargs)


def test_stack_dataset_checks_what_getitems_returns():
    class TooFew(list):
        def __getitems__(self, indices):
            return [0]

    with pytest.raises(ValueError, match="1 samples for 2 indices"):
        StackDataset(TooFew([1, 2])).__getitems__([0, 1])


def test_concat_dataset_counts_on():
    joined = ConcatDataset([[10, 11], [12], [13, 14]])
    assert [joined[index] for index in range(5)] == [10, 11, 12, 13, 14]
    assert joined[-1] == 14
    assert joined[-5] == 10
    assert len(joined) == 5
    assert joined.cumulative_sizes == [2, 3, 5]
    with pytest.raises(IndexError, match="5 is out of range"):
        joined[5]
    with pytest.raises(ValueError, match="-6 is out of range"):
        joined[-6]


def test_adding_datasets_joins_them():
    rows = TensorDataset(fb.arange(2))
    both = rows + rows
    assert isinstance(both, ConcatDataset)
    assert [row[0].item() for row in (both[0], both[3])] == [0, 1]
    stream = Numbers(1, 2) + Numbers(3)
    assert isinstance(stream, ChainDataset)
    assert list(stream) == [1, 2, 3]
    assert len(stream) == 3


def test_streams_and_collections_do_not_mix():
    with pytest.raises(AssertionError, match="ChainDataset"):
        ConcatDataset([Numbers(1)])
    with pytest.raises(AssertionError, match="IterableDataset"):
        list(ChainDataset([[1, 2]]))
    with pytest.raises(AssertionError, match="empty"):
        ConcatDataset([])


def test_subset_maps_its_indices():
    subset = Subset("abcd", [3, 1])
    assert [subset[0], subset[1]] == ["d", "b"]
    assert subset.__getitems__([1, 1, 0]) == ["b", "b", "d"]
    assert len(subset) == 2
    rows = Subset(TensorDataset(fb.arange(4)), [3, 1])
    assert rows[[0, 1]][0].tolist() == [3, 1]
