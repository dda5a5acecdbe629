import pytest

from flambeau_data import DistributedSampler


def parts(size, replicas, **options):
    return [
        list(DistributedSampler(range(size), replicas, rank, **options)) for rank in range(replicas)
    ]


def test_each_process_takes_every_nth_index():
    assert parts(6, 3, shuffle=False) == [[0, 3], [1, 4], [2, 5]]


def test_parts_are_made_equal_by_repeating_or_by_dropping():
    assert parts(5, 3, shuffle=False) == [[0, 3], [1, 4], [2, 0]]
    assert parts(5, 3, shuffle=False, drop_last=True) == [[0], [1], [2]]
    assert parts(1, 3, shuffle=False) == [[0], [0], [0]]
    assert len(DistributedSampler(range(5), 3, 0)) == 2


def test_processes_share_the_permutation_of_an_epoch():
    first, second = parts(20, 2)
    assert sorted(first + second) == list(range(20))
    sampler = DistributedSampler(range(20), 2, 0)
    assert list(sampler) == first
    sampler.set_epoch(1)
    assert list(sampler) != first


def test_the_launcher_says_who_we_are(monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setenv("RANK", "1")
    assert list(DistributedSampler(range(4), shuffle=False)) == [1, 3]
    monkeypatch.delenv("RANK")
    with pytest.raises(RuntimeError, match="RANK"):
        DistributedSampler(range(4))


def test_a_rank_out_of_range():
    with pytest.raises(ValueError, match="rank 2"):
        DistributedSampler(range(4), 2, 2)
