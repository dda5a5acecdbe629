import pytest

import flambeau_core as fb
from flambeau_data import random_split


def test_the_parts_are_disjoint_and_complete():
    first, second = random_split(range(100, 110), [3, 7])
    assert (len(first), len(second)) == (3, 7)
    assert sorted([*first, *second]) == list(range(100, 110))


def test_fractions_are_rounded_down_and_the_rest_is_spread():
    # floor(2.5), floor(2.5) and 5, and the sample left over goes to the first part.
    assert [len(part) for part in random_split(range(10), [0.25, 0.25, 0.5])] == [3, 2, 5]


def test_a_generator_decides():
    def split(seed):
        parts = random_split(range(50), [25, 25], generator=fb.Generator().manual_seed(seed))
        return parts[0].indices

    assert split(1) == split(1)
    assert split(1) != split(2)


@pytest.mark.parametrize("lengths", [[3, 6], [0.3, 0.6], [11]])
def test_sizes_that_do_not_add_up(lengths):
    with pytest.raises(ValueError, match="Sum of input lengths"):
        random_split(range(10), lengths)


def test_a_negative_fraction():
    with pytest.raises(ValueError, match="index 0"):
        random_split(range(10), [1.2, -0.2])


def test_an_empty_part_warns():
    with pytest.warns(UserWarning, match="part 0 is empty"):
        random_split(range(1), [0.0, 1.0])
