import collections

import pytest

import flambeau_core as fb
from flambeau_data import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)


def test_sequential():
    assert list(SequentialSampler("abc")) == [0, 1, 2]
    assert len(SequentialSampler("abc")) == 3


def test_the_base_class_has_no_order_and_no_length():
    with pytest.raises(NotImplementedError):
        iter(Sampler())
    with pytest.raises(TypeError):
        len(Sampler())


def test_random_is_a_permutation_that_changes_and_repeats_with_the_seed():
    sampler = RandomSampler(range(100))
    fb.manual_seed(4)
    first, second = list(sampler), list(sampler)
    assert sorted(first) == list(range(100))
    assert first != second
    fb.manual_seed(4)
    assert list(sampler) == first


def test_random_without_replacement_runs_through_permutations():
    drawn = list(RandomSampler(range(10), num_samples=25))
    counts = collections.Counter(drawn)
    assert len(drawn) == 25
    assert set(counts) == set(range(10))
    assert set(counts.values()) <= {2, 3}
    assert len(RandomSampler(range(10), num_samples=25)) == 25


def test_random_with_replacement():
    sampler = RandomSampler(range(5), replacement=True, num_samples=9000)
    drawn = list(sampler)
    assert len(drawn) == 9000
    counts = collections.Counter(drawn)
    # 1800 each, standard deviation 38: six of them leave one failure in 10^8.
    assert all(abs(counts[index] - 1800) < 228 for index in range(5))


def test_random_uses_its_generator():
    def order():
        return list(RandomSampler(range(50), generator=fb.Generator().manual_seed(1)))

    state = fb.get_rng_state()
    assert order() == order()
    assert fb.equal(state, fb.get_rng_state())


def test_random_refuses():
    with pytest.raises(TypeError, match="replacement"):
        RandomSampler(range(3), replacement=1)
    with pytest.raises(ValueError, match="num_samples=0"):
        RandomSampler(range(3), num_samples=0)
    with pytest.raises(ValueError, match="num_samples=0"):
        RandomSampler([])


def test_subset_random():
    assert sorted(SubsetRandomSampler([7, 3, 5])) == [3, 5, 7]
    assert len(SubsetRandomSampler([7, 3, 5])) == 3


def test_weighted():
    sampler = WeightedRandomSampler([0.0, 3.0, 1.0], 8000)
    counts = collections.Counter(sampler)
    assert counts[0] == 0
    # 6000 expected, standard deviation 39.
    assert abs(counts[1] - 6000) < 240
    assert sorted(WeightedRandomSampler([1.0, 2.0, 3.0], 3, replacement=False)) == [0, 1, 2]


def test_weighted_refuses():
    with pytest.raises(ValueError, match="num_samples"):
        WeightedRandomSampler([1.0], 0)
    with pytest.raises(ValueError, match="replacement"):
        WeightedRandomSampler([1.0], 1, replacement=1)
    with pytest.raises(ValueError, match=r"\(1, 2\)"):
        WeightedRandomSampler([[1.0, 2.0]], 1)


def test_batches():
    assert list(BatchSampler(range(7), 3, False)) == [[0, 1, 2], [3, 4, 5], [6]]
    assert list(BatchSampler(range(7), 3, True)) == [[0, 1, 2], [3, 4, 5]]
    assert len(BatchSampler(range(7), 3, False)) == 3
    assert len(BatchSampler(range(7), 3, True)) == 2


@pytest.mark.parametrize("size", [0, -1, 1.5, True])
def test_batch_size_is_a_positive_integer(size):
    with pytest.raises(ValueError, match="batch_size"):
        BatchSampler(range(3), size, False)


def test_drop_last_is_a_bool():
    with pytest.raises(ValueError, match="drop_last"):
        BatchSampler(range(3), 1, 2)
