"""The loader in one process, and the checks of its arguments."""

import pickle

import pytest

import flambeau_core as fb
from flambeau_data import (
    DataLoader,
    Dataset,
    IterableDataset,
    SequentialSampler,
    Subset,
    TensorDataset,
    get_worker_info,
    random_split,
)


class Numbers(IterableDataset):
    def __init__(self, count):
        self.count = count

    def __iter__(self):
        return iter(range(self.count))

    def __len__(self):
        return self.count


class Squares(Dataset):
    def __len__(self):
        return 5

    def __getitem__(self, index):
        return index, index**2


def as_lists(loader):
    return [batch.tolist() for batch in loader]


def test_batches_in_order():
    batches = [[part.tolist() for part in batch] for batch in DataLoader(Squares(), batch_size=2)]
    assert batches == [[[0, 1], [0, 1]], [[2, 3], [4, 9]], [[4], [16]]]


def test_drop_last_and_length():
    loader = DataLoader(range(5), batch_size=2, drop_last=True)
    assert as_lists(loader) == [[0, 1], [2, 3]]
    assert len(loader) == 2
    assert len(DataLoader(range(5), batch_size=2)) == 3
    assert len(iter(DataLoader(range(5), batch_size=2))) == 3


def test_without_batching_samples_come_as_they_are():
    assert list(DataLoader(["a", "b"], batch_size=None)) == ["a", "b"]
    assert list(DataLoader(Numbers(3), batch_size=None)) == [0, 1, 2]


def test_streams():
    assert as_lists(DataLoader(Numbers(5), batch_size=2)) == [[0, 1], [2, 3], [4]]
    assert as_lists(DataLoader(Numbers(5), batch_size=2, drop_last=True)) == [[0, 1], [2, 3]]
    assert len(DataLoader(Numbers(5), batch_size=2)) == 3
    assert len(DataLoader(Numbers(5), batch_size=2, drop_last=True)) == 2
    assert len(DataLoader(Numbers(5), batch_size=None)) == 5


def test_shuffle_is_a_permutation_that_follows_the_seed():
    loader = DataLoader(range(50), batch_size=50, shuffle=True)
    fb.manual_seed(1)
    (first,), (second,) = as_lists(loader), as_lists(loader)
    assert sorted(first) == list(range(50))
    assert first != second
    fb.manual_seed(1)
    assert as_lists(loader) == [first]


def test_a_generator_keeps_the_global_one_untouched():
    state = fb.get_rng_state()
    loader = DataLoader(range(9), shuffle=True, generator=fb.Generator().manual_seed(3))
    list(loader)
    assert fb.equal(fb.get_rng_state(), state)


def test_samplers_and_batch_samplers():
    assert as_lists(DataLoader(range(10), sampler=[4, 2], batch_size=2)) == [[4, 2]]
    assert as_lists(DataLoader(range(10), batch_sampler=[[1, 2], [7]])) == [[1, 2], [7]]
    assert isinstance(DataLoader(range(3)).sampler, SequentialSampler)


def test_collate_fn():
    assert list(DataLoader(range(4), batch_size=2, collate_fn=sum)) == [1, 5]


def test_tensor_datasets_and_their_subsets_are_gathered(monkeypatch):
    dataset = TensorDataset(fb.arange(12).view(6, 2), fb.arange(6))
    monkeypatch.setattr(dataset, "__getitem__", None, raising=False)
    calls = []
    gather = TensorDataset.gather
    monkeypatch.setattr(
        TensorDataset, "gather", lambda self, rows: calls.append(rows) or gather(self, rows)
    )
    features, labels = next(iter(DataLoader(dataset, batch_size=3)))
    assert features.tolist() == [[0, 1], [2, 3], [4, 5]]
    assert labels.tolist() == [0, 1, 2]
    nested = Subset(Subset(dataset, [5, 3, 1]), [2, 0])
    assert next(iter(DataLoader(nested, batch_size=2)))[1].tolist() == [1, 5]
    assert calls == [[0, 1, 2], [1, 5]]


def test_a_gathered_batch_is_a_copy():
    rows = fb.zeros(4)
    (batch,) = next(iter(DataLoader(TensorDataset(rows), batch_size=4)))
    batch += 1
    assert rows.tolist() == [0, 0, 0, 0]


def test_a_subclass_that_overrides_getitem_is_asked():
    class Doubled(TensorDataset):
        def __getitem__(self, index):
            return (super().__getitem__(index)[0] * 2,)

    (batch,) = next(iter(DataLoader(Doubled(fb.arange(3)), batch_size=3)))
    assert batch.tolist() == [0, 2, 4]
    part, _ = random_split(Doubled(fb.arange(3)), [3, 0])
    (batch,) = next(iter(DataLoader(part, batch_size=3)))
    assert sorted(batch.tolist()) == [0, 2, 4]


def test_getitems_takes_a_whole_batch():
    class Whole(Squares):
        def __getitems__(self, indices):
            return [100 + index for index in indices]

    assert as_lists(DataLoader(Whole(), batch_size=5)) == [[100, 101, 102, 103, 104]]


def test_the_main_process_is_no_worker():
    assert get_worker_info() is None


def test_a_loader_can_be_pickled():
    loader = pickle.loads(pickle.dumps(DataLoader(range(4), batch_size=2)))
    assert as_lists(loader) == [[0, 1], [2, 3]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_workers": -1}, "num_workers"),
        ({"timeout": -1}, "timeout"),
        ({"prefetch_factor": 2}, "num_workers > 0"),
        ({"num_workers": 1, "prefetch_factor": 0}, "prefetch_factor"),
        ({"persistent_workers": True}, "persistent_workers"),
        ({"sampler": [1], "shuffle": True}, "mutually exclusive"),
        ({"batch_sampler": [[1]], "shuffle": True}, "mutually exclusive"),
        ({"batch_sampler": [[1]], "batch_size": 2}, "mutually exclusive"),
        ({"batch_size": None, "drop_last": True}, "drop_last"),
        ({"batch_size": 0}, "batch_size=0"),
        ({"multiprocessing_context": "fork"}, "num_workers=0"),
        ({"num_workers": 1, "multiprocessing_context": "teleport"}, "teleport"),
    ],
)
def test_arguments_that_do_not_fit(options, message):
    with pytest.raises(ValueError, match=message):
        DataLoader(range(5), **options)


@pytest.mark.parametrize("options", [{"shuffle": True}, {"sampler": [1]}, {"batch_sampler": [[1]]}])
def test_streams_have_no_order_to_choose(options):
    with pytest.raises(ValueError, match="IterableDataset"):
        DataLoader(Numbers(3), **options)


def test_a_context_of_the_wrong_type():
    with pytest.raises(TypeError, match="multiprocessing_context"):
        DataLoader(range(5), num_workers=1, multiprocessing_context=4)


@pytest.mark.parametrize("name", ["batch_size", "dataset", "sampler", "drop_last"])
def test_what_the_samplers_were_built_from_is_fixed(name):
    with pytest.raises(ValueError, match=name):
        setattr(DataLoader(range(5)), name, 1)
